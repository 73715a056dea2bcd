"""The controller of the Lab: runs queries in variants, and changes the judgments."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from brvtui.app.actions.dialogs import EARLIER_ANSWER, GRADE
from brvtui.app.keys.bindings import bindings
from brvtui.app.lab import asking
from brvtui.app.lab.asking import JudgmentsRead, LabBatch, LabRequest
from brvtui.app.lab.edit_check import OPEN_QUERY, EditCheck
from brvtui.app.project.project import Project
from brvtui.app.screens.dialog import Dialog
from brvtui.app.services import AppServices
from brvtui.app.states import CellCauses, EditsState, EngineState, LabColumn, LabState, ProjectState, QueryState
from brvtui.app.widgets.lines import Paragraphs
from brvtui.engines.registry import DEFAULT
from brvtui.lab.judgments.model import Judgment
from brvtui.lab.whatif.variant import Control, EditedText, Value, Variant, with_value
from brvtui.wording import shortened

if TYPE_CHECKING:
    from brvtui.lab.evaluation.comparing import ChangeLine
    from brvtui.session import Session

# The dialog that asks for the relevance of a note to the open query.


NO_GRADE = -1


class GradeDialog(Dialog[int]):
    """Asks for a grade; returns 0 to 3, :data:`NO_GRADE` to remove the grade, or None."""

    BINDINGS = bindings(GRADE)

    def __init__(self, query: str, path: str, noun: str) -> None:
        """Creates a dialog for the note at ``path`` and ``query``; ``noun`` is the kind of document."""
        message = "The Lab screen lists all judged queries."
        super().__init__(f"How relevant is this {noun} to the query?", f"{query}", path, message)

    def make_parts(self) -> ComposeResult:
        """Yields the question and a line for the current grade."""
        yield from super().make_parts()
        yield Paragraphs(id="grade")

    def show_grade(self, grade: int | None) -> None:
        """Shows the current grade of the note."""
        text = "It has no grade yet." if grade is None else f"Its grade is {grade}."
        self.query_one("#grade", Paragraphs).set_text((text, "muted"))


class EarlierAnswerDialog(Dialog[bool]):
    """Asks which answer to a query is right; returns False for the one before the edits, True for the current one."""

    BINDINGS = bindings(EARLIER_ANSWER)

    def __init__(self, queries: Sequence[tuple[str, str]]) -> None:
        """Creates a dialog for ``queries``, pairs of text and scope, whose answers changed."""
        who = f"“{shortened(queries[0][0])}” has" if len(queries) == 1 else f"{len(queries)} queries have"
        message = f"{who} a different answer since the edits. The judgment will expect the answer that you choose."
        super().__init__("Which answer is right?", message)


def ask_grade(services: AppServices, project: Project, path: str, grade: Callable[[str, int | None], None]) -> None:
    """Asks the user to grade the note at ``path`` for the open query; without a note or query, shows a hint.

    ``grade`` is called with the path and the grade, or None to remove it.
    """
    view = services.store.view
    query = view.query.text.strip()
    if project.refuses():
        return
    if not query or not path:
        message = "type a query and select a result; {results.judge} then grades it for the query"
        services.notify(services.with_keys(message), timeout=4)
        return

    def answered(value: int | None) -> None:
        if value is not None:
            grade(path, None if value == NO_GRADE else value)

    dialog = GradeDialog(query, path, view.kind.noun)
    services.push_screen(dialog, answered)

    def show(grade: int | None) -> None:
        if dialog.is_attached:
            dialog.show_grade(grade)

    if project.session is not None:
        read_grade = partial(asking.grade_of, project.session, query, view.query.scope, path)
        services.background.run(read_grade, show, group="grade", exclusive=True)


MODE = "lab"
WHAT_IF = "what if"
_ASKING = "lab"
_MOST_COLUMNS = 8
_MOST_READ = 2_000
_PRESENT = Variant()
_COMMITTED = Variant(revision="HEAD")


class Lab:
    """Runs the judged queries in variants while the screen is in front, and again after changes."""

    def __init__(
        self,
        services: AppServices,
        project: Project,
        edits: EditCheck,
        edited: Callable[[], EditedText | None],
        use: Callable[[str], None],
        use_profile: Callable[[str, str], None],
        go_to_results: Callable[[str, str], Awaitable[None]],
    ) -> None:
        """Creates the controller, at first without columns.

        ``edits`` records the notes before edits, ``edited`` returns the unsaved text in the editor, ``use`` switches
        the engine, ``use_profile`` switches an engine's profile, and ``go_to_results`` runs a query in a scope on the
        Query screen.
        """
        self._services = services
        self._project = project
        self._edits = edits
        self._edited = edited
        self._use = use
        self._use_profile = use_profile
        self._go_to_results = go_to_results
        self._added: list[Variant] = []
        """The variants of columns that the user added."""
        self._hidden: set[Variant] = set()
        """The variants of proposed columns that the user removed."""
        self._number = 0
        self._completing: tuple[object, ...] = ()
        """The request, variant and query of the last brief answer that was run again."""
        self._is_alone = False
        """True if queries run only in the what-if column, since the other columns are up to date."""
        self._requested_for: tuple[object, ...] = ()
        """The state that the last request depended on."""
        self.revisions: Mapping[str, str] = {}
        """The git revisions of the open context tree, each with a description."""
        self._done: list[tuple[asking.Judged, int]] = []
        """The changes to judgments, newest last, each with the number of note changes before it."""
        self.looked_at: Sequence[str] = ()
        """The ids of the judgments to run first, because the user sees them."""
        services.store.subscribe((ProjectState, QueryState, EngineState, EditsState), self._view_changed)

    @property
    def state(self) -> LabState:
        """The state that the screen shows."""
        return self._services.store.view.lab

    @property
    def unsaved(self) -> EditedText | None:
        """The unsaved text in the editor, if queries can run with it."""
        session = self.session
        return self._edited() if session is not None and session.kind.can_vary else None

    @property
    def session(self) -> Session | None:
        """The session of the open project; None before its notes are read."""
        return self._project.session if self._services.store.view.project.overview is not None else None

    # reading judgments and running queries

    def read(self) -> None:
        """Reads the judgments again, then runs queries without an up-to-date answer."""
        self._edits.seen()
        session = self.session
        if session is not None:
            read = partial(asking.read_judgments, session, self._services.store.view.engine.name)
            self._services.background.run(read, self._were_read, group="lab judgments", exclusive=True)

    def _were_read(self, read: JudgmentsRead) -> None:
        self.revisions = read.revisions
        state = self.state._replace(judgments=read.judgments, unjudged=read.unjudged, file=read.file)
        state = state._replace(problem=read.problem, causes=None)
        if state.controls != read.controls:  # another engine or profile has constants with other names or values
            state = state._replace(controls=read.controls, what_if=None)
        self._services.store.update(state)
        self.ask()

    def _view_changed(self) -> None:
        if self._services.current_mode != MODE or self.session is None:
            return
        if self.state.judgments is None or self._depends_on()[:-1] != self._requested_for[:-1]:
            self.read()
        elif self._depends_on() != self._requested_for:
            self.ask()

    def _depends_on(self) -> tuple[object, ...]:
        view = self._services.store.view
        chosen = view.engine
        return (
            view.project.overview, chosen.name, chosen.mode, chosen.profile, view.edits.earlier, self._open_query(),
        )  # fmt: skip

    def _open_query(self) -> Judgment | None:
        view = self._services.store.view
        text, scope = view.query.text.strip(), view.query.scope
        queries = self.state.judgments or self.state.unjudged
        if not text or any((each.text, each.scope) == (text, scope) for each in queries):
            return None
        return Judgment(OPEN_QUERY, text, scope)

    def _variants(self, what_if: Variant | None) -> list[Variant]:
        """Returns the present, ``what_if``, the proposed variants, and the variants that the user added."""
        edited, judgments = self.unsaved, self.state.judgments
        offered = [Variant(edit=edited)] if edited is not None else []
        earlier = self._services.store.view.edits.earlier
        if earlier is not None:
            offered.append(Variant(earlier=earlier))
        if _COMMITTED.revision in self.revisions and judgments:
            offered.append(_COMMITTED)
        shown = [each for each in offered if each not in self._hidden]
        slid = [what_if] if what_if is not None else []
        return list(dict.fromkeys([_PRESENT, *slid, *shown, *self._added]))

    def ask(self) -> None:
        """Runs every query in every variant, but reuses answers that are up to date."""
        self._ask(self.state.what_if)

    def _ask(self, what_if: Variant | None, alone: bool = False) -> None:
        """Runs the queries with the sliders at ``what_if``; if ``alone``, runs them only in the what-if column."""
        session, view = self.session, self._services.store.view
        if session is None or view.lab.judgments is None:
            return
        self._number += 1
        self._is_alone = alone and what_if is not None
        self._requested_for = self._depends_on()
        before = {column.variant: column for column in view.lab.columns}
        slid = next((column for column in view.lab.columns if column.title == WHAT_IF), None)
        ago = next((column for column in view.lab.columns if column.variant.earlier is not None), None)
        columns: list[LabColumn] = []
        variants = self._variants(what_if)
        requested = [what_if] if alone and what_if is not None else variants
        for variant in variants:
            is_slid = variant == what_if
            earlier = before.get(variant) or (slid if is_slid else ago if variant.earlier is not None else None)
            title = WHAT_IF if is_slid else title_of(variant, _present(view.engine))
            columns.append(LabColumn(variant, title, earlier.cells if earlier is not None else {}))
        state = view.lab._replace(open_query=self._open_query(), columns=tuple(columns), stopped=False)
        state = state._replace(what_if=what_if)
        state = state._replace(done=0, total=len(state.rows) * len(requested))
        self._services.store.update(state)
        first = {name: place for place, name in enumerate(dict.fromkeys((OPEN_QUERY, *self.looked_at)))}
        rows = tuple(sorted(state.rows, key=lambda row: first.get(row.id, len(first))))
        request = LabRequest(self._number, tuple(requested), rows, view.engine.name, view.engine.mode, what_if)
        task = partial(asking.ask_all, session, request, self._services.background.relay(self._answered))
        self._services.background.run(task, group=_ASKING, exclusive=True)

    def _answered(self, batch: LabBatch) -> None:
        state = self.state
        if batch.number != self._number or state.stopped:
            return
        if batch.problem and batch.variant == _COMMITTED and batch.variant not in self._added:
            self._hidden.add(batch.variant)  # a proposed column: the tree may not be committed at all
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
        """Stops the running queries, or continues if they are stopped."""
        state = self.state
        if state.stopped:
            self.ask()
        elif state.done < state.total:
            self._services.background.cancel(_ASKING)
            self._services.store.update(state._replace(stopped=True))

    # columns

    def add(self, variant: Variant) -> bool:
        """Adds a column for ``variant``; returns True if the column exists or will appear."""
        self._hidden.discard(variant)
        if variant == _PRESENT or variant in self._variants(self.state.what_if):
            self._services.notify("that column exists already", timeout=4)
            return True
        if len(self._variants(None)) >= _MOST_COLUMNS:
            message = self._services.with_keys(
                f"there can be at most {_MOST_COLUMNS} columns: {{judged.remove}} removes one"
            )
            self._services.notify(message, severity="warning", timeout=4)
            return False
        self._added.append(variant)
        self.ask()
        return True

    def remove(self, variant: Variant) -> None:
        """Removes the column of ``variant``, unless that is the present column."""
        if variant == self.state.what_if:
            self.reset()
            return
        if variant == _PRESENT:
            self._services.notify("the column “now” cannot be removed: the others are compared with it", timeout=4)
            return
        if variant in self._added:
            self._added.remove(variant)
        elif variant.earlier is not None:
            self._edits.hold(accepts_edits=True)
            noun = self._services.store.view.kind.noun
            self._services.notify(f"later edits are compared with the current {noun}s", timeout=5)
            return
        else:
            self._hidden.add(variant)
        self.ask()

    def explain(self, judgment: Judgment | None, column: LabColumn | None) -> None:
        """Explains the answer to ``judgment`` in ``column``, and how it differs from now, or from before the edits."""
        state = self.state
        if judgment is None or column is None:
            return
        self._complete(judgment, column)
        if column is state.columns[0]:
            column = next((each for each in state.columns if each.variant.earlier is not None), column)
        is_of_before = column.variant.earlier is not None or bool(column.variant.revision)
        cells = [each.cells.get(judgment.id) for each in (state.columns[0], column)]
        key = (column.variant, judgment.id)
        if not is_of_before or None in cells or (state.causes is not None and state.causes[:2] == key):
            return
        session, engine = self.session, self._services.store.view.engine
        if session is not None:
            self._services.store.update(state._replace(causes=CellCauses(*key)))
            find = partial(asking.causes, session, column.variant, judgment, engine.name, engine.mode)
            self._services.background.run(find, partial(self._explained, key), group="lab causes", exclusive=True)

    def _complete(self, judgment: Judgment, column: LabColumn) -> None:
        """Runs the query of ``judgment`` again if its answer in ``column`` is brief, once no others run."""
        cell, key = column.cells.get(judgment.id), (self._number, column.variant, judgment.id)
        is_brief = cell is not None and not cell.result.sentence and self.state.done >= self.state.total
        session, engine = self.session, self._services.store.view.engine
        if session is not None and is_brief and key != self._completing:
            self._completing = key
            request = LabRequest(self._number, (column.variant,), (judgment,), engine.name, engine.mode)
            task = partial(asking.ask_all, session, request, self._services.background.relay(self._answered))
            self._services.background.run(task, group="lab answer", exclusive=True)

    def _explained(self, key: tuple[Variant, str], lines: tuple[ChangeLine, ...]) -> None:
        if self.state.causes == CellCauses(*key):
            self._services.store.update(self.state._replace(causes=CellCauses(*key, lines)))

    # what if

    def change(self, control: Control, value: Value) -> None:
        """Moves a slider to ``value`` and updates the what-if column."""
        before = self.state
        variant = with_value(before.what_if or _PRESENT, control, value)
        what_if = variant if variant != _PRESENT else None
        if what_if == before.what_if:
            return
        is_whole = before.done >= before.total and not before.stopped
        self._ask(what_if, alone=is_whole or self._is_alone)

    def reset(self) -> None:
        """Resets all sliders."""
        if self.state.what_if is not None:
            self._ask(None)

    def keep_profile(self, name: str) -> None:
        """Saves the constants of the sliders as the profile ``name``."""
        session, variant = self.session, self.state.what_if
        if session is not None and variant is not None:
            engine = self._services.store.view.engine.name
            keep = partial(asking.keep_profile, session, variant, engine, name)
            tell = partial(self._services.notify, timeout=10)
            self._services.background.run(keep, tell, group="keep profile")

    async def open(self, judgment: Judgment, variant: Variant) -> None:
        """Runs the query on the Query screen with the engine and profile of ``variant``, but not its other changes."""
        if variant.engine and variant.engine != self._services.store.view.engine.name:
            self._use(variant.engine)
        if variant.profile:
            self._use_profile(variant.engine or self._services.store.view.engine.name, variant.profile)
        await self._go_to_results(judgment.text, judgment.scope)
        rest = replace(variant, engine="", profile="")
        if rest != _PRESENT:
            text = f"run with the current notes and settings: {title_of(rest)} applies only in the Lab"
            self._services.notify(text, timeout=6)

    # judging

    def grade(self, path: str, value: int | None) -> None:
        """Sets the grade of the note at ``path`` for the open query, or removes it."""
        session, query = self.session, self._services.store.view.query
        if session is not None and query.text.strip() and path:
            grade = partial(asking.grade, session, query.text.strip(), query.scope, path, value)
            self._services.background.run(grade, self._judged, group="judge")

    def keep(
        self, queries: Sequence[tuple[str, str]], variant: Variant = _PRESENT, accepts_edits: bool = False
    ) -> None:
        """Judges ``queries``, pairs of text and scope, by their answers in ``variant``.

        Unless ``accepts_edits``, asks which answer is right if edits have changed the answer in the present.
        """
        session = self.session
        if session is not None and queries:
            view = self._services.store.view
            chosen, edits = view.engine, view.edits.earlier if variant == _PRESENT and not accepts_edits else None
            keep = partial(asking.keep_answers, session, queries, variant, edits, chosen.name, chosen.mode)
            self._services.background.run(keep, self._judged, group="judge")

    def keep_open_or_logged(self, variant: Variant) -> None:
        """Judges the open query, or else the covered queries of the log, by their answers in ``variant``."""
        session, query = self.session, self._services.store.view.query
        if session is None or self._project.refuses():
            return
        if self.state.problem:
            self._services.notify(self.state.problem, severity="warning", timeout=8)
            return
        if query.text.strip():
            self.keep([(query.text.strip(), query.scope)], variant)
            return

        def logged() -> list[tuple[str, str]]:
            entries = session.logbook.read(_MOST_READ)
            queries = [
                (each.query.strip(), each.scope) for each in entries if not each.not_covered and not each.problem
            ]
            return [each for each in dict.fromkeys(queries) if each[0]]

        self._services.background.run(logged, partial(self._keep_logged, variant), group="judge")

    def _keep_logged(self, variant: Variant, queries: list[tuple[str, str]]) -> None:
        if queries:
            self.keep(queries, variant)
        else:
            self._services.notify("no query is open or logged: type one on the Query screen", timeout=5)

    def unjudge(self, judgment: Judgment) -> None:
        """Removes the query of ``judgment`` from the judgments."""
        session = self.session
        if judgment not in (self.state.judgments or ()):
            self._services.notify(f"“{judgment.text}” is not judged", timeout=4)
        elif session is not None:
            drop = partial(asking.unjudge, session, judgment.text, judgment.scope)
            self._services.background.run(drop, self._judged, group="judge")

    def take_back(self) -> bool:
        """Undoes the last change to the judgments, unless notes were changed later; returns True if it was undone."""
        session = self.session
        if session is None or not self._done or self._done[-1][1] < session.notes.journal.depth:
            return False
        done, _ = self._done.pop()
        self._services.background.run(partial(asking.take_back, session, done), self._taken_back, group="judge")
        return True

    def _judged(self, done: asking.Judged) -> None:
        session, message = self.session, done.said
        if session is not None and done.before != done.after:
            self._done.append((done, session.notes.journal.depth))
            message = f"{message}; {self._services.shown_key('note.undo')} undoes it"
        if message:
            self._tell_judged(message)
        earlier = self._services.store.view.edits.earlier

        def answered(is_now: bool | None) -> None:
            if is_now is not None:
                self.keep(done.left_out, _PRESENT if is_now else Variant(earlier=earlier), is_now)

        if done.left_out and earlier is not None:
            self._services.push_screen(EarlierAnswerDialog(done.left_out), answered)

    def _taken_back(self, done: asking.Judged) -> None:
        self._tell_judged(done.said)

    def _tell_judged(self, message: str) -> None:
        self._services.notify(message, timeout=8)
        if self.state.judgments is not None:
            self.read()


def _present(engine: EngineState) -> str:
    """Returns the engine's name, or its profile's name if the profile is not the default."""
    return engine.name if engine.has_usual_profile else engine.profile


def title_of(variant: Variant, present: str = DEFAULT) -> str:
    """Returns the column title for ``variant``; ``present`` is the title for the present."""
    if variant == _PRESENT:
        return present
    if variant.edit is not None and replace(variant, edit=None) == _PRESENT:
        return f"edit {variant.edit.path.rpartition('/')[2]}"
    if variant.earlier is not None:
        return "before edits"
    if variant == Variant(revision=variant.revision):
        return f"since {variant.revision}"
    return str(variant)
