"""Saves on full or read-only disks and to invalid paths, and the times of saved files."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from brvtui.tree.saving import note_files
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

PLAIN, FORMER = "auth/note.md", b"# Old\n"
NOBODY = 65_534


def lay(root: Path) -> Path:
    (root / "auth").mkdir(parents=True)
    (root / PLAIN).write_bytes(FORMER)
    return root


def listed(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("mounting a file system needs Linux and root")
    done = subprocess.run(mounting, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    try:
        yield lay(place)
    finally:
        subprocess.run(["umount", str(place)], check=True)


def test_full_disk_leaves_only_the_note(small_disk: Path) -> None:
    seen = read_note_file(small_disk, PLAIN)[1]
    full = r"^auth/\w+\.md: not done: the disk is full; free some space and try again$"
    for act in (
        lambda: save(small_disk, PLAIN, b"x" * 100_000, seen),
        lambda: save(small_disk, "auth/new.md", b"x" * 100_000, None),
    ):
        with pytest.raises(SaveError, match=full):
            act()
        assert listed(small_disk) == [PLAIN]
        assert (small_disk / PLAIN).read_bytes() == FORMER
    assert isinstance(save(small_disk, PLAIN, b"x" * 1_000, seen), Saved)


def test_read_only_file_system_is_reported(small_disk: Path) -> None:
    seen = read_note_file(small_disk, PLAIN)[1]
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    for act in (
        lambda: save(small_disk, PLAIN, b"x", seen),
        lambda: save(small_disk, "auth/new.md", b"x", None),
        lambda: save(small_disk, "new/new.md", b"x", None),
        lambda: remove(small_disk, PLAIN, seen),
    ):
        with pytest.raises(SaveError, match="is read-only"):
            act()
    assert (small_disk / PLAIN).read_bytes() == FORMER


def refused(act: Callable[[], object]) -> bytes:
    """The error message when an ordinary user runs ``act``, which must be refused."""
    if os.geteuid() != 0:
        with pytest.raises(SaveError) as error:
            act()
        return str(error.value).encode()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        message = b"done"
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            act()
        except Exception as error:  # the parent process reads the message and fails
            message = str(error).encode()
        finally:
            os.write(writing, message)
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as answer:
        return answer.read()


def test_missing_write_permission_is_reported() -> None:
    root = lay(Path(tempfile.mkdtemp()) / "tree")
    try:
        seen = read_note_file(root, PLAIN)[1]
        root.parent.chmod(0o755)
        (root / PLAIN).chmod(0o666)
        (root / "auth").chmod(0o555)
        why = b"you lack permission to read or write it or its folder; change the permissions and try again"
        in_folder = b"auth/note.md: not done: " + why
        assert refused(lambda: save(root, PLAIN, b"x", seen)) == in_folder
        assert refused(lambda: remove(root, PLAIN, seen)) == in_folder
        assert refused(lambda: save(root, "auth/b.md", b"x", None)) == in_folder.replace(b"note", b"b")
        (root / "auth").chmod(0o777)
        (root / PLAIN).chmod(0o644 if os.geteuid() == 0 else 0o444)
        assert refused(lambda: save(root, PLAIN, b"x", seen)).startswith(b"auth/note.md is read-only")
        (root / PLAIN).chmod(0o200)
        if os.geteuid() == 0:
            assert refused(lambda: save(root, PLAIN, b"x", seen)) == in_folder
        (root / PLAIN).chmod(0o644)
        assert (root / PLAIN).read_bytes() == FORMER
        assert listed(root) == [PLAIN]
    finally:
        shutil.rmtree(root.parent)


def test_text_is_synced_before_the_exchange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = lay(tmp_path / "tree")
    steps: list[str] = []

    def noting(module: object, name: str, step: Callable[..., str]) -> None:
        original = getattr(module, name)

        def noted(*arguments: object, **options: object) -> object:
            steps.append(step(*arguments))
            return original(*arguments, **options)

        monkeypatch.setattr(module, name, noted)

    seen = read_note_file(root, PLAIN)[1]
    noting(os, "fsync", lambda fd: "fsync folder" if os.path.isdir(f"/dev/fd/{fd}") else "fsync file")
    noting(os, "write", lambda *_: "write")
    noting(note_files, "exchange", lambda *_: "swap")
    noting(os, "unlink", lambda *_: "remove the old one")
    save(root, PLAIN, b"x", seen)
    assert steps == ["write", "fsync file", "swap", "remove the old one", "fsync folder"]
    steps.clear()
    noting(note_files, "rename_to_free", lambda *_: "place")
    save(root, "auth/b.md", b"x", None)
    assert [step for step in steps if step != "remove the old one"] == ["write", "fsync file", "place", "fsync folder"]


def test_read_only_file_is_not_written_even_by_root(root: Path) -> None:
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
    ("path", "message"),
    [
        ("../out.md", "points outside the tree"),
        ("auth/../../out.md", "points outside the tree"),
        ("/etc/out.md", "points outside the tree"),
        ("", "not the path of a note"),
        ("auth//b.md", "not the path of a note"),
        ("auth/\0.md", "not the path of a note"),
        (".git/hooks.md", "begins with a dot"),
        ("auth/.md", "begins with a dot"),
        ("auth/b.txt", "must end in .md"),
        ("auth", "must end in .md"),
    ],
)
def test_invalid_note_paths_are_refused(root: Path, path: str, message: str) -> None:
    was = seen_of(root)
    for act in (
        lambda: save(root, path, NEW, None),
        lambda: save(root, path, NEW, was),
        lambda: remove(root, path, was),
        lambda: move(root, NOTE, path, was),
        lambda: read_note_file(root, path),
    ):
        with pytest.raises(SaveError, match=message):
            act()
    assert names(root.parent) == [f"tree/{NOTE}"]


def test_symlink_out_of_the_tree_is_refused(root: Path) -> None:
    outside = root.parent / "secret.md"
    outside.write_bytes(OLD)
    (root / "link.md").symlink_to(outside)
    (root / "door").symlink_to(root.parent)
    (root / "loop.md").symlink_to(root / "loop.md")
    for path, message in (
        ("link.md", "points outside the tree"),
        ("door/secret.md", "not a folder of the tree"),
        ("loop.md", "leads nowhere"),
    ):
        for known in (None, seen_of(root)):
            with pytest.raises(SaveError, match=message):
                save(root, path, NEW, known)
    assert outside.read_bytes() == OLD


def test_only_regular_files_are_saved(root: Path) -> None:
    (root / "folder.md").mkdir()
    os.mkfifo(root / "pipe.md")
    for path in ("folder.md", "pipe.md"):
        with pytest.raises(SaveError, match="not a regular file"):
            save(root, path, NEW, seen_of(root))
    with pytest.raises(SaveError, match="not a folder of the tree"):
        save(root, f"{NOTE}/b.md", NEW, None)


def test_overlong_name_is_refused(root: Path) -> None:
    with pytest.raises(SaveError, match="the name is too long"):
        save(root, f"{'a' * 300}.md", NEW, None)
    assert names(root) == [NOTE]


def state(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_mtime_ns, stat.S_IMODE(found.st_mode)


def test_new_note_gets_the_given_time_and_permissions(root: Path, either_way: str) -> None:
    save(root, "new/n.md", b"new", None, stamp=Stamp(5_000_000_007, 0o600))
    assert state(root / "new/n.md") == (5_000_000_007, 0o600)
    assert read_file_on_disk(root, "new/n.md").stat.st_mtime_ns == 5_000_000_007


@pytest.mark.parametrize("keep", [False, True])
def test_replaced_note_gets_the_given_time(root: Path, either_way: str, keep: bool) -> None:
    seen = read_file_on_disk(root, NOTE).version
    done = save(root, NOTE, b"new", seen, keep_mtime=keep, stamp=Stamp(5_000_000_007))
    assert isinstance(done, Saved)
    assert done.version == read_file_on_disk(root, NOTE).version
    assert state(root / NOTE) == (5_000_000_007, 0o644)


def test_unconfirmed_write_is_applied(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sync = os.fsync

    def fsync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(5, "Input/output error")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(Unconfirmed, match="done, but the disk could not confirm it"):
        save(root, NOTE, b"new", read_file_on_disk(root, NOTE).version)
    assert (root / NOTE).read_bytes() == b"new"
