"""The dialog that sets a note's maturity and importance."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.timer import Timer
from textual.widgets import Input

from brvtui.app.editing.plan_dialog import PAUSE_S, PlanDialog
from brvtui.app.editing.plan_pane import PlanPane
from brvtui.app.widgets.field import Field
from brvtui.app.widgets.options import Options
from brvtui.app.widgets.saying import Saying
from brvtui.paint.glyphs import MATURITIES

if TYPE_CHECKING:
    from brvtui.notes.plan import Plan
    from brvtui.notes.signals import Where

_NUMBER = "importance must be a number from 0 to 100"


def _shown(importance: float) -> str:
    return f"{importance:g}"


class SignalsDialog(PlanDialog):
    """Maturity, importance, and where they are kept; every change is planned anew."""

    AUTO_FOCUS = "#maturity"

    def __init__(self, path: str, maturity: str, importance: float, make: Callable[[str, float, Where], Plan]) -> None:
        """A dialog about the note at ``path`` and its signals of now; ``make`` plans others."""
        said = f"{path}: {maturity}, importance {_shown(importance)}. The engine's own store is never written."
        super().__init__("Signals", said)
        self._first = (maturity, importance)
        self._make_signals = make
        self._pausing: Timer | None = None

    def make_parts(self) -> ComposeResult:
        """What is said, the fields, the plan."""
        from brvtui.notes.signals import Where

        maturity, importance = self._first
        yield Saying((self._said, "text"), id="question")
        yield Options("maturity", MATURITIES, maturity, id="maturity")
        yield Field("importance", _shown(importance), id="importance")
        yield Options("keep in", [where.value for where in Where], Where.OVERLAY.value, id="where")
        yield PlanPane(id="plan")

    def on_mount(self) -> None:
        """Says what there would be to do."""
        self._plan_now()

    @on(Options.Chosen)
    def _chosen(self) -> None:
        self._soon()

    @on(Input.Changed)
    def _typed(self) -> None:
        self._soon()

    def _soon(self) -> None:
        self.forget()
        if self._pausing is not None:
            self._pausing.stop()
        self._pausing = self.set_timer(PAUSE_S, self._plan_now)

    @property
    def wanted(self) -> tuple[str, str, str]:
        """Maturity, where it is kept, importance as it is typed."""
        maturity, where = (self.query_one(name, Options).chosen for name in ("#maturity", "#where"))
        return maturity, where, self.query_one(Field).value

    def _plan_now(self) -> None:
        from brvtui.notes.signals import Where

        maturity, chosen, typed = self.wanted
        where = Where(chosen)
        before = self._first[1]
        try:
            # The field shows fewer digits than are stored.
            importance = before if typed == _shown(before) else float(typed)
        except ValueError:
            importance = -1.0
        if not 0 <= importance <= 100:
            self.pane.show_plan(None, _NUMBER)
        else:
            self.ask(lambda: self._make_signals(maturity, importance, where))
