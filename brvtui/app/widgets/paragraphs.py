"""Wrapped text, and the notice that the terminal is too small."""

from __future__ import annotations

from collections.abc import Sequence

from textual.geometry import Size

from brvtui.app.arrangement import LEAST_HEIGHT, LEAST_WIDTH
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines, wrapped
from brvtui.paint.line import Line, Span, line
from brvtui.paint.text import wrap


class Paragraphs(Lines):
    """Paragraphs, each in one role, as high as they need."""

    def __init__(self, *paragraphs: Span, id: str) -> None:
        """Shows ``paragraphs``, each a text and its role."""
        super().__init__(id=id)
        self._paragraphs: Sequence[Span] = paragraphs

    def set_text(self, *paragraphs: Span) -> None:
        """Replaces the paragraphs."""
        if paragraphs != self._paragraphs:
            self._paragraphs = paragraphs
            self.rebuild(force=True)
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Returns the number of lines."""
        return len(self.build(self.view, max(width, 1)))

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the wrapped paragraphs."""
        return [row for text, role in self._paragraphs for row in wrapped(text, width, role)]


class TooSmall(Lines):
    """Says how large the terminal must be."""

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the wrapped sentence."""
        said = f"brv-tui needs {LEAST_WIDTH}×{LEAST_HEIGHT} cells: make the terminal larger"
        return [line(part, "warn") for part in wrap(said, width)]
