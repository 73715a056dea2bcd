"""Tables in columns that fit a width."""

from __future__ import annotations

from collections.abc import Sequence

from brvtui.paint.flow import Piece, Row, flow, width_of

_GAP = 2
_LEAST_COLUMN = 4


def table(rows: Sequence[Sequence[Row]], aligned: Sequence[str], width: int, dash: str) -> list[Row]:
    """``rows`` of cells, the first of them the head, as rows of text; cells wrap where columns must be narrow.

    ``aligned`` says ``left``, ``right`` or ``center`` for every column.
    """
    columns = column_widths(rows, width)
    made: list[Row] = []
    for number, cells in enumerate(rows):
        texts = [flow(cell, room) for cell, room in zip(cells, columns, strict=False)]
        for height in range(max(len(text) for text in texts)):
            row: Row = []
            for place, (text, room) in enumerate(zip(texts, columns, strict=False)):
                part = text[height] if height < len(text) else []
                row += _padded(part, room, aligned[place] if place < len(aligned) else "left")
                row.append(Piece(" " * _GAP))
            made.append(row[:-1])
        if number == 0:
            made.append([Piece((" " * _GAP).join(dash * room for room in columns), "faint")])
    return made


def column_widths(rows: Sequence[Sequence[Row]], width: int) -> list[int]:
    """The cells of every column: as wide as its widest cell, the widest ones narrowed until all fit ``width``."""
    count = max(len(cells) for cells in rows)
    natural = [max([1, *(width_of(cells[place]) for cells in rows if place < len(cells))]) for place in range(count)]
    room = width - _GAP * (count - 1)
    cap = max(natural)
    while cap > _LEAST_COLUMN and sum(min(one, cap) for one in natural) > room:
        cap -= 1
    return [min(one, cap) for one in natural]


def _padded(part: Row, room: int, side: str) -> Row:
    free = max(room - width_of(part), 0)
    before = free if side == "right" else free // 2 if side == "center" else 0
    return [Piece(" " * before), *part, Piece(" " * (free - before))]
