"""Filtering and marking words: pure functions."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from brvtui.app.widgets.outline import WordFilter
from brvtui.paint.line import lit, painted

_SPANS = st.lists(st.tuples(st.text("ab ", max_size=5), st.sampled_from(["text", "muted"])), max_size=6)


def test_filter_requires_all_words_in_any_order_and_case() -> None:
    word_filter = WordFilter.of("  Token  AUTH ")
    assert word_filter.words == ("token", "auth")
    assert word_filter.keeps("auth/jwt/token_store.md")
    assert not word_filter.keeps("auth/jwt/session.md")


def test_blank_filter_keeps_everything() -> None:
    assert not WordFilter.of("  ")
    assert WordFilter.of(" ").pattern is None
    assert WordFilter.of("").keeps("anything")


def test_filter_words_are_not_regular_expressions() -> None:
    word_filter = WordFilter.of("a.c [x")
    assert word_filter.pattern is not None
    assert word_filter.pattern.findall("abc a.c [x") == ["a.c", "[x"]


def test_match_across_spans_is_highlighted_in_both() -> None:
    assert lit([("to", "text"), ("ken store", "bold")], re.compile("token"), "match") == [
        ("to", "match"),
        ("ken", "match"),
        (" store", "bold"),
    ]


def test_text_without_a_match_is_unchanged() -> None:
    assert lit([("abc", "text")], re.compile("x"), "match") == [("abc", "text")]


@given(_SPANS, st.sampled_from(["a", "b", "ab", "aa", " ", "b a"]))
def test_marking_keeps_the_text_and_highlights_the_matches(spans: list[tuple[str, str]], word: str) -> None:
    text = "".join(part for part, _ in spans)
    result = lit(spans, re.compile(word), "match")
    assert "".join(part for part, _ in result) == text
    roles = [role for part, role in result for _ in part]
    own = [role for part, role in spans for _ in part]
    inside = {place for found in re.finditer(word, text) for place in range(*found.span())}
    assert roles == ["match" if place in inside else role for place, role in enumerate(own)]


def test_adjacent_ranges_are_painted_separately() -> None:
    assert painted([("abcd", "text")], [(0, 2, "x"), (2, 3, "y")]) == [("ab", "x"), ("c", "y"), ("d", "text")]
