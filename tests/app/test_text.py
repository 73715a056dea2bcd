"""Text from notes: placeholders for control characters, and cutting and wrapping by cells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from brvtui.paint.line import Line, line, rule, spread
from brvtui.paint.text import cut, cut_left, fit, number, signed, wrap
from brvtui.text.visible import visible


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain [red]text[/red]", "plain [red]text[/red]"),
        ("\x1b[31mred", "␛[31mred"),
        ("a\x07b\x00c\x7f", "a␇b␀c␡"),
        ("\x9b31m", "\\u009b31m"),
        ("one\ntwo\rthree", "one␊two␍three"),
        ("a\tb", "a    b"),
        ("abc\u202edef\u2066x", "abc\\u202edef\\u2066x"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("line\u2028sep", "line\\u2028sep"),
        ("lone \udc80", "lone \\udc80"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("👨\u200d👩\u200d👧", "👨👩👧"),
        ("❤\ufe0f", "❤"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("a\u00a0b", "a b"),
        ("日本語 العربية é", "日本語 العربية é"),
    ],
)
def test_control_characters_become_visible(raw: str, shown: str) -> None:
    assert visible(raw) == shown


@given(st.text())
def test_no_terminal_control_character_remains(text: str) -> None:
    shown = visible(text)
    assert not any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 for char in shown)
    assert not any("\ud800" <= char <= "\udfff" for char in shown)
    assert not any(char in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f" for char in shown)
    assert visible(shown) == shown or "\u200d" in shown or "\u200c" in shown


@given(st.text(alphabet="ab 日本🎉éа"), st.integers(0, 20))
def test_cut_text_fits_its_width(text: str, width: int) -> None:
    assert cell_len(cut(text, width)) <= width
    assert cell_len(cut_left(text, width)) <= width
    assert cell_len(fit(text, width)) == width or width == 0


@given(st.text(alphabet="ab c日本🎉é-", max_size=120), st.integers(4, 30))
def test_wrapping_loses_only_spaces_and_never_overflows(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(cell_len(part) <= width for part in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_wrapping_breaks_at_spaces() -> None:
    assert wrap("the quick brown fox", 10) == ["the quick", "brown fox"]
    assert wrap("abcdefghijkl", 5) == ["abcde", "fghij", "kl"]
    assert wrap("", 10) == [""]


def test_numbers_are_rounded_and_signed() -> None:
    assert number(0.824) == "0.82"
    assert number(None) == "–"
    assert signed(-0.1271, 4) == "−0.1271"
    assert signed(0.5) == "+0.50"


def test_right_part_of_a_line_is_aligned_to_the_edge() -> None:
    result = line("a long beginning").right(12, line("end"))
    assert result.plain == "a long … end"
    assert result.width == 12
    assert line("ab").right(8, line("cd")).plain == "ab    cd"
    assert line("日本語日本語").right(8, line("x")).width == 8


@given(st.lists(st.text(alphabet="ab日 ", max_size=6), max_size=5), st.integers(1, 20))
def test_cut_line_fits_its_width(texts: list[str], width: int) -> None:
    result = Line()
    for text in texts:
        result.add(text)
    before = result.plain
    fits = result.width <= width
    result.cut(width)
    assert result.width <= width
    assert not fits or result.plain == before


def test_rule_fills_its_width() -> None:
    assert rule(20, "label").width == 20
    assert rule(20).plain == "┄" * 20


def test_groups_of_low_weight_are_dropped_first() -> None:
    groups = [(9, [("first", "text")]), (1, [("second", "text")]), (5, [("third", "text")])]
    assert spread(40, groups).plain == "first   second   third"
    assert spread(16, groups).plain == "first   third"
    assert spread(4, groups).plain == "fir…"


def test_heavy_group_is_cut_instead_of_dropped() -> None:
    searched = [("terms ", "muted"), ("one two three four five", "text")]
    groups = [(6, searched), (9, [("OR", "text")]), (1, [("why", "text")])]
    assert spread(25, groups).plain == "OR"
    assert spread(25, groups, cut_from=6).plain == "terms one two three…   OR"
    assert spread(20, groups, cut_from=6).plain == "OR"
