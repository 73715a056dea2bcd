"""The postings compared with MiniSearch's formula, and the tantivy index of the same documents."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.engines.byterover.search.matching import TermTable, match_terms
from brvtui.text.analysis import terms
from brvtui.text.postings import FOLD_FROM, Postings, build
from brvtui.text.relevance import RelevanceIndex
from brvtui.text.segment import TermIds, note_terms
from brvtui.trace import adds_up
from tests.support.examples import examples
from tests.support.minisearch import Index
from tests.support.trees import BRV3, Tree, changed, hit_of, paths

TEXT = BRV3.text
WORDS = st.text(st.sampled_from("aab"), min_size=1, max_size=9)
PROSE = st.lists(
    st.one_of(WORDS, st.sampled_from(["Alpha", "😀", "😀😀", "日本語", "-", "\n", "a_b"])), max_size=12
).map(" ".join)
CORPUS = st.lists(st.tuples(PROSE, PROSE, PROSE), min_size=1, max_size=6)


def postings_of(documents: list[tuple[str, str, str]], ids: TermIds | None = None) -> Postings:
    ids = TermIds() if ids is None else ids
    return build([note_terms(*document, ids) for document in documents], ids)


def matched(postings: Postings, query: str) -> TermTable:
    """The term table for ``query``, from a stand-in for a snapshot with only the parts that matching reads."""
    snapshot: Any = SimpleNamespace(postings=postings, notes=range(len(postings)))
    return match_terms(snapshot, terms(query), TEXT)


@examples(60)
@given(CORPUS, PROSE)
def test_raw_scores_follow_the_minisearch_formula(documents: list[tuple[str, str, str]], query: str) -> None:
    index, tokens = Index(documents), terms(query)
    table = matched(postings_of(documents), query)
    expected = [index.raw(number, tokens) for number in range(len(documents))]
    assert table.raw.tolist() == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert (table.matched_terms > 0).tolist() == [value > 0 for value in expected]


@examples(60)
@given(CORPUS, st.text(st.sampled_from("ab"), min_size=1, max_size=9))
def test_scores_of_one_term_follow_the_formula(documents: list[tuple[str, str, str]], term: str) -> None:
    index = Index(documents)
    scores = postings_of(documents).match(term, TEXT).scores
    expected = [index.term_score(number, term) for number in range(len(documents))]
    assert scores.tolist() == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(CORPUS)
def test_document_frequencies_and_lengths_are_exact(documents: list[tuple[str, str, str]]) -> None:
    index, postings = Index(documents), postings_of(documents)
    for term in index.vocabulary:
        identity = postings.ids.terms.index(term)
        assert [postings.df(identity, number) for number in range(3)] == [
            index.df(term, field) for field in ("title", "content", "path")
        ]
    assert postings.lengths.T.tolist() == [list(map(float, length.values())) for length in index.lengths]
    assert len(postings.vocabulary) == len(index.vocabulary)


@examples(40)
@given(CORPUS, CORPUS, PROSE)
def test_unused_term_ids_do_not_affect_scores(
    before: list[tuple[str, str, str]], after: list[tuple[str, str, str]], query: str
) -> None:
    ids = TermIds()
    postings_of(before, ids)
    reused = matched(postings_of(after, ids), query)
    fresh = matched(postings_of(after), query)
    assert reused.raw.tolist() == pytest.approx(fresh.raw.tolist(), rel=1e-12)
    assert reused.matched_terms.tolist() == fresh.matched_terms.tolist()


def test_repeated_query_term_adds_its_score_but_counts_once() -> None:
    postings = postings_of([("t", "token other", "p"), ("t", "nothing", "q")])
    once = matched(postings, "token")
    twice = matched(postings, "token token")
    assert once.raw[0] > 0
    assert twice.raw[0] == pytest.approx(2 * once.raw[0], rel=1e-12)
    assert twice.matched_terms.tolist() == [1, 0]


def test_matched_terms_factor_counts_distinct_query_terms() -> None:
    postings = postings_of([("t", "apple pear plum", "p"), ("t", "apple", "q")])
    table = matched(postings, "apple pear plum")
    assert table.matched_terms.tolist() == [3, 1]
    assert table.raw.tolist() == pytest.approx((table.term_sum * np.asarray([3, 1])).tolist())


def test_empty_postings_have_no_scores() -> None:
    assert matched(postings_of([]), "apple").raw.tolist() == []


def test_description_of_a_term_counts_every_match() -> None:
    postings = postings_of([("token", "tokens tokem", "token.md"), ("x", "token", "y")])
    described = postings.describe("token", TEXT)
    assert (described.exact, described.prefix, described.fuzzy) == (1, 1, 1)
    assert described.notes == 2
    exact = described.matches[0]
    assert (exact.term, exact.kind, exact.weight, exact.df) == (
        "token",
        "exact",
        1.0,
        {"title": 1, "content": 1, "path": 1},
    )


@examples(60)
@given(st.data())
def test_changed_postings_equal_new_postings(data: st.DataObject) -> None:
    ids = TermIds()
    documents = data.draw(CORPUS)
    postings = postings_of(documents, ids)
    postings.warm()
    for _ in range(data.draw(st.integers(1, 4))):
        added = data.draw(st.lists(st.tuples(PROSE, PROSE, PROSE), max_size=3))
        kept = data.draw(st.lists(st.integers(0, len(documents) - 1), unique=True)) if documents else []
        order = data.draw(st.permutations([*kept, *[-1] * len(added)]))
        fresh_ones = iter(added)
        documents = [next(fresh_ones) if place < 0 else documents[place] for place in order]
        new = [note_terms(*document, ids) for document in added]
        postings = postings.changed(np.asarray(order, dtype=np.int64), new)
        if data.draw(st.booleans()):
            postings = postings.folded()
        fresh = postings_of(documents, ids)
        assert postings.averages == fresh.averages
        assert postings.frequencies.tolist() == fresh.frequencies.tolist()
        assert len(postings.vocabulary) == len(fresh.vocabulary)
        for word in data.draw(st.lists(WORDS, max_size=3)):
            one, other = postings.match(word, TEXT), fresh.match(word, TEXT)
            assert one.expansion.ids.tolist() == other.expansion.ids.tolist()
            assert one.scores.tolist() == other.scores.tolist()
            assert postings.describe(word, TEXT) == fresh.describe(word, TEXT)
        for position in range(len(documents)):
            assert postings.note(position).lengths == fresh.note(position).lengths
            assert postings.note(position).rows.tolist() == fresh.note(position).rows.tolist()


def test_postings_with_the_same_notes_are_reused() -> None:
    ids = TermIds()
    postings = postings_of([("a", "b", "c"), ("d", "e", "f"), ("g", "h", "i")], ids)
    assert postings.changed(np.asarray([0, 1, 2]), []) is postings
    turned = postings.changed(np.asarray([2, 0, 1]), [])
    assert postings.changed(np.asarray([2, 0, 1]), []) is turned
    other = postings.changed(np.asarray([1, 0]), [])
    assert [len(each) for each in (other, postings.changed(np.asarray([0, 2]), []))] == [2, 2]
    assert [other.note(0).rows.tolist(), turned.note(0).rows.tolist()] == [
        postings.note(1).rows.tolist(),
        postings.note(2).rows.tolist(),
    ]


def test_postings_want_folding_above_a_size() -> None:
    ids = TermIds()
    postings = postings_of([("a", "b", "c")] * FOLD_FROM, ids)
    assert not postings.wants_folding
    new = [note_terms("d", "e", "f", ids)] * FOLD_FROM
    grown = postings.changed(np.asarray([*range(FOLD_FROM), *[-1] * FOLD_FROM]), new)
    assert grown.wants_folding
    assert not grown.folded().wants_folding
    assert postings.changed(np.zeros(0, dtype=np.int64), []).wants_folding


def test_unused_terms_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brvtui.text.postings.MANY_TERMS", 3)
    ids = TermIds()
    before = postings_of([("a", "old words gone soon or so they say", "p"), ("b", "stays", "q")], ids)
    after = before.changed(np.asarray([-1, 1]), [note_terms("a", "fresh", "p", ids)])
    assert after.wants_folding
    folded = after.folded()
    assert sorted(folded.ids.terms) == ["a", "b", "fresh", "p", "q", "stays"]
    fresh = postings_of([("a", "fresh", "p"), ("b", "stays", "q")])
    for word in ("fresh", "stays", "old", "a", "q"):
        assert folded.match(word, TEXT).scores.tolist() == fresh.match(word, TEXT).scores.tolist()
    assert not folded.wants_folding


TANTIVY = changed(BRV3, text={"relevance": "tantivy"})
BOOST = dict(BRV3.text.boost)


@pytest.fixture(scope="module")
def index() -> RelevanceIndex:
    return RelevanceIndex(
        [
            ("Token rotation", "refresh the token before it expires", "auth/token_rotation.md"),
            ("Sessions", "a session holds a refresh token; token lifetimes differ", "auth/sessions.md"),
            ("Invoices", "invoices are sent monthly", "billing/invoices.md"),
            ("😀 [red]", "straße \udcff", "日本/語.md"),
        ]
    )


def holding(index: RelevanceIndex, term: str, field: str = "content") -> list[int]:
    """The documents in which a field contains a term."""
    return np.flatnonzero(index.field_scores(term, field) > 0).tolist()


@pytest.mark.parametrize(
    ("term", "field", "found"),
    [("token", "content", [0, 1]), ("token", "title", [0]), ("straße", "content", [3]), ("nothing", "title", [])],
)
def test_documents_containing_a_term_are_listed(index: RelevanceIndex, term: str, field: str, found: list[int]) -> None:
    assert holding(index, term, field) == found


def test_term_scores_sum_the_field_scores(index: RelevanceIndex) -> None:
    fields = sum(BOOST[name] * index.field_scores("token", name) for name in ("title", "content", "path"))
    assert index.term_scores("token", BOOST).tolist() == fields.tolist()


def test_empty_relevance_index_has_no_scores() -> None:
    index = RelevanceIndex([])
    assert len(index) == 0
    assert index.term_scores("x", BOOST).tolist() == []


@examples(50)
@given(st.text(st.characters(codec=None), max_size=30))
def test_any_text_can_be_a_term(index: RelevanceIndex, term: str) -> None:
    assert len(index.term_scores(term, BOOST)) == len(index)


def test_score_parts_sum_up_with_tantivy_relevance(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka", "quokka quokka here")
    tree.note("x/m.md", "Other", "one quokka among very many other words")
    tree.note("x/o.md", "Quokkas", "plural")
    tree.notes(20)
    session = tree.session()
    session.profile = TANTIVY
    found = session.preview("quokka")
    assert paths(found) == ["x/n.md", "x/m.md"]
    for hit in found.hits:
        assert adds_up(hit)
        result = session.explainer.detail(found, hit.file)
        assert result.score.raw == pytest.approx(hit.text.raw, rel=1e-9)
    assert hit_of(found, "x/n.md").text != hit_of(tree.search("quokka"), "x/n.md").text
