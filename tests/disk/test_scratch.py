"""Copies in a scratch folder."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from pathlib import Path

import pytest

from brvtui.disk.scratch import copy_folder, remove_copy, scratch_folder
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
    with scratch_folder() as scratch:
        copy = scratch / "copy"
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
        assert list(scratch.iterdir()) == []
    assert not scratch.exists()
    assert (source / "a/b/note.md").exists()


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
