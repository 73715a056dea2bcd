"""Sealed files, copies in a scratch folder, locks, walks over folders, and processes that run."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from brvtui import faults
from brvtui.disk.locks import identity_of, is_running, locked, own_identity
from brvtui.disk.scratch import copy_folder, remove_copy, scratch_folder
from brvtui.disk.sealing import Unsealed, is_sealed, sealed, sealed_line, unsealed, unsealed_line
from brvtui.disk.walking import MOST_DEPTH, TOO_DEEP, walk
from brvtui.tree.reading.files import NeedsFullWalk, limit_notices, list_files, stat_file
from brvtui.tree.saving.folders import is_empty_folder, move_folder
from brvtui.tree.saving.leftovers import ClearedLeftovers, clear_leftovers
from brvtui.tree.saving.note_files import Saved, SaveError, move, read_note_file, remove, save
from brvtui.tree.spaces.contents import list_topics, read_signals
from brvtui.tree.watching.watch import Polling
from tests.attacks.folders import nest


@pytest.mark.parametrize("data", [b"", b"{}", b"a\nsha256:b\n", bytes(range(256)) * 9])
def test_what_was_sealed_comes_back(data: bytes) -> None:
    assert is_sealed(sealed(data))
    assert unsealed(sealed(data)) == data


def test_every_flipped_bit_is_noticed() -> None:
    """Where the flip hits the mark itself, what is left is no JSON."""
    whole = sealed(json.dumps({"path": "a.md", "n": 31}).encode())
    for place in range(len(whole) * 8):
        changed = bytearray(whole)
        changed[place // 8] ^= 1 << place % 8
        with pytest.raises(ValueError):  # noqa: PT011
            json.loads(unsealed(bytes(changed)) if is_sealed(bytes(changed)) else changed)
    for length in range(len(whole)):
        with pytest.raises(Unsealed):
            unsealed(whole[:length])


def test_every_flipped_bit_of_a_line_is_noticed() -> None:
    line = sealed_line(json.dumps({"query": "where?", "at_ms": 31})).encode()
    assert json.loads(unsealed_line(line))["query"] == "where?"
    for place in range(len(line) * 8):
        changed = bytearray(line)
        changed[place // 8] ^= 1 << place % 8
        with pytest.raises(ValueError):  # noqa: PT011
            json.loads(unsealed_line(bytes(changed)))
    assert unsealed_line(b'{"query": 1}') == b'{"query": 1}', "lines of earlier versions have no checksum"


def test_a_copy_has_the_same_bytes_and_times(tmp_path: Path) -> None:
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


def test_a_process_is_told_from_a_later_one_with_its_id() -> None:
    own = own_identity()
    assert own
    assert identity_of(os.getpid()) == own
    assert is_running(os.getpid(), own)
    assert is_running(os.getpid())
    assert not is_running(os.getpid(), f"{own}0")
    assert not is_running(2**22 + 1)
    assert identity_of(2**22 + 1) == ""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system tells of no process's state")
def test_one_that_ended_and_was_never_waited_for_is_not_running() -> None:
    """As in a container whose first process leaves orphans as they are."""
    other = subprocess.Popen([sys.executable, "-c", "print('here', flush=True); input()"], stdin=-1, stdout=-1)
    assert other.stdout.readline() == b"here\n"
    identity = identity_of(other.pid)
    other.kill()
    os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
    assert not is_running(other.pid, identity)
    assert not is_running(other.pid)
    other.communicate()


_HOLDS = """
import sys
from pathlib import Path
from brvtui.disk.locks import locked
with locked(Path(sys.argv[1])):
    print("has it", flush=True)
    input()
