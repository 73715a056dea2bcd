"""Contrast as WCAG 2.1 defines it, and colours adjusted until they are readable."""

from __future__ import annotations

from collections.abc import Iterable

from textual.color import BLACK, WHITE, Color

LEAST = 4.5
"""The contrast that text needs against its background (level AA)."""
HIGH = 7.0
"""The contrast that text needs in a theme of high contrast (level AAA)."""
_STEPS = 20


def contrast(one: Color, other: Color) -> float:
    """Returns the contrast ratio of two opaque colours, 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Color) -> float:
    red, green, blue = (_linear(value) for value in colour.normalized)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def worst(colour: Color, grounds: Iterable[Color]) -> float:
    """Returns the least contrast of ``colour`` with any of ``grounds``."""
    return min(contrast(colour, ground) for ground in grounds)


def readable(colour: Color, grounds: Iterable[Color], least: float = LEAST) -> Color:
    """Moves ``colour`` towards black or white until its contrast with each of ``grounds`` reaches ``least``."""
    known = list(grounds)
    goal = max((WHITE, BLACK), key=lambda end: worst(end, known))
    for step in range(_STEPS + 1):
        moved = colour.blend(goal, step / _STEPS, alpha=1)
        if worst(moved, known) >= least:
            return moved
    return goal
