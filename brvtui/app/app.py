"""The app: which keys and messages go to which of its controllers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar

from textual.actions import ActionParseResult, parse
from textual.binding import BindingType
from textual.dom import DOMNode
from textual.notifications import SeverityLevel
from textual.widget import AwaitMount

from brvtui.app.actions.everywhere import APP
from brvtui.app.actions.needs import OF_A_FLEET, OF_A_NOTE, WHY
from brvtui.app.configured import ConfiguredApp
from brvtui.app.controllers import Controllers, import_rest
from brvtui.app.ending import finished_in_time
from brvtui.app.keys.bindings import bindings, declared, own_bindings
from brvtui.app.modes import FLEET, MATURITY, SETTINGS
from brvtui.app.project.opening import Opening
from brvtui.app.query.answering import import_painters
from brvtui.app.screen_makers import screen_makers
from brvtui.app.screens.frame import FrameScreen, frame_of
from brvtui.app.states import EngineState, Phase
from brvtui.app.store import ViewStore
from brvtui.app.text_entry import types_text
from brvtui.app.toasts import too_many
from brvtui.app.view import NO_FLEET, NO_MEMORY, OTHER_MEMORY, View
from brvtui.app.widgets.choice_pane import NOTHING
from brvtui.config import Configuration
from brvtui.paint.glyphs import in_letters
from brvtui.text.visible import visible

if TYPE_CHECKING:
    from brvtui.app.actions.action import Action
    from brvtui.app.contents import Overview
    from brvtui.saved.traces import SavedTrace
    from brvtui.session import Session

_BELOW_MODALS = ("mode", "commands")


class BrvTui(ConfiguredApp):
    """Shows why a query of a context tree got its answer."""

    TITLE = "brv-tui"
    CSS_PATH: ClassVar[list[str | PurePath]] = [
        "styles/base.tcss",
        "styles/query.tcss",
    ]
    ENABLE_COMMAND_PALETTE = False  # Textual's: Enter takes what its list showed before the last letters were typed
    DEFAULT_MODE = "query"
    _commanded = False
    BINDINGS: ClassVar[list[BindingType]] = bindings(APP)

    def __init__(self, opening: Opening) -> None:
        """An app that will open what ``opening`` says once it is painted."""
        super().__init__()
        self._request = opening
        self.store = ViewStore(self._draw)
        self.store.update(EngineState(frozen=opening.now_ms is not None))
        self.controllers = Controllers(self, opening, app=self, listener=self)
        for name, make in screen_makers(self, self.controllers).items():
            self.add_mode(name, make)
        if opening.fleet is not None:
            self.controllers.fleet.begin(opening.member, opening.is_fleet_alone)

    # beginning, hearing, ending

    def on_mount(self) -> None:
        """Begins to look at files now and then, and to listen to signals."""
        self.controllers.stale.begin()
        if not self.is_headless:
            self.end_on_signals(lambda: self.controllers.editing.keep_drafts())

    def on_ready(self) -> None:
        """The project is opened only after the first paint."""
        if not self._request.is_fleet_alone:
            self.screen.call_after_refresh(self.controllers.project.open)

    async def on_unmount(self) -> None:
        """A model that is still answering is not waited for; what was read is kept if that does not take long."""
        self.controllers.model.cancel()
        if self._request.fleet is not None:
            self.controllers.fleet.leave()
        await finished_in_time(self.controllers.project.close, self.time_left.seconds)

    def adopt(self, configuration: Configuration) -> None:
        """Puts the settings ``configuration`` into effect, as far as they differ from those so far.

        A project that could not be opened is tried anew with another engine or profile, unless the command line named
        one.
        """
        before, now = self.configuration.settings, configuration.settings
        super().adopt(configuration)
        self.controllers.switches.adopt(configuration)
        is_named = self._request.engine or self._request.profile
        is_other = (before.engine, before.profile) != (now.engine, now.profile)
        if self.view.project.phase is Phase.FAILED and is_other and not is_named:
            self.controllers.memories.open_project_anew()
        self.store.update(self.store.view.model._replace(name=configuration.settings.llm.model))

    # what becomes of the project

    def project_opened(self, session: Session) -> None:
        """Uses what the project's settings say."""
        self.adopt(session.configuration)
        self.background.run(partial(import_rest, session.engine), group="import")
        self.controllers.engines.begin_as_set(session)
        self.controllers.layouts.read(session)

    def opening_failed(self) -> None:
        """Says what is wrong with the settings: it may be why."""
        self.tell_problems()

    def trace_reopened(self, saved: SavedTrace, overview: Overview) -> None:
        """Shows the saved trace."""
        painters = partial(import_painters, saved.trace.engine)
        self.background.run(painters, lambda _: self.controllers.queries.show_saved(saved, overview), group="import")

    def tree_shown(self, first: bool) -> None:
        """Asks the query again, of the newer tree."""
        self.controllers.queries.tree_changed()
        self.controllers.edits.tree_shown(first)
        if first:
            self.controllers.drafts.report()
            self.controllers.versions.warn()
            self.controllers.memories.begin()

    def save_read(self) -> None:
        """Says what the save changes of the judged queries."""
        self.controllers.edits.saved()

    def disk_changed(self) -> None:
        """Compares the note in the editor with the disk."""
        self.controllers.editing.look_at_disk()

    # what is shown

    @property
    def view(self) -> View:
        """What every screen is shown."""
        return self.store.view

    @property
    def frame(self) -> FrameScreen | None:
        """The screen in front, below any modal; None while there is none yet, and once the app is ending."""
        return frame_of(self)

    @property
    def has_modal(self) -> bool:
        """Whether a dialog is open over the screen in front."""
        return len(self.screen_stack) > 1

    @property
    def note_at_hand(self) -> str:
        """The note that keys act on; empty when there is none."""
        return self.frame.note_at_hand if self.frame is not None else ""

    def select(self, file: str) -> None:
        """Makes ``file`` the selected note, on every screen."""
        self.controllers.selection.select(file)

    def stop_model(self) -> bool:
        """Breaks off the model's answer that is under way; whether one was shown."""
        return self.controllers.model.stop()

    def _draw(self, view: View) -> None:
        if self.frame is not None:
            self.frame.show(view)

    @property
    def clipboard(self) -> str:
        """What was copied last in this app; fields paste it."""
        return self.controllers.sharing.copied

    def copy_to_clipboard(self, text: str) -> None:
        """Copies ``text``: what fields and selections copy."""
        self.controllers.sharing.copy_text(text, "the text")

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Shows a toast. What it quotes is text, never escapes nor markup, whatever Textual's widgets ask for."""
        super().notify(self._in_signs(visible(message)), title=title, severity=severity, timeout=timeout, markup=False)
        self.call_later(self._thin_out)

    def withdraw(self, message: str) -> None:
        """Removes the toast that says ``message``: it is no longer true."""
        for one in [one for one in self._notifications if one.message == self._in_signs(visible(message))]:
            self._unnotify(one)

    def _in_signs(self, text: str) -> str:
        """``text`` as the setting ``ascii`` wants our own signs."""
        return text if self.glyphs.unicode else in_letters(text)

    def _thin_out(self) -> None:
        for one in too_many(self._notifications):
            self._unnotify(one)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Letters and digits are text while a field has the focus; screens stay while a modal is open."""
        if action in _BELOW_MODALS and self.has_modal:
            return False
        return not (self.takes_letters and self.acts_by_letter(type(self), action, parameters))

    @property
    def takes_letters(self) -> bool:
        """Whether letters are text now: a field has the focus, and no command is carried out."""
        return not self._commanded and types_text(self.focused)

    async def _perform(self, action: Action) -> bool:
        """Does ``action``, which was chosen by name, where it acts in front; returns whether that could be done."""
        is_own = action in APP.actions
        holder = self if is_own or self.frame is None else self.frame.holder_of(action.name)
        if holder is None:
            return False
        self._commanded = True  # so that it is not kept back because its key is a letter
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
        """Performs an action; where no project or fleet is open for it, or another one, a toast says what opens it."""
        if isinstance(action, str) and default_namespace is not None:
            _, name, parameters = parse(action)
            lacks = self._lacks(action, default_namespace)
            if lacks and default_namespace.check_action(name, parameters):
                self.notify(lacks, timeout=4)
                return True
        return await super().run_action(action, default_namespace, namespaces)

    def _lacks(self, action: str, holder: DOMNode) -> str:
        """What ``action`` of ``holder`` needs that is not open, and how to open it; empty when it lacks nothing."""
        view, chosen = self.view, self.view.fleet_result
        names = {binding.id for binding in declared(type(holder)) if binding.action == action}
        if view.fleet.fleet is None and names & OF_A_FLEET:
            return NO_FLEET
        if view.no_project:
            return view.no_project if names & view.idle else ""
        if names & (OF_A_NOTE | WHY) and self.frame is not None and self.frame.hides_all and not self.note_at_hand:
            return NOTHING
        is_elsewhere = self.current_mode == FLEET.name and chosen.file and chosen.member != view.fleet.opened
        if not (is_elsewhere and names & OF_A_NOTE):
            return ""
        return self.controllers.fleet.why_not_open(chosen.member) or OTHER_MEMORY

    def action_commands(self) -> None:
        """The command palette."""
        from brvtui.app.commands.palette import show_palette

        at = self.frame.pane if self.frame is not None else None
        near = {binding.id or "" for binding in own_bindings(type(at))}
        show_palette(self, near, self._perform, lambda note: self.controllers.browsing.follow_link(note))

    def action_engine(self) -> None:
        """Switches to the next engine, and asks it the same query."""
        self.controllers.engines.next_engine()

    def action_engine_mode(self) -> None:
        """Asks the engine in its next mode."""
        self.controllers.engines.next_mode()

    def action_profile(self) -> None:
        """Switches to the next built-in profile."""
        self.controllers.switches.next_profile()

    def action_feedback(self, usefulness: str) -> None:
        """Says what became of the selected result."""
        from brvtui.app.query.feedback import give_feedback
        from brvtui.trace.feedback import Usefulness

        give_feedback(self, self.controllers.project, self.controllers.queries.ask_again, Usefulness(usefulness))

    def action_judge(self) -> None:
        """Asks for the grade of the note at hand for the open query."""
        from brvtui.app.lab.grading import ask_grade

        ask_grade(
            self,
            self.controllers.project,
            self.note_at_hand,
            lambda path, grade: self.controllers.lab.grade(path, grade),
        )

    def action_why(self) -> None:
        """Says why the note at hand is, or is not, in the answer, and what would help it."""
        if self.frame is not None and self.frame.explains_itself():
            return
        if self.frame is not None and self.frame.why_notice:
            self.notify(self.frame.why_notice, timeout=6)
        self.controllers.reasons.explain(self.note_at_hand, self.controllers.go_to_remedy)

    def action_versions(self) -> None:
        """Shows which engine is installed, and what is known of it."""
        self.controllers.versions.show()

    def action_record(self) -> None:
        """Turns recording of access hits on or off."""
        self.controllers.switches.record()

    def action_copy(self, what: str) -> None:
        """Copies ``path``, ``answer``, ``prompt``, ``trace``, or ``shown``: what the focused pane shows."""
        if what == "shown":
            what = getattr(self.frame and self.frame.focused, "copies", "path")
        if self.frame is None or not self.frame.shares_itself(what):
            self.controllers.sharing.copy(what, self.note_at_hand)

    def action_export(self, ending: str) -> None:
        """Saves the trace in the form of ``ending``."""
        if self.frame is None or not self.frame.shares_itself("trace"):
            self.controllers.sharing.export(ending)

    def action_edit_note(self) -> None:
        """Edits the note at hand."""
        self.controllers.editing.edit_selected(self.note_at_hand, outside=False)

    def action_edit_outside(self) -> None:
        """Edits the note at hand in the user's own editor."""
        self.controllers.editing.edit_selected(self.note_at_hand, outside=True)

    def action_new_note(self) -> None:
        """Begins a note."""
        if self.frame is not None:
            shows_query = self.current_mode in ("query", "log")
            member = self.view.fleet.opened if self.current_mode == FLEET.name else ""
            self.controllers.changes.new_note(self.note_at_hand, self.frame.query_at_hand, shows_query, member)

    def action_move_note(self) -> None:
        """Renames or moves the note at hand."""
        self.controllers.changes.move(self.note_at_hand)

    def action_archive_note(self) -> None:
        """Archives the note at hand, or restores it from its stub."""
        self.controllers.changes.archive(self.note_at_hand)

    def action_signals(self) -> None:
        """Sets maturity and importance of the note at hand."""
        self.controllers.changes.set_signals(self.note_at_hand)

    def action_undo_change(self) -> None:
        """Undoes what was changed last: a note, or what was judged since."""
        if not self.controllers.lab.take_back():
            self.controllers.changes.undo()

    def action_redo_change(self) -> None:
        """Does again what was undone last."""
        self.controllers.changes.redo()

    def action_changes(self) -> None:
        """Lists the changes of this session."""
        self.controllers.changes.list_all()

    def action_drafts(self) -> None:
        """Lists the drafts."""
        self.controllers.drafts.list_all()

    def action_left_drafts(self) -> None:
        """Opens the draft that was left behind, or lists them where there are several."""
        self.controllers.drafts.go_to_left()

    async def action_mode(self, name: str) -> None:
        """Brings a screen to the front; it keeps its state."""
        await self.switch_mode(name)

    def clear_selection(self) -> None:
        """Clears the selected text; from Python 3.12 on, Textual asks for it before there is a first screen."""
        if self.screen_stack:
            super().clear_selection()

    def switch_mode(self, mode: str) -> AwaitMount:
        """Brings the screen of ``mode`` to the front; over code not that of maturities, and over a fleet alone none of
        a project: a toast says so."""
        overview = self.view.project.overview
        if self._request.is_fleet_alone and mode not in (FLEET.name, SETTINGS.name):
            self.notify(NO_MEMORY, timeout=4)
            mode = self.current_mode
        if mode == MATURITY.name and overview is not None and overview.is_code:
            self.notify("this is code: notes alone have a maturity", timeout=4)
            mode = self.current_mode
        return super().switch_mode(mode)

    def action_help_quit(self) -> None:
        """Ctrl+C copies in most terminals, so it does not end the app."""
        self.notify(f"press {self.shown_key('app.quit')} to quit", timeout=3)

    async def action_quit(self) -> None:
        """Ends the app, not without asking about unsaved text."""
        await self.controllers.leaving.quit()

    @property
    def reopening(self) -> Opening | None:
        """What the next app opens when this one ends; None when the user leaves."""
        return self.controllers.leaving.reopening

    def action_screenshot(self, filename: str | None = None, path: str | None = None) -> None:
        """Saves the screen as SVG and says where; a browser is handed the file instead."""
        from brvtui.app.exporting.sharing import take_screenshot

        take_screenshot(self, self.controllers.sharing.deliver, filename, path)


class FleetTui(BrvTui):
    """The app on a fleet, before the memory of a member is opened."""

    DEFAULT_MODE = FLEET.name
