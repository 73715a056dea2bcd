"""Wraps text with roles to a width, and finds the positions of links in it. Also draws tables of such text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from brvtui.paint.line import Line, joined
from brvtui.paint.text import breaks, cut_hard

NO_LINK = -1
_LEAST_WIDTH = 4
_GAP = 2
_LEAST_COLUMN = 4


@dataclass(frozen=True, slots=True)
class Piece:
    """A text in one role, without control characters. ``link`` is the number of the link that contains it."""

    text: str
    role: str = "text"
    link: int = NO_LINK


Row = list[Piece]


def width_of(row: Iterable[Piece]) -> int:
    """Returns the width of ``row`` in cells."""
    return sum(cell_len(piece.text) for piece in row)


def flow(pieces: Sequence[Piece], width: int) -> list[Row]:
    """Wraps ``pieces`` to rows of at most ``width`` cells, at spaces if possible. A line feed ends a row."""
    text = "".join(piece.text for piece in pieces)
    ranges: list[tuple[int, int]] = []
    start = 0
    for part in text.split("\n"):
        ranges += [(start + first, start + last) for first, last in breaks(part, max(width, _LEAST_WIDTH))]
        start += len(part) + 1
    return _sliced(pieces, ranges)


def chop(pieces: Sequence[Piece], width: int) -> list[Row]:
    """Breaks ``pieces`` into rows of at most ``width`` cells, at any character. No character is dropped."""
    text = "".join(piece.text for piece in pieces)
    room = max(width, _LEAST_WIDTH)
    ranges: list[tuple[int, int]] = []
    start = 0
    while start < len(text) or not ranges:
        end = start + max(len(cut_hard(text[start : start + room], room)), 1)
        ranges.append((start, end))
        start = end
    return _sliced(pieces, ranges)


def _sliced(pieces: Sequence[Piece], ranges: Iterable[tuple[int, int]]) -> list[Row]:
    """Cuts ``pieces`` into one row for each of ``ranges`` of characters, which ascend without overlap."""
    rows: list[Row] = []
    number = before = 0
    for start, end in ranges:
        row: Row = []
        while number < len(pieces):
            piece = pieces[number]
            after = before + len(piece.text)
            if after > start and before < end:
                cut = piece.text[max(start - before, 0) : end - before]
                row.append(piece if cut == piece.text else Piece(cut, piece.role, piece.link))
            if after > end:
                break
            number, before = number + 1, after
        rows.append(row)
    return rows


@dataclass(frozen=True, slots=True)
class Spot:
    """The position of a link, or of a part of one: the line, and a range of characters in it."""

    line: int
    start: int
    end: int


def spots_in(row: Iterable[Piece], line: int) -> Iterable[tuple[int, Spot]]:
    """Yields the number and position of each link in ``row``, whose line number is ``line``."""
    start = 0
    open_link, begun = NO_LINK, 0
    for piece in (*row, Piece("")):
        if piece.link != open_link:
            if open_link != NO_LINK:
                yield open_link, Spot(line, begun, start)
            open_link, begun = piece.link, start
        start += len(piece.text)


def line_of(row: Iterable[Piece]) -> Line:
    """Returns ``row`` as a line."""
    return Line(joined((piece.text, piece.role) for piece in row))


def table(rows: Sequence[Sequence[Row]], aligned: Sequence[str], width: int, dash: str) -> Iterator[Row]:
    """Yields the rows of a table of ``width`` cells. ``rows`` contains the cells, with the head first.

    Text is wrapped in columns that are too narrow for it. ``aligned`` contains ``left``, ``right`` or ``center`` for
    each column.
    """
    columns = column_widths(rows, width)
    for number, cells in enumerate(rows):
        texts = [flow(cell, room) for cell, room in zip(cells, columns, strict=False)]
        for height in range(max(len(text) for text in texts)):
            row: Row = []
            for place, (text, room) in enumerate(zip(texts, columns, strict=False)):
                part = text[height] if height < len(text) else []
                row += _padded(part, room, aligned[place] if place < len(aligned) else "left")
                row.append(Piece(" " * _GAP))
            yield row[:-1]
        if number == 0:
            yield [Piece((" " * _GAP).join(dash * room for room in columns), "faint")]


def column_widths(rows: Sequence[Sequence[Row]], width: int) -> list[int]:
    """Returns the width of each column: the width of its longest text, or less if not all columns would fit."""
    count = max(len(cells) for cells in rows)
    natural = [max([1, *(width_of(cells[place]) for cells in rows if place < len(cells))]) for place in range(count)]
    room = width - _GAP * (count - 1)
    caps = range(_LEAST_COLUMN, max(natural) + 1)
    # finds the largest cap that makes all columns fit, or the smallest cap if none does
    past = bisect_right(caps, room, key=lambda cap: sum(min(one, cap) for one in natural))
    cap = caps[max(past - 1, 0)] if caps else max(natural)
    return [min(one, cap) for one in natural]


def _padded(part: Row, room: int, side: str) -> Row:
    free = max(room - width_of(part), 0)
    before = free if side == "right" else free // 2 if side == "center" else 0
    return [Piece(" " * before), *part, Piece(" " * (free - before))]
