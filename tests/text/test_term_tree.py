"""The order of terms in a radix tree, compared with a real tree."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.text.analysis import utf16
from brvtui.text.postings import build
from brvtui.text.segment import TermIds, note_terms
from brvtui.text.vocabulary import KINDS, Vocabulary, tree_order
from tests.support.minisearch import radix_walk
from tests.support.trees import BRV3

TERMS = st.lists(
    st.one_of(
        st.text("ab", min_size=1, max_size=9),
        st.text("aé退😀\U0010ffff\uffff", min_size=1, max_size=4).map(utf16),
    ),
    unique=True,
    max_size=60,
)


def walked(terms: list[str], some: list[str]) -> list[str]:
    """``some`` of ``terms`` in the order of the tree, into which ``terms`` are inserted in order."""
    ordered = sorted(terms)
    inserted = np.asarray([terms.index(term) for term in ordered], dtype=np.int64)
    return [ordered[place] for place in tree_order(ordered, inserted, sorted(ordered.index(term) for term in some))]


@given(TERMS, st.randoms(use_true_random=False))
def test_walk_order_equals_the_order_of_a_built_radix_tree(terms: list[str], rng: random.Random) -> None:
    built = radix_walk(terms)
    assert walked(terms, terms) == built
    some = [term for term in terms if rng.random() < 0.3]
    assert walked(terms, some) == [term for term in built if term in some]


def test_split_edge_moves_to_the_end() -> None:
    assert walked(["sprint11", "queue", "sprint12"], ["sprint11", "queue", "sprint12"]) == [
        "queue",
        "sprint11",
        "sprint12",
    ]
    assert walked(["ab", "a", "ac"], ["ab", "a", "ac"]) == ["ab", "a", "ac"]


@given(TERMS, TERMS)
def test_expansion_order_follows_the_radix_tree(terms: list[str], queries: list[str]) -> None:
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
def test_terms_are_inserted_in_reading_order(notes: list[tuple[str, str, str]]) -> None:
    ids = TermIds()
    ids["never held by a note"]
    postings = build([note_terms(*note, ids) for note in notes], ids)
    names = [ids.terms[i] for i in postings.vocabulary.ids]
    met = dict.fromkeys(word for note in notes for field in note for word in field.split())
    assert sorted(names, key=dict(zip(names, postings._inserted(), strict=True)).__getitem__) == list(met)


@pytest.mark.parametrize("chain", ["a" * 2_000, "ab" * 1_000])
def test_nested_prefixes_are_walked_in_linear_time(chain: str) -> None:
    terms = [chain[:length] for length in range(1, len(chain) + 1)]
    began = time.process_time()
    assert walked_chain(terms) == terms
    assert time.process_time() - began < 2


def walked_chain(terms: list[str]) -> list[str]:
    places = range(len(terms))
    return [terms[place] for place in tree_order(terms, np.arange(len(terms)), places)]
