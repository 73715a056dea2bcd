"""Terms, white space, stop words and visible text."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.text.analysis import (
    counted,
    from_utf16,
    raw_tokens,
    terms,
    typed_words,
    utf16,
    without_stop_words,
    without_word,
)
from brvtui.text.visible import visible
from tests.support.trees import BRV3

STOP = frozenset(BRV3.query.stop_words)


def naive_split(text: str) -> list[str]:
    """JavaScript's ``split(/[\\n\\r\\p{Z}\\p{P}]+/u)``."""
    runs = "".join("\n" if c in "\n\r" or unicodedata.category(c)[0] in "ZP" else c for c in text)
    return re.split(r"\n+", runs)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("How the Rotation of bollard's keys went", ["rotation", "bollard", "keys", "went"]),
        ("retry_after x86 utf-8 a1b2c3 4f0d 2024 on-call", ["call"]),
        ("see auth/tokens/keys.md, notes.txt or https://id.example.com/jwks", ["see"]),
        ("doesn't <br> &nbsp; #tag @ops me@ops.io", []),
        ("café 日本 go", ["café", "日本"]),
    ],
)
def test_only_words_that_a_person_would_type_are_typed_words(text: str, words: list[str]) -> None:
    assert typed_words(text) == words


@pytest.mark.parametrize("character", [*"_-/.@#*,;:!?'\"()[]{}\\&%", "\u00a0", "\u2028", "\u3000", "\u00bf", "\u2014"])
def test_separators_split_terms(character: str) -> None:
    assert terms(f"ab{character}cd") == ["ab", "cd"]


@pytest.mark.parametrize("character", [*"`$+=|~^<>\t", "\ufeff", "\u00a9", "\u20ac", "\x00", "\x0b", "\x85", "\u200b"])
def test_other_characters_do_not_split_terms(character: str) -> None:
    assert terms(f"ab{character}cd") == [f"ab{character}cd"]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("alpha beta", {"alpha", "beta"}),
        ("alpha beta\n", {"alpha", "beta", ""}),
        ("alpha\r\nbeta\r\n", {"alpha", "beta", ""}),
        ("alpha\r\nbeta", {"alpha", "beta"}),
        ("alpha\rbeta", {"alpha", "beta"}),
        ("\n", {""}),
        ("", {""}),
        ("# a", {"", "a"}),
        ("\ufeffalpha", {"\ufeffalpha"}),
        ("Token token", {"Token", "token"}),
    ],
)
def test_field_length_counts_distinct_pieces(text: str, pieces: set[str]) -> None:
    assert set(raw_tokens(text)) == pieces


@given(st.text())
def test_terms_are_split_as_in_javascript(text: str) -> None:
    expected = naive_split(text)
    assert set(raw_tokens(text)) == set(expected)
    assert terms(text) == [utf16(piece.lower()) for piece in expected if piece]


@given(st.one_of(st.text(), st.text(st.sampled_from("ΑΣσς'.: \nİI"))))
def test_counts_equal_those_of_split_lower_case_terms(text: str) -> None:
    length, counts = counted(text)
    expected = naive_split(text)
    assert length == len(set(expected))
    assert counts == Counter(utf16(piece.lower()) for piece in expected if piece)


@given(st.text(st.characters(codec=None)))
def test_utf16_text_can_be_converted_back(text: str) -> None:
    units = utf16(text)
    assert len(units) == len(text.encode("utf-16-le", "surrogatepass")) // 2
    if not any(0xD800 <= ord(c) <= 0xDFFF for c in text):
        assert from_utf16(units) == text


def test_lone_surrogate_becomes_the_replacement_character() -> None:
    assert from_utf16("a\ud83d") == "a\ufffd"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("İ", ["i\u0307"]),
        ("ẞ", ["ß"]),
        ("ΑΣ", ["ας"]),
        ("ασ", ["ασ"]),
        ("\u212a", ["k"]),
        ("\u212b", ["å"]),
        ("ǅ", ["ǆ"]),
        ("ﬁn", ["ﬁn"]),
        ("e\u0301tude", ["e\u0301tude"]),
        ("日本語", ["日本語"]),
        ("😀", ["\ud83d\ude00"]),
        ("__proto__", ["proto"]),
        ("token^2", ["token^2"]),
    ],
)
def test_lower_case_matches_javascript(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_stop_word_list_has_108_words() -> None:
    assert len(STOP) == len(BRV3.query.stop_words) == 108


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("How is the Banana made", "banana made"),
        ("the\tbanana", "banana"),
        ("banana\tapple", "banana apple"),
        ("banana\u00a0the\u2003apple\u2028of\ufeffpear", "banana apple pear"),
        ("banana\u0085the", "banana\u0085the"),
        ("banana\u200bthe", "banana\u200bthe"),
        ("the, banana", "the, banana"),
        ("The OF", "The OF"),
        (" the of", ""),
        ("the ", ""),
        (" the banana ", "banana"),
        ("", ""),
        ("   ", "   "),
    ],
)
def test_stop_words_are_whole_words_between_white_space(text: str, left: str) -> None:
    assert without_stop_words(text, STOP) == left


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [red] text", "plain [red] text"),
        ("\x1b[31mred\x07", "␛[31mred␇"),
        ("a\nb\tc", "a␊b    c"),
        ("\x7f", "␡"),
        ("\x9b31m", "\\u009b31m"),
        ("\u202eabc\u2066", "\\u202eabc\\u2066"),
        ("\u2028\ud83d", "\\u2028\\ud83d"),
        ("日本語 é 👩‍👩‍👧 שלום", "日本語 é 👩👩👧 שלום"),
        ("", ""),
    ],
)
def test_control_characters_are_made_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_selected_control_characters_can_be_kept() -> None:
    assert visible("a\n\x1bb", keep="\n") == "a\n␛b"


@given(st.text(st.characters(codec=None)))
def test_visible_text_contains_no_terminal_controls(text: str) -> None:
    shown = visible(text)
    assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in shown)
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert visible(shown) == shown


@pytest.mark.parametrize(
    ("query", "place", "rest"),
    [
        ("how do I rotate the keys", 3, "keys"),
        ("how do I rotate the keys", 5, "how do I rotate the"),
        ("rotate the keys", 0, "keys"),
        ("keys in redis cluster", 2, "keys in cluster"),
        ("how do I rotate", 3, "how do I"),
    ],
)
def test_leaving_out_the_first_real_word_leaves_out_its_stop_words(query: str, place: int, rest: str) -> None:
    assert " ".join(without_word(query.split(), place)) == rest
