"""Results and near misses as lines."""

from __future__ import annotations

from brvtui.paint.bars import eighths
from brvtui.paint.glyphs import Glyphs, glyph_of
from brvtui.paint.line import Line, line
from brvtui.paint.text import cut_left
from brvtui.trace import Hit, NearMiss, Scale

_BAR = 6
_SCORE = 5
_LACK = 8
_COARSE = 2
"""Scores with more decimals are small and differ little, so their bars need more width to be shown."""
_BARRED, _FINELY_BARRED = 32, 40
"""The widths from which there are bars."""


def hit_lines(
    hit: Hit,
    rank: int,
    scale: Scale,
    maturity: str,
    remark: str,
    warning: str,
    with_path: bool,
    width: int,
    glyphs: Glyphs,
) -> list[Line]:
    """Returns rank, mark, title and score with its bar; if ``with_path``, a second line with path and remark.

    ``warning`` says that the document's file has changed, and takes the place of mark and remark.
    """
    sign, role = (glyphs.warn, "warn") if warning else glyph_of(hit.kind, maturity, glyphs)
    bar = _BAR if width >= (_BARRED if scale.decimals <= _COARSE else _FINELY_BARRED) else 0
    number = _written(hit.score, scale)
    room = width - 5 - len(number) - 1 - bar
    first = Line().add(f"{rank:>2} ", "muted").add(f"{sign} ", role)
    first.fit(hit.title, room, "bold strong" if rank == 1 else "text")
    full = hit.score / scale.full if scale.full else 0.0
    first.add(f"{number} ", "strong").add(eighths(full, bar, glyphs), "bar")
    if not with_path:
        return [first]
    note = f"  {warning or remark}" if warning or remark else ""
    path = cut_left(Line().add(hit.path).plain, width - 5 - len(note))
    return [first, Line().gap(5).add(path, "muted").add(note, "warn" if warning else "accent")]


def miss_line(miss: NearMiss, scale: Scale, lack: str, maturity: str, warning: str, width: int, glyphs: Glyphs) -> Line:
    """Returns mark, title and score of a document outside the results, and in a few cells why it is outside."""
    sign, role = (glyphs.warn, "warn") if warning else glyph_of(miss.kind, miss.maturity or maturity, glyphs)
    number = _written(miss.score, scale)
    made = line(" – ", "faint").add(f"{sign} ", role).fit(miss.title, width - 5 - len(number) - 9, "muted")
    return made.add(f"{number} ", "muted").add(f"{lack:>{_LACK}}", "warn")


def _written(score: float, scale: Scale) -> str:
    """Returns the score in at least :data:`_SCORE` cells; a small one without the 0 before the point."""
    text = f"{score:.{scale.decimals}f}"
    return f"{text:>{_SCORE}}" if scale.decimals <= _COARSE else f" {text.removeprefix('0')}"
