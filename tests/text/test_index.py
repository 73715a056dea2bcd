"""The tantivy index: likeness, its own BM25 as an alternative relevance, and how it follows its documents."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from brvtui.snapshot import Snapshot
from brvtui.text.index import IndexedDocument, TextIndex, index_of
from brvtui.trace import adds_up
from tests.support.examples import examples
from tests.support.trees import BRV3, Tree, changed, hit_of, paths

TANTIVY = changed(BRV3, text={"relevance": "tantivy"})
BOOST = dict(BRV3.text.boost)
WORDS = ("token", "session", "refresh", "invoice", "rotate", "expiry")


@pytest.fixture(scope="module")
def index() -> TextIndex:
    return index_of(
        [
            IndexedDocument("auth/token_rotation.md", "Token rotation", "refresh the token before it expires"),
            IndexedDocument("auth/sessions.md", "Sessions", "a session holds a refresh token; token lifetimes differ"),
            IndexedDocument("billing/invoices.md", "Invoices", "invoices are sent monthly"),
            IndexedDocument("日本/語.md", "😀 [red]", "straße \udcff"),
        ]
    )


def holding(index: TextIndex, term: str, field: str = "content") -> list[int]:
    """The documents in which a field holds a term."""
    return np.flatnonzero(index.field_scores(term, field) > 0).tolist()


@pytest.mark.parametrize(
    ("term", "field", "found"),
    [("token", "content", [0, 1]), ("token", "title", [0]), ("straße", "content", [3]), ("nothing", "title", [])],
)
def test_which_documents_hold_a_term(index: TextIndex, term: str, field: str, found: list[int]) -> None:
    assert holding(index, term, field) == found


def test_scores_of_a_term_are_those_of_its_fields(index: TextIndex) -> None:
    fields = sum(BOOST[name] * index.field_scores("token", name) for name in ("title", "content", "path"))
    assert index.term_scores("token", BOOST).tolist() == fields.tolist()


def test_similar_documents(index: TextIndex) -> None:
    own = IndexedDocument("auth/token_rotation.md", "Token rotation", "refresh the token before it expires")
    assert [place for place, _ in index.similar(own, 2)] == [1]


def test_an_empty_index() -> None:
    index = index_of([])
    assert len(index) == 0
    assert index.term_scores("x", BOOST).tolist() == []


@examples(50)
@given(st.text(st.characters(codec=None), max_size=30))
def test_any_text_is_a_term(index: TextIndex, term: str) -> None:
    assert len(index.term_scores(term, BOOST)) == len(index)


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
        assert made.score.raw == pytest.approx(hit.text.raw, rel=1e-9)
    assert hit_of(found, "x/n.md").text != hit_of(tree.search("quokka"), "x/n.md").text


def document(number: int, chance: random.Random) -> IndexedDocument:
    return IndexedDocument(f"a/n{number}.md", chance.choice(WORDS), " ".join(chance.choices(WORDS, k=6)))


def reached(index: TextIndex) -> list[list[int]]:
    return [holding(index, word, field) for word in WORDS for field in ("title", "content")]


def places(old: list[IndexedDocument], new: list[IndexedDocument]) -> tuple[NDArray[np.int64], list[IndexedDocument]]:
    """Where each of ``new`` stands in ``old``, and those that do not."""
    kept = np.asarray([old.index(one) if one in old else -1 for one in new], dtype=np.int64)
    return kept, [one for one in new if one not in old]


@pytest.mark.parametrize("seed", range(3))
def test_it_reaches_what_a_fresh_one_reaches(seed: int) -> None:
    chance = random.Random(seed)
    documents = [document(number, chance) for number in range(60)]
    index = index_of(documents)
    for _ in range(8):
        number = chance.randrange(len(documents))
        after = [one for place, one in enumerate(documents) if place != number]
        if chance.random() < 0.7:
            after.insert(chance.randrange(len(after)), document(100 + number, chance))
        before = reached(index)
        made = index.after(*places(documents, after))
        assert reached(index) == before
        fresh = index_of(after)
        index, documents = fresh if made is None else made, after
        assert reached(index) == reached(fresh)
        assert len(index) == len(after)


def test_only_the_newest_goes_on_and_only_for_a_few_changes() -> None:
    chance = random.Random(1)
    documents = [document(number, chance) for number in range(40)]
    index = index_of(documents)
    everything = np.arange(40)
    first = index.after(everything[1:], [])
    assert index.after(everything, []) is None
    second = first.after(np.append(everything[:-1], -1), [document(99, chance)])
    assert len(second) == 40
    assert second.after(everything[1:], []) is None


def test_similar_notes_follow_the_tree_without_reading_all_of_it(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.notes(30)
    tree.note("x/one.md", "One", "quokka wombat")
    tree.note("x/two.md", "Two", "quokka wombat numbat")
    session = tree.session()
    session.watch(lambda: None)
    assert [found.path for found in session.notes.similar("x/one.md", 10)] == ["x/two.md"]
    read: list[str] = []
    text = Snapshot.text
    monkeypatch.setattr(Snapshot, "text", lambda snapshot, path: read.append(path) or text(snapshot, path))
    session.refresh()
    for title in ("Three", "Third"):
        session.refresh([tree.file("x/three.md", f"# {title}\n\nquokka wombat\n", 1)])
    (tree.tree / "x/two.md").unlink()
    session.refresh([tree.tree / "x/two.md"])
    assert [found.path for found in session.notes.similar("x/one.md", 10)] == ["x/three.md"]
    assert sorted(read) == ["x/one.md", "x/three.md"]
    session.close()
