"""Dialogs that show a plan before it is carried out; they end with it, or with None."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.timer import Timer
from textual.widgets import Input

from brvtui.app.actions.dialogs import PLAN
from brvtui.app.editing.plan_pane import PlanPane
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.text_entry import caught_up
from brvtui.app.widgets.field import Field
from brvtui.app.widgets.saying import Saying

if TYPE_CHECKING:
    from brvtui.notes.plan import Plan

PAUSE_S = 0.15
_SAME = "type another path, below the tree, ending in .md; Enter then moves the note"


class PlanDialog(Dialog["Plan"]):
    """Says what is about to happen and waits for Enter."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(PLAN)
    AUTO_FOCUS = "#plan"

    def __init__(self, title: str, said: str, make: Callable[[], Plan] | None = None) -> None:
        """A dialog about the plan that ``make`` returns; that blocks and raises NoteError."""
        super().__init__(title, wide=True)
        self._said = said
        self._make = make
        self._number = 0
        self._asked: object = None

    def make_parts(self) -> ComposeResult:
        """What is said, and the plan."""
        yield Saying((self._said, "text"), id="question")
        yield PlanPane(id="plan")

    @property
    def pane(self) -> PlanPane:
        """The plan."""
        return self.query_one(PlanPane)

    def on_mount(self) -> None:
        """Has the plan made."""
        if self._make is not None:
            self.ask(self._make)

    @property
    def wanted(self) -> object:
        """What the fields say by now."""
        return None

    def forget(self) -> None:
        """The plan that is shown, or under way, is no longer wanted."""
        self._number += 1
        self.pane.show_plan(None)

    def ask(self, make: Callable[[], Plan]) -> None:
        """Has another plan made, of what the fields say."""
        self.forget()
        self._asked = self.wanted
        planned = partial(self._planned, self._number)
        self.services.background.run(partial(_planned, make), planned, group="plan", owner=self)

    def _planned(self, number: int, planned: tuple[Plan | None, str]) -> None:
        if number == self._number:
            self.pane.show_plan(*planned)

    async def action_carry_out(self) -> None:
        """Ends with the plan, if there is one of what the fields say by now."""
        await caught_up(self.focused)
        if self.pane.plan is not None and self._asked == self.wanted:
            self.dismiss(self.pane.plan)


def _planned(make: Callable[[], Plan]) -> tuple[Plan | None, str]:
    """The plan that ``make`` returns, or None and why there is none. It blocks."""
    from brvtui.notes.plan import NoteError

    try:
        return make(), ""
    except NoteError as error:
        return None, str(error)


class MoveDialog(PlanDialog):
    """Asks for the new path; every change of it is planned anew."""

    AUTO_FOCUS = "Input"

    def __init__(self, path: str, make: Callable[[str], Plan]) -> None:
        """A dialog about the note or folder at ``path``; ``make`` plans its move to another path."""
        super().__init__(
            "Rename or move", f"{path} gets another path; links to it, and in it, follow.", lambda: make(path)
        )
        self._path = path
        self._make_move = make
        self._pausing: Timer | None = None

    def make_parts(self) -> ComposeResult:
        """What is said, the path, the plan."""
        yield Saying((self._said, "text"), id="question")
        yield Field("to", self._path, id="target")
        yield PlanPane(id="plan")

    def on_mount(self) -> None:
        """Nothing is planned as long as the path is the same; the cursor stands before the ending."""
        self.pane.show_plan(None, _SAME)
        self.query_one(Input).cursor_position = len(self._path.removesuffix(".md"))

    @property
    def wanted(self) -> str:
        """The new path; an ending that is typed in front of the one that was offered counts once."""
        target = self.query_one(Field).value.strip()
        while target.endswith(".md.md"):
            target = target.removesuffix(".md")
        return target

    @on(Input.Changed)
    def _typed(self) -> None:
        self.forget()
        if self._pausing is not None:
            self._pausing.stop()
        target = self.wanted
        if target == self._path:
            self.pane.show_plan(None, _SAME)
        else:
            self._pausing = self.set_timer(PAUSE_S, lambda: self.ask(lambda: self._make_move(target)))
