"""The smallest changes after which no model is needed, as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, line
from brvtui.paint.text import wrap

if TYPE_CHECKING:
    from brvtui.engines.byterover.counterfactuals import Counterfactual, Counterfactuals

_INDENT = 3


def counterfactual_lines(takes: Counterfactuals, width: int, glyphs: Glyphs) -> list[Line]:
    """The note that is to lead the answer, then every kind of change; those that were verified come first."""
    ways = sorted(takes.ways, key=lambda way: not way.is_verified)
    return [*_heading(takes, width), *(row for way in ways for row in _way(way, width, glyphs))]


def _heading(takes: Counterfactuals, width: int) -> list[Line]:
    if not takes.path:
        return [line(" no note came near", "muted").cut(width)]
    score = "no word matches" if takes.score is None else f"{takes.score:.2f}"
    short = f" needs {takes.needed:g}" if not takes.reaches else f" ≥ {takes.needed:g}, but its lead is too small"
    right = Line().add(score, "strong").add(short, "muted")
    return [Line().gap().add(takes.title, "bold strong").right(width, right)]


def _way(way: Counterfactual, width: int, glyphs: Glyphs) -> list[Line]:
    from brvtui.engines.byterover.counterfactuals import LeverStatus  # the first paint must not wait for it

    signs = {
        LeverStatus.VERIFIED: (glyphs.state["passed"], "ok"),
        LeverStatus.IMPOSSIBLE: (glyphs.state["failed"], "faint"),
        LeverStatus.OPEN: (glyphs.state["missed"], "faint"),
    }
    sign, role = signs[way.standing]
    head = Line().gap().add(f"{sign} ", role).add(way.lever.value, "strong" if way.is_verified else "muted")
    if not way.is_verified:
        head.add(f"  {way.standing.value}", "faint")
    elif way.score is not None:
        head.right(width, Line().add(f"{way.score:.2f}", "ok"))
    text = "text" if way.is_verified else "faint"
    said = [line(" " * _INDENT + part, text) for part in wrap(way.text, max(width - _INDENT, 1))]
    return [head.cut(width), *(entry.cut(width) for entry in said)]
