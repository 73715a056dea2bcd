"""Names of notes, unread files, and data passed on to the next snapshot."""

from __future__ import annotations

import unicodedata
from dataclasses import FrozenInstanceError, replace
from typing import Literal

import pytest

from brvtui.engines import registry
from brvtui.engines.byterover.search.search import names_of
from brvtui.engines.contract import Context, Query
from brvtui.lab.backlinks import names_of as file_names_of
from brvtui.loading import update
from brvtui.snapshot import Snapshot
from brvtui.snapshot.naming import UnknownNote, find_note
from brvtui.snapshot.state import ABSTRACTS, FINGERPRINT, HIERARCHY, ORDERS, SUMMARY_FILES
from tests.support.trees import BRV3, NOW_MS, Tree


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
def test_note_can_be_named_in_several_ways(quokkas: Tree, name: str, path: str) -> None:
    quokkas.file("y/context.md", "# Y")
    quokkas.file("y/_index.md", "x")
    quokkas.file("w/of/_index.md", "x")
    quokkas.file("y/bin.md", b"\0")
    quokkas.file("_archived/x/old.stub.md", "stub")
    assert find_note(quokkas.snapshot(), name).path == path


def test_note_has_precedence_over_a_folder_summary(quokkas: Tree) -> None:
    quokkas.file("n/_index.md", "x")
    quokkas.file("quokka/_index.md", "x")
    assert find_note(quokkas.snapshot(), "n").path == "x/n.md"
    assert find_note(quokkas.snapshot(), "quokka").path == "x/n.md"


def test_path_suffix_has_precedence_over_a_title(quokkas: Tree) -> None:
    quokkas.note("y/quokka.md", "Other")
    assert find_note(quokkas.snapshot(), "quokka").path == "y/quokka.md"


def test_unknown_name_gets_similar_names(quokkas: Tree) -> None:
    with pytest.raises(UnknownNote, match=r"no note x/nn\.md .*near: .*x/n\.md") as raised:
        find_note(quokkas.snapshot(), "x/nn.md")
    assert "x/n.md" in raised.value.near
    assert raised.value.meant == ()


def test_ambiguous_name_lists_its_notes(quokkas: Tree) -> None:
    quokkas.note("y/n.md", "Other")
    with pytest.raises(UnknownNote, match="could be") as raised:
        find_note(quokkas.snapshot(), "n.md")
    assert sorted(raised.value.meant) == ["x/n.md", "y/n.md"]


@pytest.mark.parametrize("name", ["", "/", " ", "..", "../../secret"])
def test_invalid_names_find_no_note(quokkas: Tree, name: str) -> None:
    with pytest.raises(UnknownNote):
        find_note(quokkas.snapshot(), name)


class TestOtherWays:
    """Names as written by a shell, another operating system or another keyboard."""

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
    def test_equivalent_forms_of_a_path_find_the_note(self, named: Snapshot, name: str) -> None:
        assert find_note(named, name).path == "auth/jwt/keys.md"

    def test_absolute_path_must_be_inside_the_tree(self, named: Snapshot) -> None:
        assert find_note(named, f"{named.project.tree}/auth/jwt/keys.md").path == "auth/jwt/keys.md"
        with pytest.raises(UnknownNote, match="points outside the tree"):
            find_note(named, "/elsewhere/.brv/context-tree/auth/jwt/keys.md")

    @pytest.mark.parametrize("form", ["NFC", "NFD"])
    @pytest.mark.parametrize("name", ["auth/jwt/Café.md", "café", "CAFÉ.md"])
    def test_unicode_normalisation_forms_are_equivalent(
        self, named: Snapshot, form: Literal["NFC", "NFD"], name: str
    ) -> None:
        assert find_note(named, unicodedata.normalize(form, name)).path == "auth/jwt/Café.md"

    def test_exact_case_resolves_names_that_differ_in_case(self, named: Snapshot) -> None:
        assert find_note(named, "KEYS").path == "auth/KEYS.md"
        assert find_note(named, "keys").path == "auth/jwt/keys.md"

    def test_ambiguous_names_are_reported(self, named: Snapshot) -> None:
        with pytest.raises(UnknownNote, match="could be") as raised:
            find_note(named, "Keys.md")
        assert set(raised.value.meant) == {"auth/jwt/keys.md", "auth/KEYS.md"}

    def test_long_name_of_combining_marks_is_fast(self, named: Snapshot) -> None:
        with pytest.raises(UnknownNote):
            find_note(named, "a" + "\u0301\u0323" * 200_000)


HTML = "2 HTML topics are here, which only ByteRover V4 reads: in a tree without Markdown, open them with --engine byt"


