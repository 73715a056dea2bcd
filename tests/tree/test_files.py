"""Roles of files, the order of notes, and the fingerprint."""

from __future__ import annotations

import hashlib
import os
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.trace.routing import Route
from brvtui.tree.reading.files import (
    DUPLICATE,
    Role,
    TreeFile,
    document_order,
    folder_key,
    list_files,
    role_of,
    rounded_ms,
    walk_key,
)
from brvtui.tree.reading.fingerprint import EMPTY, fingerprint
from brvtui.tree.reading.javascript import in_locale_order, sort_key
from tests.support.trees import BRV3, DAY_MS, NOW_MS, Tree, changed, paths

HOUR_MS = 3_600_000


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("a/n.md", Role.NOTE),
        ("n.md", Role.NOTE),
        ("a/_index.md", Role.SUMMARY),
        ("_index.md", Role.SUMMARY),
        ("a/_INDEX.md", Role.NOTE),
        ("a/index.md", Role.NOTE),
        ("a/context.md", Role.CONTEXT),
        ("a/CONTEXT.md", Role.NOTE),
        ("a/n.abstract.md", Role.ABSTRACT),
        ("a/n.Abstract.md", Role.NOTE),
        ("a/abstract.md", Role.NOTE),
        ("a/n.overview.md", Role.OVERVIEW),
        ("a/_manifest.json.md", Role.NOTE),
        ("_archived/a/n.stub.md", Role.STUB),
        ("_archived/a/n.full.md", Role.ARCHIVED),
        ("_archived/a/plain.md", Role.NOTE),
        ("a/n.stub.md", Role.NOTE),
        ("a/n.full.md", Role.NOTE),
        ("a/_archived/n.stub.md", Role.NOTE),
        ("_archived/a/_index.md", Role.SUMMARY),
    ],
)
def test_file_role_depends_on_the_path(path: str, role: Role) -> None:
    assert role_of(path) is role


def listed(tree: Tree) -> tuple[set[str], dict[str, str]]:
    found = list_files(tree.tree)
    return {file.path for file in found.files}, {file.path: file.reason for file in found.unseen}


def test_hidden_and_non_markdown_files_are_skipped(tree: Tree) -> None:
    for path in ("a/n.md", "a/b/c/d/deep.md", ".hidden/n.md", "a/.h/n.md", "a/.dot.md", "a/.md", "a/X.MD", "a/n.txt"):
        tree.file(path, "x")
    tree.file("dir.md/n.md", "x")
    files, unseen = listed(tree)
    assert files == {"a/n.md", "a/b/c/d/deep.md", "dir.md/n.md"}
    assert unseen.keys() == {".hidden", "a/.h", "a/.dot.md", "a/.md", "a/X.MD", "a/n.txt"}
    assert "lower case" in unseen["a/X.MD"]
    assert "dot" in unseen["a/.dot.md"]


@pytest.mark.parametrize(
    "name",
    [
        "[x].md",
        "{x,y}.md",
        "*?.md",
        " lead.md",
        "trail .md",
        "x..y.md",
        "new\nline.md",
        "\x1b[31mred.md",
        "😀.md",
        "é.md",
        "e\u0301.md",
        "x" * 250 + ".md",
        "node_modules/n.md",
        "dist/n.md",
    ],
)
def test_notes_with_odd_names_are_found(tree: Tree, name: str) -> None:
    tree.file(f"a/{name}", "# Quokka\nquokka")
    found = tree.search("quokka")
    assert paths(found) == [f"a/{name}"]


def test_symlinks_are_skipped_or_reported(tree: Tree, tmp_path: Path) -> None:
    tree.file("a/n.md", "x")
    tree.file("a/other.txt", "x")
    tree.file("a/_index.md", "x")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "o.md").write_text("x")
    for name, target in {
        "a/note.md": "n.md",
        "a/text.md": "other.txt",
        "a/derived.md": "_index.md",
        "a/out.md": str(outside / "o.md"),
        "a/gone.md": "nowhere.md",
        "a/self.md": "self.md",
        "a/up": "..",
        "b": str(outside),
        "loop1": "loop2",
        "loop2": "loop1",
    }.items():
        (tree.tree / name).symlink_to(target)
    files, unseen = listed(tree)
    assert files == {"a/n.md", "a/_index.md"}
    assert unseen.keys() == {
        "a/note.md",
        "a/text.md",
        "a/derived.md",
        "a/other.txt",
        "a/out.md",
        "a/gone.md",
        "a/self.md",
        "a/up",
        "b",
    }
    assert [path for path, reason in unseen.items() if reason == DUPLICATE] == ["a/note.md"]


