"""Watching folders, of which some do not exist yet."""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import ObservedWatch

from brvtui.tree.watching.native_events import NativeEvents
from brvtui.tree.watching.watch import Watcher


@pytest.fixture
def scheduled(monkeypatch: pytest.MonkeyPatch) -> dict[str, bool]:
    """What is watched, and whether with all that is below."""
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
    """What a watcher told."""

    def __init__(self) -> None:
        self.event = threading.Event()
        self.places: list[frozenset[str] | None] = []

    def hear(self, found: frozenset[str] | None) -> None:
        self.places.append(found)
        self.event.set()


def test_a_folder_far_above_a_missing_one_is_watched_for_its_own_entries_only(
    tmp_path: Path, scheduled: dict[str, bool]
) -> None:
    """The folder of everybody's data may hold a whole disk."""
    here = tmp_path / "here"
    here.mkdir()
    watcher = Watcher([tmp_path / "data/brv-tui/logs", here / "tree"], lambda _: None)
    assert not watcher.start().why
    watcher.stop()
    assert scheduled == {str(tmp_path): False, str(here): True}


def test_what_appears_below_a_missing_folder_is_watched_in_its_turn(tmp_path: Path, scheduled: dict[str, bool]) -> None:
    target = tmp_path / "data/brv-tui/logs"
    noticed = Noticed()
    watcher = Watcher([target], noticed.hear)
    assert not watcher.start().why
    try:
        for made in (tmp_path / "data", tmp_path / "data/brv-tui", target):
            made.mkdir()
            assert noticed.event.wait(30), made
            noticed.event.clear()
        (target / "new.md").write_text("new")
        assert noticed.event.wait(30)
        (tmp_path / "data/stranger").mkdir()
        assert str(target / "new.md") in (noticed.places[-1] or ())
    finally:
        watcher.stop()
    assert scheduled == {str(tmp_path): False, str(tmp_path / "data"): False, str(tmp_path / "data/brv-tui"): True}


def test_a_whole_path_made_at_once_is_watched(tmp_path: Path, scheduled: dict[str, bool]) -> None:
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


def test_times_and_permissions_are_changes(tmp_path: Path) -> None:
    """`touch` changes the fingerprint, and with it every cached answer; `chmod` can hide a note."""
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


def test_after_a_folder_moved_anything_may_have_changed(tmp_path: Path) -> None:
    """watchdog may have lost folders inside of it: all are watched again, and only then looked at."""
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
def test_a_reader_of_events_that_has_ended_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_reading_is_no_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree of thousands of folders that is read again after too many events would cause too many again."""
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
