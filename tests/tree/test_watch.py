"""Watching folders, including missing ones, and polling without system events."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import ObservedWatch

from brvtui.tree.watching import watch
from brvtui.tree.watching.native_events import NativeEvents
from brvtui.tree.watching.watch import Polling, Watcher, network_disk
from tests.docs.pages import ROOT
from tests.support.namespaces import CANNOT


@pytest.fixture
def scheduled(monkeypatch: pytest.MonkeyPatch) -> dict[str, bool]:
    """The watched folders, and True for recursive ones."""
    found: dict[str, bool] = {}
    schedule = Observer.schedule

    def noted(
        self: Observer,
        handler: FileSystemEventHandler,
        path: str,
        *,
        recursive: bool = False,  # type: ignore[valid-type]
        **options: Any,
    ) -> ObservedWatch:
        assert path not in found
        found[path] = recursive
        return schedule(self, handler, path, recursive=recursive, **options)

    monkeypatch.setattr(Observer, "schedule", noted)
    return found


class Noticed:
    """A record of a watcher's notifications."""

    def __init__(self) -> None:
        self.event = threading.Event()
        self.places: list[frozenset[str] | None] = []

    def hear(self, found: frozenset[str] | None) -> None:
        self.places.append(found)
        self.event.set()


def test_distant_parent_of_a_missing_folder_is_watched_flat(tmp_path: Path, scheduled: dict[str, bool]) -> None:
    """The distant parent may contain a whole disk."""
    here = tmp_path / "here"
    here.mkdir()
    watcher = Watcher([tmp_path / "data/brv-tui/logs", here / "tree"], lambda _: None)
    assert not watcher.start().why
    watcher.stop()
    assert scheduled == {str(tmp_path): False, str(here): True}


def test_missing_folders_are_watched_as_they_appear(tmp_path: Path, scheduled: dict[str, bool]) -> None:
    target = tmp_path / "data/brv-tui/logs"
    noticed = Noticed()
    watcher = Watcher([target], noticed.hear)
    assert not watcher.start().why
    try:
        for result in (tmp_path / "data", tmp_path / "data/brv-tui", target):
            result.mkdir()
            assert noticed.event.wait(30), result
            noticed.event.clear()
        (target / "new.md").write_text("new")
        assert noticed.event.wait(30)
        (tmp_path / "data/stranger").mkdir()
        assert str(target / "new.md") in (noticed.places[-1] or ())
    finally:
        watcher.stop()
    assert scheduled == {str(tmp_path): False, str(tmp_path / "data"): False, str(tmp_path / "data/brv-tui"): True}


def test_whole_path_created_at_once_is_watched(tmp_path: Path, scheduled: dict[str, bool]) -> None:
    target = tmp_path / "data/brv-tui/logs"
    noticed = threading.Event()
    watcher = Watcher([target], lambda _: noticed.set())
    assert not watcher.start().why
    try:
        target.mkdir(parents=True)
        assert noticed.wait(30)
        noticed.clear()
        (target / "new.md").write_text("new")
        assert noticed.wait(30)
    finally:
        watcher.stop()
    assert scheduled[str(target.parent)]


def test_time_and_permission_changes_are_reported(tmp_path: Path) -> None:
    """`touch` changes the fingerprint and so invalidates cached answers; `chmod` can hide a note."""
    target = tmp_path / "tree"
    target.mkdir()
    note = target / "n.md"
    note.write_text("n")
    noticed = Noticed()
    watcher = Watcher([target], noticed.hear)
    assert not watcher.start().why
    try:
        for change in (lambda: os.utime(note, (1, 1)), lambda: note.chmod(0o600)):
            noticed.event.clear()
            change()
            assert noticed.event.wait(30)
            assert noticed.places[-1] == {str(note)}
    finally:
        watcher.stop()


def test_folder_move_reports_that_anything_may_have_changed(tmp_path: Path) -> None:
    """watchdog may have lost folders inside it, so all folders are watched again before they are read."""
    (tmp_path / "tree/a/b").mkdir(parents=True)
    changes: queue.Queue[frozenset[str] | None] = queue.Queue()
    watcher = Watcher([tmp_path / "tree"], changes.put)
    assert not watcher.start().why
    try:
        (tmp_path / "tree/a").rename(tmp_path / "tree/z")
        assert changes.get(timeout=30) is None
        (tmp_path / "tree/z/b/n.md").write_text("new")
        places = changes.get(timeout=30)
        assert places is None or str(tmp_path / "tree/z/b/n.md") in places
    finally:
        watcher.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")
def test_stopped_event_reader_is_detected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tree").mkdir()
    events = NativeEvents([tmp_path / "tree"], lambda _: None)
    events.start()
    try:
        events.maintain()
        monkeypatch.setattr("watchdog.observers.inotify_c.InotifyFD.is_alive", lambda _: False)
        with pytest.raises(OSError, match="stopped reading"):
            events.maintain()
        monkeypatch.undo()
    finally:
        events.stop()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify")
