"""Times and permissions that a saved file is given, and a disk that confirms nothing."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from brvtui.tree.saving.note_files import Saved, Stamp, Unconfirmed, read_file_on_disk, save
from tests.tree.conftest import NOTE


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
