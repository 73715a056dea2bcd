"""Curves in cells, and bars with the thresholds of maturity."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.app.maturity.ageing import Series, plot, row_of
from brvtui.paint.bars import importance_bar
from brvtui.paint.glyphs import ASCII, UNICODE, Glyphs

UNIT = st.floats(0, 1) | st.just(float("nan"))


def flat(value: float, name: str = "a") -> Series:
    return Series(name, "strong", np.full(366, value))


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@given(values=st.lists(UNIT, min_size=1, max_size=40), width=st.integers(2, 30), height=st.integers(1, 9))
def test_plot_fits_its_size(glyphs: Glyphs, values: list[float], width: int, height: int) -> None:
    lines = plot([Series("a", "strong", np.asarray(values))], width, height, glyphs, 0.5, (0.3,))
    assert len(lines) == height
    assert max(line.width for line in lines) <= width
    assert {line.width for line in lines} <= {width, max(width - 2, 1)}


@pytest.mark.parametrize(("value", "row"), [(1.0, 0), (0.0, 4), (0.5, 2)])
def test_values_are_drawn_in_the_right_rows(value: float, row: int) -> None:
    for glyphs in (UNICODE, ASCII):
        lines = [line.plain[:-1] for line in plot([flat(value)], 12, 5, glyphs)]
        assert [place for place, text in enumerate(lines) if text.strip()] == [row]
        assert row_of(value, 5) == row


def test_curves_have_names_at_their_ends_in_order() -> None:
    lines = plot([flat(0.01, "low"), flat(0.0, "none"), flat(0.8, "high")], 12, 6, UNICODE)
    assert [line.plain[8:] for line in lines] == ["", "high", "", "", "low", "none"]
    assert [plot([flat(0.5, "high")], 12, 3, ASCII)[row].plain for row in (0, 1)] == ["       ", "hhhhhhh high"]


def test_curves_that_share_a_cell_join_their_dots() -> None:
    one, other = flat(1.0, "a"), Series("b", "recency", np.full(366, 0.95))
    joined = plot([one, other], 6, 1, UNICODE)[0]
    assert joined.plain[0] == chr(0x2800 | 0x01 | 0x08)
    apart = plot([one, Series("b", "recency", np.zeros(366))], 6, 1, UNICODE)[0]
    assert apart.plain[0] == chr(0x2800 | 0x01 | 0x08 | 0x40 | 0x80)
    assert apart.spans[0][1] == "strong"
    assert plot([one, other], 6, 1, ASCII)[0].plain[0] == "*"


def test_steep_curve_has_no_gaps() -> None:
    steep = Series("a", "strong", np.asarray([1.0] * 180 + [0.0] * 186))
    for glyphs in (UNICODE, ASCII):
        lines = plot([steep], 14, 6, glyphs)
        assert all(line.plain[:-1].strip() for line in lines)


def test_invalid_numbers_are_not_drawn() -> None:
    lines = plot([flat(float("nan"))], 8, 4, UNICODE)
    assert "".join(line.plain for line in lines).strip() == ""


def test_curves_are_drawn_over_marks() -> None:
    lines = plot([flat(1.0)], 12, 3, UNICODE, upright=0.0, levels=(0.5, 1.0))
    assert lines[0].plain[0] not in (UNICODE.tick, UNICODE.dash)
    assert lines[1].plain[0] == UNICODE.tick
    assert lines[1].plain[1] == UNICODE.dash
    assert lines[2].plain[:2] == f"{UNICODE.tick} "


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@given(st.floats(0, 100), st.floats(0, 100), st.integers(1, 60))
def test_importance_bar_fits_its_width(glyphs: Glyphs, value: float, stored: float, width: int) -> None:
    spans = importance_bar(value, stored, {35.0: "warn", 85.0: "ok"}, width, glyphs)
    assert sum(len(text) for text, _ in spans) == width


def test_bar_shows_remaining_and_decayed_parts_and_thresholds() -> None:
    spans = importance_bar(42.5, 70, {65.0: "ok", 35.0: "warn"}, 10, UNICODE)
    assert spans == [
        ("███", "importance"),
        ("┊", "badge-text on importance"),
        ("▎", "importance"),
        ("░", "faint"),
        ("┊", "bold ok"),
        ("   ", "text"),
    ]
    assert "".join(text for text, _ in importance_bar(42.5, 70, {65.0: "ok"}, 10, ASCII)) == "####--|   "
