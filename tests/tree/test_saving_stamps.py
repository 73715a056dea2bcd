"""Times and permissions that a saved file is given, and a disk that confirms nothing."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from brvtui.tree import exchange
from brvtui.tree.saving import Saved, Stamp, Unconfirmed, found_at, save

NOTE = "auth/jwt/note.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / "auth" / "jwt").mkdir(parents=True)
    (folder / NOTE).write_bytes(b"old")
    (folder / NOTE).chmod(0o644)
    return folder


@pytest.fixture(params=["renameat2", "without"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With the system's own renames, and as where there are none."""
    if request.param == "without":
        monkeypatch.setattr(exchange, "_renameat2", lambda: None)
    elif exchange._renameat2() is None:
        pytest.skip("no renameat2 here")
    return request.param


def state(file: Path) -> tuple[int, int]:
    found = file.stat()
    return found.st_mtime_ns, stat.S_IMODE(found.st_mode)


def test_a_new_note_with_its_time_and_permissions(root: Path, either_way: str) -> None:
    save(root, "new/n.md", b"new", None, stamp=Stamp(5_000_000_007, 0o600))
    assert state(root / "new/n.md") == (5_000_000_007, 0o600)
    assert found_at(root, "new/n.md").stat.st_mtime_ns == 5_000_000_007


@pytest.mark.parametrize("keep", [False, True])
def test_a_replaced_note_with_its_time(root: Path, either_way: str, keep: bool) -> None:
    seen = found_at(root, NOTE).seen
    done = save(root, NOTE, b"new", seen, keep_mtime=keep, stamp=Stamp(5_000_000_007))
    assert isinstance(done, Saved)
    assert done.seen == found_at(root, NOTE).seen
    assert state(root / NOTE) == (5_000_000_007, 0o644)


def test_what_the_disk_does_not_confirm_is_done(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sync = os.fsync

    def fsync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(5, "Input/output error")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(Unconfirmed, match="done, but the disk could not confirm it"):
        save(root, NOTE, b"new", found_at(root, NOTE).seen)
    assert (root / NOTE).read_bytes() == b"new"
