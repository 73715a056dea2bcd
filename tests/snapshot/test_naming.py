"""Ways to name a note."""

from __future__ import annotations

import unicodedata
from typing import Literal

import pytest

from brvtui.snapshot import Snapshot
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


class TestOtherWays:
    """A name that is given as a shell, another system or another keyboard gives it."""

    @pytest.fixture
    def named(self, tree: Tree) -> Snapshot:
        tree.note("auth/jwt/Café.md", "Coffee", "text")
        tree.note("auth/jwt/keys.md", "Keys", "text")
        tree.note("auth/KEYS.md", "Other keys", "text")
        return tree.snapshot()

    @pytest.mark.parametrize(
        "name",
        [
            "./auth/jwt/keys.md", "././auth//jwt/./keys", "auth\\jwt\\keys.md", ".\\auth\\jwt\\keys",
            ".brv/context-tree/auth/jwt/keys.md", "../here/.brv/context-tree/auth/jwt/keys.md",
            ".brv\\context-tree\\auth\\jwt\\keys.md", "AUTH/JWT/Keys.MD", "jwt/KEYS",
        ],
    )  # fmt: skip
    def test_a_path_of_any_kind(self, named: Snapshot, name: str) -> None:
        assert find_note(named, name).path == "auth/jwt/keys.md"

    def test_an_absolute_path(self, named: Snapshot) -> None:
        assert find_note(named, f"{named.project.tree}/auth/jwt/keys.md").path == "auth/jwt/keys.md"
        with pytest.raises(UnknownNote, match="leads out of the tree"):
            find_note(named, "/elsewhere/.brv/context-tree/auth/jwt/keys.md")

    @pytest.mark.parametrize("form", ["NFC", "NFD"])
    @pytest.mark.parametrize("name", ["auth/jwt/Café.md", "café", "CAFÉ.md"])
    def test_another_unicode_form(self, named: Snapshot, form: Literal["NFC", "NFD"], name: str) -> None:
        assert find_note(named, unicodedata.normalize(form, name)).path == "auth/jwt/Café.md"

    def test_the_case_decides_where_it_can(self, named: Snapshot) -> None:
        assert find_note(named, "KEYS").path == "auth/KEYS.md"
        assert find_note(named, "keys").path == "auth/jwt/keys.md"

    def test_what_could_be_two_is_named(self, named: Snapshot) -> None:
        with pytest.raises(UnknownNote, match="could be") as raised:
            find_note(named, "Keys.md")
        assert set(raised.value.meant) == {"auth/jwt/keys.md", "auth/KEYS.md"}

    def test_a_long_name_of_marks_takes_no_time(self, named: Snapshot) -> None:
        with pytest.raises(UnknownNote):
            find_note(named, "a" + "\u0301\u0323" * 200_000)
