"""An importance bar: how much of it is left after decay, what was stored, and where maturity changes."""

from __future__ import annotations

from collections.abc import Mapping

from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Span

_WHOLE = 100.0


def importance_bar(
    value: float, stored: float, thresholds: Mapping[float, str], width: int, glyphs: Glyphs
) -> list[Span]:
    """A bar from 0 to 100 over ``width`` cells: full up to ``value``, light up to ``stored``, a tick at thresholds.

    ``thresholds`` gives the role of each tick. A tick on the full part is drawn on its colour.
    """
    steps = len(glyphs.eighths)
    filled = round(max(0.0, min(value, _WHOLE)) / _WHOLE * width * steps)
    whole, rest = divmod(filled, steps)
    faded = round(max(0.0, min(stored, _WHOLE)) / _WHOLE * width)
    ticks = {min(width - 1, int(threshold / _WHOLE * width)): role for threshold, role in thresholds.items()}
    light = glyphs.fills["local bonus"] if glyphs.unicode else glyphs.minus
    spans: list[Span] = []
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
        if spans and spans[-1][1] == role:
            spans[-1] = (spans[-1][0] + text, role)
        else:
            spans.append((text, role))
    return spans
