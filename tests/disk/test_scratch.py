"""Copies in a scratch folder."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from brvtui.disk import scratch
from brvtui.disk.scratch import copy_folder, remove_copy, scratch_folder
from brvtui.disk.walking import walk
from brvtui.programs import PIPE, environment, start


def test_scratch_copy_has_the_same_bytes_and_times(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "a/b").mkdir(parents=True)
    (source / "a/b/note.md").write_bytes(b"\xff text")
    os.utime(source / "a/b/note.md", ns=(1, 1_700_000_000_123_456_789))
    (source / "near.md").symlink_to("a/b/note.md")
    (source / "absolute.md").symlink_to(source / "a/b/note.md")
    (source / "outside.md").symlink_to("/nowhere/at/all.md")
    os.mkfifo(source / "pipe")
    with scratch_folder() as folder:
        copy = folder / "copy"
        copy_folder(source, copy)
        assert (copy / "a/b/note.md").read_bytes() == b"\xff text"
        assert (copy / "a/b/note.md").stat().st_mtime_ns == 1_700_000_000_123_456_789
        links = {name: (copy / name).readlink() for name in ("near.md", "absolute.md", "outside.md")}
        assert links == {
            "near.md": Path("a/b/note.md"),
            "absolute.md": copy / "a/b/note.md",
            "outside.md": Path("/nowhere/at/all.md"),
        }
        assert not (copy / "pipe").exists()
        remove_copy(copy)
        remove_copy(copy)
        assert list(folder.iterdir()) == []
    assert not folder.exists()
    assert (source / "a/b/note.md").exists()


def test_large_files_are_copied_without_their_text(tmp_path: Path) -> None:
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.mkdir()
    (source / "note.md").write_text("text")
    (source / "a.bin").touch()
    os.truncate(source / "a.bin", 6 << 30)
    os.utime(source / "a.bin", ns=(1, 1_700_000_000_123_456_789))
    (source / "b.md").write_bytes(b"x" * (10 * 1_048_576 + 1))
    (source / "c.md").write_bytes(b"x" * 10 * 1_048_576)
    assert copy_folder(source, copy) == ["a.bin", "b.md"]
    for name in ("a.bin", "b.md", "c.md", "note.md"):
        found, expected = (copy / name).stat(), (source / name).stat()
        assert (found.st_size, found.st_mtime_ns) == (expected.st_size, expected.st_mtime_ns)
    assert (copy / "a.bin").stat().st_blocks * 512 < 1_048_576
    assert (copy / "b.md").read_bytes().strip(b"\0") == b""
    assert (copy / "c.md").read_bytes() == (source / "c.md").read_bytes()


def test_total_size_of_a_copy_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "_MOST_BYTES", 10)
    (tmp_path / "source").mkdir()
    for name in "ab":
        (tmp_path / "source" / name).write_text("12345")
    copy_folder(tmp_path / "source", tmp_path / "copy")
    (tmp_path / "source/c").write_text("6")
    with pytest.raises(OSError, match="the files to copy are larger than 1 GB in total"):
        copy_folder(tmp_path / "source", tmp_path / "other")


def test_link_that_replaces_a_file_during_the_copy_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source/note.md").write_text("text")
    (tmp_path / "secret").write_text("secret")

    def swapping(top: Path, with_folders: bool) -> Iterator[tuple[os.DirEntry[str], str]]:
        for entry, path in walk(top, with_folders=with_folders):
            Path(entry.path).unlink()
            Path(entry.path).symlink_to(tmp_path / "secret")
            yield entry, path

    monkeypatch.setattr(scratch, "walk", swapping)
    assert copy_folder(tmp_path / "source", tmp_path / "copy") == []
    assert list((tmp_path / "copy").iterdir()) == []


_WAITING = "from brvtui.disk.scratch import *\nwith scratch_folder() as folder:\n print(folder, flush=True)\n input()"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_scratch_folder_is_removed_on_a_signal(tmp_path: Path, number: int) -> None:
    with start(
        [sys.executable, "-P", "-c", _WAITING], environment(more={"TMPDIR": str(tmp_path)}), stdin=PIPE, stdout=PIPE
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().decode().strip())
        assert folder.is_dir()
        process.send_signal(number)
        assert process.wait(10) == 128 + number
    assert list(tmp_path.iterdir()) == []


def test_scratch_folders_of_killed_programs_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with scratch_folder() as used:
        abandoned, young, other = (tmp_path / name for name in ("brv-tui-copy-a", "brv-tui-copy-b", "brv-tui-other"))
        for folder in (abandoned, young, other):
            (folder / "tree").mkdir(parents=True)
        linked = tmp_path / "brv-tui-copy-link"
        linked.symlink_to(other)
        for folder in (used, abandoned, other):
            os.utime(folder, (time.time() - 3_600,) * 2)
        with scratch_folder():
            assert not abandoned.exists()
            assert all(folder.is_dir() for folder in (used, young, other / "tree", linked))
