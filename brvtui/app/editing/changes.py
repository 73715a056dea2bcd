"""Plans changes to notes in dialogs that show their effects; applies, undoes, redoes and lists these changes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input

from brvtui.app.actions.dialogs import NEW_NOTE
from brvtui.app.editing.controller import Editing
from brvtui.app.editing.note_on_disk import NewNoteRequest
from brvtui.app.keys.bindings import bindings
from brvtui.app.project.opening import TreeRead
from brvtui.app.project.project import Project
from brvtui.app.screens.dialog import Dialog
from brvtui.app.screens.frame import QueryAtHand
from brvtui.app.services import AppServices
from brvtui.app.states import NO_SUCH_NOTE
from brvtui.app.text_entry import caught_up
from brvtui.app.widgets.lines import Paragraphs
from brvtui.app.widgets.ordered_keys import Field, Options
from brvtui.app.workers import Refusal, is_cancelled
from brvtui.paint.line import Line, line

if TYPE_CHECKING:
    from brvtui.app.editing.plan_dialog import PlanDialog
    from brvtui.notes.operations import AppliedPlan
    from brvtui.notes.plan import Plan, Step
    from brvtui.notes.signals import SignalTarget
    from brvtui.session import Session

# The dialog for a new note.


class NewNoteDialog(Dialog[NewNoteRequest]):
    """Returns the path, title and template of a new note, or None if the user cancels; writes nothing."""

    BINDINGS = bindings(NEW_NOTE)
    AUTO_FOCUS = "#title-input"

    def __init__(self, title: str, folder: str, why: str, taken: Collection[str]) -> None:
        """Creates the dialog with the proposed title and folder; ``taken`` are the existing paths."""
        super().__init__("New note", *([why] if why else []))
        self._proposed = (title, folder)
        self._taken = taken

    def make_parts(self) -> ComposeResult:
        """Yields the question, the fields and the resulting path."""
        from brvtui.tree.editing.new_notes import Template

        title, folder = self._proposed
        yield from super().make_parts()
        yield Field("title", title, id="title")
        yield Field("folder", folder, id="folder")
        yield Options("template", [template.value for template in Template], id="template")
        yield Paragraphs(id="path")

    def on_mount(self) -> None:
        """Shows the path for the proposed values and selects the title, so that typing replaces it."""
        self._typed()
        self.query_one("#title-input", Input).select_all()

    @property
    def _path(self) -> str:
        """The path of the new note. Raises :class:`brvtui.tree.reading.inside.PathError` for an invalid path."""
        from brvtui.tree.editing.new_notes import new_path

        folder = self.query_one("#folder", Field).value.strip().strip("/")
        return new_path(folder, self.query_one("#title", Field).value, self._taken)

    @on(Input.Changed)
    def _typed(self) -> None:
        from brvtui.tree.reading.inside import PathError

        path = self.query_one("#path", Paragraphs)
        if not self.query_one("#title", Field).value.strip():
            path.set_text(("give the note a title, which also determines the file name", "muted"))
            return
        try:
            new = self._path
        except PathError as error:
            path.set_text((str(error), "bad"))
        else:
            folder = new.rpartition("/")[0]
            is_new = folder and not any(other.startswith(f"{folder}/") for other in self._taken)
            path.set_text((new, "bold strong"), *([(f"creates the folder {folder}", "warn")] if is_new else []))

    async def action_begin(self) -> None:
        """Closes the dialog and returns the request, if the path is valid."""
        from brvtui.tree.reading.inside import PathError

        await caught_up(self.focused)
        try:
            title, template = self.query_one("#title", Field).value.strip(), self.query_one(Options).chosen
            request = NewNoteRequest(self._path, title, template)
        except PathError:
            self._typed()
        else:
            self.dismiss(request)


_SUPERSEDED = (
    "The older notes are archived, and the newer ones link to them. Other links and judged queries then refer to the "
    "newer notes."
)
_FROM_FILE = "its signals come from the file given with --signals: change them there and open the project again"
_FOREIGN = ("[", "_")
"""Folders whose names start with one of these characters belong to shared sources or to the engine itself."""


class NoteChanges:
    """Moves, archives and restores notes, sets their signals, and starts new notes, after the user confirms."""

    def __init__(
        self, services: AppServices, project: Project, editing: Editing, ask: Callable[[str, str], object]
    ) -> None:
        """Creates the controller for ``project``; a note that is open in ``editing`` is first saved or discarded.
        ``ask`` puts a query and its scope into the Query screen; the editor shows its ranking.
        """
        self._services = services
        self._project = project
        self._editing = editing
        self._ask = ask

    def new_note(self, path: str, query: QueryAtHand, always_titled: bool, member: str = "") -> None:
        """Starts a note in the scope of ``query``, or in the folder of ``path`` if the query has no scope.

        If no note covers ``query``, the new note records the query as its question, which is also the proposed title.
        If ``always_titled``, the query is always the proposed title. ``member`` names the open memory of a fleet.
        """
        session, view = self._project.session, self._services.store.view
        if session is None or view.project.overview is None or self._project.refuses_changes():
            return
        question = "" if query.is_covered else query.text
        title = query.text if always_titled else question
        why = f"No note covers “{question}”. The new note will record that it was asked." if question else ""
        if member:
            why = f"It will be saved in {member}, the open memory. {why}".rstrip()
        folder = query.scope or path.rpartition("/")[0]
        taken = frozenset(file.path for file in session.snapshot.files)

        def answered(request: NewNoteRequest | None) -> None:
            if request is not None:
                if question and question != view.query.text:
                    self._ask(question, query.scope)
                self._editing.begin(request, question)

        proposed = "" if folder.startswith(_FOREIGN) else folder
        self._services.push_screen(NewNoteDialog(title, proposed, why, taken), answered)

    def move(self, path: str) -> None:
        """Renames or moves the note at ``path`` and updates the links to it."""
        session = self._session_for(path, "{note.move} renames or moves it")
        if session is not None:
            from brvtui.app.editing.plan_dialog import MoveDialog

            self._confirm(path, lambda: MoveDialog(path, partial(session.notes.plan_move, path)))

    def archive(self, path: str) -> None:
        """Archives the note at ``path`` as the engine does, or restores it if ``path`` is a stub."""
        session = self._session_for(path, "{note.archive} archives it, or restores a stub")
        if session is None:
            return
        from brvtui.app.editing.plan_dialog import PlanDialog
        from brvtui.notes.operations import check_archivable
        from brvtui.notes.plan import NoteError
        from brvtui.tree.reading.files import Role, role_of

        if role_of(path) is Role.STUB:
            title, make = "Restore", partial(session.notes.plan_restore, path)
            message = f"The stub {path} is removed, and the full note returns to its old place."
        else:
            try:
                check_archivable(path)
            except NoteError as error:
                self._services.notify(str(error), severity="warning")
                return
            title, make = "Archive", partial(session.notes.plan_archiving, [path])
            does = "is archived as in ByteRover: searches then find a short stub, and the full text is kept beside it."
            message = f"{path} {does}"
        self._confirm(path, lambda: PlanDialog(title, message, make, partial(self._effect, session)))

    def archive_all(self, paths: Sequence[str]) -> None:
        """Archives the notes at ``paths`` in one step."""
        if (session := self._session_for(paths[0] if paths else "", "{note.archive} archives it")) is not None:
            from brvtui.app.editing.plan_dialog import PlanDialog

            make = partial(session.notes.plan_archiving, paths)
            message = "Searches then find short stubs, and the full texts are kept beside them."
            self._confirm(paths[0], lambda: PlanDialog("Archive", message, make, partial(self._effect, session)))

    def replace(self, pairs: Sequence[tuple[str, ...]], is_merge: bool) -> None:
        """Merges the first note of each pair into the second, or archives it and adds a link to it to the second."""
        session = self._session_for(pairs[0][0] if pairs else "", "select a finding about two notes")
        if session is None:
            return
        from brvtui.app.editing.merge_dialog import MERGED, MergeDialog, TwoNotes
        from brvtui.app.editing.plan_dialog import PlanDialog

        effect, notes = partial(self._effect, session), session.notes
        if is_merge and len(pairs) == 1:
            merge = partial(notes.plan_replacing, is_merge=True)

            def compared(both: TwoNotes) -> None:
                self._confirm(pairs[0][0], lambda: MergeDialog(both, merge, effect))

            self._services.background.run(partial(TwoNotes.of, session, pairs[0]), compared, group="merge")
            return
        title, message = ("Merge notes", MERGED) if is_merge else ("Archive superseded notes", _SUPERSEDED)
        make = partial(notes.plan_replacing, pairs, is_merge)
        self._confirm(pairs[0][0], lambda: PlanDialog(title, message, make, effect))

    def retitle(self, path: str) -> None:
        """Changes the title of the note at ``path``."""
        session = self._session_for(path, "{health.retitle} changes its title")
        if session is not None and path not in session.snapshot.by_path:
            self._services.notify(f"{path} is not a note, so it has no title to change", timeout=4)
        elif session is not None:
            from brvtui.app.editing.plan_dialog import TextDialog

            title, make = session.snapshot.parsed[path].title, partial(session.notes.plan_title, path)
            message, effect = f"Changes the title of {path}; the file keeps its name.", partial(self._effect, session)
            self._confirm(path, lambda: TextDialog("Title", message, title, make, effect=effect))

    def _effect(self, session: Session, plan: Plan) -> Sequence[Line]:
        """Returns lines about the effect of ``plan`` on the judged and the latest logged queries. Blocks."""
        from brvtui.app.editing.plan_dialog import effect_lines
        from brvtui.engines.contract import EngineError
        from brvtui.lab.judgments.file import JudgmentsFile
        from brvtui.lab.judgments.model import JudgmentsError
        from brvtui.session.edit_effect import asked_last, effect_of_plan

        engine, judged = self._services.store.view.engine, JudgmentsFile.of(session.project)
        try:
            queries = judged.read(), asked_last(session)
            effect = effect_of_plan(session, plan, *queries, engine.name, engine.mode, is_cancelled)
        except (JudgmentsError, EngineError) as error:
            return [line(f" the effect on queries is not known: {error}", "warn")]
        return effect_lines(effect, self._services.glyphs) if effect is not None else ()

    def set_signals(self, path: str, maturity: str = "") -> None:
        """Sets the maturity and importance of the note at ``path``; a non-empty ``maturity`` is the proposed value."""
        session = self._session_for(path, "{note.signals} sets its maturity and importance")
        if session is None:
            return
        position = session.snapshot.by_path.get(path) if session.is_loaded else None
        if position is None:
            self._services.notify(f"{path} is not a note: only notes have maturity and importance", timeout=4)
            return
        from brvtui.app.editing.note_saving import KEPT_TIME
        from brvtui.app.editing.plan_dialog import SignalsDialog
        from brvtui.notes.signals import SignalTarget
        from brvtui.tree.reading.signals import Source

        now, notes = session.snapshot.signals[position], session.notes
        if now.source is Source.FILE:
            self._services.notify(f"{path}: {_FROM_FILE}", severity="warning", timeout=8)
            return

        kept_time, is_cached = self._services.with_keys(KEPT_TIME), self._services.store.view.presentation.caches

        def make(level: str, importance: float, where: SignalTarget) -> Plan:
            plan = notes.plan_signals(path, replace(now, maturity=level, importance=importance), where)
            added = (kept_time,) if where is SignalTarget.FRONTMATTER and is_cached else ()
            return replace(plan, notices=(*plan.notices, *added))

        target = SignalTarget.FRONTMATTER if now.source is Source.FRONTMATTER else SignalTarget.OVERLAY
        self._confirm(path, lambda: SignalsDialog(path, now.maturity, now.importance, target, make, maturity))

    def _session_for(self, path: str, hint: str) -> Session | None:
        """Returns the session if a note at ``path`` exists; otherwise shows the reason or ``hint`` and returns None."""
        if self._project.refuses_changes():
            return None
        view = self._services.store.view
        if path and view.project.overview is not None and not view.knows(path):
            self._services.notify(f"{path}: {NO_SUCH_NOTE}", severity="warning", timeout=4)
            return None
        if self._project.session is not None and path:
            return self._project.session
        self._services.notify(self._services.with_keys(f"select a note first: {hint}"), timeout=4)
        return None

    def _confirm(self, path: str, make: Callable[[], PlanDialog]) -> None:
        def answered(plan: Plan | None) -> None:
            if plan is not None:
                self._change(lambda session: session.notes.apply(plan), "done; {note.undo} undoes it")

        self._editing.when_closed(path, lambda: self._services.push_screen(make(), answered))

    def undo(self) -> None:
        """Undoes the last change."""
        self._change(lambda session: session.notes.undo(), "undone; {note.redo} redoes it")

    def redo(self) -> None:
        """Repeats the last undone change."""
        self._change(lambda session: session.notes.redo(), "redone; {note.undo} undoes it")

    def list_all(self) -> None:
        """Lists the changes of this session in a dialog that can undo and redo them."""
        session = self._project.session
        if session is None:
            return
        from brvtui.app.editing.questions import REDO, UNDO, ChangesDialog

        def answered(answer: str | None) -> None:
            if answer == UNDO:
                self.undo()
            elif answer == REDO:
                self.redo()

        journal = session.notes.journal
        self._services.push_screen(ChangesDialog(journal.done, journal.undone), answered)

    def _change(self, change: Callable[[Session], AppliedPlan], hint: str) -> None:
        """Applies ``change`` in a worker, follows a moved note, and shows ``hint``, which says how to revert it."""
        session, selected = self._project.session, self._services.store.view.selection.file
        if session is None:
            return

        def task() -> tuple[AppliedPlan, str, TreeRead | Refusal | None]:
            from brvtui.notes.plan import NoteError

            try:
                done = change(session)
            except NoteError as error:
                raise Refusal(str(error)) from error
            try:
                return done, _path_after(done.steps, selected), self._project.read_tree(session)
            except Refusal as refusal:
                return done, "", refusal

        self._services.background.run(task, partial(self._changed, hint), group="change")

    def _changed(self, hint: str, result: tuple[AppliedPlan, str, TreeRead | Refusal | None]) -> None:
        done, follow, read = result
        if isinstance(read, Refusal):
            self._project.failed(str(read))
        else:
            self._project.show_tree(read)
        for notice in done.notices:
            self._services.notify(notice, severity="warning", timeout=10)
        self._services.notify(f"{done.title}: {self._services.with_keys(hint)}", timeout=6)
        self._editing.look_at_disk()
        if follow and self._services.store.view.knows(follow):
            self._services.select(follow)


def _path_after(steps: Sequence[Step], selected: str) -> str:
    """Returns the path that the selected note or its replacement has after ``steps``; empty if it is unchanged."""
    from brvtui.notes.plan import Write, path_after
    from brvtui.tree.reading.files import SEARCHABLE, role_of

    if (moved := path_after(selected, steps)) != selected:
        return moved
    writes = [step for step in steps if isinstance(step, Write)]
    if any(step.path == selected and step.after is None for step in writes):
        return next((step.path for step in writes if step.before is None and role_of(step.path) in SEARCHABLE), "")
    return ""
