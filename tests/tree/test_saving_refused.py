"""What is not saved, removed, moved or read; and the times and permissions that a saved file is given."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from brvtui.tree.saving.note_files import (
    Saved,
    SaveError,
    Stamp,
    Unconfirmed,
    move,
    read_file_on_disk,
    read_note_file,
    remove,
    save,
)
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


def state(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_mtime_ns, stat.S_IMODE(found.st_mode)


def test_a_new_note_with_its_time_and_permissions(root: Path, either_way: str) -> None:
    save(root, "new/n.md", b"new", None, stamp=Stamp(5_000_000_007, 0o600))
    assert state(root / "new/n.md") == (5_000_000_007, 0o600)
    assert read_file_on_disk(root, "new/n.md").stat.st_mtime_ns == 5_000_000_007


@pytest.mark.parametrize("keep", [False, True])
def test_a_replaced_note_with_its_time(root: Path, either_way: str, keep: bool) -> None:
    seen = read_file_on_disk(root, NOTE).version
    done = save(root, NOTE, b"new", seen, keep_mtime=keep, stamp=Stamp(5_000_000_007))
    assert isinstance(done, Saved)
    assert done.version == read_file_on_disk(root, NOTE).version
    assert state(root / NOTE) == (5_000_000_007, 0o644)


def test_what_the_disk_does_not_confirm_is_done(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sync = os.fsync

    def fsync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(5, "Input/output error")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(Unconfirmed, match="done, but the disk could not confirm it"):
        save(root, NOTE, b"new", read_file_on_disk(root, NOTE).version)
    assert (root / NOTE).read_bytes() == b"new"
