"""Results and near misses as lines."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rich.cells import cell_len

from brvtui.paint.bars import eighths
from brvtui.paint.chips import chips
from brvtui.paint.glyphs import Glyphs, glyph_of
from brvtui.paint.line import Line, line, rule
from brvtui.paint.text import cut_left, wrap
from brvtui.text.visible import visible
from brvtui.trace import Hit, NearMiss, Scale

_BEFORE_TITLE = 5
_BAR = 6
_LEAST_WORDS = 14
"""Cells for the words of a result; a remark that finds no room beside them is cut."""
_LEAST_PATH = 16
"""A path in fewer cells says too little."""
_SCORE = 5
_RULED = 5
"""Cells of a rule besides its label."""
_LACK = 8
_COARSE = 2
"""Scores with more decimals are small and differ little, so their bars need more width to be shown."""
_BARRED, _FINELY_BARRED = 32, 40
"""The widths from which there are bars."""


def title_room(scale: Scale, width: int) -> int:
    """Returns the cells for the title of a result."""
    return width - _BEFORE_TITLE - _score_cells(scale) - 1 - _bar_cells(scale, width)


def miss_title_room(scale: Scale, width: int) -> int:
    """Returns the cells for the title of a near miss."""
    return width - _BEFORE_TITLE - _score_cells(scale) - 1 - _LACK


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A result or near miss as a list has it, with what the list knows of it."""

    title: str
    """Cut to :func:`title_room`, or :func:`miss_title_room`."""
    maturity: str
    remark: str
    """How it was found, or, of a near miss, what it lacked; empty for none."""
    warning: str
    """That its file has changed, in place of mark and remark; empty for none."""
    selected: bool = False


def hit_lines(hit: Hit, rank: int, row: ResultRow, scale: Scale, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns rank, mark, title and score with its bar; below them the words that it answers, remark and path.

    A path that finds no room stands in a third line of the selected result, and nowhere of another.
    """
    sign, role = (glyphs.warn, "warn") if row.warning else glyph_of(hit.kind, row.maturity, glyphs)
    first = Line().add(f"{rank:>2} ", "muted").add(f"{sign} ", role)
    first.fit(row.title, title_room(scale, width), "bold strong" if rank == 1 else "text")
    full = hit.score / scale.full if scale.full else 0.0
    bar = eighths(full, _bar_cells(scale, width), glyphs)
    first.add(f"{_written(hit.score, scale)} ", "strong").add(bar, "bar")
    return [first, *_below(hit, row, width)]


def added_by(hit: Hit) -> str:
    """Which search added ``hit`` to the results of the query, in words; empty for a result of the query itself."""
    return f"added by the search for “{visible(hit.found_by)}”" if hit.found_by else ""


def added_rule(hit: Hit, before: str, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns the rule above the first of the results that another search than the one ``before`` added."""
    if not hit.found_by or hit.found_by == before:
        return []
    told = added_by(hit)
    short = f"by “{visible(hit.found_by)}” alone"
    return [rule(width, told if cell_len(told) + _RULED <= width else short, dash=glyphs.dash)]


def near_miss_lines(miss: NearMiss, row: ResultRow, scale: Scale, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns mark, title, score and in a few cells why it is outside the results; of the selected one also its words
    and its path.
    """
    sign, role = (glyphs.warn, "warn") if row.warning else glyph_of(miss.kind, miss.maturity or row.maturity, glyphs)
    made = line(" – ", "faint").add(f"{sign} ", role).fit(row.title, miss_title_room(scale, width), "muted")
    made.add(f"{_written(miss.score, scale)} ", "muted").add(f"{row.remark:>{_LACK}}", "warn")
    return [made, *(_below(miss, replace(row, remark=""), width) if row.selected else [])]


def _below(found: Hit | NearMiss, row: ResultRow, width: int) -> list[Line]:
    """The words that a result answers, its remark, and its path where there is room.

    A long remark on the selected result stands on lines of its own, so that it can be read to its end.
    """
    room = width - _BEFORE_TITLE
    remark = row.warning or row.remark
    role = "warn" if row.warning else "accent"
    if row.selected and remark and cell_len(remark) > room - _LEAST_WORDS:
        below = [Line().gap(_BEFORE_TITLE).add(part, role) for part in wrap(visible(remark), room)]
        rest = _below(found, replace(row, remark="", warning=""), width)
        return [*rest[:1], *below, *rest[1:]] if found.words else [*below, *rest]
    beside = room - (cell_len(remark) + 2 if remark else 0)
    words = chips(found.words, max(beside, min(room, _LEAST_WORDS)))
    made = Line().gap(_BEFORE_TITLE).extend(words.spans)
    made.gap(2 if words.spans and remark else 0).add(remark, role)
    path = visible(found.path)
    left = width - made.width - (2 if made.width > _BEFORE_TITLE else 0)
    fits = cell_len(path) <= left
    if fits or (left >= _LEAST_PATH and not row.selected):
        return [made.gap(2 if made.width > _BEFORE_TITLE else 0).add(cut_left(path, left), "muted").cut(width)]
    below = [Line().gap(_BEFORE_TITLE).add(cut_left(path, room), "muted")] if row.selected else []
    return [made.cut(width), *below] if made.width > _BEFORE_TITLE else below or [made]


def _bar_cells(scale: Scale, width: int) -> int:
    return _BAR if width >= (_BARRED if scale.decimals <= _COARSE else _FINELY_BARRED) else 0


def _score_cells(scale: Scale) -> int:
    return len(_written(0.0, scale))


def _written(score: float, scale: Scale) -> str:
    """Returns the score in at least :data:`_SCORE` cells; a small one without the 0 before the point."""
    text = f"{score:.{scale.decimals}f}"
    return f"{text:>{_SCORE}}" if scale.decimals <= _COARSE else f" {text.removeprefix('0')}"
