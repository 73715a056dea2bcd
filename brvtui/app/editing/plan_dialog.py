"""Dialogs that show a plan for notes before it is carried out. They are dismissed with the plan, or with None."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.timer import Timer
from textual.widgets import Input

from brvtui.app.actions.dialogs import PLAN
from brvtui.app.editing.plan_pane import PlanPane
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.text_entry import caught_up
from brvtui.app.widgets.field import Field
from brvtui.app.widgets.key_bar import KeyBar
from brvtui.app.widgets.options import Options
from brvtui.paint.glyphs import MATURITIES

if TYPE_CHECKING:
    from brvtui.notes.plan import Plan
    from brvtui.notes.signals import SignalTarget

PAUSE_S = 0.15
"""The plan is made again after a pause in typing of so many seconds."""
_SAME = "type another path, below the tree, ending in .md; Enter then moves the note"
_SAME_SIGNALS = "these are its signals now: change one, or where they are kept"
_NUMBER = "importance must be a number from 0 to 100"


class PlanDialog(Dialog["Plan"]):
    """Shows what is about to happen and waits for Enter. Subclasses add fields, which change the plan."""

    BINDINGS = bindings(PLAN)
    AUTO_FOCUS = "#plan"

    def __init__(self, title: str, said: str, make: Callable[[], Plan] | None = None) -> None:
        """A dialog about the plan that ``make`` returns; it blocks, and raises NoteError when there is none."""
        super().__init__(title, said, wide=True)
        self._make = make
        self._number = 0
        """The number of plans requested so far, so that a late one is ignored."""
        self._planned_for: object = None
        self._pause_timer: Timer | None = None

    def make_fields(self) -> ComposeResult:
        """Yields the fields between question and plan."""
        yield from ()

    def make_parts(self) -> ComposeResult:
        """The question, the fields, the plan."""
        yield from super().make_parts()
        yield from self.make_fields()
        yield PlanPane(id="plan")

    @property
    def pane(self) -> PlanPane:
        """The pane with the plan."""
        return self.query_one(PlanPane)

    @property
    def entered(self) -> object:
        """The values of the fields."""
        return None

    def maker(self) -> Callable[[], Plan] | str:
        """Returns what makes the plan that the fields ask for, or a line that says why there can be none."""
        return self._make or ""

    def on_mount(self) -> None:
        """Has the plan made."""
        self._plan()

    @on(Options.Chosen)
    @on(Input.Changed)
    def _changed(self) -> None:
        if self._pause_timer is not None:
            self._pause_timer.stop()
        if isinstance(self.maker(), str):
            self._plan()
            return
        self._number += 1  # a plan that is being made is no longer wanted
        self._show(None)
        self._pause_timer = self.set_timer(PAUSE_S, self._plan)

    def _plan(self) -> None:
        self._number += 1
        self._planned_for = self.entered
        make = self.maker()
        if isinstance(make, str):
            self._show(None, make)
            return
        self._show(None)
        on_result = partial(self._planned, self._number)
        self.services.background.run(partial(_planned, make), on_result, group="plan", owner=self)

    def _planned(self, number: int, planned: tuple[Plan | None, str]) -> None:
        if number == self._number:
            self._show(*planned)

    def _show(self, plan: Plan | None, problem: str = "") -> None:
        self.pane.show_plan(plan, problem)
        self.query_one(KeyBar).show_keys()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is nothing to carry out where the pane says why there is no plan."""
        return action != "carry_out" or not any(pane.problem for pane in self.query(PlanPane))

    async def action_carry_out(self) -> None:
        """Dismisses the dialog with the plan, if there is one for the values that the fields have by now."""
        await caught_up(self.focused)
        if self.pane.plan is not None and self._planned_for == self.entered:
            self.dismiss(self.pane.plan)
        else:  # nothing is carried out that was not shown
            self.services.notify("Enter carries it out once it is shown here", timeout=3)


def _planned(make: Callable[[], Plan]) -> tuple[Plan | None, str]:
    """Returns the plan that ``make`` makes, or None and why there is none. Blocks."""
    from brvtui.notes.plan import NoteError

    try:
        return make(), ""
    except NoteError as error:
        return None, str(error)


class MoveDialog(PlanDialog):
    """Asks for the new path of a note or folder."""

    AUTO_FOCUS = "Input"

    def __init__(self, path: str, make: Callable[[str], Plan]) -> None:
        """A dialog about ``path``; ``make`` plans its move to another path."""
        super().__init__("Rename or move", f"{path} gets another path; links to it, and in it, follow.")
        self._path = path
        self._make_move = make

    def make_fields(self) -> ComposeResult:
        """The path."""
        yield Field("to", self._path, id="target")

    def on_mount(self) -> None:
        """Puts the cursor before the ending."""
        super().on_mount()
        self.query_one(Input).cursor_position = len(self._path.removesuffix(".md"))

    @on(Input.Changed)
    def _ending_typed(self, event: Input.Changed) -> None:
        """Takes the offered ending away once one is typed in front of it."""
        if event.input.value.endswith(".md.md"):
            event.input.value = event.input.value.removesuffix(".md")

    @property
    def entered(self) -> str:
        """The new path; an ending that is typed in front of the one that was offered counts once."""
        target = self.query_one(Field).value.strip()
        while target.endswith(".md.md"):
            target = target.removesuffix(".md")
        return target

    def maker(self) -> Callable[[], Plan] | str:
        """There is nothing to plan as long as the path is the same."""
        return _SAME if self.entered == self._path else partial(self._make_move, self.entered)


class SignalsDialog(PlanDialog):
    """Asks for a note's maturity and importance, and where they are kept."""

    AUTO_FOCUS = "#maturity"

    def __init__(
        self,
        path: str,
        maturity: str,
        importance: float,
        kept: SignalTarget,
        make: Callable[[str, float, SignalTarget], Plan],
        proposed: str = "",
    ) -> None:
        """A dialog about the note at ``path`` and its present signals, ``kept`` there; ``make`` plans others.

        It begins with the maturity ``proposed``, if given.
        """
        said = f"{path}: {maturity}, importance {importance:g}. The engine's own store is never written."
        super().__init__("Signals", said)
        self._now = maturity, importance, kept
        self._proposed = proposed or maturity
        self._make_signals = make

    def make_fields(self) -> ComposeResult:
        """Maturity, importance, where they are kept."""
        from brvtui.notes.signals import SignalTarget

        yield Options("maturity", MATURITIES, self._proposed, id="maturity")
        yield Field("importance", f"{self._now[1]:g}", id="importance")
        yield Options("keep in", [where.value for where in SignalTarget], self._now[2].value, id="where")

    @property
    def entered(self) -> tuple[str, str, str]:
        """Maturity, importance as it is typed, where they are kept."""
        maturity, where = (self.query_one(name, Options).chosen for name in ("#maturity", "#where"))
        return maturity, self.query_one(Field).value, where

    def maker(self) -> Callable[[], Plan] | str:
        """Importance must be a number in its range, and something another than it is."""
        from brvtui.notes.signals import SignalTarget

        maturity, typed, where = self.entered
        try:
            # The field shows fewer digits than are stored.
            importance = self._now[1] if typed == f"{self._now[1]:g}" else float(typed)
        except ValueError:
            return _NUMBER
        if not 0 <= importance <= 100:
            return _NUMBER
        target = SignalTarget(where)
        if (maturity, importance, target) == self._now:
            return _SAME_SIGNALS
        return partial(self._make_signals, maturity, importance, target)
