"""Measures, cuts and wraps text in terminal cells, and formats numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from rich.cells import cell_len

_ELLIPSIS = "…"
_LEAST_WIDTH = 4
_KEEPS_WHOLE: ContextVar[bool] = ContextVar("_KEEPS_WHOLE", default=False)
_WORDS = re.compile(r" *[^ ]+| +")


@contextmanager
def kept_whole() -> Iterator[None]:
    """Turns off wrapping and cutting within the block, for files and pipes; widths then only align columns."""
    token = _KEEPS_WHOLE.set(True)
    try:
        yield
    finally:
        _KEEPS_WHOLE.reset(token)


def keeps_whole() -> bool:
    """True within a block of :func:`kept_whole`."""
    return _KEEPS_WHOLE.get()


def cut(text: str, width: int, ellipsis: str = "…") -> str:
    """Cuts ``text`` to at most ``width`` cells. ``ellipsis`` replaces the part that was cut off."""
    if keeps_whole():
        return text
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return text
    return _prefix(text, max(0, width - cell_len(ellipsis))) + cut_hard(ellipsis, width)


def cut_left(text: str, width: int) -> str:
    """Cuts the beginning of ``text``, such as a path, so that it fits into ``width`` cells."""
    if keeps_whole():
        return text
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return text
    room = width - cell_len(_ELLIPSIS)
    start = len(text)
    used = 0
    while start > 0 and used + cell_len(text[start - 1]) <= room:
        start -= 1
        used += cell_len(text[start])
    return cut_hard(_ELLIPSIS, width) + text[start:]


def cut_hard(text: str, width: int) -> str:
    """Cuts ``text`` to at most ``width`` cells without an ellipsis."""
    return text if cell_len(text) <= width else _prefix(text, width)


def _prefix(text: str, width: int) -> str:
    return text[: _end_of_prefix(text, 0, len(text), width)]


def _end_of_prefix(text: str, start: int, end: int, width: int) -> int:
    """Returns the end of the part of ``text[start:end]`` that fits into ``width`` cells. Does not copy long text."""
    used = 0
    for place in range(start, end):
        used += cell_len(text[place])
        if used > width:
            return place
    return end


def column(texts: Iterable[str], width: int) -> int:
    """Returns the width of a column for ``texts``, in cells.

    This is ``width``, or the width of the longest text if texts are kept whole. If the column were narrower, that text
    would move the rest of its row out of line.
    """
    return max([width, *map(cell_len, texts)]) if keeps_whole() else width


def fit(text: str, width: int) -> str:
    """Cuts or pads ``text`` to exactly ``width`` cells."""
    short = cut(text, width)
    return short + " " * (width - cell_len(short))


def wrap(text: str, width: int) -> list[str]:
    """Wraps ``text``, which is one paragraph, to lines of at most ``width`` cells, at spaces if possible."""
    return [text[start:end] for start, end in breaks(text, max(width, _LEAST_WIDTH))]


def breaks(text: str, width: int) -> list[tuple[int, int]]:
    """Returns the start and end of each line of wrapped ``text``, without the spaces at the breaks."""
    if keeps_whole() or (len(text) <= width and cell_len(text) <= width):
        return [(0, len(text))]
    lines: list[tuple[int, int]] = []
    start = place = used = 0
    for word in _pieces(text):
        end = place + len(word)
        used += cell_len(word)
        if used > width:
            if text[start:place].strip():
                lines.append((start, _trimmed(text, start, place)))
                start = end - len(word.lstrip())
            # the whole rest is measured only if its beginning fits
            while cell_len(text[start : min(end, start + width + 1)]) > width or cell_len(text[start:end]) > width:
                stop = max(_end_of_prefix(text, start, end, width), start + 1)
                lines.append((start, stop))
                start = stop
            used = cell_len(text[start:end])
        place = end
    if not lines or text[start:].strip():
        lines.append((start, _trimmed(text, start, place)))
    return lines


def _trimmed(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip())


def _pieces(text: str) -> list[str]:
    if text.isascii():
        return _WORDS.findall(text)
    pieces: list[str] = []
    start = 0
    for place in range(1, len(text)):
        breaks = text[place] == " " and text[place - 1] != " "
        if breaks or (cell_len(text[place]) > 1 and text[place - 1] != " "):
            pieces.append(text[start:place])
            start = place
    pieces.append(text[start:])
    return pieces


def number(value: float | None, places: int = 2) -> str:
    """Formats a score or ratio: ``0.82``. None becomes an en dash."""
    if value is None:
        return "–"
    return f"{value:z.{places}f}".replace("-", "−")


def signed(value: float, places: int = 2) -> str:
    """Formats ``value`` with its sign and a true minus: ``+0.12``, ``−0.03``."""
    return f"{value:+z.{places}f}".replace("-", "−")


def seconds(value: float) -> str:
    """Formats a duration in seconds: ``12 s``, ``4 min``, ``3 h``."""
    if value < 60:
        return f"{value:.0f} s"
    if value < 3600:
        return f"{value / 60:.0f} min"
    return f"{value / 3600:.0f} h"


def days(value: float) -> str:
    """Formats an age or forecast in days: ``0.4 d``, ``12 d``."""
    return f"{value:.1f} d" if value < 10 else f"{value:.0f} d"


def ms(value: float) -> str:
    """Formats milliseconds: ``0.02 ms``, ``1.4 ms``, ``120 ms``."""
    if value < 0.1:
        return f"{value:.2f} ms"
    return f"{value:.1f} ms" if value < 100 else f"{value:.0f} ms"


def plural(amount: int, noun: str) -> str:
    """Returns an amount with its noun: ``1 note``, ``2 notes``."""
    return f"{amount} {noun}" if amount == 1 else f"{amount} {noun}s"
