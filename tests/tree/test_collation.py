"""Locale order. The expected orders were taken from ICU (``localeCompare``)."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from brvtui.tree.reading.javascript import in_locale_order, sort_key

RECORDED = ["1", "10", "2", "a", "A", "a b", "a_b", "a-b", "a/b", "ab", "b"]
PUNCTUATION = list("_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$")


def in_order(names: list[str]) -> list[str]:
    return in_locale_order(names, str)


def test_the_recorded_order() -> None:
    for seed in range(20):
        mixed = RECORDED[:]
        random.Random(seed).shuffle(mixed)
        assert in_order(mixed) == RECORDED


def test_punctuation_then_digits_then_letters() -> None:
    expected = [*PUNCTUATION, "0", "9", "a", "A", "z", "Z"]
    assert in_order(sorted(expected, reverse=True)) == expected


def test_case_decides_last() -> None:
    assert in_order(["Ab", "aB", "AB", "ab", "ac"]) == ["ab", "aB", "Ab", "AB", "ac"]


def test_letters_with_marks_stand_beside_their_base() -> None:
    assert in_order(["zebra", "éclair", "eclipse", "Ähre", "apfel", "日本"]) == [
        "Ähre", "apfel", "éclair", "eclipse", "zebra", "日本",
    ]  # fmt: skip


def test_equal_names_keep_their_order() -> None:
    assert in_locale_order([("a", 1), ("A", 2), ("a", 3)], lambda item: item[0]) == [("a", 1), ("a", 3), ("A", 2)]


@given(st.lists(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=6), max_size=12))
def test_ascii_tables_agree_with_the_unicode_collation(names: list[str]) -> None:
    """One name beyond ASCII makes the whole comparison use the Unicode tables; the order is the same."""
    with_unicode = [name for name in in_order([*names, "日本"]) if name != "日本"]
    key = sort_key(names)
    assert [key(name) for name in with_unicode] == [key(name) for name in in_order(names)]


@given(st.lists(st.text(st.characters(codec=None), max_size=5), max_size=8))
def test_sorting_never_raises(names: list[str]) -> None:
    assert sorted(in_order(names)) == sorted(names)
