"""What is not saved, removed, moved or read: paths out of the tree or of no note, what is no file, or read-only."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from brvtui.tree.saving.note_files import SaveError, move, read_note_file, remove, save
from tests.tree.conftest import NOTE, OLD
from tests.tree.test_saving import NEW, names, seen_of


def test_a_read_only_file_is_not_written_even_by_root(root: Path) -> None:
    (root / NOTE).chmod(0o444)
    was = seen_of(root)
    for act in (
        lambda: save(root, NOTE, NEW, was),
        lambda: remove(root, NOTE, was),
        lambda: move(root, NOTE, "b.md", was),
    ):
        with pytest.raises(SaveError, match=r"^auth/jwt/note\.md is read-only"):
            act()
    assert (root / NOTE).read_bytes() == OLD


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("../out.md", "leads out of the tree"),
        ("auth/../../out.md", "leads out of the tree"),
        ("/etc/out.md", "leads out of the tree"),
        ("", "not the path of a note"),
        ("auth//b.md", "not the path of a note"),
        ("auth/\0.md", "not the path of a note"),
        (".git/hooks.md", "begins with a dot"),
        ("auth/.md", "begins with a dot"),
        ("auth/b.txt", "ends in .md"),
        ("auth", "ends in .md"),
    ],
)
def test_paths_that_are_none_of_a_note(root: Path, path: str, said: str) -> None:
    was = seen_of(root)
    for act in (
        lambda: save(root, path, NEW, None),
        lambda: save(root, path, NEW, was),
        lambda: remove(root, path, was),
        lambda: move(root, NOTE, path, was),
        lambda: read_note_file(root, path),
    ):
        with pytest.raises(SaveError, match=said):
            act()
    assert names(root.parent) == [f"tree/{NOTE}"]


def test_a_symlink_out_of_the_tree_is_refused(root: Path) -> None:
    outside = root.parent / "secret.md"
    outside.write_bytes(OLD)
    (root / "link.md").symlink_to(outside)
    (root / "door").symlink_to(root.parent)
    (root / "loop.md").symlink_to(root / "loop.md")
    for path, said in (
        ("link.md", "leads out of the tree"),
        ("door/secret.md", "not a folder of the tree"),
        ("loop.md", "leads nowhere"),
    ):
        for known in (None, seen_of(root)):
            with pytest.raises(SaveError, match=said):
                save(root, path, NEW, known)
    assert outside.read_bytes() == OLD


def test_what_is_no_file_is_refused(root: Path) -> None:
    (root / "folder.md").mkdir()
    os.mkfifo(root / "pipe.md")
    for path in ("folder.md", "pipe.md"):
        with pytest.raises(SaveError, match="not a regular file"):
            save(root, path, NEW, seen_of(root))
    with pytest.raises(SaveError, match="not a folder of the tree"):
        save(root, f"{NOTE}/b.md", NEW, None)


def test_a_name_that_is_too_long(root: Path) -> None:
    with pytest.raises(SaveError, match="the name is too long"):
        save(root, f"{'a' * 300}.md", NEW, None)
    assert names(root) == [NOTE]
