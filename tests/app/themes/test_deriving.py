"""Contrast follows WCAG, and themes without our roles are readable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.color import BLACK, WHITE, Color
from textual.theme import BUILTIN_THEMES, Theme

from brvtui.app.themes.deriving import LEAST, contrast, grounds_of, readable, roles_of, weak_roles, worst
from brvtui.app.themes.palette import PREFIX, ROLES

_COLOURS = st.tuples(*[st.integers(0, 255)] * 3).map(lambda parts: Color(*parts))


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [("#000000", "#ffffff", 21), ("#777777", "#ffffff", 4.48), ("#ff0000", "#ffffff", 4.0), ("#123456", "#123456", 1)],
)
def test_contrast_matches_the_wcag_definition(one: str, other: str, ratio: float) -> None:
    assert round(contrast(Color.parse(one), Color.parse(other)), 2) == ratio
    assert contrast(Color.parse(other), Color.parse(one)) == contrast(Color.parse(one), Color.parse(other))


@given(_COLOURS, _COLOURS)
def test_any_colour_is_made_readable_on_any_background(colour: Color, ground: Color) -> None:
    result = readable(colour, (ground,))
    assert contrast(result, ground) >= LEAST
    if contrast(colour, ground) >= LEAST:
        assert result.rgb == colour.rgb


def test_black_or_white_is_used_if_no_colour_is_readable() -> None:
    assert readable(Color(200, 0, 0), (BLACK, WHITE), 7) in (BLACK, WHITE)


@pytest.mark.parametrize("name", [name for name, theme in BUILTIN_THEMES.items() if not theme.ansi])
def test_textuals_themes_are_readable_in_every_role(name: str) -> None:
    theme = BUILTIN_THEMES[name]
    assert roles_of(theme).keys() == set(ROLES)
    assert weak_roles(theme) == {}
    cursor = Color.parse(roles_of(theme)["cursor"])
    assert contrast(cursor, grounds_of(theme)[0]) > 1.05


@pytest.mark.parametrize("dark", [True, False])
@given(colours=st.lists(_COLOURS, min_size=6, max_size=6))
def test_theme_in_any_colours_is_readable_if_its_backgrounds_allow(dark: bool, colours: list[Color]) -> None:
    primary, secondary, warning, error, success, accent = (colour.hex for colour in colours)
    theme = Theme("any", primary, secondary, warning, error, success, accent, dark=dark)
    weak = weak_roles(theme)
    grounds = grounds_of(theme)
    can_be_read = max(worst(WHITE, grounds), worst(BLACK, grounds)) >= LEAST * 1.15
    assert weak == {} or not can_be_read


@pytest.mark.parametrize("name", ["ansi-dark", "ansi-light"])
def test_ansi_themes_keep_terminal_colours(name: str) -> None:
    theme = BUILTIN_THEMES[name]
    colours = roles_of(theme)
    assert colours.keys() == set(ROLES)
    assert all(colour.startswith("ansi_") for colour in colours.values())
    assert weak_roles(theme) == {}


def test_role_set_by_a_theme_is_kept_and_reported_if_weak() -> None:
    theme = Theme("mine", "#336699", background="#000000", variables={f"{PREFIX}muted": "#222222"})
    assert roles_of(theme)["muted"] == "#222222"
    assert list(weak_roles(theme)) == ["muted"]
