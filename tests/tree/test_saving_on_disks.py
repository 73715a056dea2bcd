"""Saving where the disk does not let it: full, read-only, a folder of somebody else's; and the order of its steps."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from brvtui.tree.saving import note_files
from brvtui.tree.saving.note_files import Saved, SaveError, read_note_file, remove, save

NOTE, OLD = "auth/note.md", b"# Old\n"
NOBODY = 65_534


def lay(root: Path) -> Path:
    (root / "auth").mkdir(parents=True)
    (root / NOTE).write_bytes(OLD)
    return root


def names(root: Path) -> list[str]:
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


def test_a_full_disk_leaves_the_note_and_nothing_else(small_disk: Path) -> None:
    seen = read_note_file(small_disk, NOTE)[1]
    full = r"^auth/\w+\.md: not done, the disk is full; free some space and try again$"
    for act in (
        lambda: save(small_disk, NOTE, b"x" * 100_000, seen),
        lambda: save(small_disk, "auth/new.md", b"x" * 100_000, None),
    ):
        with pytest.raises(SaveError, match=full):
            act()
        assert names(small_disk) == [NOTE]
        assert (small_disk / NOTE).read_bytes() == OLD
    assert isinstance(save(small_disk, NOTE, b"x" * 1_000, seen), Saved)


def test_a_read_only_file_system(small_disk: Path) -> None:
    seen = read_note_file(small_disk, NOTE)[1]
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    for act in (
        lambda: save(small_disk, NOTE, b"x", seen),
        lambda: save(small_disk, "auth/new.md", b"x", None),
        lambda: save(small_disk, "new/new.md", b"x", None),
        lambda: remove(small_disk, NOTE, seen),
    ):
        with pytest.raises(SaveError, match="is read-only"):
            act()
    assert (small_disk / NOTE).read_bytes() == OLD


def refused(act: Callable[[], object]) -> bytes:
    """What ``act`` says when it is refused, done by an ordinary user."""
    if os.geteuid() != 0:
        with pytest.raises(SaveError) as error:
            act()
        return str(error.value).encode()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        said = b"done"
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            act()
        except Exception as error:  # the parent process reads what it was, and fails on it
            said = str(error).encode()
        finally:
            os.write(writing, said)
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as answer:
        return answer.read()


def test_a_folder_and_a_file_that_may_not_be_written() -> None:
    root = lay(Path(tempfile.mkdtemp()) / "tree")
    try:
        seen = read_note_file(root, NOTE)[1]
        root.parent.chmod(0o755)
        (root / NOTE).chmod(0o666)
        (root / "auth").chmod(0o555)
        in_folder = (
            b"auth/note.md: not done, you may not read or write it, or its folder; change the permissions and try again"
        )
        assert refused(lambda: save(root, NOTE, b"x", seen)) == in_folder
        assert refused(lambda: remove(root, NOTE, seen)) == in_folder
        assert refused(lambda: save(root, "auth/b.md", b"x", None)) == in_folder.replace(b"note", b"b")
        (root / "auth").chmod(0o777)
        (root / NOTE).chmod(0o644 if os.geteuid() == 0 else 0o444)
        assert refused(lambda: save(root, NOTE, b"x", seen)).startswith(b"auth/note.md is read-only")
        (root / NOTE).chmod(0o200)
        if os.geteuid() == 0:
            assert refused(lambda: save(root, NOTE, b"x", seen)) == in_folder
        (root / NOTE).chmod(0o644)
        assert (root / NOTE).read_bytes() == OLD
        assert names(root) == [NOTE]
    finally:
        shutil.rmtree(root.parent)


def test_the_text_is_on_the_disk_before_it_is_swapped_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = lay(tmp_path / "tree")
    steps: list[str] = []

    def noting(module: object, name: str, step: Callable[..., str]) -> None:
        original = getattr(module, name)

        def noted(*arguments: object, **options: object) -> object:
            steps.append(step(*arguments))
            return original(*arguments, **options)

        monkeypatch.setattr(module, name, noted)

    seen = read_note_file(root, NOTE)[1]
    noting(os, "fsync", lambda fd: "fsync folder" if os.path.isdir(f"/dev/fd/{fd}") else "fsync file")
    noting(os, "write", lambda *_: "write")
    noting(note_files, "exchange", lambda *_: "swap")
    noting(os, "unlink", lambda *_: "remove the old one")
    save(root, NOTE, b"x", seen)
    assert steps == ["write", "fsync file", "swap", "remove the old one", "fsync folder"]
    steps.clear()
    noting(note_files, "rename_to_free", lambda *_: "place")
    save(root, "auth/b.md", b"x", None)
    assert [step for step in steps if step != "remove the old one"] == ["write", "fsync file", "place", "fsync folder"]
