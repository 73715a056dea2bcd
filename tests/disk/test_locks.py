"""Locks: one holder at a time, released by a kill, with a limited wait."""

from __future__ import annotations

import errno
import fcntl
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from brvtui import faults
from brvtui.disk.locks import locked
from brvtui.tree.saving.folders import move_folder
from brvtui.tree.saving.note_files import Saved, SaveError, move, read_note_file, remove, save

_HOLDS = """
import sys
from pathlib import Path
from brvtui.disk.locks import locked
with locked(Path(sys.argv[1])):
    print("has it", flush=True)
    input()
"""


def holder(folder: Path) -> subprocess.Popen[str]:
    """Another process that holds the lock on ``folder``."""
    started = subprocess.Popen(
        [sys.executable, "-c", _HOLDS, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert started.stdout
    assert started.stdout.readline() == "has it\n"
    return started


def test_lock_of_another_process_is_awaited_up_to_a_limit(tmp_path: Path) -> None:
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


def test_lock_excludes_other_threads_and_is_reentrant(tmp_path: Path) -> None:
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


def test_lock_reports_missing_system_support(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(*_: object) -> None:
        raise OSError(errno.EBADF, "as NFS says of folders")

    monkeypatch.setattr(fcntl, "flock", refusing)
    with locked(tmp_path) as has:
        assert not has


def test_note_is_not_changed_while_another_process_saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
            assert str(refused.value) == f"{path}: not done: {advice}"
        other.communicate("\n")
    assert [file.name for file in (tmp_path / "a").iterdir()] == ["n.md"]
    assert isinstance(save(tmp_path, "a/n.md", b"new", seen), Saved)
