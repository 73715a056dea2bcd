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
_TOUR = "app.tour"
_CHANGED = "this copy of the sample has been changed, so the tour ends: brv-tui demo opens a new one"
_KEYS = 19
"""The width of the keys beside the sentence, in cells."""


class TourBar(Paragraphs):
    """A few lines at the top: a sentence and the keys to press; a click presses the first of them."""

    def __init__(self, tour: Tour) -> None:
        """Creates a bar that shows the current step of ``tour``."""
        super().__init__(id="tour")
        self._tour = tour

    def on_mount(self) -> None:
        """Updates the keys when the focus moves: in a field, letters are text."""
        self.watch(self.screen, "focused", lambda: self.rebuild(force=self.screen.is_active), init=False)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the sentence, with the keys to its right."""
        text, actions, leave, effect = self._tour.shown
        rows = [line(f" {part}", "strong") for part in wrap(text, max(width - _KEYS - 3, 1))]
        rows += [Line() for _ in range(2 - len(rows))]
        for place, action in enumerate(actions):
            rows[0].to(width - _KEYS).add(", then " if place else "press ")
            rows[0].add(self.services.shown_key(action), "bold accent")
        if leave:
            rows[1].to(width - _KEYS).add(self.services.shown_key(leave), "bold accent").add(f" {effect}")
        return rows

    def on_click(self, event: events.Click) -> None:
        """Presses the key that ends the tour if that is clicked, and otherwise the first key of the step."""
        _, actions, leave, _ = self._tour.shown
        is_leaving = leave and event.y and event.x >= self.size.width - _KEYS
        name = leave if is_leaving or not actions else actions[0]
        self.app.simulate_key(keys_of(name, ACTIONS[name].keys, self.services.keymap)[0])


class Tour:
    """The tour's current step. Its bar is on the screen in front, and on a dialog over it."""

    def __init__(self, services: AppServices, seen: Path | None) -> None:
        """Shows nothing yet. Writes the file ``seen``, if given, as soon as the user begins or declines the tour."""
        self._services = services
        self._seen = seen
        self._place: int | None = None
        self._reached = 1
        """The step at which the tour begins or continues."""
        services.store.subscribe((QueryState, AnswerState, LogState, LabState, EditorState), self._look)
        services.screen_change_signal.subscribe(services, self._look)

    @property
    def shown(self) -> tuple[str, tuple[str, ...], str, str]:
        """The sentence, the actions whose keys continue the tour, and the action that ends or declines it, with its
        label.
        """
        services, place = self._services, self._place or 0
        step = STEPS[place]
        if not place:
            return step.text, (_TOUR,), "" if services.has_modal else _BACK, "not now"
        text = f"{place} of {_LAST}: {step.text}" if place <= _LAST else step.text
        return text, self._keys(step), _TOUR, "ends the tour"

    def _keys(self, step: TourStep) -> tuple[str, ...]:
        """Returns the actions to perform now for ``step``, such as closing a dialog and then editing."""
        services = self._services
        there = "note.edit" if step.mode == EDITOR.name else f"screens.{step.mode}"
        action = step.action if step.mode in ("", services.current_mode) else there
        edit = services.store.view.editor.edit
        if action == "editor.save" and edit is not None and edit.keep_mtime:
            action = "editor.keep_mtime"  # an edit that keeps the old time changes no rank
        if services.has_modal:
            return ("dialog.back", action) if step.action else ("dialog.back",)
        if services.takes_letters and action and len(services.shown_key(action)) == 1:
            return _BACK, action
        return (action,) if action else ()

    def offer(self) -> None:
        """Offers the tour if the sample is open."""
        if self._services.store.view.knows(NOTE):
            self._go(0)

    def toggle(self) -> None:
        """Begins the tour, ends it, or continues it at the step where it was ended, if the sample is open."""
        if self._place:
            self._go(None)
            goes_on = f"{{app.tour}} continues at step {self._reached}" if self._reached > 1 else "{app.tour} starts it"
            self._services.notify(self._services.with_keys(f"the tour is closed; {goes_on}"), timeout=4)
        elif self._services.store.view.knows(NOTE):
            self._go(self._reached)
        else:
            self._services.notify("the tour needs the sample: brv-tui demo opens it", timeout=6)

    def decline(self) -> bool:
        """Removes the offer, if it is shown and no dialog is open. Returns True if it was removed."""
        if self._place != 0 or self._services.has_modal:
            return False
        self._go(None)
        self._services.notify(self._services.with_keys("{app.tour} starts the tour at any time"), timeout=4)
        return True

    def _go(self, place: int | None) -> None:
        """Goes to the step ``place``, or ends the tour."""
        self._place = place
        if place:
            self._reached = place if place <= _LAST else 1
        if place != 0 and self._seen is not None:
            self._services.background.run(partial(write_state, self._seen, True), group="tour")
            self._seen = None
        if place is not None:
            self._services.call_after_refresh(self._prepare, STEPS[place])
        self._look()

    def _prepare(self, step: TourStep) -> None:
        """Selects the note and the pane of ``step`` and the tour's query in the Log, and moves to the end of a text."""
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
            screen.set_class(self._place is not None, "-tour")
            bars = screen.query(TourBar)
            if self._place is None:
                bars.remove()
            elif not bars:
                screen.mount(TourBar(self))
            for bar in (bar for shown in services.screen_stack for bar in shown.query(TourBar)):  # also behind a dialog
                bar.rebuild(force=True)
                bar.refresh(layout=True)