def test_reading_files_causes_no_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise, rereading a tree of thousands of folders after an event overflow would cause another overflow."""
    from watchdog.observers.inotify import InotifyEmitter

    seen: list[FileSystemEvent] = []
    (tmp_path / "tree" / "a").mkdir(parents=True)
    (tmp_path / "tree" / "a" / "n.md").write_text("# N")
    monkeypatch.setattr(InotifyEmitter, "queue_event", lambda self, event: seen.append(event))
    watcher = Watcher([tmp_path / "tree"], lambda places: None)
    assert not watcher.start().why
    try:
        for _ in range(3):
            for folder, _, files in os.walk(tmp_path):
                assert all(Path(folder, file).read_text() for file in files)
        (tmp_path / "tree" / "last.md").touch()
        deadline = time.monotonic() + 10
        while not any(str(event.src_path).endswith("last.md") for event in seen):
            assert time.monotonic() < deadline
            time.sleep(0.01)
    finally:
        watcher.stop()
    assert {event.event_type for event in seen} <= {"created", "modified", "attrib", "closed"}
    assert all("n.md" not in str(event.src_path) for event in seen)


linux_only = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")


def with_few(name: str, most: int, tree: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.support.few_watches", name, str(most), str(tree)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    if done.returncode == CANNOT:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@linux_only
def test_missing_inotify_instance_is_reported(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    found = with_few("max_inotify_instances", 0, tmp_path / "tree")
    why, seconds = found["begun"]
    assert seconds > 0
    assert "no inotify instance is left; raise fs.inotify.max_user_instances" in why
    assert found["saw"]


@linux_only
def test_missing_inotify_watches_are_reported(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"tree/f{number}").mkdir(parents=True)
    found = with_few("max_inotify_watches", 8, tmp_path / "tree")
    assert found["begun"][0] == "no inotify watch is left; raise fs.inotify.max_user_watches"
    assert found["saw"]


@linux_only
def test_inotify_watches_exhausted_later_are_reported(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    found = with_few("max_inotify_watches", 30, tmp_path / "tree")
    assert found["begun"] == ["", 0.0]
    ((why, seconds),) = found["told"]
    assert why == "no inotify watch is left; raise fs.inotify.max_user_watches"
    assert seconds > 0
    assert found["saw"]


def test_polling_detects_every_kind_of_change(tmp_path: Path) -> None:
    tree, other = tmp_path / "tree", tmp_path / "missing/other"
    (tree / "a/b").mkdir(parents=True)
    for name in ("a/one.md", "a/two.md", "a/b/three.md"):
        (tree / name).write_text("text")
    polling = Polling([tree, other])
    assert polling.look() == set()
    (tree / "a/one.md").write_text("longer text")
    (tree / "a/two.md").rename(tree / "a/b/two.md")
    (tree / "a/new").mkdir()
    os.utime(tree / "a/b/three.md", ns=(1, 1))
    names = ("a/one.md", "a/two.md", "a/b/two.md", "a/new", "a/b/three.md")
    assert polling.look() == {str(tree / name) for name in names}
    assert polling.look() == set()
    other.mkdir(parents=True)
    (other / "x").write_text("x")
    assert polling.look() == {str(other), str(other / "x")}


def test_polling_detects_a_change_with_equal_time_and_size(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_text("old")
    os.utime(tmp_path / "n.md", ns=(1, 1))
    polling = Polling([tmp_path])
    (tmp_path / "n.md").write_text("new")
    os.utime(tmp_path / "n.md", ns=(1, 1))
    assert polling.look() == {str(tmp_path / "n.md")}


def test_large_tree_is_polled_less_often(tmp_path: Path) -> None:
    """Polling takes at most a hundredth of the time."""
    for number in range(300):
        (tmp_path / f"n{number}.md").touch()
    polling = Polling([tmp_path], least_seconds=0.0)
    assert 0.01 < polling.pause <= 30


MOUNTS = r"""22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:40 / /home/me/work rw,nosuid shared:1 - nfs4 server:/work rw
31 30 0:41 / /home/me/work/local rw - ext4 /dev/vdb rw
32 22 0:42 / /mnt/with\040space rw - fuse.sshfs me@there:/ rw
garbage
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/me/work/.brv", "nfs4"),
        ("/home/me/work/local/.brv", ""),
        ("/home/me/workshop", ""),
        ("/mnt/with space/x", "fuse.sshfs"),
        ("/", ""),
    ],
)
def test_network_disks_are_recognised_by_their_mount(tmp_path: Path, folder: str, kind: str) -> None:
    (tmp_path / "mounts").write_text(MOUNTS)
    assert network_disk(Path(folder), tmp_path / "mounts") == kind


def test_missing_mount_table_means_no_network_disk(tmp_path: Path) -> None:
    assert network_disk(tmp_path, tmp_path / "none") == ""


def test_network_disks_are_polled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"1 0 0:1 / {os.path.realpath(tmp_path)} rw - nfs server:/ rw\n")
    monkeypatch.setattr(watch, "network_disk", lambda folder: network_disk(folder, mounts))
    noticed = threading.Event()
    watcher = Watcher([tmp_path / "tree"], lambda _: noticed.set(), poll_seconds=0.01)
    begun = watcher.start()
    assert begun.why == "a disk of type nfs does not report outside changes"
    assert begun.poll_seconds >= 0.01
    try:
        (tmp_path / "tree").mkdir()
        assert noticed.wait(30)
    finally:
        watcher.stop()


def test_watcher_can_be_stopped_by_two_threads_while_starting(tmp_path: Path) -> None:
    faults: queue.SimpleQueue[Exception] = queue.SimpleQueue()

    def run(call: Callable[[], object]) -> None:
        try:
            call()
        except Exception as fault:
            faults.put(fault)

    before = threading.active_count()
    for _ in range(30):
        watcher = Watcher([tmp_path / "notes"], lambda _: None)
        threads = [threading.Thread(target=run, args=(call,)) for call in (watcher.start, watcher.stop, watcher.stop)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
        watcher.stop()
    assert faults.empty()
    assert threading.active_count() <= before
