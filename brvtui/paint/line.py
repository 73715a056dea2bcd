"""One line of styled text. Roles are names of colours and attributes; a :class:`Palette` turns them into styles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len

from brvtui.paint.text import cut, fit, wrap
from brvtui.text.visible import visible

Span = tuple[str, str]
"""A piece of text and its role, such as ``muted`` or ``bold accent``."""


@dataclass(slots=True)
class Line:
    """Spans beside each other. ``ground`` is the role of the whole line's background."""

    spans: list[Span] = field(default_factory=list)
    ground: str = ""

    @property
    def width(self) -> int:
        """Cells taken."""
        return sum(cell_len(text) for text, _ in self.spans)

    @property
    def plain(self) -> str:
        """The text without roles."""
        return "".join(text for text, _ in self.spans)

    @property
    def low(self) -> str:
        """The text in lower case."""
        return self.plain.lower()

    def add(self, text: str, role: str = "text") -> Line:
        """This line with ``text`` after it; controls in it become placeholders."""
        if text:
            self.spans.append((visible(text), role))
        return self

    def fit(self, text: str, width: int, role: str = "text") -> Line:
        """This line with ``text`` in exactly ``width`` cells after it."""
        if width > 0:
            self.spans.append((fit(visible(text), width), role))
        return self

    def gap(self, width: int = 1) -> Line:
        """This line with ``width`` spaces after it."""
        if width > 0:
            self.spans.append((" " * width, "text"))
        return self

    def to(self, column: int) -> Line:
        """This line filled with spaces up to ``column``."""
        return self.gap(column - self.width)

    def extend(self, spans: Iterable[Span]) -> Line:
        """This line with ``spans`` (already made visible) after it."""
        self.spans.extend(spans)
        return self

    def right(self, width: int, other: Line) -> Line:
        """This line with ``other`` at the right edge of ``width`` cells; this one is cut where they would meet."""
        room = width - other.width
        self.cut(max(0, room - 1) if other.spans else room)
        return self.to(room).extend(other.spans)

    def cut(self, width: int) -> Line:
        """This line in at most ``width`` cells."""
        if self.width <= width:
            return self
        kept: list[Span] = []
        left = width
        for text, role in self.spans:
            size = cell_len(text)
            if size <= left and (size < left or (text, role) == self.spans[-1]):
                kept.append((text, role))
                left -= size
                continue
            kept.append((cut(text, left) if size > left else cut(text + "…", left), role))
            break
        self.spans = kept
        return self


def line(text: str = "", role: str = "text") -> Line:
    """A line that begins with ``text``."""
    return Line().add(text, role)


def badge(text: str, role: str) -> Line:
    """A filled label."""
    return Line().gap().add(f" {text} ", f"bold badge-text on {role}")


def rule(width: int, label: str = "", role: str = "faint", dash: str = "┄") -> Line:
    """A ruled line over ``width`` cells with ``label`` in it."""
    made = line(dash * 2, role)
    if label:
        made.gap().add(label, "muted").gap()
    return made.add(dash * (width - made.width), role).cut(width)


def spread(width: int, left: Iterable[tuple[int, list[Span]]], gap: int = 3) -> Line:
    """Groups of spans beside each other, ``gap`` apart; the groups of least weight are left out until all fits.

    ``left`` holds (weight, spans) in the order of display.
    """
    groups = [(weight, spans) for weight, spans in left if spans]
    while len(groups) > 1 and _total(groups, gap) > width:
        groups.remove(min(groups, key=lambda group: group[0]))
    made = Line()
    for position, (_, spans) in enumerate(groups):
        made.gap(gap if position else 0).extend((visible(text), role) for text, role in spans)
    return made.cut(width)


def _total(groups: list[tuple[int, list[Span]]], gap: int) -> int:
    return sum(cell_len(text) for _, spans in groups for text, _ in spans) + gap * (len(groups) - 1)


def folded(whole: Line, width: int) -> list[Line]:
    """``whole`` in lines of at most ``width`` cells, broken between words where that is possible."""
    if whole.width <= width:
        return [whole]
    role = next((role for text, role in whole.spans if text.strip()), "text")
    return [Line().gap().add(part, role) for part in wrap(whole.plain.strip(), width - 1)]


def joined(spans: Iterable[Span]) -> list[Span]:
    """``spans``, neighbours in one role made one span."""
    made: list[Span] = []
    for text, role in spans:
        if made and made[-1][1] == role:
            made[-1] = (made[-1][0] + text, role)
        elif text:
            made.append((text, role))
    return made


def lit(spans: Sequence[Span], pattern: re.Pattern[str], role: str) -> list[Span]:
    """``spans`` with what ``pattern`` matches in role ``role``; the others as they were."""
    text = "".join(part for part, _ in spans)
    ranges = [match.span() for match in pattern.finditer(text) if match.end() > match.start()]
    return painted(spans, ((start, end, role) for start, end in ranges)) if ranges else list(spans)


def painted(spans: Sequence[Span], ranges: Iterable[tuple[int, int, str]]) -> list[Span]:
    """``spans`` with the characters of each (start, end, role) in that role; ranges ascend and do not overlap."""
    made: list[Span] = []
    pending = iter(ranges)
    current = next(pending, None)
    place = 0
    for text, own in spans:
        done = 0
        while current is not None and current[0] < place + len(text):
            start, end, role = max(current[0] - place, 0), min(current[1] - place, len(text)), current[2]
            if start > done:
                made.append((text[done:start], own))
            made.append((text[start:end], role))
            done = end
            if current[1] > place + len(text):
                break
            current = next(pending, None)
        if done < len(text):
            made.append((text[done:], own))
        place += len(text)
    return made
