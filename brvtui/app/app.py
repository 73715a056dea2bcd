"""The app: creates the controllers and screens, and routes keys and messages to them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import events
from textual.actions import ActionParseResult, parse
from textual.binding import BindingType
from textual.dom import DOMNode
from textual.widget import AwaitMount

from brvtui.app.actions.action import Need
from brvtui.app.actions.everywhere import APP
from brvtui.app.configured import ConfiguredApp
from brvtui.app.ending import finished_in_time
from brvtui.app.keys.bindings import bindings, declared, own_bindings
from brvtui.app.modes import EDITOR, FLEET, HEALTH, LAB, MATURITY, SETTINGS
from brvtui.app.project.layouts import Layouts
from brvtui.app.project.opening import Opening
from brvtui.app.project.project import Project, Switches
from brvtui.app.project.selection import Selection, StaleFiles
from brvtui.app.query.answering import import_painters
from brvtui.app.query.cache import Cache
from brvtui.app.query.reasons import Reasons
from brvtui.app.query.runner import QueryRunner
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.states import EngineState, Phase
from brvtui.app.view import NO_FLEET, NO_MEMORY, OTHER_MEMORY, View, ViewStore, needing
from brvtui.app.widgets.choice_pane import NOTHING
from brvtui.config import Configuration
from brvtui.config.schema import FEW

if TYPE_CHECKING:
    from brvtui.app.actions.action import Action
    from brvtui.app.contents import Overview
    from brvtui.app.editing.changes import NoteChanges
    from brvtui.app.editing.controller import Editing, Leaving
    from brvtui.app.editing.drafts import Drafts
    from brvtui.app.editing.external_editor import ExternalEditor
    from brvtui.app.exporting.sharing import Sharing
    from brvtui.app.fleet.fleet_queries import FleetQueries
    from brvtui.app.lab.edit_check import EditCheck
    from brvtui.app.lab.lab import Lab
    from brvtui.app.log.logs import Logs
    from brvtui.app.notes.browsing import Browsing
    from brvtui.app.query.engine_choice import EngineChoice
    from brvtui.app.query.memories import Memories
    from brvtui.app.query.screen import QueryScreen
    from brvtui.app.tour.tour import Tour
    from brvtui.app.versions.controller import Versions
    from brvtui.paint.neighbourhood import Neighbourhood
    from brvtui.saved.traces import SavedTrace
    from brvtui.session import Session
    from brvtui.trace import Remedy

_BELOW_MODALS = ("mode", "commands")
_OF_A_NOTE = Need.NOTE | Need.EXPLAINED


class BrvTui(ConfiguredApp):
    """The app that shows why a query got its answer."""

    TITLE = "brv-tui"
    CSS_PATH: ClassVar[list[str | PurePath]] = ["styles/base.tcss", "styles/query.tcss"]
    ENABLE_COMMAND_PALETTE = False  # Textual's own palette ignores letters typed right before Enter
    DEFAULT_MODE = "query"
    BINDINGS: ClassVar[list[BindingType]] = bindings(APP)

    def __init__(self, opening: Opening) -> None:
        """Creates an app that opens ``opening`` after the first paint."""
        super().__init__()
        self._request = opening
        self.store = ViewStore(self._draw)
        self.store.update(EngineState(frozen=opening.now_ms is not None))
        project = self.project = Project(opening, self)
        self.layouts = Layouts(self, project, self.configuration.settings.panes == FEW, self._take_layout)
        self.stale = StaleFiles(self, project)
        self.selection = Selection(self, project)
        self.reasons = Reasons(self, project, self.go_to_remedy)
        self.cache = Cache(self, project, lambda: self.queries.ask_again())
        self.queries = QueryRunner(
            self,
            project,
            self.selection,
            self.reasons,
            self.cache,
            lambda problem: self.logs.logged(problem),
            self._bring_answer,
        )
        self.switches = Switches(self, project, self.queries.ask_again)
        for name, make in (
            ("query", self._make_query),
            ("notes", self._make_notes),
            (MATURITY.name, self._make_maturity),
            ("log", self._make_log),
            (LAB.name, self._make_lab),
            (FLEET.name, self._make_fleet),
            (HEALTH.name, self._make_health),
            (SETTINGS.name, self._make_settings),
            (EDITOR.name, self._make_editor),
        ):
            self.add_mode(name, make)
        if opening.fleet is not None:
            self.fleet.begin(opening.member, opening.is_fleet_alone)

    # The controllers below are imported after the first frame; each is created when it is first used.

    @cached_property
    def engines(self) -> EngineChoice:
        """Switches engines and modes."""
        from brvtui.app.query.engine_choice import EngineChoice

        return EngineChoice(self, self.project, self.queries, self.memories.open)

    @cached_property
    def browsing(self) -> Browsing:
        """The controller of the Notes screen."""
        from brvtui.app.notes.browsing import Browsing

        return Browsing(self, self.project)

    @cached_property
    def logs(self) -> Logs:
        """The controller of the engine's log and of brv-tui's own log."""
        from brvtui.app.log.logs import Logs

        return Logs(self, self.project, self._ask_in, self.reasons.explain_logged)

    @cached_property
    def lab(self) -> Lab:
        """The controller of the Lab."""
        from brvtui.app.lab.lab import Lab

        return Lab(
            self,
            self.project,
            self.edits,
            lambda: self.editing.unsaved_text(),
            self.queries.use,
            self.switches.use_profile,
            self._go_to_results,
        )

    @cached_property
    def edits(self) -> EditCheck:
        """Runs judged queries again after edits."""
        from brvtui.app.lab.edit_check import EditCheck

        return EditCheck(self, self.project)

    @cached_property
    def fleet(self) -> FleetQueries:
        """The controller of the Fleet screen."""
        from brvtui.app.fleet.fleet_queries import FleetQueries

        return FleetQueries(self, self._request.fleet, lambda *member: self.memories.open_member(*member))

    @cached_property
    def versions(self) -> Versions:
        """The controller for the installed engine."""
        from brvtui.app.versions.controller import Versions

        return Versions(self, self.project)

    @cached_property
    def tour(self) -> Tour:
        """The guided tour of the sample."""
        from brvtui.app.tour.tour import Tour

        return Tour(self, self._request.tour)

    @cached_property
    def sharing(self) -> Sharing:
        """Copies text and saves traces."""
        from brvtui.app.exporting.sharing import Sharing
        from brvtui.app.query.comparison import compared_text

        def comparison() -> str:
            return compared_text(self.view.pin, self.view.answered, self.glyphs)

        return Sharing(self, self.project, comparison)

    @cached_property
    def drafts(self) -> Drafts:
        """The drafts of unsaved texts."""
        from brvtui.app.editing.drafts import Drafts

        return Drafts(self, self.project, lambda path: self.editing.edit(path))

    @cached_property
    def external_editor(self) -> ExternalEditor:
        """The user's own editor."""
        from brvtui.app.editing.external_editor import ExternalEditor

        return ExternalEditor(self, self.project, self.drafts, lambda conflict: self.editing.resolve(conflict))

    @cached_property
    def editing(self) -> Editing:
        """The controller of edits."""
        from brvtui.app.editing.controller import Editing

        return Editing(self, self.project, self.external_editor, self.drafts)

    @cached_property
    def changes(self) -> NoteChanges:
        """Plans, shows, applies and undoes changes of notes."""
        from brvtui.app.editing.changes import NoteChanges

        return NoteChanges(self, self.project, self.editing, self._ask_in)

    @cached_property
    def leaving(self) -> Leaving:
        """Ends this app, or replaces it with another one."""
        from brvtui.app.editing.controller import Leaving

        return Leaving(self, self.editing, self.layouts)

    @cached_property
    def memories(self) -> Memories:
        """Opens other memories in place of this one."""
        from brvtui.app.query.memories import Memories

        return Memories(
            self, self.project, self._request, lambda: self._query_screen, lambda other: self.leaving.leave_for(other)
        )

    # each screen is imported and created when it is first shown

    def _make_query(self) -> FrameScreen:
        from brvtui.app.query.screen import QueryScreen

        def save_graph(shown: Neighbourhood) -> None:
            self.sharing.save_graph(shown)

        return QueryScreen(self.layouts, self.queries, self.reasons, self.selection, self.cache, save_graph)

    def _make_notes(self) -> FrameScreen:
        from brvtui.app.notes.screen import NotesScreen

        return NotesScreen(self.layouts, self.browsing)

    def _make_maturity(self) -> FrameScreen:
        from brvtui.app.maturity.screen import MaturityScreen

        return MaturityScreen(self.layouts, self.project, self.show_answers_in)

    def _make_log(self) -> FrameScreen:
        from brvtui.app.log.screen import LogScreen

        return LogScreen(self.layouts, self.logs, self.keep_answer, self._go_to_results)

    def _make_lab(self) -> FrameScreen:
        from brvtui.app.lab.screen import LabScreen
        from brvtui.app.lab.sweeps import Sweeps

        sweeps = Sweeps(self, lambda: self.lab.session, lambda sweep: self.sharing.save_sweep(sweep))
        return LabScreen(self.layouts, self.lab, sweeps)

    def _make_fleet(self) -> FrameScreen:
        from brvtui.app.fleet.screen import FleetScreen

        return FleetScreen(self.layouts, self.fleet, lambda text, named: self.sharing.copy_text(text, named))

    def _make_health(self) -> FrameScreen:
        from brvtui.app.health.checks import HealthChecks
        from brvtui.app.health.screen import HealthScreen

        return HealthScreen(self.layouts, HealthChecks(self, self.project), self.changes.replace)

    def _make_settings(self) -> FrameScreen:
        from brvtui.app.settings.screen import SettingsScreen

        return SettingsScreen(self.layouts, self.project)

    def _make_editor(self) -> FrameScreen:
        from brvtui.app.editing.screen import EditorScreen

        screen = EditorScreen(self.layouts, self.project, self.external_editor, self.drafts)
        self.editing.use(screen)
        return screen

    # paths between screens

    @property
    def _query_screen(self) -> QueryScreen:
        """The Query screen, which exists from the start."""
        (first, *_) = self.get_screen_stack("query")
        return cast("QueryScreen", first)

    def _ask_in(self, query: str, scope: str) -> None:
        """Puts ``query`` into the Query screen, limited to the folder ``scope`` (empty for the whole tree)."""
        self.queries.scope_to(scope)
        self.select("")
        self._query_screen.fill(query)

    async def _go_to_results(self, query: str, scope: str) -> None:
        """Puts ``query`` into the Query screen as :meth:`_ask_in` does, and goes to its results."""
        await self.switch_mode("query")
        self._ask_in(query, scope)
        self._query_screen.action_pane("results")

    def keep_answer(self, query: str, scope: str) -> None:
        """Judges ``query``: its current answer becomes the expected one."""
        if not self.project.refuses():
            self.lab.keep([(query, scope)])

    def show_answers_in(self, days: int) -> None:
        """Adds a column to the Lab with the answers in ``days`` days."""
        self._show_in_lab(days=days)

    def _show_in_lab(self, **values: Any) -> None:
        """Adds a column to the Lab for the variant with ``values``."""

        async def show() -> None:
            from brvtui.app.lab.screen import LabScreen
            from brvtui.lab.whatif.variant import Variant

            await self.switch_mode(LAB.name)
            if isinstance(self.frame, LabScreen):
                self.frame.add_column(Variant(**values))

        self.run_worker(show(), exclusive=True, group="answers in the Lab")

    async def go_to_remedy(self, path: str, remedy: Remedy) -> None:
        """Opens the place where ``remedy`` is applied, or shows a message that describes the change."""
        from brvtui.trace import RemedyKind

        if remedy.query:
            await self.switch_mode("query")
            self.queries.select_once_answered(remedy.query, path)
            self._query_screen.fill(remedy.query)
            self._query_screen.action_pane("results")
        elif remedy.value is not None:
            self._show_in_lab(constants=((remedy.setting, remedy.value),))
        elif remedy.kind is RemedyKind.NEW_NOTE and self.frame is not None:
            self.changes.new_note(path, self.frame.query_at_hand, True)
        elif remedy.kind is RemedyKind.ARCHIVE:
            self.changes.archive(path)
        elif remedy.maturity:
            self.changes.set_signals(path, remedy.maturity)
            if remedy.kind in (RemedyKind.LOWER_IMPORTANCE, RemedyKind.COMBINATION):
                self.notify(f"to make it: {remedy.text}", timeout=10)
        elif remedy.kind is not None:
            self.notify(f"to make it: {remedy.how} ({remedy.text})", timeout=10)
            if remedy.kind is not RemedyKind.UPDATE:  # only ByteRover itself can make such a change
                self.editing.edit(path)
        else:
            self.notify(f"to make it: {remedy.text}", timeout=10)

    def _bring_answer(self) -> None:
        if self.frame is self._query_screen:
            self._query_screen.bring_answer()

    def _take_layout(self) -> None:
        if self.frame is not None:
            self.frame.take_layout()

    # start, signals and end

    def on_mount(self) -> None:
        """Starts the regular file checks and installs the signal handlers."""
        self.stale.begin()
        if not self.is_headless:
            self.end_on_signals(lambda: self.editing.keep_drafts())

    def on_ready(self) -> None:
        """Opens the project and completes the screen, after the first paint."""
        self.screen.call_after_refresh(self._start)

    def _start(self) -> None:
        if not self._request.is_fleet_alone:
            self.project.open()
        self._complete_screen()

    def _complete_screen(self) -> None:
        self.is_starting = False
        if self.frame is not None:
            self.frame.complete()

    async def on_event(self, event: events.Event) -> None:
        """Completes the screen before it handles the first key, mouse event or pasted text."""
        if self.is_starting and isinstance(event, (events.InputEvent, events.Paste)):
            self._complete_screen()
        await super().on_event(event)

    async def on_unmount(self) -> None:
        """Cancels the model's answer and closes the project, but waits only for a limited time."""
        self.queries.cancel_model()
        if self._request.fleet is not None:
            self.fleet.leave()
        await finished_in_time(self.project.close, self.time_left.seconds)

    def adopt(self, configuration: Configuration) -> None:
        """Applies the settings in ``configuration`` that have changed.

        A project that could not be opened is tried again with a new engine or profile, unless the command line
        specifies one.
        """
        before, now = self.configuration.settings, configuration.settings
        super().adopt(configuration)
        self.switches.adopt(configuration)
        is_named = self._request.engine or self._request.profile
        is_other = (before.engine, before.profile) != (now.engine, now.profile)
        if self.view.project.phase is Phase.FAILED and is_other and not is_named:
            self.memories.open_project_anew()
        self.store.update(self.store.view.model._replace(name=configuration.settings.llm.model))

    # events of the project

    def project_opened(self, session: Session) -> None:
        """Applies the project's settings."""
        self.adopt(session.configuration)
        self.background.run(partial(import_rest, session.engine), group="import")
        self.engines.begin_as_set(session)
        self.layouts.read(session)

    def opening_failed(self) -> None:
        """Shows the problems in the settings, since they may have prevented opening the project."""
        self.tell_problems()

    def trace_reopened(self, saved: SavedTrace, overview: Overview) -> None:
        """Shows the saved trace."""
        painters = partial(import_painters, saved.trace.engine)
        self.background.run(painters, lambda _: self.queries.show_saved(saved, overview), group="import")

    def tree_shown(self, first: bool) -> None:
        """Repeats the query with the new tree."""
        self.queries.tree_changed()
        self.edits.tree_shown(first)
        if first:
            self.drafts.report()
            self.versions.warn()
            self.memories.begin()
            if self._request.tour is not None:
                self.tour.offer()

    def save_read(self) -> None:
        """Shows how a saved change affects the judged queries."""
        self.edits.saved()

    def disk_changed(self) -> None:
        """Compares the note in the editor with the file on disk."""
        self.editing.look_at_disk()

    # the display

    @property
    def view(self) -> View:
        """The current view."""
        return self.store.view

    @property
    def frame(self) -> FrameScreen | None:
        """The front screen, even under a dialog; None before the first screen is shown, and while the app ends."""
        if not self.is_running:
            return None  # widgets are removed before their screen
        first = self.screen_stack[0] if self.screen_stack else None
        return first if isinstance(first, FrameScreen) else None

    @property
    def note_at_hand(self) -> str:
        """The note that keys act on; empty if there is none."""
        return self.frame.note_at_hand if self.frame is not None else ""

    def select(self, file: str) -> None:
        """Selects the note ``file`` on every screen."""
        self.selection.select(file)

    def stop_model(self) -> bool:
        """Cancels the model's current answer; returns True if one was displayed."""
        return self.queries.stop_model()

    def _draw(self, view: View) -> None:
        if self.frame is not None and self.frame.is_made:
            self.frame.show(view)

    @property
    def clipboard(self) -> str:
        """The text last copied in this app, which fields paste."""
        return self.sharing.copied

    def copy_to_clipboard(self, text: str) -> None:
        """Copies ``text`` from a field or selection."""
        self.sharing.copy_text(text, "the text")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables letters and digits while a field has the focus, and switching screens while a dialog is open."""
        if action in _BELOW_MODALS and self.has_modal:
            return False
        return not (self.takes_letters and self.acts_by_letter(type(self), action, parameters))

    async def _perform(self, action: Action) -> bool:
        """Runs ``action``, chosen in the palette, in the current screen; returns True if that was possible."""
        is_own = action in APP.actions
        holder = self if is_own or self.frame is None else self.frame.holder_of(action.name)
        if holder is None:
            return False
        self._commanded = True  # otherwise, actions with a letter as their key would be disabled
        try:
            return await self.run_action(action.call, default_namespace=holder)
        finally:
            self._commanded = False

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Runs an action, or says why it is unavailable. Going back first declines the offer of the guided tour."""
        if action == "back" and "tour" in vars(self) and self.tour.decline():
            return True
        if isinstance(action, str) and default_namespace is not None:
            _, name, parameters = parse(action)
            lacks = self._why_unavailable(action, default_namespace)
            if lacks and default_namespace.check_action(name, parameters):
                self.notify(lacks, timeout=4)
                return True
        return await super().run_action(action, default_namespace, namespaces)

    def _why_unavailable(self, action: str, holder: DOMNode) -> str:
        """Returns advice on what must be open before ``holder`` can run ``action``; empty if nothing is missing."""
        view, chosen = self.view, self.view.fleet_result
        names = {binding.id for binding in declared(type(holder)) if binding.action == action}
        if view.fleet.fleet is None and names & needing(Need.FLEET):
            return NO_FLEET
        if view.no_project:
            return view.no_project if names & view.idle else ""
        if names & needing(_OF_A_NOTE) and self.frame is not None and self.frame.hides_all and not self.note_at_hand:
            return NOTHING
        is_elsewhere = self.current_mode == FLEET.name and chosen.file and chosen.member != view.fleet.opened
        if not (is_elsewhere and names & needing(Need.NOTE)):
            return ""
        return self.fleet.why_not_open(chosen.member) or OTHER_MEMORY

    def action_commands(self) -> None:
        """Shows the command palette."""
        from brvtui.app.commands.palette import show_palette

        at = self.frame.pane if self.frame is not None else None
        near = {binding.id or "" for binding in own_bindings(type(at))}
        show_palette(self, near, self._perform, self.browsing.find_notes, self.browsing.follow_link)

    def action_tour(self) -> None:
        """Begins, ends or resumes the guided tour."""
        self.tour.toggle()

    def action_engine(self) -> None:
        """Switches to the next engine, and repeats the query."""
        self.engines.next_engine()

    def action_engine_mode(self) -> None:
        """Switches the engine to its next mode, and repeats the query."""
        self.engines.next_mode()

    def action_profile(self) -> None:
        """Switches to the next built-in profile."""
        self.switches.next_profile()

    def action_feedback(self, usefulness: str) -> None:
        """Sends feedback about the selected result to the engine."""
        from brvtui.trace.feedback import Usefulness

        self.queries.give_feedback(Usefulness(usefulness))

    def action_judge(self) -> None:
        """Asks the user to grade the current note for the open query."""
        from brvtui.app.lab.lab import ask_grade

        ask_grade(self, self.project, self.note_at_hand, lambda path, grade: self.lab.grade(path, grade))

    def action_why(self) -> None:
        """Explains why the current note is or is not in the answer, and lists remedies."""
        if self.frame is not None and self.frame.explains_itself():
            return
        if self.frame is not None and self.frame.why_notice:
            self.notify(self.frame.why_notice, timeout=6)
        self.reasons.explain(self.note_at_hand)

    def action_versions(self) -> None:
        """Shows the installed engine and its verification."""
        self.versions.show()

    def action_record(self) -> None:
        """Turns recording of access hits on or off."""
        self.switches.record()

    def action_copy(self, what: str) -> None:
        """Copies ``path``, ``answer``, ``prompt``, ``trace``, or ``shown``: the content of the focused pane."""
        if what == "shown":
            what = getattr(self.frame and self.frame.focused, "copies", "path")
        if self.frame is None or not self.frame.shares_itself(what):
            self.sharing.copy(what, self.note_at_hand)

    def action_export(self, ending: str) -> None:
        """Saves the trace in the format ``ending``."""
        if self.frame is None or not self.frame.shares_itself("trace"):
            self.sharing.export(ending)

    def action_edit_note(self) -> None:
        """Edits the current note."""
        self.editing.edit_selected(self.note_at_hand, outside=False)

    def action_edit_outside(self) -> None:
        """Edits the current note in the user's own editor."""
        self.editing.edit_selected(self.note_at_hand, outside=True)

    def action_new_note(self) -> None:
        """Starts a new note."""
        if self.frame is not None:
            shows_query = self.current_mode in ("query", "log", HEALTH.name)
            member = self.view.fleet.opened if self.current_mode == FLEET.name else ""
            self.changes.new_note(self.note_at_hand, self.frame.query_at_hand, shows_query, member)

    def action_move_note(self) -> None:
        """Renames or moves the current note."""
        self.changes.move(self.note_at_hand)

    def action_archive_note(self) -> None:
        """Archives the current note, or restores it from its stub."""
        if self.frame is not None and self.frame.marked_notes:
            self.changes.archive_all(self.frame.marked_notes)
        else:
            self.changes.archive(self.note_at_hand)

    def action_retitle_note(self) -> None:
        """Changes the title of the current note."""
        self.changes.retitle(self.note_at_hand)

    def action_signals(self) -> None:
        """Sets the maturity and importance of the current note."""
        self.changes.set_signals(self.note_at_hand)

    def action_undo_change(self) -> None:
        """Undoes the last change to a note or to the judgments."""
        if not ((self.frame is not None and self.frame.undo_own()) or self.lab.take_back()):
            self.changes.undo()

    def action_redo_change(self) -> None:
        """Repeats the last undone change."""
        self.changes.redo()

    def action_changes(self) -> None:
        """Lists the changes of this session."""
        self.changes.list_all()

    def action_drafts(self) -> None:
        """Lists the drafts."""
        self.drafts.list_all()

    def action_left_drafts(self) -> None:
        """Opens the draft that is not open in any editor; if there are several or none, lists all drafts."""
        self.drafts.go_to_left()

    async def action_mode(self, name: str) -> None:
        """Shows the screen ``name``, which keeps its state."""
        await self.switch_mode(name)

    def clear_selection(self) -> None:
        """Clears the text selection; with Python 3.12 or later, Textual calls this even before there is a screen."""
        if self.screen_stack:
            super().clear_selection()

    def switch_mode(self, mode: str) -> AwaitMount:
        """Shows the screen ``mode``, or a message if this project does not have it."""
        if self._request.is_fleet_alone and mode not in (FLEET.name, SETTINGS.name):
            self.notify(NO_MEMORY, timeout=4)
            mode = self.current_mode
        if mode in (MATURITY.name, HEALTH.name) and not self.view.kind.has_files:
            self.notify("this is code: only notes have maturity and health", timeout=4)
            mode = self.current_mode
        if self.current_mode not in (mode, EDITOR.name):  # the editor may have closed its note
            self.last_mode = self.current_mode
        return super().switch_mode(mode)

    def action_help_quit(self) -> None:
        """Shows the key for quitting; Ctrl+C does not quit, since it copies in most terminals."""
        self.notify(f"press {self.shown_key('app.quit')} to quit", timeout=3)

    async def action_quit(self) -> None:
        """Quits the app, after asking about unsaved text."""
        await self.leaving.quit()

    def action_screenshot(self, filename: str | None = None, path: str | None = None) -> None:
        """Saves the screen as SVG and shows the path; a browser receives the file instead."""
        from brvtui.app.exporting.sharing import take_screenshot

        take_screenshot(self, self.sharing.deliver, filename, path)


class FleetTui(BrvTui):
    """The app with a fleet, before a member's memory is opened."""

    DEFAULT_MODE = FLEET.name


def import_rest(engine: str) -> None:
    """Imports the painters of ``engine`` and the controllers, so that the first key press need not wait. Blocks."""
    import_painters(engine)
    from brvtui.app.editing import changes  # noqa: F401
    from brvtui.app.exporting import sharing  # noqa: F401
    from brvtui.app.lab import screen  # noqa: F401
    from brvtui.app.log import logs  # noqa: F401
    from brvtui.app.notes import browsing  # noqa: F401
    from brvtui.app.query import permission  # noqa: F401
