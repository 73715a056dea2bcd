"""Atomic saves that detect conflicts and keep attributes."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from brvtui.tree.reading.files import list_files
from brvtui.tree.saving import exchange, file_version, leftovers, note_files
from brvtui.tree.saving.file_version import FileVersion
from brvtui.tree.saving.note_files import Conflict, Saved, SaveError, is_unchanged, move, read_note_file, remove, save
from tests.tree.conftest import NOTE, OLD

NEW, THEIRS = b"# New text\n", b"# Own\n"


def seen_of(root: Path, path: str = NOTE) -> FileVersion:
    return read_note_file(root, path)[1]


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())


def before(
    monkeypatch: pytest.MonkeyPatch, module: object, name: str, act: Callable[[], object], call: int = 1
) -> None:
    """Makes ``act`` run immediately before one call of a function."""
    original = getattr(module, name)
    calls = 0

    def wrapped(*arguments: object, **options: object) -> object:
        nonlocal calls
        calls += 1
        if calls == call:
            act()
        return original(*arguments, **options)

    monkeypatch.setattr(module, name, wrapped)


def over(file: Path, data: bytes) -> Callable[[], None]:
    """Returns a function that writes ``data`` into the file itself, and keeps its modification time."""

    def act() -> None:
        was = file.stat()
        with file.open("r+b") as opened:
            opened.truncate(0)
            opened.write(data)
        os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))

    return act


def anew(file: Path, data: bytes) -> Callable[[], None]:
    """Returns a function that replaces this file with another."""

    def act() -> None:
        other = file.with_name("other.tmp")
        other.write_bytes(data)
        other.replace(file)

    return act


def test_reading_a_note_returns_its_version(root: Path) -> None:
    data, found = read_note_file(root, NOTE)
    state = (root / NOTE).stat()
    assert data == OLD
    assert found.has_state(state)
    assert found.sha256 == file_version.digest(OLD)


def test_save_replaces_the_text(root: Path, either_way: str) -> None:
    result = save(root, NOTE, NEW, seen_of(root))
    assert isinstance(result, Saved)
    assert (result.lost, result.kept) == ((), "")
    assert (root / NOTE).read_bytes() == NEW
    assert names(root) == [NOTE]
    assert result.version == seen_of(root)
    assert isinstance(save(root, NOTE, OLD, result.version), Saved)


def test_save_creates_a_new_note_and_its_folders(root: Path, either_way: str) -> None:
    mask = os.umask(0o027)
    try:
        result = save(root, "ops/new/deep/a.md", NEW, None)
    finally:
        os.umask(mask)
    assert isinstance(result, Saved)
    assert (root / "ops/new/deep/a.md").read_bytes() == NEW
    assert result.version == seen_of(root, "ops/new/deep/a.md")
    assert stat.S_IMODE((root / "ops/new/deep/a.md").stat().st_mode) == 0o640
    assert names(root) == [NOTE, "ops/new/deep/a.md"]


def test_new_note_does_not_replace_an_existing_one(root: Path, either_way: str) -> None:
    assert save(root, NOTE, NEW, None) == Conflict(OLD, seen_of(root))
    assert names(root) == [NOTE]


@pytest.mark.parametrize("change", [over, anew])
def test_changed_note_is_a_conflict(root: Path, either_way: str, change: Callable[..., Callable[[], None]]) -> None:
    was = seen_of(root)
    change(root / NOTE, THEIRS)()
    found = save(root, NOTE, NEW, was)
    assert found == Conflict(THEIRS, seen_of(root))
    assert (root / NOTE).read_bytes() == THEIRS
    assert names(root) == [NOTE]
    assert isinstance(save(root, NOTE, NEW, found.version), Saved)


def test_same_text_in_another_file_is_not_a_conflict(root: Path, either_way: str) -> None:
    was = seen_of(root)
    anew(root / NOTE, OLD)()
    assert isinstance(save(root, NOTE, NEW, was), Saved)


@pytest.mark.parametrize("change", [over, anew])
def test_change_during_the_save_is_a_conflict(
    root: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[..., Callable[[], None]]
) -> None:
    if exchange._renameat2() is None:
        pytest.skip("no renameat2 here")
    was = seen_of(root)
    before(monkeypatch, note_files, "exchange", change(root / NOTE, THEIRS))
    assert save(root, NOTE, NEW, was) == Conflict(THEIRS, seen_of(root))
    assert (root / NOTE).read_bytes() == THEIRS
    assert names(root) == [NOTE]


def test_without_atomic_exchange_the_last_check_detects_conflicts(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "_renameat2", lambda: None)
    was = seen_of(root)
    before(monkeypatch, note_files, "exchange", over(root / NOTE, THEIRS))
    assert save(root, NOTE, NEW, was) == Conflict(THEIRS, seen_of(root))
    assert names(root) == [NOTE]


def test_two_changes_during_a_save_are_both_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if exchange._renameat2() is None:
        pytest.skip("no renameat2 here")
    was = seen_of(root)

    def twice() -> None:
        over(root / NOTE, b"second\n")()

    before(monkeypatch, note_files, "exchange", twice, call=2)
    before(monkeypatch, note_files, "exchange", over(root / NOTE, THEIRS))
    found = save(root, NOTE, NEW, was)
    assert isinstance(found, Conflict)
    assert found.theirs == THEIRS
    assert (root / NOTE).read_bytes() == THEIRS
    assert (root / found.kept).read_bytes() == b"second\n"
    assert leftovers.is_leftover(found.kept.rpartition("/")[2])


def test_text_written_through_an_open_file_is_kept(root: Path) -> None:
    with (root / NOTE).open("r+b", buffering=0) as theirs:
        result = save(root, NOTE, NEW, seen_of(root))
        theirs.write(THEIRS)
    assert isinstance(result, Saved)
    assert (root / NOTE).read_bytes() == NEW
    assert (root / result.kept).read_bytes() == THEIRS


def test_removed_note_is_a_conflict(root: Path, either_way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    was = seen_of(root)
    before(monkeypatch, note_files, "exchange", (root / NOTE).unlink)
    assert save(root, NOTE, NEW, was) == Conflict(None, None)
    assert save(root, NOTE, NEW, was) == Conflict(None, None)
    assert names(root) == []
    (root / "auth/jwt").rmdir()
    assert save(root, NOTE, NEW, was) == Conflict(None, None)
    assert isinstance(save(root, NOTE, NEW, None), Saved)


def test_save_keeps_permissions_owner_and_extended_attributes(root: Path, either_way: str) -> None:
    file = root / NOTE
    file.chmod(0o640)
    extended = True
    try:
        os.setxattr(file, "user.origin", b"curate")
    except OSError:
        extended = False
    if os.geteuid() == 0:
        os.chown(file, 1234, 2345)
    was = file.stat()
    assert isinstance(save(root, NOTE, NEW, seen_of(root)), Saved)
    now = file.stat()
    assert (now.st_mode, now.st_uid, now.st_gid) == (was.st_mode, was.st_uid, was.st_gid)
    assert not extended or os.getxattr(file, "user.origin") == b"curate"


def test_lost_attributes_are_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    is_root = os.geteuid() == 0
    if is_root:
        os.chown(root / NOTE, 1234, 2345)
    monkeypatch.setattr(os, "fchown", refused)
    monkeypatch.setattr(os, "fchmod", refused)
    result = save(root, NOTE, NEW, seen_of(root))
    assert isinstance(result, Saved)
    assert result.lost == (("owner", "permissions") if is_root else ("permissions",))
    assert (root / NOTE).read_bytes() == NEW


@pytest.mark.parametrize("keep", [True, False])
def test_save_can_keep_the_modification_time(root: Path, either_way: str, keep: bool) -> None:
    os.utime(root / NOTE, ns=(1_000_000_001, 2_000_000_003))
    result = save(root, NOTE, NEW, seen_of(root), keep_mtime=keep)
    assert isinstance(result, Saved)
    assert result.version == seen_of(root)
    assert ((root / NOTE).stat().st_mtime_ns == 2_000_000_003) is keep


def test_failed_write_leaves_no_files(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    was = seen_of(root)
    monkeypatch.setattr(os, "write", full)
    for known in (was, None):
        with pytest.raises(SaveError, match=r"\.md: not done: the disk is full; free some space"):
            save(root, NOTE if known else "auth/b.md", NEW, known)
    assert names(root) == [NOTE]
    assert (root / NOTE).read_bytes() == OLD


def test_save_follows_a_symlink_inside_the_tree(root: Path, either_way: str) -> None:
    (root / "link.md").symlink_to(root / NOTE)
    data, was = read_note_file(root, "link.md")
    assert data == OLD
    assert isinstance(save(root, "link.md", NEW, was), Saved)
    assert (root / "link.md").is_symlink()
    assert (root / NOTE).read_bytes() == NEW
    assert names(root) == [NOTE, "link.md"]
    for act in (lambda: remove(root, "link.md", was), lambda: move(root, "link.md", "b.md", was)):
        with pytest.raises(SaveError, match=r"a symlink to auth/jwt/note\.md"):
            act()


def test_folder_replacing_the_note_during_a_save_is_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if exchange._renameat2() is None:
        pytest.skip("no renameat2 here")
    was = seen_of(root)

    def act() -> None:
        (root / NOTE).unlink()
        (root / NOTE).mkdir()
        (root / NOTE / "inner.txt").write_bytes(THEIRS)

    before(monkeypatch, note_files, "exchange", act)
    with pytest.raises(SaveError, match="not a regular file"):
        save(root, NOTE, NEW, was)
    assert names(root) == [f"{NOTE}/inner.txt"]


def test_note_is_removed(root: Path, either_way: str) -> None:
    assert remove(root, NOTE, seen_of(root)) == Saved(None)
    assert names(root) == []


def test_removing_a_changed_note_is_a_conflict(root: Path, either_way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    was = seen_of(root)
    before(monkeypatch, os, "rename", over(root / NOTE, THEIRS))
    found = remove(root, NOTE, was)
    assert found == Conflict(THEIRS, seen_of(root))
    assert remove(root, NOTE, was) == found
    assert names(root) == [NOTE]
    (root / NOTE).unlink()
    assert remove(root, NOTE, was) == Conflict(None, None)


def test_move_keeps_content_and_time(root: Path, either_way: str) -> None:
    os.utime(root / NOTE, ns=(1, 2_000_000_003))
    was = seen_of(root)
    assert move(root, NOTE, "ops/deep/b.md", was) == Saved(was)
    assert names(root) == ["ops/deep/b.md"]
    assert (root / "ops/deep/b.md").stat().st_mtime_ns == 2_000_000_003


def test_move_does_not_replace_a_note(root: Path, either_way: str) -> None:
    (root / "b.md").write_bytes(THEIRS)
    with pytest.raises(SaveError, match=r"^b\.md: already exists"):
        move(root, NOTE, "b.md", seen_of(root))
    assert (root / "b.md").read_bytes() == THEIRS
    assert (root / NOTE).read_bytes() == OLD


def test_moving_a_changed_note_is_a_conflict(root: Path, either_way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    was = seen_of(root)
    before(monkeypatch, note_files, "rename_to_free", over(root / NOTE, THEIRS))
    found = move(root, NOTE, "b.md", was)
    assert found == Conflict(THEIRS, seen_of(root))
    assert move(root, NOTE, "b.md", was) == found
    assert names(root) == [NOTE]
    (root / NOTE).unlink()
    assert move(root, NOTE, "b.md", was) == Conflict(None, None)


def test_unchanged_note_is_recognised_by_its_text(root: Path) -> None:
    was = seen_of(root)
    assert is_unchanged(root, NOTE, was)
    os.utime(root / NOTE, ns=(1, 1))
    assert is_unchanged(root, NOTE, was)
    (root / NOTE).write_bytes(THEIRS)
    assert not is_unchanged(root, NOTE, was)
    (root / NOTE).unlink()
    assert not is_unchanged(root, NOTE, was)
    assert not is_unchanged(root, "../a.md", was)


def test_temporary_files_are_invisible_to_the_engine(root: Path) -> None:
    for name in (leftovers.part_name("a.md", "a" * 64), leftovers.whole_name("a.md", "a" * 64, "b" * 64)):
        assert leftovers.is_leftover(name)
        (root / "auth" / name).write_bytes(b"x")
    listing = list_files(root)
    assert [file.path for file in listing.files] == [NOTE]
    assert listing.unseen == ()
