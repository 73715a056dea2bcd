"""Curves over a row of days, in dots: eight to a cell, or a letter to a cell where there are no such signs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

import numpy as np
from numpy.typing import NDArray

from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line

_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_BRAILLE = 0x2800
_ACROSS, _DOWN = 2, 4


@dataclass(frozen=True, eq=False)
class Series:
    """One curve: values in 0..1 beside the days, its role, and the letter that stands at its end."""

    letter: str
    role: str
    values: NDArray[np.float64]


def plot(
    series: Sequence[Series],
    width: int,
    height: int,
    glyphs: Glyphs,
    upright: float | None = None,
    levels: Sequence[float] = (),
) -> list[Line]:
    """Returns ``series`` drawn in ``width`` × ``height`` cells, 1 on top, 0 at the bottom, letters in the last cell.

    ``upright`` (0..1 of the width) is marked by a line from top to bottom, ``levels`` (0..1) by lines across. Where
    curves share a cell, the first of them gives the colour. Values that are NaN are left out.
    """
    across = max(width - 1, 1)
    grid = _Grid(across, height)
    for number, one in enumerate(series):
        grid.draw(number, one.values, _ACROSS if glyphs.unicode else 1, _DOWN if glyphs.unicode else 1)
    column = None if upright is None else min(across - 1, round(upright * (across - 1)))
    rows = {row_of(level, height) for level in levels}
    ends = _ends(series, height)
    made = []
    for row in range(height):
        row_line = Line()
        for cell in range(across):
            drawn = grid.cells.get((row, cell))
            if drawn:
                first = min(drawn)
                dots = chr(_BRAILLE | reduce(or_, drawn.values()))
                letter = series[first].letter if len(drawn) == 1 else "*"
                text = dots if glyphs.unicode else letter
                row_line.spans.append((text, series[first].role))
            elif cell == column:
                row_line.spans.append((glyphs.tick, "accent"))
            else:
                row_line.spans.append((glyphs.dash if row in rows else " ", "faint"))
        letter, role = ends.get(row, (" ", "text"))
        row_line.spans.append((letter, role))
        made.append(row_line)
    return made


def row_of(value: float, height: int) -> int:
    """Returns the row, from the top, in which ``value`` (0..1) is drawn."""
    return round((1 - max(0.0, min(1.0, value))) * (height - 1))


class _Grid:
    """Maps each cell to the dots that each series has in it."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.cells: dict[tuple[int, int], dict[int, int]] = {}

    def draw(self, number: int, values: NDArray[np.float64], across: int, down: int) -> None:
        """Draws the values, the gaps between neighbours filled."""
        points = self.width * across
        sampled = values[np.round(np.linspace(0, len(values) - 1, points)).astype(np.int64)]
        last = self.height * down - 1
        before: int | None = None
        for x, value in enumerate(sampled.tolist()):
            if value != value:  # NaN
                before = None
                continue
            y = round((1 - max(0.0, min(1.0, value))) * last)
            start = y if before is None else before + (y > before) - (y < before)
            for dot in range(min(start, y), max(start, y) + 1) if before is not None and before != y else (y,):
                cell = self.cells.setdefault((dot // down, x // across), {})
                cell[number] = cell.get(number, 0) | _DOTS[x % across][dot % down]
            before = y


def _ends(series: Sequence[Series], height: int) -> dict[int, tuple[str, str]]:
    """Returns the row of each letter: where its curve ends, or above it where that row is taken."""
    ended = [(float(one.values[-1]), one) for one in series]
    found: dict[int, tuple[str, str]] = {}
    lowest = height - 1
    for last, one in sorted((pair for pair in ended if pair[0] == pair[0]), key=lambda pair: pair[0]):
        row = min(lowest, row_of(last, height))
        if row >= 0:
            found[row] = (one.letter, f"bold {one.role}")
        lowest = row - 1
    return found
