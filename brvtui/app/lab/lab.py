"""The Lab's controller: which queries are asked in which variants, when, and what is changed in the judgments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from brvtui.app.lab import asking
from brvtui.app.lab.asking import JudgmentsRead, LabBatch, LabRequest
from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.states import EngineState, LabColumn, LabState, ProjectState, QueryState
from brvtui.engines.registry import DEFAULT
from brvtui.lab.judgments.model import Judgment
from brvtui.lab.whatif.variant import EditedText, Variant

if TYPE_CHECKING:
    from brvtui.session import Session

MODE = "lab"
OPEN_QUERY = "the open query"
_ASKING = "lab"
_MOST_COLUMNS = 8
_MOST_READ = 2_000
_COMMITTED = Variant(revision="HEAD")


class Lab:
    """Asks the judged queries in variants while the screen is in front, and again when something changes."""

    def __init__(
        self,
        services: AppServices,
        project: Project,
        edited: Callable[[], EditedText | None],
        use: Callable[[str], None],
        fill: Callable[[str, str], None],
    ) -> None:
        """Nothing is asked yet.

        ``edited`` returns the unsaved text in the editor, ``use`` has an engine answer from now on, ``fill`` puts a
        query and its scope into the Query screen.
        """
        self._services = services
        self._project = project
        self._edited = edited
        self._use = use
        self._fill = fill
        self._added: list[Variant] = []
        """The columns that the user added."""
        self._hidden: set[Variant] = set()
        """Columns that the Lab offers by itself, and the user took away."""
        self._number = 0
        self._asked: tuple[object, ...] = ()
        """What the last request depends on."""
        self._in_git = False
        services.store.subscribe((ProjectState, QueryState, EngineState), self._view_changed)

    @property
    def state(self) -> LabState:
        """What the screen shows."""
        return self._services.store.view.lab

    @property
    def unsaved(self) -> EditedText | None:
        """The text in the editor, if it is not saved."""
        return self._edited()

    @property
    def session(self) -> Session | None:
        """The open project; None before its notes are read."""
        return self._project.session if self._services.store.view.project.overview is not None else None

    # reading and asking

    def read(self) -> None:
        """Reads the judgments again, then asks what is not known yet."""
        session = self.session
        if session is not None:
            read = partial(asking.read_judgments, session)
            self._services.background.run(read, self._were_read, group="lab judgments", exclusive=True)

    def _were_read(self, read: JudgmentsRead) -> None:
        self._in_git = read.in_git
        state = self.state._replace(judgments=read.judgments, file=read.file, problem=read.problem)
        self._services.store.update(state)
        self.ask()

    def _view_changed(self) -> None:
        if self._services.current_mode != MODE or self.session is None:
            return
        if self.state.judgments is None:
            self.read()
        elif self._depends_on() != self._asked:
            self.ask()

    def _depends_on(self) -> tuple[object, ...]:
        view = self._services.store.view
        return (view.project.overview, view.engine.name, view.engine.mode, view.engine.profile, self._open_query())

    def _open_query(self) -> Judgment | None:
        view = self._services.store.view
        text, scope = view.query.text.strip(), view.query.scope
        known = self.state.judgments or ()
        if not text or any((each.text, each.scope) == (text, scope) for each in known):
            return None
        return Judgment(OPEN_QUERY, text, scope)

    def _variants(self) -> list[Variant]:
        """The present, what the Lab offers by itself, and what the user added."""
        edited, judgments = self._edited(), self.state.judgments
        offered = [Variant(edit=edited)] if edited is not None else []
        if self._in_git and judgments:
            offered.append(_COMMITTED)
        return list(dict.fromkeys([Variant(), *(each for each in offered if each not in self._hidden), *self._added]))

    def ask(self) -> None:
        """Asks every query in every variant; those that are known already cost nothing."""
        session, view = self.session, self._services.store.view
        if session is None or view.lab.judgments is None:
            return
        self._number += 1
        self._asked = self._depends_on()
        open_query, variants = self._open_query(), self._variants()
        before = {column.variant: column for column in view.lab.columns}
        columns = tuple(
            LabColumn(variant, title_of(variant, view.engine.name), before[variant].cells if variant in before else {})
            for variant in variants
        )
        state = view.lab._replace(open_query=open_query, columns=columns, stopped=False)
        state = state._replace(done=0, total=len(state.rows) * len(columns))
        self._services.store.update(state)
        request = LabRequest(self._number, tuple(variants), state.rows, view.engine.name, view.engine.mode)
        task = partial(asking.ask_all, session, request, self._services.background.relay(self._answered))
        self._services.background.run(task, group=_ASKING, exclusive=True)

    def _answered(self, batch: LabBatch) -> None:
        state = self.state
        if batch.number != self._number or state.stopped:
            return
        if batch.problem and batch.variant == _COMMITTED and batch.variant not in self._added:
            self._hidden.add(batch.variant)  # offered by itself: the tree may not be committed at all
            state = state._replace(columns=tuple(each for each in state.columns if each.variant != batch.variant))
        columns = tuple(
            column._replace(cells={**column.cells, **batch.cells}, problem=batch.problem)
            if column.variant == batch.variant
            else column
            for column in state.columns
        )
        missing = len(state.rows) if batch.problem else len(batch.cells)
        done = min(state.done + missing, state.total)
        self._services.store.update(state._replace(columns=columns, done=done))

    def stop(self) -> None:
        """Stops asking, or goes on."""
        state = self.state
        if state.stopped:
            self.ask()
        elif state.done < state.total:
            self._services.background.cancel(_ASKING)
            self._services.store.update(state._replace(stopped=True))

    # columns

    def add(self, variant: Variant) -> None:
        """Asks the judged queries in ``variant`` too."""
        self._hidden.discard(variant)
        if variant == Variant() or variant in self._variants():
            self._services.notify("that column is there already", timeout=4)
            return
        if len(self._variants()) >= _MOST_COLUMNS:
            self._services.notify(f"{_MOST_COLUMNS} columns are the most: d removes one", severity="warning", timeout=4)
            return
        self._added.append(variant)
        self.ask()

    def remove(self, variant: Variant) -> None:
        """Removes the column of ``variant``; that of the present stays."""
        if variant == Variant():
            self._services.notify("the present stays: the others are compared with it", timeout=4)
            return
        if variant in self._added:
            self._added.remove(variant)
        else:
            self._hidden.add(variant)
        self.ask()

    async def open(self, judgment: Judgment, variant: Variant) -> None:
        """Puts the query into the Query screen, with the engine of ``variant``; says what cannot be put there."""
        await self._services.switch_mode("query")
        if variant.engine and variant.engine != self._services.store.view.engine.name:
            self._use(variant.engine)
        self._fill(judgment.text, judgment.scope)
        rest = replace(variant, engine="")
        if rest != Variant():
            text = f"asked as things are now: {title_of(rest)} is only in the Lab"
            self._services.notify(text, timeout=6)

    # judging

    def grade(self, path: str, value: int | None) -> None:
        """Grades the note at ``path`` for the open query, or takes its grade away."""
        session, query = self.session, self._services.store.view.query
        if session is not None and query.text.strip() and path:
            grade = partial(asking.grade, session, query.text.strip(), query.scope, path, value)
            self._services.background.run(grade, self._judged, group="judge")

    def keep(self, queries: list[tuple[str, str]]) -> None:
        """Judges ``queries``, of text and scope, by how they are answered now."""
        session = self.session
        if session is not None and queries:
            self._services.background.run(partial(asking.keep_answers, session, queries), self._judged, group="judge")

    def keep_open_or_logged(self) -> None:
        """Judges the open query by its answer now; without one, those queries of the log that were covered."""
        session, query = self.session, self._services.store.view.query
        if session is None or self._project.refuses():
            return
        if query.text.strip():
            self.keep([(query.text.strip(), query.scope)])
            return

        def logged() -> list[tuple[str, str]]:
            entries = session.logbook.read(_MOST_READ)
            found = [(each.query.strip(), each.scope) for each in entries if not each.not_covered and not each.problem]
            return [each for each in dict.fromkeys(found) if each[0]]

        self._services.background.run(logged, self._keep_logged, group="judge")

    def _keep_logged(self, queries: list[tuple[str, str]]) -> None:
        if queries:
            self.keep(queries)
        else:
            self._services.notify("nothing is logged yet: ask a query on the Query screen first", timeout=5)

    def _judged(self, said: str) -> None:
        self._services.notify(said, timeout=5)
        if self.state.judgments is not None:
            self.read()


def title_of(variant: Variant, engine: str = DEFAULT) -> str:
    """The title of the column of ``variant``; ``engine`` answers where it names none."""
    if variant == Variant():
        return engine
    if variant.edit is not None and replace(variant, edit=None) == Variant():
        return f"edit {variant.edit.path.rpartition('/')[2]}"
    if variant == Variant(revision=variant.revision):
        return f"since {variant.revision}"
    return str(variant)
