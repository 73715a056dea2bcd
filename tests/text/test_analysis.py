"""Words as the engine has them: white space, visible text, vocabulary and the order of terms."""

from __future__ import annotations

import random
import re
import time
import unicodedata
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.text.analysis import counted, from_utf16, raw_tokens, terms, utf16, without_stop_words
from brvtui.text.postings import build
from brvtui.text.segment import TermIds, note_terms
from brvtui.text.visible import visible
from brvtui.text.vocabulary import KINDS, Vocabulary, tree_order
from tests.support.minisearch import expansion, radix_walk
from tests.support.trees import BRV3

STOP = frozenset(BRV3.query.stop_words)


def naive_split(text: str) -> list[str]:
    """JavaScript's ``split(/[\\n\\r\\p{Z}\\p{P}]+/u)``."""
    runs = "".join("\n" if c in "\n\r" or unicodedata.category(c)[0] in "ZP" else c for c in text)
    return re.split(r"\n+", runs)


@pytest.mark.parametrize("character", [*"_-/.@#*,;:!?'\"()[]{}\\&%", "\u00a0", "\u2028", "\u3000", "\u00bf", "\u2014"])
def test_what_splits(character: str) -> None:
    assert terms(f"ab{character}cd") == ["ab", "cd"]


@pytest.mark.parametrize("character", [*"`$+=|~^<>\t", "\ufeff", "\u00a9", "\u20ac", "\x00", "\x0b", "\x85", "\u200b"])
def test_what_does_not_split(character: str) -> None:
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
def test_distinct_pieces_are_the_field_length(text: str, pieces: set[str]) -> None:
    assert set(raw_tokens(text)) == pieces


@given(st.text())
def test_pieces_are_those_of_javascript(text: str) -> None:
    expected = naive_split(text)
    assert set(raw_tokens(text)) == set(expected)
    assert terms(text) == [utf16(piece.lower()) for piece in expected if piece]


@given(st.one_of(st.text(), st.text(st.sampled_from("ΑΣσς'.: \nİI"))))
def test_counting_is_splitting_and_lower_casing_each_piece(text: str) -> None:
    length, counts = counted(text)
    expected = naive_split(text)
    assert length == len(set(expected))
    assert counts == Counter(utf16(piece.lower()) for piece in expected if piece)


@given(st.text(st.characters(codec=None)))
def test_utf16_counts_units_and_comes_back(text: str) -> None:
    units = utf16(text)
    assert len(units) == len(text.encode("utf-16-le", "surrogatepass")) // 2
    if not any(0xD800 <= ord(c) <= 0xDFFF for c in text):
        assert from_utf16(units) == text


def test_a_lone_surrogate_is_shown_as_the_replacement_character() -> None:
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
def test_lower_case_is_that_of_javascript(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_there_are_108_stop_words() -> None:
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


TEXT = BRV3.text
TERM = st.one_of(
    st.text(st.sampled_from("ab"), min_size=1, max_size=14),
    st.text(st.sampled_from("aé😀😁"), min_size=1, max_size=6).map(utf16),
)


def expanded(terms: list[str], query: str) -> dict[str, tuple[float, str]]:
    ordered = sorted(terms)
    found = Vocabulary(ordered, np.arange(len(ordered))).expand(query, TEXT)
    return {
        ordered[identity]: (weight, str(KINDS[kind]))
        for identity, weight, kind in zip(found.ids.tolist(), found.weights.tolist(), found.kinds.tolist(), strict=True)
    }


@given(st.lists(TERM, max_size=40, unique=True), TERM)
def test_expansion_is_that_of_brute_force(terms: list[str], query: str) -> None:
    got = {term: weight for term, (weight, _) in expanded(terms, query).items()}
    expected = expansion(query, terms)
    assert got.keys() == expected.keys()
    assert got == pytest.approx(expected, rel=1e-14)


@given(st.lists(TERM, max_size=40, unique=True), TERM)
def test_every_term_comes_once(terms: list[str], query: str) -> None:
    ordered = sorted(terms)
    ids = Vocabulary(ordered, np.arange(len(ordered))).expand(query, TEXT).ids.tolist()
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("length", "farthest"),
    [(1, 0), (2, 0), (3, 1), (7, 1), (8, 2), (12, 2), (13, 3), (17, 3), (18, 4), (23, 5), (28, 6), (33, 6), (60, 6)],
)
def test_how_many_edits_a_term_of_some_length_allows(length: int, farthest: int) -> None:
    query = "a" * length
    near = "b" * farthest + query[farthest:] if farthest else ""
    far = "b" * (farthest + 1) + query[farthest + 1 :]
    found = expanded([term for term in (near, far) if term], query)
    assert (near in found) == bool(farthest)
    assert far not in found