@pytest.fixture
def odd(tree: Tree) -> Tree:
    tree.note("a/b/c.md", "Title", "text")
    for name, data in {
        "a/one.html": b"<bv-topic>", "a/two.HTML": b"", "a/x.mdx": b"x", "a/.n.md.icloud": b"", "a/bad.md": b"\xff\xfe",
    }.items():  # fmt: skip
        (tree.tree / name).write_bytes(data)
    (tree.tree / "linked.md").symlink_to("/etc/hosts")
    return tree


def test_unread_files_are_named_with_a_reason(odd: Tree) -> None:
    html, others = odd.snapshot().unread
    assert html == f"{HTML}erover_v4 --root {odd.tree}"
    assert others.startswith("not read: ")
    assert others.endswith(", and 1 more")
    reasons = {file.path: file.reason for file in odd.snapshot().unseen}
    assert reasons["a/x.mdx"] == "the ending must be .md in lower case"
    assert "iCloud placeholder" in reasons["a/.n.md.icloud"]
    assert "not UTF-8" in reasons["a/bad.md"]
    assert "symlink" in reasons["linked.md"]


@pytest.mark.parametrize("engine", ["byterover", "jeffs_brain", "soleri", "knowing"])
def test_only_an_empty_answer_names_unread_files(odd: Tree, engine: str) -> None:
    loaded = registry.load(engine)
    context = Context(odd.snapshot(), loaded.constants(), NOW_MS)
    assert HTML in str(loaded.answer(context, Query("zyzzyva")).notices)
    assert HTML not in str(loaded.answer(context, Query("text")).notices)


def test_tree_with_only_topics_can_be_opened(tree: Tree) -> None:
    (tree.tree / "one.html").write_bytes(b"<bv-topic>")
    assert f"reads: open them with --engine byterover_v4 --root {tree.tree}" in str(tree.snapshot().unread)


def test_unrelated_files_are_not_named_as_unread(tree: Tree) -> None:
    tree.note("a/b/c.md", "Title", "text")
    for name in ("_manifest.json", "a/picture.png", "a/.gitkeep", "a/_index.md", "a/b/c.abstract.md"):
        (tree.tree / name).write_bytes(b"{}")
    assert tree.snapshot().unread == ()


def test_new_unread_file_causes_a_full_load(tree: Tree) -> None:
    tree.note("a/b/c.md", "Title", "text")
    before = tree.snapshot()
    (tree.tree / "a/new.html").write_bytes(b"")
    assert update(before, ["a/new.html"], BRV3, NOW_MS, tree.layers()) is None


def test_snapshot_is_read_only(tree: Tree) -> None:
    snapshot = tree.snapshot()
    assert not hasattr(snapshot, "__dict__")
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        snapshot.hierarchy = None  # type: ignore[misc,assignment]
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        snapshot.fresh = 1  # type: ignore[attr-defined]


def test_snapshots_of_the_same_notes_share_derived_data(tree: Tree) -> None:
    tree.notes(3)
    snapshot = tree.snapshot()
    other = replace(snapshot, generation=9)
    assert other.hierarchy is snapshot.hierarchy
    assert names_of(other) is names_of(snapshot)
    assert file_names_of(other) is file_names_of(snapshot)


def test_next_snapshot_reuses_derived_data(tree: Tree) -> None:
    tree.notes(3)
    tree.summary("pad")
    tree.file("pad/p000.abstract.md", "short")
    before = tree.snapshot()
    _ = before.hierarchy, before.abstracts, before.summary_files, names_of(before), before.domains
    tree.file("pad/p001.abstract.md", "shorter")
    (tree.tree / "pad" / "p000.abstract.md").unlink()
    (tree.tree / "pad" / "_index.md").unlink()
    tree.summary("other")
    tree.note("other/new.md", "New")
    places = ["pad/p001.abstract.md", "pad/p000.abstract.md", "pad/_index.md", "other/_index.md", "other/new.md"]
    result = update(before, places, BRV3, NOW_MS, tree.layers())
    fresh = tree.snapshot()
    assert result.derived.known(ABSTRACTS) == fresh.abstracts == {"pad/p001.md": len("shorter")}
    assert result.derived.known(SUMMARY_FILES) == fresh.summary_files == {"other/_index.md"}
    assert result.derived.known(FINGERPRINT) == fresh.fingerprint
    assert result.derived.known(ORDERS) is not None
    handed = result.derived.known(HIERARCHY)
    assert [*handed.walk()] == [*fresh.hierarchy.walk()]
    assert result.domains.keys() == {"pad", "other"}
    assert names_of(result) is not names_of(before)


def test_unused_derived_data_is_not_passed_on(tree: Tree) -> None:
    tree.notes(3)
    before = tree.snapshot()
    tree.note("pad/p001.md", "Edited")
    result = update(before, ["pad/p001.md"], BRV3, NOW_MS, tree.layers())
    assert [result.derived.known(key) for key in (ABSTRACTS, SUMMARY_FILES, HIERARCHY)] == [None] * 3
    assert result.changed_since(before) == {"pad/p001.md"}
    assert result.changed_since(replace(before)) is None
