"""Lines that somebody else wrote, wrapped."""

from __future__ import annotations

from collections.abc import Sequence

from textual.geometry import Size

from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.paint.line import Line, Span, line
from brvtui.paint.text import wrap


class Paragraphs(Lines):
    """Paragraphs, each in one role; as high as they need."""

    def __init__(self, *paragraphs: Span, id: str) -> None:
        """What is said at first."""
        super().__init__(id=id)
        self._paragraphs: Sequence[Span] = paragraphs

    def set_text(self, *paragraphs: Span) -> None:
        """Says something else."""
        if paragraphs != self._paragraphs:
            self._paragraphs = paragraphs
            self.rebuild(force=True)
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as there are lines."""
        return len(self.build(self.view, max(width, 1)))

    def build(self, view: View, width: int) -> list[Line]:
        """The paragraphs wrapped."""
        return [line(f" {part}", role) for text, role in self._paragraphs for part in wrap(text, width - 2)]
