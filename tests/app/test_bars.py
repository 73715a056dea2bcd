"""Bars: eighths, stacked parts, and subtracted parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.paint.bars import draining, eighths, stack, stacked, tick_labels
from brvtui.paint.glyphs import ASCII, UNICODE, Glyphs, for_terminal
from brvtui.paint.score import how, sum_lines
from brvtui.paint.text import kept_whole
from brvtui.trace import Hit, Kind, Origin, Part, Scale

DRAFT = (
    Part("relevance", 0.5742, 0.957, 0.6),
    Part("importance", 0.098, 49.0, 0.2),
    Part("recency", 0.175, 0.875, 0.2),
    Part("maturity", -0.12708, 0.8472, 0.85, "draft"),
    Part("local bonus", 0.1),
    Part("cap", 0.0, 0.82012, 1.0),
    Part("rounding", -0.00012, 0.82012, None, "half up, 2 decimals"),
)


def test_bars_are_drawn_in_eighths_of_a_cell() -> None:
    assert eighths(1.0, 4, UNICODE) == "████"
    assert eighths(0.5, 4, UNICODE) == "██  "
    assert eighths(0.53125, 4, UNICODE) == "██▏ "
    assert eighths(2.0, 2, UNICODE) == "██"
    assert eighths(-1.0, 2, UNICODE) == "  "
    assert eighths(0.5, 4, ASCII) == "##  "


def test_rounding_is_drawn_with_the_last_part() -> None:
    parts = (Part("relevance", 0.5), Part("local bonus", 0.1), Part("rounding", 0.004))
    assert dict(stack(parts).kept) == pytest.approx({"relevance": 0.5, "local bonus": 0.104})


def test_subtracted_parts_shrink_earlier_parts() -> None:
    pieces = stack(DRAFT)
    kept = dict(pieces.kept)
    assert kept["relevance"] == pytest.approx(0.5742 * 0.85, rel=1e-3)
    assert kept["local bonus"] == pytest.approx(0.1, rel=1e-2)
    assert sum(kept.values()) == pytest.approx(0.82)
    assert pieces.taken == pytest.approx(0.1272)


@given(st.lists(st.floats(-0.2, 0.6), min_size=1, max_size=7))
def test_kept_and_subtracted_parts_sum_to_the_whole(values: list[float]) -> None:
    parts = [Part(f"p{number}", value) for number, value in enumerate(values)]
    pieces = stack(parts)
    if values[0] > 0.5 and all(value >= 0 or -value < 0.05 for value in values):
        assert sum(value for _, value in pieces.kept) == pytest.approx(sum(values))


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["signs", "letters"])
def test_stacked_bar_shows_each_part_with_hatching_and_ticks(glyphs: Glyphs) -> None:
    text = "".join(text for text, _ in stacked(DRAFT, 50, (0.7, 0.85, 0.97), glyphs))
    assert len(text) == 50
    for name in ("relevance", "importance", "recency", "local bonus", "lost"):
        assert glyphs.fills[name] in text
    assert text[int(0.97 * 50)] == glyphs.tick
    assert text.index(glyphs.fills["lost"]) == 41


@pytest.mark.parametrize("width", [44, 60, 120])
def test_names_and_notes_of_parts_are_never_cut(width: int) -> None:
    parts = (Part("deploy in title", 3.75, 2.5, 1.5, "in 8 of 75 notes, 7 times in about 280 words"), Part("x", 1.0))
    hit = Hit("a.md", "a.md", "A", Kind.CONTEXT, Origin.TEXT, 4.75, parts)
    lines = sum_lines(hit, Scale(2, 5.0), 5.0, {}, width, UNICODE)
    with kept_whole():
        piped = sum_lines(hit, Scale(2, 5.0), 5.0, {}, width, UNICODE)
    for text in (" ".join(" ".join(each.plain for each in result).split()) for result in (lines, piped)):
        assert "deploy in title" in text
        assert "2.500 × 1.5" in text
        assert parts[0].note in text
    assert all(each.width <= width for each in lines)


def test_every_fill_differs_from_the_others() -> None:
    for glyphs in (UNICODE, ASCII):
        together = ["relevance", "importance", "recency", "maturity", "local bonus", "lost"]
        assert len({glyphs.fills[name] for name in together}) == len(together)


def test_tick_labels_are_aligned_with_their_ticks() -> None:
    result = tick_labels(100, {0.7: "┊.70", 0.85: "┊.85", 0.93: "┊.93"}).plain
    assert [result.index(mark) for mark in ("┊.70", "┊.85", "┊.93")] == [70, 85, 93]
    narrow = tick_labels(40, {0.7: "┊.70", 0.85: "┊.85", 0.93: "┊.93"}).plain
    assert [place for place, char in enumerate(narrow) if char == "┊"] == [28, 34, 37]
    assert len(narrow) <= 40


def test_draining_bar_shows_the_remaining_share() -> None:
    assert draining(60, 60, 6, UNICODE) == "▰▰▰▰▰▰"
    assert draining(30, 60, 6, UNICODE) == "▰▰▰▱▱▱"
    assert draining(0, 60, 6, UNICODE) == "▱▱▱▱▱▱"
    assert draining(1, 0, 3, ASCII) == "..."


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (DRAFT[0], "0.957 × 0.6"),
        (DRAFT[1], "49.000 × 0.2 ÷ 100"),
        (DRAFT[3], "draft × 0.85"),
        (DRAFT[4], ""),
        (DRAFT[5], "at most 1"),
        (DRAFT[6], "half up, 2 decimals"),
        (Part("propagated", 0.539, 0.98, 0.55, "1 up"), "0.980 × 0.55  1 up"),
    ],
)
def test_score_parts_show_how_they_are_calculated(part: Part, text: str) -> None:
    assert how(part) == text


def test_parts_of_small_scores_have_more_decimals() -> None:
    assert how(Part("intent", 0.0049, 0.016393, 1.3, "a preference"), 5) == "0.01639 × 1.3  a preference"


def test_ascii_is_used_on_request_or_without_unicode() -> None:
    assert for_terminal("on", "utf-8") is ASCII
    assert for_terminal("off", "ascii") is UNICODE
    assert for_terminal("auto", "UTF-8") is UNICODE
    assert for_terminal("auto", "ANSI_X3.4-1968") is ASCII


def test_ascii_signs_are_single_characters() -> None:
    for table in (ASCII.maturity, ASCII.kind, ASCII.state, ASCII.fills):
        assert all(len(sign) == 1 and sign.isascii() for sign in table.values())
    for table, signs in ((ASCII.maturity, UNICODE.maturity), (ASCII.kind, UNICODE.kind), (ASCII.state, UNICODE.state)):
        assert len(set(table.values())) == len(set(signs.values()))


def test_printed_parts_add_up_to_the_printed_sum() -> None:
    parts = tuple(Part(name, 0.10004) for name in ("relevance", "importance", "recency"))
    assert sum(round(part.value, 4) for part in parts) != pytest.approx(round(0.30012, 4), abs=1e-9)
    hit = Hit("a.md", "a.md", "A", Kind.CONTEXT, Origin.TEXT, 0.30012, parts)
    shown = "\n".join(one.plain for one in sum_lines(hit, Scale(), 1.0, {}, 60, UNICODE))
    assert shown.count("+0.10004") == 3
    assert "= 0.30012" in shown
