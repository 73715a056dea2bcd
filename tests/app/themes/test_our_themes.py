"""Our own themes: they are measurably readable and complete, and no meaning depends on colour alone."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest
from textual.color import Color
from textual.theme import Theme

from brvtui.app.themes.deriving import HIGH, LEAST, contrast, roles_of
from brvtui.app.themes.library import COLOURS, DEFAULT, OURS, our_theme
from brvtui.app.themes.palette import BADGES, ON_ANY_GROUND, ON_CURSOR, ROLES, Palette
from brvtui.config import Settings
from brvtui.paint.bars import role_of
from brvtui.paint.glyphs import MATURITIES, STATE_ROLES, STATE_WORDS, UNICODE
from brvtui.trace import State
from tests.docs.pages import ROOT

_LEAST = {"brv-dark": LEAST, "brv-light": LEAST, "brv-contrast": HIGH}
_ALL = pytest.mark.parametrize("theme", [our_theme(name) for name in OURS], ids=OURS)
_EDGE = 3.0
"""The contrast that WCAG requires of a meaningful line."""


def _ratio(one: str, other: str) -> float:
    return contrast(Color.parse(one), Color.parse(other))


@cache
def _roles(name: str) -> dict[str, str]:
    return roles_of(our_theme(name))


def _colour(theme: Theme, role: str) -> str:
    return _roles(theme.name)[role]


@_ALL
def test_text_is_readable_on_every_background(theme: Theme) -> None:
    grounds = [str(theme.background), str(theme.surface), str(theme.panel)]
    pairs = [(role, ground) for role, ground in product(sorted(ON_ANY_GROUND), grounds)]
    pairs += [(role, _colour(theme, ground)) for role, ground in product(ON_CURSOR, ("cursor", "cursor-idle"))]
    pairs.append(("match", _colour(theme, "match-ground")))
    poor = {pair: round(_ratio(_colour(theme, pair[0]), pair[1]), 2) for pair in pairs}
    assert not {pair: ratio for pair, ratio in poor.items() if ratio < _LEAST[theme.name]}


@_ALL
def test_badges_are_readable(theme: Theme) -> None:
    found = {role: round(_ratio(_colour(theme, "badge-text"), _colour(theme, role)), 2) for role in BADGES}
    assert not {role: ratio for role, ratio in found.items() if ratio < _LEAST[theme.name]}


@_ALL
def test_bars_and_the_focused_edge_are_visible(theme: Theme) -> None:
    for role in ("bar", "edge-focus"):
        assert _ratio(_colour(theme, role), str(theme.background)) >= _EDGE


@_ALL
def test_every_role_and_field_has_a_colour(theme: Theme) -> None:
    assert _roles(theme.name).keys() == set(ROLES)  # either set by the theme or derived from its fields
    assert all(getattr(theme, field) for field in COLOURS if field != "boost")
    palette = Palette(roles_of(theme))
    roles = [*MATURITIES, *STATE_ROLES.values(), *(role_of(name) for name in UNICODE.fills), "bar"]
    for role in roles:
        assert palette.style(role).color is not None
    with pytest.raises(KeyError):
        palette.style("mauve")


def test_there_are_dark_light_and_high_contrast_themes() -> None:
    assert [our_theme(name).dark for name in OURS] == [True, False, True]
    assert Settings().theme == DEFAULT == OURS[0]


def test_themes_folder_contains_exactly_our_themes() -> None:
    assert {file.stem for file in (ROOT / "themes").glob("*.toml")} == set(OURS)


def test_every_state_has_a_sign_and_a_word() -> None:
    for state in State:
        assert UNICODE.state[state.value]
        assert STATE_WORDS[state.value]
        assert STATE_ROLES[state.value]