def test_weights_by_hand() -> None:
    found = expanded(["token", "tokens", "tokeniser", "tokem", "tok"], "token")
    assert found["token"] == (1.0, "exact")
    assert found["tokens"] == (pytest.approx(0.375 * 6 / (6 + 0.3)), "prefix")
    assert found["tokeniser"] == (pytest.approx(0.375 * 9 / (9 + 0.3 * 4)), "prefix")
    assert found["tokem"] == (pytest.approx(0.45 * 5 / 6), "fuzzy")
    assert "tok" not in found


def test_a_prefix_match_is_not_also_a_fuzzy_one() -> None:
    assert expanded(["tokens"], "token")["tokens"][1] == "prefix"


def test_one_letter_terms_match_as_prefixes() -> None:
    found = expanded(["a", "ab", "abc", "b"], "a")
    assert found["ab"] == (pytest.approx(0.375 * 2 / 2.3), "prefix")
    assert found["abc"] == (pytest.approx(0.375 * 3 / 3.6), "prefix")
    assert "b" not in found


def test_emoji_are_two_units_each() -> None:
    one, two = utf16("😀"), utf16("😀😀")
    assert expanded([two], one)[two] == (pytest.approx(0.375 * 4 / (4 + 0.3 * 2)), "prefix")


def test_distance_counts_units() -> None:
    """😁 and 😀 share their high surrogate, 🎉 does not."""
    query, near, far = utf16("😀😀😀"), utf16("😁😀😀"), utf16("🎉😀😀")
    found = expanded([near, far], query)
    assert found[near] == (pytest.approx(0.45 * 6 / 7), "fuzzy")
    assert far not in found


def test_cjk_matches_by_prefix_not_inside() -> None:
    assert set(expanded(["日本語", "大日本"], "日本")) == {"日本語"}


def test_other_forms_have_the_same_stem() -> None:
    terms = sorted(["author", "authenticate", "bill", "config", "common", "retry", "sharp", "sharpen", "sharpener"])
    made = Vocabulary(terms, np.arange(len(terms)))
    assert made.other_forms("sharpening") == ["sharpen", "sharpener"]
    assert made.other_forms("billing") == ["bill"]
    assert made.other_forms("retries") == ["retry"]
    assert made.other_forms("authentication") == ["authenticate"]
    assert made.other_forms("conflict") == []
    assert made.other_forms("commit") == []
    assert made.other_forms("") == []


@pytest.mark.parametrize(
    ("query", "held"),
    [("bodies", "body"), ("copied", "copying"), ("tries", "try"), ("codes", "coding"), ("use", "using")],
)
def test_other_forms_whose_short_stem_ends_otherwise(query: str, held: str) -> None:
    terms = sorted([held, "bodkin", "cop", "codify", "trial", "usual"])
    assert Vocabulary(terms, np.arange(len(terms))).other_forms(query) == [held]


def test_a_short_stem_is_looked_for_whole_and_far_longer_terms_are_not() -> None:
    terms = sorted(["runs", "rune", "rumour", "run", "sharpen", "sharpeningstones"])
    made = Vocabulary(terms, np.arange(len(terms)))
    assert made.other_forms("running") == ["run", "runs"]
    assert made.other_forms("sharpening") == ["sharpen"]