def test_symlink_to_another_note_breaks_every_search(tree: Tree) -> None:
    tree.file("a/n.md", "# Quokka\nquokka")
    (tree.tree / "a/l.md").symlink_to("n.md")
    found = tree.search("quokka")
    assert (found.outcome, found.hits, found.total_found) == ("engine_fails", (), 0)
    trace = tree.ask("quokka")
    assert (trace.tier, trace.section(Route).outcome) == (4, "agentic_loop")
    assert "a/l.md" in trace.verdict
    lenient = changed(BRV3, limits={"failures": False})
    assert paths(tree.search("quokka", profile=lenient)) == ["a/n.md"]


@pytest.mark.parametrize("target", ["_index.md", "n.abstract.md"])
def test_symlink_to_a_derived_file_is_ignored(tree: Tree, target: str) -> None:
    tree.file("a/n.md", "# Quokka\nquokka")
    tree.file(f"a/{target}", "x")
    (tree.tree / "a/l.md").symlink_to(target)
    assert paths(tree.search("quokka")) == ["a/n.md"]


def test_context_file_at_the_root_breaks_every_search(tree: Tree) -> None:
    tree.file("context.md", "# Quokka\nquokka")
    assert tree.search("quokka").outcome == "engine_fails"
    trace = tree.ask("quokka")
    assert (trace.tier, trace.hits, trace.answer.prompt is not None) == (4, (), True)
    assert trace.answer.prompt.variables["totalFound"] == 0


def test_milliseconds_are_rounded_half_up() -> None:
    assert [rounded_ms(ns) for ns in (400_499_999, 400_500_000, 401_499_999)] == [400, 401, 401]


def file_of(path: str, age_ms: int) -> TreeFile:
    return TreeFile(path, 1, (NOW_MS - age_ms) * 1_000_000, 1, 1)


def test_recent_files_precede_others_newest_first() -> None:
    files = [
        file_of("z/old.md", 24 * HOUR_MS + 1),
        file_of("a_b/old.md", 90 * DAY_MS),
        file_of("a-b/old.md", 50 * DAY_MS),
        file_of("B/old.md", 40 * DAY_MS),
        file_of("m/edge.md", 24 * HOUR_MS),
        file_of("y/new.md", 5),
        file_of("x/future.md", -1000),
    ]
    ordered = document_order(files, NOW_MS, 24)
    assert [file.path for file in ordered] == [
        "x/future.md",
        "y/new.md",
        "m/edge.md",
        "a_b/old.md",
        "a-b/old.md",
        "B/old.md",
        "z/old.md",
    ]


def test_only_the_first_files_in_document_order_are_read(tree: Tree) -> None:
    profile = changed(BRV3, limits={"max_files": 3})
    for name, days in (("a", 9), ("b", 8), ("c", 7), ("d", 6), ("e", 0.5)):
        tree.note(f"x/{name}.md", "Quokka", days=days)
    tree.summary("x", days=30)
    snapshot = tree.snapshot(profile)
    assert [note.path for note in snapshot.notes] == ["x/e.md", "x/a.md"]
    assert {file.path for file in snapshot.unseen} == {"x/b.md", "x/c.md", "x/d.md"}
    assert all("past the 3 files" in file.reason for file in snapshot.unseen)
    assert "x" in snapshot.summaries  # derived files count towards the limit: _index.md was the second file


def test_file_limit_of_zero_means_no_limit(tree: Tree) -> None:
    tree.notes(5)
    assert len(tree.snapshot(changed(BRV3, limits={"max_files": 0})).notes) == 5


