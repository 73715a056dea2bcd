"""Spans as segments for the terminal: as few as possible, since every one costs its colours in bytes."""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style


def segments(spans: Iterable[tuple[str, Style]], width: int, under: Style) -> list[Segment]:
    """``spans`` filled up to ``width`` cells with ``under``; blanks take the style of what stands beside them."""
    made: list[Segment] = []
    text, style, used = "", under, 0
    for part, own in spans:
        used += cell_len(part)
        if not text:
            text, style = part, own
        elif own == style or (part.isspace() and _same_blank(own, style)):
            text += part
        elif text.isspace() and _same_blank(style, own):
            text, style = text + part, own
        else:
            made.append(Segment(text, style))
            text, style = part, own
    rest = " " * (width - used)
    if rest and text and _same_blank(under, style):
        text, rest = text + rest, ""
    if text:
        made.append(Segment(text, style))
    if rest:
        made.append(Segment(rest, under))
    return made


def _same_blank(one: Style, other: Style) -> bool:
    """Whether a blank looks the same in both styles."""
    drawn = one.underline or one.strike or one.reverse or other.underline or other.strike or other.reverse
    return not drawn and one.bgcolor == other.bgcolor
