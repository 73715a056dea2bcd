"""Lines of styled text. A style is named by its role, which a theme turns into colours and attributes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf

from rich.cells import cell_len

from brvtui.paint.text import breaks, cut, fit, keeps_whole, wrap
from brvtui.text.visible import visible

Span = tuple[str, str]
"""A piece of text and its role, such as ``muted`` or ``bold accent``."""
_LEAST_CUT = 16
"""The minimum number of cells that must be left in order to cut a group of words instead of leaving it out."""


@dataclass(slots=True)
class Line:
    """A line of spans. The methods that add text return the line itself. ``ground`` is the role of its background."""

    spans: list[Span] = field(default_factory=list)
    ground: str = ""

    @property
    def width(self) -> int:
        """The line's width in cells."""
        width = 0
        for text, _ in self.spans:
            width += cell_len(text)
        return width

    @property
    def plain(self) -> str:
        """The line's text without roles."""
        return "".join(text for text, _ in self.spans)

    @property
    def low(self) -> str:
        """The line's text in lower case."""
        return self.plain.lower()

    def add(self, text: str, role: str = "text") -> Line:
        """Adds ``text``. Control characters are replaced with placeholders."""
        if text:
            self.spans.append((visible(text), role))
        return self

    def fit(self, text: str, width: int, role: str = "text") -> Line:
        """Adds ``text``, cut or padded to exactly ``width`` cells."""
        if width > 0:
            self.spans.append((fit(visible(text), width), role))
        return self

    def gap(self, width: int = 1) -> Line:
        """Adds ``width`` spaces."""
        if width > 0:
            self.spans.append((" " * width, "text"))
        return self

    def to(self, column: int) -> Line:
        """Adds spaces up to ``column``."""
        return self.gap(column - self.width)

    def extend(self, spans: Iterable[Span]) -> Line:
        """Adds ``spans``, whose text must be free of control characters."""
        self.spans.extend(spans)
        return self

    def right(self, width: int, other: Line) -> Line:
        """Puts ``other`` at the right edge of ``width`` cells. If the two would overlap, cuts this line."""
        room = width - other.width
        if keeps_whole() and self.width >= room:
            return self.gap(2 if other.spans else 0).extend(other.spans)
        self.cut(max(0, room - 1) if other.spans else room)
        return self.to(room).extend(other.spans)

    def cut(self, width: int) -> Line:
        """Cuts the line to at most ``width`` cells."""
        if self.width <= width or keeps_whole():
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
    """Returns a line of ``text``."""
    return Line().add(text, role)


def badge(text: str, role: str) -> Line:
    """Returns a line with ``text`` as a badge, which has a filled background."""
    return Line().gap().add(f" {text} ", f"bold badge-text on {role}")


def rule(width: int, label: str = "", role: str = "faint", dash: str = "┄") -> Line:
    """Returns a rule over ``width`` cells with ``label`` in it."""
    result = line(dash * 2, role)
    if label:
        result.gap().add(label, "muted").gap()
    return result.add(dash * (width - result.width), role).cut(width)


def spread(width: int, left: Iterable[tuple[int, list[Span]]], gap: int = 3, cut_from: float = inf) -> Line:
    """Returns a line of groups of spans, ``gap`` cells apart. If not all fit, leaves out the groups with the least
    weight.

    ``left`` contains the groups, each with its weight, in the order of display. If a part of it fits, a group with a
    weight of at least ``cut_from`` is cut instead of being left out.
    """
    groups = [(weight, spans) for weight, spans in left if spans]
    while len(groups) > 1 and (over := _total(groups, gap) - width) > 0:
        weight, spans = lightest = min(groups, key=lambda group: group[0])
        room = Line(list(spans)).width - over
        if weight >= cut_from and room >= _LEAST_CUT and not keeps_whole():
            groups[groups.index(lightest)] = (weight, Line(list(spans)).cut(room).spans)
        else:
            groups.remove(lightest)
    result = Line()
    for position, (_, spans) in enumerate(groups):
        result.gap(gap if position else 0).extend((visible(text), role) for text, role in spans)
    return result.cut(width)


def _total(groups: list[tuple[int, list[Span]]], gap: int) -> int:
    return sum(cell_len(text) for _, spans in groups for text, _ in spans) + gap * (len(groups) - 1)


def folded(whole: Line, width: int) -> list[Line]:
    """Wraps ``whole`` to lines of at most ``width`` cells, between words if possible."""
    if whole.width <= width or keeps_whole():
        return [whole]
    role = next((role for text, role in whole.spans if text.strip()), "text")
    return [Line().gap().add(part, role) for part in wrap(whole.plain.strip(), width - 1)]


def flowed(whole: Line, first: int, others: int) -> list[Line]:
    """Wraps ``whole`` between words to lines of ``first`` and then ``others`` cells, and keeps its roles."""
    if keeps_whole() or whole.width <= first:
        return [whole]
    text = whole.plain
    start, end = breaks(text, max(1, first))[0]
    lines = [Line(_slice(whole.spans, start, end))]
    begin = end + len(text[end:]) - len(text[end:].lstrip(" "))
    for start, end in breaks(text[begin:], max(1, others)):
        lines.append(Line(_slice(whole.spans, begin + start, begin + end)))
    return lines


def hanging(whole: Line, width: int, indent: int) -> list[Line]:
    """Wraps ``whole`` between words to lines of at most ``width`` cells. Indents all lines after the first."""
    first, *others = flowed(whole, width, width - indent)
    return [first, *(Line([(" " * indent, "text"), *other.spans]) for other in others)]


def _slice(spans: Iterable[Span], start: int, end: int) -> list[Span]:
    result, place = [], 0
    for text, role in spans:
        part = text[max(0, start - place) : max(0, end - place)]
        if part:
            result.append((part, role))
        place += len(text)
    return result


def joined(spans: Iterable[Span]) -> list[Span]:
    """Joins neighbouring spans with the same role, and drops empty spans."""
    result: list[Span] = []
    for text, role in spans:
        if result and result[-1][1] == role:
            result[-1] = (result[-1][0] + text, role)
        elif text:
            result.append((text, role))
    return result


def lit(spans: Sequence[Span], pattern: re.Pattern[str], role: str) -> list[Span]:
    """Returns ``spans`` with all matches of ``pattern`` in ``role``. A match may extend over several spans."""
    text = "".join(part for part, _ in spans)
    ranges = [match.span() for match in pattern.finditer(text) if match.end() > match.start()]
    return painted(spans, ((start, end, role) for start, end in ranges)) if ranges else list(spans)


def painted(spans: Sequence[Span], ranges: Iterable[tuple[int, int, str]]) -> list[Span]:
    """Returns ``spans`` with the role of each range (start, end, role); ranges ascend and do not overlap."""
    result: list[Span] = []
    pending = iter(ranges)
    current = next(pending, None)
    place = 0
    for text, own in spans:
        done = 0
        while current is not None and current[0] < place + len(text):
            start, end, role = max(current[0] - place, 0), min(current[1] - place, len(text)), current[2]
            if start > done:
                result.append((text[done:start], own))
            result.append((text[start:end], role))
            done = end
            if current[1] > place + len(text):
                break
            current = next(pending, None)
        if done < len(text):
            result.append((text[done:], own))
        place += len(text)
    return result
