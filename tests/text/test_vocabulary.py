"""Prefix and fuzzy expansion of terms, and other word forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.text.analysis import utf16
from brvtui.text.vocabulary import KINDS, Vocabulary
from tests.support.minisearch import expansion
from tests.support.trees import BRV3

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
def test_expansion_equals_brute_force(terms: list[str], query: str) -> None:
    got = {term: weight for term, (weight, _) in expanded(terms, query).items()}
    expected = expansion(query, terms)
    assert got.keys() == expected.keys()
    assert got == pytest.approx(expected, rel=1e-14)


@given(st.lists(TERM, max_size=40, unique=True), TERM)
def test_expansion_contains_each_term_once(terms: list[str], query: str) -> None:
    ordered = sorted(terms)
    ids = Vocabulary(ordered, np.arange(len(ordered))).expand(query, TEXT).ids.tolist()
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("length", "farthest"),
    [(1, 0), (2, 0), (3, 1), (7, 1), (8, 2), (12, 2), (13, 3), (17, 3), (18, 4), (23, 5), (28, 6), (33, 6), (60, 6)],
)
def test_allowed_edits_depend_on_the_term_length(length: int, farthest: int) -> None:
    query = "a" * length
    near = "b" * farthest + query[farthest:] if farthest else ""
    far = "b" * (farthest + 1) + query[farthest + 1 :]
    found = expanded([term for term in (near, far) if term], query)
    assert (near in found) == bool(farthest)
    assert far not in found


def test_expansion_weights_equal_manual_calculations() -> None:
    found = expanded(["token", "tokens", "tokeniser", "tokem", "tok"], "token")
    assert found["token"] == (1.0, "exact")
    assert found["tokens"] == (pytest.approx(0.375 * 6 / (6 + 0.3)), "prefix")
    assert found["tokeniser"] == (pytest.approx(0.375 * 9 / (9 + 0.3 * 4)), "prefix")
    assert found["tokem"] == (pytest.approx(0.45 * 5 / 6), "fuzzy")
    assert "tok" not in found


def test_prefix_match_is_not_also_a_fuzzy_match() -> None:
    assert expanded(["tokens"], "token")["tokens"][1] == "prefix"


def test_one_letter_terms_match_as_prefixes() -> None:
    found = expanded(["a", "ab", "abc", "b"], "a")
    assert found["ab"] == (pytest.approx(0.375 * 2 / 2.3), "prefix")
    assert found["abc"] == (pytest.approx(0.375 * 3 / 3.6), "prefix")
    assert "b" not in found


def test_emoji_count_as_two_units() -> None:
    one, two = utf16("😀"), utf16("😀😀")
    assert expanded([two], one)[two] == (pytest.approx(0.375 * 4 / (4 + 0.3 * 2)), "prefix")


def test_edit_distance_counts_utf16_units() -> None:
    """😁 and 😀 share their high surrogate; 🎉 has another."""
    query, near, far = utf16("😀😀😀"), utf16("😁😀😀"), utf16("🎉😀😀")
    found = expanded([near, far], query)
    assert found[near] == (pytest.approx(0.45 * 6 / 7), "fuzzy")
    assert far not in found


def test_cjk_terms_match_only_by_prefix() -> None:
    assert set(expanded(["日本語", "大日本"], "日本")) == {"日本語"}


def test_other_word_forms_share_the_stem() -> None:
    terms = sorted(["author", "authenticate", "bill", "config", "common", "retry", "sharp", "sharpen", "sharpener"])
    result = Vocabulary(terms, np.arange(len(terms)))
    assert result.other_forms("sharpening") == ["sharpen", "sharpener"]
    assert result.other_forms("billing") == ["bill"]
    assert result.other_forms("retries") == ["retry"]
    assert result.other_forms("authentication") == ["authenticate"]
    assert result.other_forms("conflict") == []
    assert result.other_forms("commit") == []
    assert result.other_forms("") == []


@pytest.mark.parametrize(
    ("query", "held"),
    [("bodies", "body"), ("copied", "copying"), ("tries", "try"), ("codes", "coding"), ("use", "using")],
)
def test_other_forms_of_a_short_stem_are_found(query: str, held: str) -> None:
    terms = sorted([held, "bodkin", "cop", "codify", "trial", "usual"])
    assert Vocabulary(terms, np.arange(len(terms))).other_forms(query) == [held]


def test_short_stem_must_match_exactly() -> None:
    terms = sorted(["runs", "rune", "rumour", "run", "sharpen", "sharpeningstones"])
    result = Vocabulary(terms, np.arange(len(terms)))
    assert result.other_forms("running") == ["run", "runs"]
    assert result.other_forms("sharpening") == ["sharpen"]


def test_empty_text_is_contained_in_no_term() -> None:
    result = Vocabulary(["token", "tokens"], np.arange(2))
    assert result.containing("") == {}
    assert result.containing("oken") == {"token": 0, "tokens": 1}
