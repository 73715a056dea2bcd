"""Derives the colours of roles that a theme does not set from its other colours."""

from __future__ import annotations

from collections.abc import Iterable

from textual.color import BLACK, WHITE, Color
from textual.theme import Theme

from brvtui.app.themes.palette import BADGES, ON_ANY_GROUND, ON_CURSOR, ROLES, own_roles

# Contrast as defined by WCAG 2.1, and adjustment of colours until they are readable.


LEAST = 4.5
"""The minimum contrast of text with its background (level AA)."""
HIGH = 7.0
"""The minimum contrast of text in a high-contrast theme (level AAA)."""
_STEPS = 20


def contrast(one: Color, other: Color) -> float:
    """Returns the contrast ratio of two opaque colours, from 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Color) -> float:
    red, green, blue = (_linear(value) for value in colour.normalized)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def worst(colour: Color, grounds: Iterable[Color]) -> float:
    """Returns the lowest contrast of ``colour`` with any of ``grounds``."""
    return min(contrast(colour, ground) for ground in grounds)


def readable(colour: Color, grounds: Iterable[Color], least: float = LEAST) -> Color:
    """Blends ``colour`` with black or white until its contrast with each of ``grounds`` is at least ``least``."""
    ground_list = list(grounds)
    goal = max((WHITE, BLACK), key=lambda end: worst(end, ground_list))
    for step in range(_STEPS + 1):
        moved = colour.blend(goal, step / _STEPS, alpha=1)
        if worst(moved, ground_list) >= least:
            return moved
    return goal


_GROUNDS = ("background", "surface", "panel")


def roles_of(theme: Theme) -> dict[str, str]:
    """Returns the colour of every role in ``theme``: the theme's own, or else a readable colour derived from others."""
    return {**(_roles_of_terminal(theme) if theme.ansi else _roles_of_colours(theme)), **own_roles(theme)}


def grounds_of(theme: Theme) -> tuple[Color, ...]:
    """Returns the opaque background colours of ``theme``."""
    colours = theme.to_color_system().generate()
    under = Color.parse(colours["background"])
    return tuple(under + Color.parse(colours[name]) for name in _GROUNDS)


def _roles_of_colours(theme: Theme) -> dict[str, str]:
    variables = theme.to_color_system().generate()
    grounds = grounds_of(theme)
    ground = grounds[0]

    def named(name: str) -> Color:
        return ground + Color.parse(variables[name])

    def between(one: Color, other: Color) -> Color:
        return one.blend(other, 0.5, alpha=1)

    text = readable(named("foreground"), grounds)
    extreme = max((WHITE, BLACK), key=lambda end: worst(end, grounds))
    primary, secondary, accent = named("primary"), named("secondary"), named("accent")
    success, warning, error = named("success"), named("warning"), named("error")
    cursor = _tinted(ground, primary, text, 0.3)
    idle = _tinted(ground, text, text, 0.12)
    on = (*grounds, cursor, idle)
    muted = readable(text.blend(ground, 0.35, alpha=1), on)
    wanted = {
        "text": text, "strong": text.blend(extreme, 0.5, alpha=1), "muted": muted,
        "faint": readable(text.blend(ground, 0.45, alpha=1), grounds), "stub": muted, "other": muted,
        "accent": accent, "taken": accent, "named": accent, "ok": success, "core": success, "local": success,
        "warn": warning, "draft": warning, "maturity": warning, "bad": error, "lost": error, "summary": secondary,
        "importance": secondary, "relevance": primary, "validated": primary,
        "recency": between(primary, success), "propagated": between(secondary, error),
        "tier-0": success, "tier-1": between(success, primary), "tier-2": primary, "tier-3": warning,
        "tier-4": between(warning, error), "tier-none": secondary,
    }  # fmt: skip
    colours = {role: readable(wanted[role], on if role in ON_CURSOR else grounds) for role in ON_ANY_GROUND}
    match_ground = _tinted(ground, warning, text, 0.3)
    colours |= {
        "bar": readable(primary, grounds, 3), "badge-text": ground, "cursor": cursor,
        "cursor-idle": idle, "match-ground": match_ground,
        "match": readable(warning, (match_ground,)), "edge": ground.blend(text, 0.3, alpha=1),
        "edge-focus": readable(primary, grounds, 3),
    }  # fmt: skip
    return {role: colour.hex for role, colour in colours.items()}


def _tinted(ground: Color, hue: Color, text: Color, share: float) -> Color:
    """Blends ``ground`` with at most ``share`` of ``hue``, so that ``text`` stays readable on the result."""
    while share > 0.02 and worst(text, (ground.blend(hue, share, alpha=1),)) < LEAST:
        share -= 0.02
    return ground.blend(hue, share, alpha=1)


def _roles_of_terminal(theme: Theme) -> dict[str, str]:
    """Returns the roles in the terminal's own colours, whose contrast is unknown."""
    primary = theme.primary
    secondary = theme.secondary or primary
    success, warning, error = (colour or primary for colour in (theme.success, theme.warning, theme.error))
    accent = secondary if theme.dark else primary
    plain = "ansi_default"
    colours = dict.fromkeys(ROLES, plain)
    colours |= dict.fromkeys(("ok", "core", "local", "tier-0", "tier-1"), success)
    colours |= dict.fromkeys(("warn", "draft", "maturity", "tier-3", "match-ground"), warning)
    colours |= dict.fromkeys(("bad", "lost", "tier-4"), error)
    colours |= dict.fromkeys(("accent", "taken", "named", "validated", "tier-2", "recency", "edge-focus"), accent)
    colours |= dict.fromkeys(("relevance", "bar"), primary)
    colours |= dict.fromkeys(("summary", "importance", "propagated", "tier-none"), "ansi_magenta")
    return colours


def weak_roles(theme: Theme) -> dict[str, float]:
    """Returns the contrast of roles that are hard to read in ``theme``; none for the terminal's own colours."""
    if theme.ansi:
        return {}
    colours = {role: Color.parse(colour) for role, colour in roles_of(theme).items()}
    grounds = grounds_of(theme)
    on = (*grounds, colours["cursor"], colours["cursor-idle"])
    contrasts = {role: worst(colours[role], on if role in ON_CURSOR else grounds) for role in sorted(ON_ANY_GROUND)}
    contrasts["match"] = worst(colours["match"], (colours["match-ground"],))
    contrasts["badge-text"] = worst(colours["badge-text"], (colours[role] for role in BADGES))
    return {role: round(ratio, 2) for role, ratio in contrasts.items() if ratio < LEAST}
