"""The dialog of a sweep: how far it is, then its curve or heat map, and where answers change their tier."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from brvtui.app.actions.dialogs import SWEEP
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.view import View
from brvtui.app.widgets.key_bar import KeyBar
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.paint.line import Line

if TYPE_CHECKING:
    from brvtui.lab.whatif.sweep import Sweep


class SweepPane(Pane):
    """The sweep, or how many of its points are asked."""

    TITLE = "Sweep"

    def __init__(self, *, id: str) -> None:
        """Nothing is asked yet."""
        super().__init__(id=id)
        self._said = "asking…"
        self._made: Sweep | None = None

    def put(self, said: str, made: Sweep | None = None) -> None:
        """Shows the sweep ``made``; without one, ``said``."""
        self._said, self._made = said, made
        self.rebuild(force=True)

    def build(self, view: View, width: int) -> list[Line]:
        """The lines that ``brv-tui sweep`` prints."""
        if self._made is None:
            return wrapped(self._said, width)
        from brvtui.report.sweep import sweep_lines

        return sweep_lines(self._made, width, self.glyphs)


class SweepDialog(Dialog[None]):
    """Shows a sweep while it is asked, and afterwards. Dismissed with nothing."""

    BINDINGS = bindings(SWEEP)
    AUTO_FOCUS = "#sweep"

    def __init__(self, title: str, save: Callable[[Sweep], None]) -> None:
        """A dialog under ``title``; ``save`` makes a picture of what is shown."""
        super().__init__(title, wide=True)
        self._save = save
        self.made: Sweep | None = None
        """What is shown; None until it is asked."""

    def make_parts(self) -> ComposeResult:
        """Yields the pane."""
        yield SweepPane(id="sweep")

    def put(self, said: str, made: Sweep | None = None) -> None:
        """Shows the sweep ``made``; without one, ``said``: how far it is, or why there is none."""
        if self.is_running:
            self.made = made
            self.query_one(SweepPane).put(said, made)
            self.query_one(KeyBar).show_keys()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is no picture before the sweep is asked."""
        return action != "save_picture" or self.made is not None

    def action_save_picture(self) -> None:
        """Saves curve or heat map as SVG."""
        if self.made is not None:
            self._save(self.made)
