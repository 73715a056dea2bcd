"""What is shown when the terminal is too small."""

from __future__ import annotations

from brvtui.app.arrangement import LEAST_HEIGHT, LEAST_WIDTH
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.paint.line import Line, line
from brvtui.paint.text import wrap


class TooSmall(Lines):
    """Says which size is needed."""

    def build(self, view: View, width: int) -> list[Line]:
        """The sentence, wrapped."""
        said = f"brv-tui needs {LEAST_WIDTH}×{LEAST_HEIGHT} cells: make the terminal larger"
        return [line(part, "warn") for part in wrap(said, width)]
