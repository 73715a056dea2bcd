"""The tantivy index: membership, likeness, and its own BM25 as an alternative relevance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brvtui.text.index import Document, IndexQueryError, TextIndex, index_of
from brvtui.trace import adds_up
from tests.support.trees import BRV3, Tree, changed, hit_of, paths

TANTIVY = changed(BRV3, text={"relevance": "tantivy"})
BOOST = dict(BRV3.text.boost)


@pytest.fixture(scope="module")
def index() -> TextIndex:
    return index_of(
        [
            Document("auth/token_rotation.md", "Token rotation", "refresh the token before it expires"),
            Document("auth/sessions.md", "Sessions", "a session holds a refresh token; token lifetimes differ"),
            Document("billing/invoices.md", "Invoices", "invoices are sent monthly"),
            Document("日本/語.md", "😀 [red]", "straße \udcff"),
        ]
    )


def matching(index: TextIndex, query: str) -> list[int]:
    return np.flatnonzero(index.matching(query) > 0).tolist()


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("token", [0, 1]),
        ('"refresh token"', [1]),
        ("title:token", [0]),
        ("refresh AND session", [1]),
        ("rotation OR invoices", [0, 2]),
        ("token NOT rotation", [1]),
        ("straße", [3]),
        ("nothing", []),
    ],
)
def test_its_query_language(index: TextIndex, query: str, found: list[int]) -> None:
    assert matching(index, query) == found


@pytest.mark.parametrize("query", ['"unclosed', "nofield:x", "a AND"])
def test_a_query_that_it_cannot_read(index: TextIndex, query: str) -> None:
    with pytest.raises(IndexQueryError):
        index.matching(query)


def test_trigrams_of_the_slug(index: TextIndex) -> None:
    assert np.flatnonzero(index.sharing_trigrams("rotary")).tolist() == [0]
    assert not index.sharing_trigrams("ab").any()


def test_similar_documents(index: TextIndex) -> None:
    own = Document("auth/token_rotation.md", "Token rotation", "refresh the token before it expires")
    assert [place for place, _ in index.similar(own, 2)] == [1]


def test_an_empty_index() -> None:
    index = index_of([])
    assert len(index) == 0
    assert index.matching("x").tolist() == []


def test_explanations(index: TextIndex) -> None:
    found = index.explain("token", "content", 1)
    assert found["value"] == pytest.approx(float(index.field_scores("token", "content")[1]), rel=1e-6)
    assert index.explain("token", "content", 2) is None


@settings(max_examples=50)
@given(st.text(st.characters(codec=None), max_size=30))
def test_a_query_matches_or_is_refused(index: TextIndex, query: str) -> None:
    try:
        scores = index.matching(query)
    except IndexQueryError:
        return
    assert len(scores) == len(index)


def test_as_relevance_its_scores_add_up(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka", "quokka quokka here")
    tree.note("x/m.md", "Other", "one quokka among very many other words")
    tree.note("x/o.md", "Quokkas", "plural")
    tree.notes(20)
    session = tree.session()
    session.profile = TANTIVY
    found = session.probe("quokka")
    assert paths(found) == ["x/n.md", "x/m.md"]
    for hit in found.hits:
        assert adds_up(hit)
        made = session.answers.detail(found, hit.file)
        assert hit.text is not None
        assert made.score.raw == pytest.approx(hit.text.raw, rel=1e-9)
    assert hit_of(found, "x/n.md").text != hit_of(tree.search("quokka"), "x/n.md").text