"""


def holder(folder: Path) -> subprocess.Popen[str]:
    """Another process that holds the lock of ``folder``."""
    started = subprocess.Popen(
        [sys.executable, "-c", _HOLDS, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert started.stdout
    assert started.stdout.readline() == "has it\n"
    return started


def test_a_lock_that_another_process_holds_is_waited_for_so_long(tmp_path: Path) -> None:
    with holder(tmp_path) as other:
        began = time.monotonic()
        with pytest.raises(BlockingIOError), locked(tmp_path, patience_s=0.2):
            pytest.fail("two have it")
        assert time.monotonic() - began >= 0.2
        timer = threading.Timer(0.1, other.send_signal, (signal.SIGKILL,))
        timer.start()
        with locked(tmp_path, patience_s=60):
            assert other.wait(60) == -signal.SIGKILL, "a kill frees it"
    assert not list(tmp_path.iterdir())


def test_threads_exclude_each_other_and_one_may_take_it_twice(tmp_path: Path) -> None:
    inside, most = 0, 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(20):
            with locked(tmp_path), locked(tmp_path):
                inside += 1
                most = max(most, inside)
                time.sleep(0.0005)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_where_there_are_no_locks_nothing_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(*_: object) -> None:
        raise OSError(errno.EBADF, "as NFS says of folders")

    monkeypatch.setattr(fcntl, "flock", refusing)
    with locked(tmp_path) as has:
        assert not has


def test_a_note_is_not_touched_while_another_process_saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brvtui.disk.locks.PATIENCE_S", 0.05)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "n.md").write_bytes(b"old")
    seen = read_note_file(tmp_path, "a/n.md")[1]
    advice = faults.advice(BlockingIOError(errno.EAGAIN, ""))
    with holder(tmp_path) as other:
        for act, path in (
            (lambda: save(tmp_path, "a/n.md", b"new", seen), "a/n.md"),
            (lambda: save(tmp_path, "a/m.md", b"new", None), "a/m.md"),
            (lambda: remove(tmp_path, "a/n.md", seen), "a/n.md"),
            (lambda: move(tmp_path, "a/n.md", "a/m.md", seen), "a/n.md"),
            (lambda: move_folder(tmp_path, "a", "b"), "a"),
        ):
            with pytest.raises(SaveError) as refused:
                act()
            assert str(refused.value) == f"{path}: not done, {advice}"
        other.communicate("\n")
    assert [file.name for file in (tmp_path / "a").iterdir()] == ["n.md"]
    assert isinstance(save(tmp_path, "a/n.md", b"new", seen), Saved)


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A folder with a file below 1,000 others; pytest could not remove it on Python 3.11."""
    nest(tmp_path / "deep", 1_000, "n.md", "# Deep\n")
    yield tmp_path / "deep"
    subprocess.run(["rm", "-rf", tmp_path / "deep"], check=True)


def test_entries_come_in_order_of_names_then_folders_last_to_first(tmp_path: Path) -> None:
    for path in ("b/x", "a/y", "a/z/w", "c"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    (tmp_path / "link").symlink_to("a")
    assert [path for _, path in walk(tmp_path)] == ["c", "link", "b/x", "a/y", "a/z/w"]
    assert [path for _, path in walk(tmp_path, with_folders=True)] == [
        "a",
        "b",
        "c",
        "link",
        "b/x",
        "a/y",
        "a/z",
        "a/z/w",
    ]
    assert [path for _, path in walk(tmp_path, enters=lambda folder, _: folder.name != "a")] == ["c", "link", "b/x"]


@pytest.mark.parametrize(("depth", "is_found"), [(MOST_DEPTH, True), (MOST_DEPTH + 1, False)])
def test_files_below_the_limit_are_found_and_the_first_folder_beyond_is_refused(
    tmp_path: Path, depth: int, is_found: bool
) -> None:
    nest(tmp_path, depth, "n.md", "")
    refused: list[tuple[str, str]] = []
    found = [path for _, path in walk(tmp_path, lambda path, why: refused.append((path, why)))]
    assert found == ([f"{'d/' * depth}n.md"] if is_found else [])
    assert refused == ([] if is_found else [("/".join("d" * depth), TOO_DEEP)])


def test_a_missing_folder_is_refused_and_a_vanished_one_is_passed(tmp_path: Path) -> None:
    refused: list[str] = []
    assert list(walk(tmp_path / "gone", lambda path, why: refused.append(why))) == []
    assert refused == ["folder cannot be read: No such file or directory"]
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()

    def remove_b(folder: os.DirEntry[str], _: str) -> bool:
        if folder.name == "b":
            (tmp_path / "b" / "file").unlink()
            (tmp_path / "b").rmdir()
        return True

    assert [path for _, path in walk(tmp_path, enters=remove_b)] == ["a/file"]


def test_a_note_in_50_folders_is_read_and_one_in_1000_is_named(tmp_path: Path, deep: Path) -> None:
    near = list_files(deep.parent)
    assert near.files == ()
    assert [(file.path, file.reason, file.is_past_limit) for file in near.unseen] == [
        ("deep/" + "/".join("d" * MOST_DEPTH), TOO_DEEP, True)
    ]
    assert [*limit_notices(near.unseen)] == [f"not read: deep/{'d/' * 57}…: {TOO_DEEP}"]
    assert next(limit_notices([*near.unseen] * 3)).count("…, and 2 more: ") == 1
    nest(tmp_path / "near", 50, "n.md", "# Near\n")
    assert [file.path for file in list_files(tmp_path / "near").files] == ["d/" * 50 + "n.md"]


def test_every_walk_passes_1000_folders(deep: Path, tmp_path: Path) -> None:
    assert clear_leftovers(deep, 0, lambda _: True) == ClearedLeftovers()
    assert list_topics(deep).files == ()
    assert read_signals(deep) == {}
    assert len(Polling([deep])._known) == MOST_DEPTH + 2
    assert not is_empty_folder(tmp_path, "deep")
    copy_folder(deep, tmp_path / "copy")
    assert len(list(walk(tmp_path / "copy", with_folders=True))) == MOST_DEPTH + 1
    with pytest.raises(NeedsFullWalk):
        stat_file(deep, "d/" * 201 + "n.md")
