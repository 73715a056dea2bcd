"""Times and permissions that a saved file is given, folders that are moved, and a disk that confirms nothing."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from brvtui.tree import exchange
from brvtui.tree.saving import Saved, SaveError, Stamp, Unconfirmed, found_at, move_folder, save

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


def test_a_folder_moves_as_it_is(root: Path, either_way: str) -> None:
    (root / "auth/jwt/plan.png").write_bytes(b"png")
    before = found_at(root, NOTE).seen
    move_folder(root, "auth/jwt", "new/place/tokens")
    assert found_at(root, "new/place/tokens/note.md").seen == before
    assert (root / "new/place/tokens/plan.png").exists()
    assert not (root / "auth/jwt").exists()


@pytest.mark.parametrize(
    ("path", "target", "said"),
    [
        ("auth/jwt", "taken", "is taken"),
        ("auth/jwt", "empty", "is taken"),
        ("auth", "auth/jwt/deep", "is the folder auth or inside it"),
        ("auth", "auth", "is the folder auth or inside it"),
        ("auth/gone", "new", "auth/gone: "),
        (NOTE, "new", "is no folder"),
        ("link", "new", "is no folder"),
        ("auth", "link/new", "not a folder of the tree"),
        ("auth", "../new", "leads out of the tree"),
        ("auth", "/new", "leads out of the tree"),
        ("../tree", "new", "leads out of the tree"),
        ("auth", ".new", "begins with a dot"),
        ("auth", "a//b", "no path"),
    ],
)
def test_folders_that_are_not_moved(root: Path, either_way: str, path: str, target: str, said: str) -> None:
    (root / "taken").mkdir()
    (root / "taken/n.md").write_bytes(b"theirs")
    (root / "empty").mkdir()
    (root / "link").symlink_to(root.parent)
    with pytest.raises(SaveError, match=said):
        move_folder(root, path, target)
    assert (root / NOTE).read_bytes() == b"old"
    assert (root / "taken/n.md").read_bytes() == b"theirs"


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
