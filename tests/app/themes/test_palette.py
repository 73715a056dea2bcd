"""Styles by role: on backgrounds, and on terminals without reliable colours."""

from __future__ import annotations

import pytest
from rich.color import Color

from brvtui.app.themes.deriving import roles_of
from brvtui.app.themes.library import our_theme
from brvtui.app.themes.palette import Palette

COLOURS = roles_of(our_theme("brv-dark"))


@pytest.fixture
def palette() -> Palette:
    return Palette(COLOURS)


@pytest.fixture
def plain() -> Palette:
    return Palette(COLOURS, plain=True)


def test_style_combines_colour_background_and_attributes(palette: Palette) -> None:
    style = palette.style("bold underline badge-text on tier-3")
    assert style.color == Color.parse(COLOURS["badge-text"])
    assert style.bgcolor == Color.parse(COLOURS["tier-3"])
    assert (style.bold, style.underline, style.italic) == (True, True, None)
    assert palette.style("bold").color is None


def test_text_on_a_highlighted_line_keeps_its_own_background(palette: Palette) -> None:
    assert palette.on("warn", "cursor").bgcolor == Color.parse(COLOURS["cursor"])
    assert palette.on("badge-text on ok", "cursor").bgcolor == Color.parse(COLOURS["ok"])
    assert palette.on("warn", "") == palette.style("warn")


def test_backgrounds_are_reversed_with_terminal_colours(plain: Palette) -> None:
    badge = plain.style("bold badge-text on tier-3")
    assert (badge.reverse, badge.bgcolor, badge.color) == (True, None, Color.parse(COLOURS["tier-3"]))
    cursor = plain.on("bold warn", "cursor")
    assert (cursor.reverse, cursor.color, cursor.bold) == (True, None, True)
    assert (plain.on("warn", "cursor-idle").underline, plain.on("warn", "cursor-idle").reverse) == (True, None)
    assert plain.style("muted").dim
    assert not plain.style("text").dim


def test_every_css_colour_can_be_a_role() -> None:
    result = Palette({**COLOURS, "text": "rebeccapurple", "ok": "hsl(120,50%,50%)", "bad": "ansi_red"})
    assert result.style("text").color == Color.parse("#663399")
    assert result.style("bad").color == Color.from_ansi(1)
