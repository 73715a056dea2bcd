"""Draws bars: for one value, for the parts of a score, and for importance with its thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from brvtui.paint.glyphs import PART_ROLES, Glyphs
from brvtui.paint.line import Line, Span, joined

if TYPE_CHECKING:
    from brvtui.trace import Part


_FULL_IMPORTANCE = 100.0


def eighths(value: float, width: int, glyphs: Glyphs) -> str:
    """A bar of ``width`` cells for ``value`` (0 to 1), precise to an eighth of a cell and padded with spaces."""
    steps = len(glyphs.eighths)
    filled = round(max(0.0, min(1.0, value)) * width * steps)
    whole, rest = divmod(filled, steps)
    bar = glyphs.eighths[-1] * whole + (glyphs.eighths[rest - 1] if rest else "")
    return bar + " " * (width - len(bar))


class Stack(NamedTuple):
    """The segments of a bar: the positive parts of a score by name, and the sum of the negative ones."""

    kept: tuple[tuple[str, float], ...]
    taken: float


def stack(parts: Sequence[Part]) -> Stack:
    """Returns the segments of a bar for ``parts``. A negative part shortens all earlier parts in proportion; rounding
    up belongs to the last part.
    """
    kept: list[tuple[str, float]] = []
    taken = 0.0
    for part in parts:
        if part.value > 0:
            name, before = kept.pop() if part.name == "rounding" and kept else (part.name, 0.0)
            kept.append((name, before + part.value))
        elif part.value < 0:
            before = sum(value for _, value in kept)
            if before > 0:
                kept = [(name, value * (1 + part.value / before)) for name, value in kept]
            taken -= part.value
    return Stack(tuple(kept), taken)


def stacked(
    parts: Sequence[Part], width: int, ticks: Sequence[float], glyphs: Glyphs, reach: float = 1.0
) -> list[Span]:
    """Returns a bar of ``width`` cells from 0 to 1, with a different fill for each part of a score.

    ``ticks`` are marked on the bar. Negative parts are hatched, and so is the range above ``reach``, the best possible
    score.
    """
    pieces = stack(parts)
    marks = {min(width - 1, int(tick * width)) for tick in ticks}
    edges: list[tuple[float, str]] = []
    end = 0.0
    for name, value in pieces.kept:
        end += value
        edges.append((end, name))
    edges.append((end + pieces.taken, "lost"))
    cells: list[Span] = []
    for cell in range(width):
        middle = (cell + 0.5) / width
        name = next((name for edge, name in edges if middle < edge), "" if middle < reach else "lost")
        fill, role = (glyphs.fills.get(name, glyphs.fills["other"]), role_of(name)) if name else (" ", "faint")
        if not name or name == "lost":
            fill, role = (glyphs.tick, "muted") if cell in marks else (fill or " ", role)
        cells.append((fill, role))
    return joined(cells)


def tick_labels(width: int, ticks: Mapping[float, str]) -> Line:
    """The line below a bar, with the labels of its ``ticks``. A label that does not fit is cut to one character."""
    labels = Line()
    ordered = sorted(ticks.items())
    columns = [min(width - 1, int(value * width)) for value, _ in ordered]
    for place, (_, label) in enumerate(ordered):
        after = columns[place + 1] if place + 1 < len(columns) else width
        text = label if columns[place] + len(label) <= after else label[:1]
        if columns[place] >= labels.width:
            labels.to(columns[place]).add(text, "muted")
    return labels


def role_of(part: str) -> str:
    """Returns the role of a part of a score, which determines the colour of the part."""
    return PART_ROLES.get(part, "other")


def meter(value: float, width: int, glyphs: Glyphs) -> list[Span]:
    """A bar of ``width`` cells for ``value`` (0 to 1), precise to an eighth of a cell. A line fills the rest."""
    done = eighths(value, width, glyphs).rstrip(" ")
    return [(done, "bar"), (glyphs.dash * (width - len(done)), "faint")]


def draining(left: float, whole: float, width: int, glyphs: Glyphs) -> str:
    """Returns a bar of ``width`` cells that is full when ``left`` equals ``whole``, and empty at zero."""
    share = max(0.0, min(1.0, left / whole)) if whole > 0 else 0.0
    full = round(share * width)
    return glyphs.full * full + glyphs.empty * (width - full)


def importance_bar(
    value: float, stored: float, thresholds: Mapping[float, str], width: int, glyphs: Glyphs
) -> list[Span]:
    """Returns a bar of ``width`` cells from 0 to 100. It is solid up to ``value``, and light from there to ``stored``.

    ``thresholds`` maps the positions of ticks to roles. A tick on the solid part keeps that part's background.
    """
    steps = len(glyphs.eighths)
    filled = round(max(0.0, min(value, _FULL_IMPORTANCE)) / _FULL_IMPORTANCE * width * steps)
    whole, rest = divmod(filled, steps)
    faded = round(max(0.0, min(stored, _FULL_IMPORTANCE)) / _FULL_IMPORTANCE * width)
    ticks = {min(width - 1, int(threshold / _FULL_IMPORTANCE * width)): role for threshold, role in thresholds.items()}
    light = glyphs.fills["local bonus"] if glyphs.unicode else glyphs.minus
    cells: list[Span] = []
    for cell in range(width):
        if cell in ticks and cell < whole:
            text, role = glyphs.tick, "badge-text on importance"
        elif cell in ticks:
            text, role = glyphs.tick, f"bold {ticks[cell]}"
        elif cell < whole:
            text, role = glyphs.eighths[-1], "importance"
        elif cell == whole and rest:
            text, role = glyphs.eighths[rest - 1], "importance"
        else:
            text, role = (light, "faint") if cell < faded else (" ", "text")
        cells.append((text, role))
    return joined(cells)
