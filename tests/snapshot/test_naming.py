"""Ways to name a note."""

from __future__ import annotations

import pytest

from brvtui.snapshot.naming import UnknownNote, find_note
from tests.support.trees import Tree


@pytest.fixture
def quokkas(tree: Tree) -> Tree:
    tree.note("x/n.md", "Quokka", "all about the quokka", days=2)
    tree.notes(30)
    return tree


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("x/n.md", "x/n.md"),
        ("x/n", "x/n.md"),
        ("/x/n.md", "x/n.md"),
        (".brv/context-tree/x/n.md", "x/n.md"),
        ("n.md", "x/n.md"),
        ("n", "x/n.md"),
        ("quokka", "x/n.md"),
        ("  QUOKKA ", "x/n.md"),
        ("y", "y/context.md"),
        ("y/_index.md", "y/_index.md"),
        ("w/of", "w/of/_index.md"),
        ("x/old", "x/old.md"),
        ("bin.md", "y/bin.md"),
    ],
)
def test_ways_to_name_a_note(quokkas: Tree, name: str, path: str) -> None:
    quokkas.file("y/context.md", "# Y")
    quokkas.file("y/_index.md", "x")
    quokkas.file("w/of/_index.md", "x")
    quokkas.file("y/bin.md", b"\0")
    quokkas.file("_archived/x/old.stub.md", "stub")
    assert find_note(quokkas.snapshot(), name).path == path


def test_a_note_is_meant_before_the_summary_of_a_folder(quokkas: Tree) -> None:
    quokkas.file("n/_index.md", "x")
    quokkas.file("quokka/_index.md", "x")
    assert find_note(quokkas.snapshot(), "n").path == "x/n.md"
    assert find_note(quokkas.snapshot(), "quokka").path == "x/n.md"


def test_the_end_of_a_path_is_meant_before_a_title(quokkas: Tree) -> None:
    quokkas.note("y/quokka.md", "Other")
    assert find_note(quokkas.snapshot(), "quokka").path == "y/quokka.md"


def test_an_unknown_note_has_neighbours(quokkas: Tree) -> None:
    with pytest.raises(UnknownNote, match=r"no note x/nn\.md .*near: .*x/n\.md") as raised:
        find_note(quokkas.snapshot(), "x/nn.md")
    assert "x/n.md" in raised.value.near
    assert raised.value.meant == ()


def test_a_name_of_several_notes(quokkas: Tree) -> None:
    quokkas.note("y/n.md", "Other")
    with pytest.raises(UnknownNote, match="could be") as raised:
        find_note(quokkas.snapshot(), "n.md")
    assert sorted(raised.value.meant) == ["x/n.md", "y/n.md"]


@pytest.mark.parametrize("name", ["", "/", " ", "..", "../../secret"])
def test_names_of_nothing(quokkas: Tree, name: str) -> None:
    with pytest.raises(UnknownNote):
        find_note(quokkas.snapshot(), name)
