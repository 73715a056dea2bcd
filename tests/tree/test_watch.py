"""Watching folders, of which some do not exist yet."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from watchdog.events import FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import ObservedWatch

from brvtui.tree.watch import Watcher


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
    ) -> ObservedWatch:
        assert path not in found
        found[path] = recursive
        return schedule(self, handler, path, recursive=recursive)

    monkeypatch.setattr(Observer, "schedule", noted)
    return found


def test_a_folder_far_above_a_missing_one_is_watched_for_its_own_entries_only(
    tmp_path: Path, scheduled: dict[str, bool]
) -> None:
    """The folder of everybody's data may hold a whole disk."""
    here = tmp_path / "here"
    here.mkdir()
    watcher = Watcher([tmp_path / "data/brv-tui/logs", here / "tree"], lambda _: None)
    assert watcher.start().active
    watcher.stop()
    assert scheduled == {str(tmp_path): False, str(here): True}


def test_what_appears_below_a_missing_folder_is_watched_in_its_turn(tmp_path: Path, scheduled: dict[str, bool]) -> None:
    target = tmp_path / "data/brv-tui/logs"
    noticed = threading.Event()
    places: list[frozenset[str] | None] = []

    def changed(found: frozenset[str] | None) -> None:
        places.append(found)
        noticed.set()

    watcher = Watcher([target], changed)
    assert watcher.start().active
    try:
        for made in (tmp_path / "data", tmp_path / "data/brv-tui", target):
            made.mkdir()
            assert noticed.wait(5), made
            noticed.clear()
        (target / "new.md").write_text("new")
        assert noticed.wait(5)
        (tmp_path / "data/stranger").mkdir()
        assert str(target / "new.md") in (places[-1] or ())
    finally:
        watcher.stop()
    assert scheduled == {str(tmp_path): False, str(tmp_path / "data"): False, str(tmp_path / "data/brv-tui"): True}


def test_a_whole_path_made_at_once_is_watched(tmp_path: Path, scheduled: dict[str, bool]) -> None:
    target = tmp_path / "data/brv-tui/logs"
    noticed = threading.Event()
    watcher = Watcher([target], lambda _: noticed.set())
    assert watcher.start().active
    try:
        target.mkdir(parents=True)
        assert noticed.wait(5)
        noticed.clear()
        (target / "new.md").write_text("new")
        assert noticed.wait(5)
    finally:
        watcher.stop()
    assert scheduled[str(target.parent)]
