"""Our own themes: readable by measure, complete, and colours never stand alone."""

from __future__ import annotations

from itertools import product

import pytest
from textual.color import Color
from textual.theme import Theme

from brvtui.app.glyphs import MATURITIES, STATE_ROLES, STATE_WORDS, UNICODE
from brvtui.app.paint.bars import role_of
from brvtui.app.themes import DARK, DEFAULTS, LIGHT, PREFIX, Palette
from brvtui.trace import State

LEAST = 4.5
_TEXT = (
    "text", "strong", "muted", "faint", "accent", "ok", "warn", "bad", "taken", "draft", "validated", "core", "summary",
    "stub", "relevance", "importance", "recency", "local", "maturity", "propagated", "named", "other", "lost",
    "tier-0", "tier-1", "tier-2", "tier-3", "tier-4", "tier-none",
)  # fmt: skip
_BADGES = ("tier-0", "tier-1", "tier-2", "tier-3", "tier-4", "tier-none", "accent", "bad", "warn", "ok")
_ON_CURSOR = ("text", "strong", "muted", "draft", "validated", "core", "summary", "stub", "warn")


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, as WCAG defines it."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    def linear(value: float) -> float:
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = Color.parse(colour).normalized
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)


def _colour(theme: Theme, role: str) -> str:
    return theme.variables[f"{PREFIX}{role}"]


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_text_is_readable_on_every_ground(theme: Theme) -> None:
    grounds = [str(theme.background), str(theme.surface), str(theme.panel)]
    pairs = [(role, ground) for role, ground in product(_TEXT, grounds)]
    pairs += [(role, _colour(theme, ground)) for role, ground in product(_ON_CURSOR, ("cursor", "cursor-idle"))]
    pairs.append(("match", _colour(theme, "match-ground")))
    poor = {pair: round(contrast(_colour(theme, pair[0]), pair[1]), 2) for pair in pairs}
    assert not {pair: ratio for pair, ratio in poor.items() if ratio < LEAST}


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_badges_are_readable(theme: Theme) -> None:
    found = {role: round(contrast(_colour(theme, "badge-text"), _colour(theme, role)), 2) for role in _BADGES}
    assert not {role: ratio for role, ratio in found.items() if ratio < LEAST}


def test_both_themes_colour_every_role() -> None:
    assert DARK.variables.keys() == LIGHT.variables.keys()
    assert DEFAULTS.keys() <= DARK.variables.keys()
    palette = Palette(LIGHT.variables)
    roles = [*MATURITIES, *STATE_ROLES.values(), *(role_of(name) for name in UNICODE.fills), "bar"]
    for role in roles:
        assert palette.style(role).color is not None
    with pytest.raises(KeyError):
        palette.style("mauve")


def test_a_theme_without_our_colours_falls_back() -> None:
    assert Palette({}).style("accent") == Palette(DARK.variables).style("accent")


def test_every_state_has_a_sign_and_a_word() -> None:
    for state in State:
        assert UNICODE.state[state.value]
        assert STATE_WORDS[state.value]
        assert STATE_ROLES[state.value]
