"""Notes like a note."""

from __future__ import annotations

import pytest

from brvtui.lab.similar import similar_notes
from tests.support.trees import Tree


@pytest.fixture
def animals(tree: Tree) -> Tree:
    tree.note("x/quokka.md", "Quokka", "small marsupial of rottnest island, friendly and curious")
    tree.note("x/wallaby.md", "Wallaby", "marsupial that jumps, larger than the one of rottnest")
    tree.note("x/train.md", "Train", "runs on rails between towns")
    tree.notes(20)
    return tree


def test_the_most_alike_comes_first(animals: Tree) -> None:
    found = similar_notes(animals.snapshot(), "x/quokka.md", 5)
    assert found[0].path == "x/wallaby.md"
    assert found[0].title == "Wallaby"
    assert found[0].share == 1
    assert {"marsupial", "rottnest"} <= set(found[0].words)
    assert [entry.score for entry in found] == sorted((entry.score for entry in found), reverse=True)
    assert all(0 < entry.share <= 1 and entry.score > 0 for entry in found)
    assert "x/quokka.md" not in [entry.path for entry in found]


def test_no_more_than_asked_for(animals: Tree) -> None:
    assert len(similar_notes(animals.snapshot(), "pad/p001.md", 3)) == 3
    assert similar_notes(animals.snapshot(), "pad/p001.md", 0) == ()


def test_a_note_that_is_like_none(animals: Tree) -> None:
    animals.file("x/odd.md", "zzyzx")
    assert similar_notes(animals.snapshot(), "x/odd.md", 5) == ()
    animals.file("x/empty.md", "")
    assert similar_notes(animals.snapshot(), "x/empty.md", 5) == ()


def test_unknown_and_unreadable_notes(animals: Tree) -> None:
    snapshot = animals.snapshot()
    with pytest.raises(KeyError):
        similar_notes(snapshot, "nowhere.md", 5)
    (animals.tree / "x/quokka.md").unlink()
    with pytest.raises(OSError, match="No such file"):
        similar_notes(snapshot, "x/quokka.md", 5)
