"""Similar notes, their order, and updates after changes to the tree."""

from __future__ import annotations

import pytest

from brvtui.session import Session
from brvtui.snapshot import Snapshot
from brvtui.store import text_index
from tests.support.trees import Tree


@pytest.fixture
def animals(tree: Tree) -> Session:
    tree.note("x/quokka.md", "Quokka", "small marsupial of rottnest island, friendly and curious")
    tree.note("x/wallaby.md", "Wallaby", "marsupials that jump, larger than the one of rottnest")
    tree.note("x/train.md", "Train", "runs on rails between towns")
    tree.notes(20)
    tree.file("x/odd.md", "zzyzx")
    tree.file("x/empty.md", "")
    return tree.session()


def paths(session: Session, path: str, limit: int = 10) -> list[str]:
    return [found.path for found in session.finder.similar(path, limit)]


def test_most_similar_note_comes_first(animals: Session) -> None:
    found = animals.finder.similar("x/quokka.md", 5)
    assert (found[0].path, found[0].title, found[0].share) == ("x/wallaby.md", "Wallaby", 1)
    assert "rottnest" in found[0].words
    assert [entry.share for entry in found] == sorted((entry.share for entry in found), reverse=True)
    assert all(0 < entry.share <= 1 for entry in found)
    assert "x/quokka.md" not in [entry.path for entry in found]


def test_number_of_similar_notes_is_limited(animals: Session) -> None:
    assert len(paths(animals, "pad/p001.md", 3)) == 3
    assert paths(animals, "pad/p001.md", 0) == []


def test_note_without_common_words_has_no_similar_notes(animals: Session) -> None:
    assert paths(animals, "x/odd.md") == []
    assert paths(animals, "x/empty.md") == []


def test_unknown_and_unreadable_notes_raise_an_error(animals: Session, tree: Tree) -> None:
    with pytest.raises(KeyError):
        paths(animals, "nowhere.md")
    (tree.tree / "x/quokka.md").unlink()
    with pytest.raises(OSError, match="No such file"):
        paths(animals, "x/quokka.md")


@pytest.mark.parametrize("worth_keeping", [10, 1000], ids=["on disk", "in memory"])
def test_similar_notes_follow_changes_without_rereading_tree(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, worth_keeping: int
) -> None:
    monkeypatch.setattr(text_index, "WORTH_KEEPING", worth_keeping)
    tree.notes(30)
    tree.note("x/one.md", "One", "quokka wombat")
    tree.note("x/two.md", "Two", "quokka wombat numbat")
    session = tree.session()
    session.watch(lambda: None)
    assert paths(session, "x/one.md") == ["x/two.md"]
    read: list[str] = []
    text = Snapshot.text
    monkeypatch.setattr(Snapshot, "text", lambda snapshot, path: read.append(path) or text(snapshot, path))
    session.refresh()
    for title in ("Three", "Third"):
        session.refresh([tree.file("x/three.md", f"# {title}\n\nquokka wombat\n", 1)])
    (tree.tree / "x/two.md").unlink()
    session.refresh([tree.tree / "x/two.md"])
    assert paths(session, "x/one.md") == ["x/three.md"]
    assert sorted(read) == ["x/one.md", "x/three.md", "x/three.md"]
    session.close()


def test_replaced_texts_do_not_hide_similar_notes(tree: Tree) -> None:
    for name in ("one", "two"):
        tree.note(f"x/{name}.md", name, "quokka wombat")
    session = tree.session()
    assert paths(session, "x/one.md") == ["x/two.md"]
    for number in range(3):
        session.refresh([tree.note("x/two.md", f"two {number}", "quokka wombat")])
        assert paths(session, "x/one.md") == ["x/two.md"]


def test_similar_notes_are_found_in_scripts_without_spaces(tree: Tree) -> None:
    tree.notes(5)
    tree.note("x/one.md", "一", "東京都庁の展望台は無料です")
    tree.note("x/two.md", "二", "展望台は東京都庁にあります")
    tree.note("x/three.md", "三", "京都")
    assert paths(tree.session(), "x/one.md")[0] == "x/two.md"


def test_words_with_combining_marks_are_shared_words(tree: Tree) -> None:
    tree.notes(5)
    tree.note("x/one.md", "One", "हिन्दी भाषा")
    tree.note("x/two.md", "Two", "हिन्दी भाषा में")
    (found, *_) = tree.session().finder.similar("x/one.md", 1)
    assert set(found.words) == {"हिन्दी", "भाषा"}


def test_frontmatter_does_not_make_notes_similar(tree: Tree) -> None:
    front = "---\ntags: [{}]\nimportance: 61\naccessCount: 7\n---\n"
    tree.file("x/one.md", f"{front.format('marsupial')}# One\n\nThe quokka is 61\n")
    tree.file("x/two.md", f"{front.format('rail')}# Two\n\nThe train is 61\n")
    tree.file("x/three.md", f"{front.format('marsupials, quokka')}# Three\n\nRock wallaby\n")
    (found,) = tree.session().finder.similar("x/one.md", 9)
    assert (found.path, found.words) == ("x/three.md", ("quokka",))