def test_unreadable_folder_is_reported(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.note("a/n.md", "Quokka")
    tree.note("shut/n.md", "Quokka")
    scandir = os.scandir

    def refusing(folder: str | Path) -> object:
        if str(folder).endswith("shut"):
            raise PermissionError(13, "Permission denied")
        return scandir(folder)

    monkeypatch.setattr("brvtui.tree.reading.files.os.scandir", refusing)
    files, unseen = listed(tree)
    assert files == {"a/n.md"}
    assert unseen == {"shut": "the folder cannot be read: Permission denied"}


def digest(*lines: str) -> str:
    return hashlib.md5("|".join(lines).encode(), usedforsecurity=False).hexdigest()[:16]


def test_fingerprint_is_an_md5_of_paths_and_times_in_locale_order() -> None:
    files = [("/t/b.md", 2), ("/t/A.md", 1), ("/t/a_b/x.md", 3), ("/t/a/x.md", 4)]
    assert fingerprint(files) == digest("/t/a_b/x.md:3", "/t/A.md:1", "/t/a/x.md:4", "/t/b.md:2")


def test_fingerprint_of_no_files_is_empty() -> None:
    assert fingerprint([]) == EMPTY == "empty"


def test_fingerprint_covers_notes_and_stubs(tree: Tree) -> None:
    for path in ("a/n.md", "a/context.md", "_archived/a/o.stub.md", "a/orphan.abstract.md"):
        tree.file(path, "x")
    tree.file("a/binary.md", b"\0")
    for path in (
        "a/_index.md",
        "a/n.overview.md",
        "_archived/a/o.full.md",
        "_manifest.json",
        "a/.dot.md",
        ".d/n.md",
        "a/t.txt",
    ):
        tree.file(path, "x")
    covered = ["_archived/a/o.stub.md", "a/binary.md", "a/context.md", "a/n.md", "a/orphan.abstract.md"]
    assert tree.snapshot().fingerprint == digest(*(f"{tree.tree / path}:{NOW_MS}" for path in covered))


def test_fingerprint_rounds_times_to_milliseconds(tree: Tree) -> None:
    place = tree.file("a/n.md", "x")
    os.utime(place, ns=(0, NOW_MS * 1_000_000 + 500_000))
    assert tree.snapshot().fingerprint == digest(f"{place}:{NOW_MS + 1}")


def test_fingerprint_uses_real_paths(tree: Tree) -> None:
    tree.file("a/n.md", "x")
    link = tree.root.parent / "link"
    link.symlink_to(tree.root)
    other = Tree.__new__(Tree)
    other.root, other.tree, other.signals = link, link / ".brv" / "context-tree", {}
    assert other.snapshot().fingerprint == tree.snapshot().fingerprint


def test_simulated_touch_changes_the_fingerprint(tree: Tree) -> None:
    place = tree.file("a/n.md", "x")
    snapshot = tree.snapshot()
    assert snapshot.fingerprint_with({}) == snapshot.fingerprint
    assert snapshot.fingerprint_with({"a/n.md": 7}) == digest(f"{place}:7")
    assert snapshot.fingerprint_with({"unknown.md": 7}) == snapshot.fingerprint


def test_fingerprint_covers_shared_sources(tree: Tree) -> None:
    other = Tree(tree.root.parent / "other")
    mine, theirs = tree.file("a/n.md", "x"), other.file("pay/c.md", "y", days=1)
    tree.source(("lib", other))
    before = tree.snapshot().fingerprint
    lines = sorted((f"{mine}:{NOW_MS}", f"{theirs}:{NOW_MS - 86_400_000}"))
    assert before == digest(*sorted(lines, key=lambda line: "other" not in line))
    other.age("pay/c.md", 2)
    assert tree.snapshot().fingerprint != before


RECORDED = ["1", "10", "2", "a", "A", "a b", "a_b", "a-b", "a/b", "ab", "b"]
PUNCTUATION = list("_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$")


def in_order(names: list[str]) -> list[str]:
    return in_locale_order(names, str)


def test_recorded_order_is_reproduced() -> None:
    for seed in range(20):
        mixed = RECORDED[:]
        random.Random(seed).shuffle(mixed)
        assert in_order(mixed) == RECORDED


def test_punctuation_sorts_before_digits_and_letters() -> None:
    expected = [*PUNCTUATION, "0", "9", "a", "A", "z", "Z"]
    assert in_order(sorted(expected, reverse=True)) == expected


def test_case_is_compared_last() -> None:
    assert in_order(["Ab", "aB", "AB", "ab", "ac"]) == ["ab", "aB", "Ab", "AB", "ac"]


def test_accented_letters_sort_next_to_their_base() -> None:
    assert in_order(["zebra", "éclair", "eclipse", "Ähre", "apfel", "日本"]) == [
        "Ähre", "apfel", "éclair", "eclipse", "zebra", "日本",
    ]  # fmt: skip


def test_sorting_is_stable_for_equal_names() -> None:
    assert in_locale_order([("a", 1), ("A", 2), ("a", 3)], lambda item: item[0]) == [("a", 1), ("a", 3), ("A", 2)]


@given(st.lists(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=6), max_size=12))
def test_ascii_tables_match_the_unicode_collation(names: list[str]) -> None:
    """One name outside ASCII makes the whole comparison use the Unicode tables, with the same order."""
    with_unicode = [name for name in in_order([*names, "日本"]) if name != "日本"]
    key = sort_key(names)
    assert [key(name) for name in with_unicode] == [key(name) for name in in_order(names)]


@given(st.lists(st.text(st.characters(codec=None), max_size=5), max_size=8))
def test_any_names_can_be_sorted(names: list[str]) -> None:
    assert sorted(in_order(names)) == sorted(names)


_NAMES = st.text("ab.-_ \x01\xe9~\udcff", min_size=1, max_size=4)


@given(st.sets(st.lists(_NAMES, min_size=1, max_size=4).map("/".join), max_size=40))
def test_sort_keys_compare_paths_folder_by_folder(paths: set[str]) -> None:
    def folders_reversed(path: str) -> list[tuple[int, list[int]]]:
        *folders, name = os.fsencode(path).split(b"/")
        return [*((1, [-byte for byte in folder] + [1]) for folder in folders), (0, list(name))]

    assert sorted(paths, key=walk_key) == sorted(paths, key=folders_reversed)
    assert sorted(paths, key=folder_key) == sorted(paths, key=lambda path: os.fsencode(path).split(b"/"))
    assert len({*map(walk_key, paths)}) == len({*map(folder_key, paths)}) == len(paths)
