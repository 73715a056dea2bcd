"""Sweeps of the Lab: queries run over the range of one or two controls, with a dialog that shows the progress."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from brvtui.app.actions.dialogs import SWEEP
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.services import AppServices
from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.app.workers import Refusal, is_cancelled
from brvtui.lab.evaluation.results import Metric
from brvtui.lab.judgments.model import Judgment
from brvtui.lab.whatif.variant import Control, Variant
from brvtui.paint.line import Line

if TYPE_CHECKING:
    from brvtui.lab.whatif.sweep import Sweep
    from brvtui.session import Session

# The dialog of a sweep: its progress, then a curve or heat map, and the values at which tiers change.


class SweepPane(Pane):
    """The sweep, or its progress while it runs."""

    TITLE = "Sweep"

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._text = "asking…"
        self._sweep: Sweep | None = None

    def put(self, text: str, sweep: Sweep | None = None) -> None:
        """Shows ``sweep``, or ``text`` if there is none."""
        self._text, self._sweep = text, sweep
        self.rebuild(force=True)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the lines that ``brv-tui sweep`` prints."""
        if self._sweep is None:
            return wrapped(self._text, width)
        from brvtui.paint.blocks import lines_of
        from brvtui.report.sweep import sweep_blocks

        return lines_of(sweep_blocks(self._sweep, width, self.glyphs), width, self.glyphs)


class SweepDialog(Dialog[None]):
    """Shows a sweep during and after its run. Returns nothing."""

    BINDINGS = bindings(SWEEP)
    AUTO_FOCUS = "#sweep"

    def __init__(self, title: str, save: Callable[[Sweep], None]) -> None:
        """Creates a dialog with ``title``; ``save`` saves the sweep as a picture."""
        super().__init__(title, wide=True)
        self._save = save
        self.sweep: Sweep | None = None
        """The displayed sweep; None until it is complete."""

    def make_parts(self) -> ComposeResult:
        """Yields the pane."""
        yield SweepPane(id="sweep")

    def put(self, text: str, sweep: Sweep | None = None) -> None:
        """Shows ``sweep``, or ``text`` if there is none: the progress, or the reason why there is no sweep."""
        if self.is_running:
            self.sweep = sweep
            self.query_one(SweepPane).put(text, sweep)
            self.show_keys()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables saving a picture until the sweep is complete."""
        return action != "save_picture" or self.sweep is not None

    def action_save_picture(self) -> None:
        """Saves the curve or heat map as SVG."""
        if self.sweep is not None:
            self._save(self.sweep)


MOST_QUERIES = 100
"""The maximum number of queries that run at every point of a sweep."""
_ASKING = "sweep"


class Sweeps:
    """Runs the queries of the Lab over the range of one or two controls."""

    def __init__(
        self, services: AppServices, session: Callable[[], Session | None], save: Callable[[Sweep], None]
    ) -> None:
        """Creates the controller; ``save`` saves a sweep as a picture."""
        self._services = services
        self._session = session
        self._save = save
        self._last: Control | None = None
        """The control of the last sweep over a single control."""

    def begin(self, control: Control, metric: Metric, with_last: bool = False) -> None:
        """Sweeps over the range of ``control`` and, if ``with_last``, of the previously swept control."""
        session, lab = self._session(), self._services.store.view.lab
        rows = (lab.judgments or lab.rows)[:MOST_QUERIES]
        if session is None or not rows:
            self._services.notify("there is no query to run: type one on the Query screen, or judge some", timeout=5)
            return
        if with_last and (self._last is None or self._last.key == control.key):
            self._services.notify("sweep another constant first; then this key sweeps both together", timeout=5)
            return
        controls = [self._last, control] if with_last and self._last is not None else [control]
        if not with_last:
            self._last = control
        dialog = SweepDialog("Sweep of " + " × ".join(each.key for each in controls), self._save)
        progressed = self._services.background.relay(lambda done, of: dialog.put(_progress(done, of)))
        base = lab.what_if or Variant()
        engine = self._services.store.view.engine
        ask = partial(_swept, session, controls, rows, metric, base, engine.name, engine.mode, progressed)
        self._services.push_screen(dialog, lambda _: self._services.background.cancel(_ASKING))
        self._services.background.run(
            ask, lambda sweep: dialog.put("", sweep), group=_ASKING, exclusive=True, on_error=dialog.put
        )


def _progress(done: int, of: int) -> str:
    return f"{done} of {of} points done" + (": looking for the values at which tiers change…" if done == of else "")


def _swept(
    session: Session,
    controls: list[Control],
    rows: tuple[Judgment, ...],
    metric: Metric,
    base: Variant,
    engine: str,
    mode: str,
    progressed: Callable[[int, int], None],
) -> Sweep:
    """Returns the sweep. Blocks, and raises :class:`Refusal` if the sweep fails or is cancelled."""
    from brvtui.engines.contract import EngineError
    from brvtui.lab.whatif.sweep import SweepError, parse_axis
    from brvtui.lab.whatif.variant import VariantError
    from brvtui.session.evaluating import swept_over

    reported = -1

    def progress(done: int, of: int) -> None:
        nonlocal reported
        if is_cancelled():
            raise Refusal("the sweep was closed")  # not shown, since the dialog is closed
        if done != reported:
            reported = done
            progressed(done, of)

    try:
        axes = [parse_axis(control.key, [control], len(controls)) for control in controls]
        return swept_over(session, axes, rows, metric, base, engine, {"mode": mode} if mode else {}, progress)
    except (EngineError, SweepError, VariantError) as error:
        raise Refusal(str(error)) from error
