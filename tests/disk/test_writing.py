"""Atomic writes of private files without leftovers."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from brvtui.disk import writing


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def open_mask() -> object:
    """Sets the usual umask, with which new files are readable for all users."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_write_replaces_the_file(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "a.json"
    writing.write(file, b"one")
    writing.write(file, "two é 😀".encode())
    assert file.read_text(encoding="utf-8") == "two é 😀"
    assert list(file.parent.iterdir()) == [file]


def test_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.json"
    writing.write(file, b"one")

    def failing(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(OSError, match=r"No space.*a\.json"):
        writing.write(file, b"two")
    assert file.read_text() == "one"
    assert list(tmp_path.iterdir()) == [file]


def test_error_in_an_unwritable_folder_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: Path, *_: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(name))

    monkeypatch.setattr(writing, "create", refuse)
    with pytest.raises(OSError, match="Read-only") as raised:
        writing.write(tmp_path / "judgments.toml", b"")
    assert raised.value.filename == str(tmp_path / "judgments.toml")


def test_private_file_is_never_readable_by_others(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "er" / "a.json"
    with writing.replacing(file) as opened:
        (result,) = file.parent.iterdir()
        assert mode(result) == 0o600
        opened.write(b"x")
    assert (mode(file), mode(file.parent), mode(file.parent.parent)) == (0o600, 0o700, 0o700)
    file.chmod(0o644)
    writing.write(file, b"y")
    assert mode(file) == 0o600
    log = tmp_path / "logs" / "a.jsonl"
    writing.append_line(log, "one")
    assert (mode(log), mode(log.parent)) == (0o600, 0o700)
    log.chmod(0o666)
    writing.append_line(log, "two")
    assert mode(log) == 0o600
    descriptor = writing.open_lock_file(tmp_path / "locks" / "lock")
    os.close(descriptor)
    assert (mode(tmp_path / "locks"), mode(tmp_path / "locks" / "lock")) == (0o700, 0o600)
    with writing.private_copy("n.md", b"text") as copy:
        assert (copy.name, copy.read_bytes(), mode(copy), mode(copy.parent)) == ("n.md", b"text", 0o600, 0o700)
    assert not copy.parent.exists()


def test_other_files_keep_their_permissions(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    writing.write(file, b"one", private=False)
    assert mode(file) == 0o644
    file.chmod(0o640)
    writing.write(file, b"two", private=False)
    assert mode(file) == 0o640


def test_restricting_a_folder_makes_its_files_private(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    folder = tmp_path / "own"
    (folder / "deep").mkdir(parents=True)
    files = (folder / "a", folder / "deep" / "b")
    for file in (*files, outside):
        file.write_text("x")
        file.chmod(0o666)
    (folder / "deep" / "link").symlink_to(outside)
    os.mkfifo(folder / "pipe", 0o666)
    (folder / "run").write_text("")
    (folder / "run").chmod(0o500)
    writing.close_to_others(folder)
    assert [mode(file) for file in files] == [0o600, 0o600]
    assert [mode(place) for place in (folder, folder / "deep")] == [0o700, 0o700]
    assert (mode(outside), mode(folder / "run")) == (0o666, 0o500)
    writing.close_to_others(tmp_path / "missing")


def test_failed_append_leaves_the_file_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "a.jsonl"
    assert writing.append_line(log, "one") == 4
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:2]))
    with pytest.raises(OSError, match="No space"):
        writing.append_line(log, "two")
    assert log.read_bytes() == b"one\n"


@pytest.mark.parametrize("trap", ["link", "pipe"])
def test_append_refuses_irregular_files(tmp_path: Path, trap: str) -> None:
    log, other = tmp_path / "a.jsonl", tmp_path / "other"
    other.write_text("x")
    log.symlink_to(other) if trap == "link" else os.mkfifo(log)
    with pytest.raises(OSError, match=r"a\.jsonl"):
        writing.append_line(log, "one")
    assert other.read_text() == "x"


_WRITES = """
import sys
from pathlib import Path
from brvtui.disk import writing
with writing.replacing(Path(sys.argv[1])) as file:
    print("writing", flush=True)
    input()
"""


def test_partial_file_is_abandoned_only_after_its_writer_exits(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _WRITES, str(tmp_path / "a")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout
        assert writer.stdout.readline() == "writing\n"
        (part,) = tmp_path.iterdir()
        assert list(writing.abandoned_parts(tmp_path)) == []
        writer.send_signal(signal.SIGKILL)
    assert list(writing.abandoned_parts(tmp_path)) == [part]
    assert list(writing.abandoned_parts(tmp_path / "missing")) == []


def test_old_partial_file_of_a_running_writer_is_not_abandoned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with writing.replacing(tmp_path / "a"):
        tomorrow = time.time() + 86_400
        monkeypatch.setattr(time, "time", lambda: tomorrow)
        assert list(writing.abandoned_parts(tmp_path)) == []
    left = tmp_path / writing.part_name()
    left.write_bytes(b"")
    assert list(writing.abandoned_parts(tmp_path)) == [left], "by now another process has this id"
    monkeypatch.undo()
    assert list(writing.abandoned_parts(tmp_path)) == []


@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize("kind", [stat.S_IFIFO, stat.S_IFSOCK])
def test_write_refuses_irregular_files(tmp_path: Path, private: bool, kind: int) -> None:
    place = tmp_path / "a.json"
    os.mknod(place, kind | 0o600)
    with pytest.raises(OSError, match=r"not a regular file.*a\.json"):
        writing.write(place, b"one", private)
    assert stat.S_IFMT(place.lstat().st_mode) == kind
    assert list(tmp_path.iterdir()) == [place]
    (link := tmp_path / "link").symlink_to(place)
    with pytest.raises(OSError, match=r"not a regular file.*link"):
        writing.write(link, b"one", private)
    assert link.is_symlink()
