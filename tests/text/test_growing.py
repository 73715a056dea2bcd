"""A tantivy index that follows its documents reaches what a fresh one does; earlier generations stay what they were."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from brvtui.snapshot import Snapshot
from brvtui.text.index import Document, TextIndex, index_of
from tests.support.trees import Tree

WORDS = ("token", "session", "refresh", "invoice", "rotate", "expiry")
QUERIES = (*WORDS, '"refresh token"', "title:session", "token AND NOT session")


def document(number: int, chance: random.Random) -> Document:
    return Document(f"a/n{number}.md", chance.choice(WORDS), " ".join(chance.choices(WORDS, k=6)))


def reached(index: TextIndex) -> list[list[int]]:
    found = [index.matching(query) > 0 for query in QUERIES]
    return [np.flatnonzero(one).tolist() for one in [*found, index.sharing_trigrams("n12")]]


def places(old: list[Document], new: list[Document]) -> tuple[NDArray[np.int64], list[Document]]:
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
        assert [index.explain("token", "content", place) is None for place in range(5)] == [
            fresh.explain("token", "content", place) is None for place in range(5)
        ]


def test_only_the_newest_goes_on_and_only_for_a_few_changes() -> None:
    chance = random.Random(1)
    documents = [document(number, chance) for number in range(40)]
    index = index_of(documents)
    everything = np.arange(40)
    first = index.after(everything[1:], [])
    assert first is not None
    assert index.after(everything, []) is None
    second = first.after(np.append(everything[:-1], -1), [document(99, chance)])
    assert second is not None
    assert len(second) == 40
    assert second.after(everything[1:], []) is None


def test_similar_notes_follow_the_tree_without_reading_all_of_it(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.notes(30)
    tree.note("x/one.md", "One", "quokka wombat")
    tree.note("x/two.md", "Two", "quokka wombat numbat")
    session = tree.session()
    session.watch(lambda: None)
    assert [found.path for found in session.notes.similar("x/one.md")] == ["x/two.md"]
    read: list[str] = []
    text = Snapshot.text
    monkeypatch.setattr(Snapshot, "text", lambda snapshot, path: read.append(path) or text(snapshot, path))
    session.refresh()
    for title in ("Three", "Third"):
        session.refresh([tree.file("x/three.md", f"# {title}\n\nquokka wombat\n", 1)])
    (tree.tree / "x/two.md").unlink()
    session.refresh([tree.tree / "x/two.md"])
    assert [found.path for found in session.notes.similar("x/one.md")] == ["x/three.md"]
    assert sorted(read) == ["x/one.md", "x/three.md"]
    session.close()