def test_no_term_contains_text_that_folds_to_nothing() -> None:
    made = Vocabulary(["token", "tokens"], np.arange(2))
    assert made.containing("") == {}
    assert made.containing("oken") == {"token": 0, "tokens": 1}


TERMS = st.lists(
    st.one_of(
        st.text("ab", min_size=1, max_size=9),
        st.text("aé退😀\U0010ffff\uffff", min_size=1, max_size=4).map(utf16),
    ),
    unique=True,
    max_size=60,
)


def walked(terms: list[str], some: list[str]) -> list[str]:
    """``some`` of ``terms``, which are inserted in their order."""
    ordered = sorted(terms)
    inserted = np.asarray([terms.index(term) for term in ordered], dtype=np.int64)
    return [ordered[place] for place in tree_order(ordered, inserted, sorted(ordered.index(term) for term in some))]


@given(TERMS, st.randoms(use_true_random=False))
def test_the_walk_is_that_of_a_tree_that_was_built(terms: list[str], rng: random.Random) -> None:
    built = radix_walk(terms)
    assert walked(terms, terms) == built
    some = [term for term in terms if rng.random() < 0.3]
    assert walked(terms, some) == [term for term in built if term in some]


def test_a_split_edge_moves_to_the_end() -> None:
    assert walked(["sprint11", "queue", "sprint12"], ["sprint11", "queue", "sprint12"]) == [
        "queue",
        "sprint11",
        "sprint12",
    ]
    assert walked(["ab", "a", "ac"], ["ab", "a", "ac"]) == ["ab", "a", "ac"]


@given(TERMS, TERMS)
def test_longer_terms_come_from_the_end_and_near_ones_from_the_beginning(terms: list[str], queries: list[str]) -> None:
    ordered, built = sorted(terms), radix_walk(terms)
    vocabulary = Vocabulary(ordered, np.arange(len(ordered)))
    inserted = np.asarray([terms.index(term) for term in ordered], dtype=np.int64)
    for query in [*queries, *(term[:1] for term in terms)]:
        found = vocabulary.in_tree_order(vocabulary.expand(query, BRV3.text), ordered, lambda: inserted)
        names = [[ordered[i] for i in found.ids[found.kinds == kind]] for kind in range(len(KINDS))]
        assert found.kinds.tolist() == sorted(found.kinds.tolist())
        assert names[1] == [term for term in reversed(built) if term in names[1]]
        assert names[2] == [term for term in built if term in names[2]]
        weights = dict(zip(found.ids.tolist(), found.weights.tolist(), strict=True))
        again = vocabulary.expand(query, BRV3.text)
        assert weights == dict(zip(again.ids.tolist(), again.weights.tolist(), strict=True))


@given(st.lists(st.tuples(*[st.lists(st.text("ab1", min_size=1, max_size=3), max_size=5).map(" ".join)] * 3)))
def test_terms_go_in_note_by_note_field_by_field_word_by_word(notes: list[tuple[str, str, str]]) -> None:
    ids = TermIds()
    ids["never held by a note"]
    postings = build([note_terms(*note, ids) for note in notes], ids)
    names = [ids.terms[i] for i in postings.vocabulary.ids]
    met = dict.fromkeys(word for note in notes for field in note for word in field.split())
    assert sorted(names, key=dict(zip(names, postings._inserted(), strict=True)).__getitem__) == list(met)


@pytest.mark.parametrize("chain", ["a" * 2_000, "ab" * 1_000])
def test_terms_that_begin_one_another_take_time_of_their_number_alone(chain: str) -> None:
    terms = [chain[:length] for length in range(1, len(chain) + 1)]
    began = time.process_time()
    assert walked_chain(terms) == terms
    assert time.process_time() - began < 2


def walked_chain(terms: list[str]) -> list[str]:
    places = range(len(terms))
    return [terms[place] for place in tree_order(terms, np.arange(len(terms)), places)]


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
def test_what_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_what_is_kept() -> None:
    assert visible("a\n\x1bb", keep="\n") == "a\n␛b"


@given(st.text(st.characters(codec=None)))
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    shown = visible(text)
    assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in shown)
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert visible(shown) == shown
