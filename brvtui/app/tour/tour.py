"""Leads through the guided tour: follows the real screens, and shows each step in a bar above them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from textual import events
from textual.widgets import TextArea

from brvtui.app.actions.registry import ACTIONS
from brvtui.app.keys.bindings import keys_of
from brvtui.app.modes import EDITOR
from brvtui.app.screens.dialog import Dialog
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.services import AppServices
from brvtui.app.states import AnswerState, EditorState, LabState, LogState, QueryState
from brvtui.app.tour.steps import ASKED, NOTE, STEPS, TourStep, next_place
from brvtui.app.view import View
from brvtui.app.widgets.lines import Paragraphs
from brvtui.paint.line import Line, line
from brvtui.paint.text import wrap
from brvtui.store.state_file import write_state

_LAST = len(STEPS) - 2
_BACK = "panes.back"
_CHANGED = "this copy of the sample has been changed, so the tour ends: brv-tui demo opens a new one"
_KEYS = 16
"""The width of the keys beside the sentence, in cells."""


class TourBar(Paragraphs):
    """A few lines at the top: a sentence and the key to press, which a click presses too."""

    def __init__(self, tour: Tour) -> None:
        """Creates a bar that shows the current step of ``tour``."""
        super().__init__(id="tour")
        self._tour = tour

    def on_mount(self) -> None:
        """Follows the focus, since letters are text in a field."""
        self.watch(self.screen, "focused", lambda: self.rebuild(force=self.screen.is_active), init=False)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the sentence, with the keys to its right."""
        text, action, leave = self._tour.shown
        rows = [line(f" {part}", "strong") for part in wrap(text, max(width - _KEYS - 3, 1))]
        rows += [Line() for _ in range(2 - len(rows))]
        rows[0].to(width - _KEYS).add("press ").add(self.services.shown_key(action), "bold accent")
        if leave:
            rows[1].to(width - _KEYS).add(self.services.shown_key(_BACK), "bold accent").add(f" {leave}")
        return rows

    def on_click(self, event: events.Click) -> None:
        """Presses Esc if that is clicked, and otherwise the key of the step."""
        _, action, leave = self._tour.shown
        name = _BACK if leave and event.y and event.x >= self.size.width - _KEYS else action
        self.app.simulate_key(keys_of(name, ACTIONS[name].keys, self.services.keymap)[0])


class Tour:
    """The tour's current step. Its bar is on the screen in front, and on a dialog over it."""

    def __init__(self, services: AppServices, seen: Path | None) -> None:
        """Shows nothing yet. Writes the file ``seen``, if it is given, once the tour is begun or declined."""
        self._services = services
        self._seen = seen
        self._place: int | None = None
        services.store.subscribe((QueryState, AnswerState, LogState, LabState, EditorState), self._look)
        services.screen_change_signal.subscribe(services, self._look)

    @property
    def shown(self) -> tuple[str, str, str]:
        """The sentence, the action whose key leads on, and the effect of Esc if it ends the tour."""
        services, place = self._services, self._place or 0
        step = STEPS[place]
        text = f"{place} of {_LAST}: {step.text}" if 0 < place <= _LAST else step.text
        if services.has_modal:
            return text, "dialog.back", ""
        there = "note.edit" if step.mode == EDITOR.name else f"screens.{step.mode}"
        action = step.action if step.mode in ("", services.current_mode) else there
        edit = services.store.view.editor.edit
        if action == "editor.save" and edit is not None and edit.keep_mtime:
            action = "editor.keep_mtime"  # an edit that keeps the old time changes no rank
        is_typed = services.takes_letters and len(services.shown_key(action)) == 1
        leave = "" if action == _BACK else "ends it" if place else "no tour"
        return text, "panes.next" if is_typed else action, leave

    def begin(self, place: int = 1) -> None:
        """Begins with the first step, or with the offer (0), if the sample is open."""
        if self._services.store.view.knows(NOTE):
            self._go(place)
        else:
            self._services.notify("the tour needs the sample: brv-tui demo opens it", timeout=6)

    def end(self) -> bool:
        """Ends the tour; returns False if it is not shown, or if a dialog is open."""
        if self._place is None or self._services.has_modal:
            return False
        self._go(None)
        self._services.notify(self._services.with_keys("the tour is over; {app.tour} starts it again"), timeout=4)
        return True

    def _go(self, place: int | None) -> None:
        """Goes to the step ``place``, or ends the tour."""
        self._place = place
        if place != 0 and self._seen is not None:
            self._services.background.run(partial(write_state, self._seen, True), group="tour")
            self._seen = None
        if place is not None:
            self._services.call_after_refresh(self._prepare, STEPS[place])
        self._look()

    def _prepare(self, step: TourStep) -> None:
        """Selects the note and the pane of ``step``, the tour's query in the Log, and the end of a text."""
        screen = self._services.screen
        if step.note:
            self._services.select(step.note)
        if isinstance(screen, FrameScreen) and step.pane in screen.body.plan.panes:
            screen.action_pane(step.pane)
            if go_to := getattr(screen.pane, "go_to_query", None):  # only the Log has it
                go_to(ASKED)
            if isinstance(screen.focused, TextArea):
                screen.focused.move_cursor(screen.focused.document.end)

    def _look(self, *_: object) -> None:
        """Goes to the next step if the current one is done, and shows it on the screen in front."""
        services = self._services
        if not services.screen_stack:
            return  # the app ends
        screen = services.screen
        scene = (services.store.view, services.current_mode, type(screen).__name__ if services.has_modal else "")
        if self._place is not None and STEPS[self._place].is_done(*scene):
            place = next_place(self._place, scene[0])
            self._go(place)
            if place is None:
                services.notify(_CHANGED, timeout=8)
        elif isinstance(screen, (FrameScreen, Dialog)):
            bars = screen.query(TourBar)
            if self._place is None:
                bars.remove()
            elif not bars:
                screen.mount(TourBar(self))
            for bar in bars:
                bar.rebuild(force=True)
                bar.refresh(layout=True)
