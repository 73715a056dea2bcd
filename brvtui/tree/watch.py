"""Watching folders for changes: bursts of events become one call that names the places (watchdog)."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

QUIET_SECONDS = 0.08
LONGEST_WAIT_SECONDS = 0.5
_HIGHEST = 4
"""Folders above a target that are looked at for one that exists."""
_CHANGES = frozenset({"created", "deleted", "modified", "moved"})
MOST_PLACES = 5_000
"""When more changed in one burst, it is no longer said what."""
Changed = Callable[[frozenset[str] | None], None]
"""Is told the places that changed, absolute, or None for any. A folder of which only itself changed ends with a
separator; below every other folder anything may have changed."""


@dataclass(frozen=True, slots=True)
class Watching:
    """Whether changes are noticed, and if not, why."""

    active: bool
    why: str = ""


class Watcher:
    """Calls ``changed``, from a thread of its own, once after each burst of changes below the folders."""

    def __init__(self, folders: Iterable[Path], changed: Changed) -> None:
        """Nothing is watched before :meth:`start`. Folders need not exist yet."""
        self._folders = list(dict.fromkeys(folders))
        self._gate = _Gate(changed)
        self._observer: BaseObserver | None = None

    def start(self) -> Watching:
        """Begins watching; says why not when the system refuses."""
        observer = Observer()
        try:
            for start, targets in self._starts().items():
                observer.schedule(_Handler(self._gate, targets), str(start), recursive=True)
            observer.start()
        except OSError as error:
            return Watching(False, f"the system refuses to watch: {error.strerror or error}")
        self._observer = observer
        self._gate.start()
        return Watching(True)

    def _starts(self) -> dict[Path, list[Path]]:
        """Where to watch: the nearest folder above each target that exists, so that one made anew is seen too."""
        starts: dict[Path, list[Path]] = {}
        for target in self._folders:
            above = target.parent
            for _ in range(_HIGHEST):
                if above.is_dir():
                    break
                above = above.parent
            if above.is_dir():
                starts.setdefault(above, []).append(target)
        return starts

    def stop(self) -> None:
        """Ends watching; no call comes after it returns."""
        self._gate.stop()
        if self._observer:
            self._observer.stop()
            self._observer.join(timeout=2)
            self._observer = None


class _Handler(FileSystemEventHandler):
    def __init__(self, gate: _Gate, targets: list[Path]) -> None:
        self._gate = gate
        self._targets = [str(target) for target in targets]

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type not in _CHANGES:
            return
        only_itself = os.sep if event.is_directory and event.event_type == "modified" else ""
        for place in (event.src_path, event.dest_path):
            if self._concerns(place):
                self._gate.notice(f"{os.fsdecode(place)}{only_itself}")

    def _concerns(self, place: str | bytes) -> bool:
        """Whether the place is in a target, or is a folder that holds one."""
        path = os.fsdecode(place)
        return bool(path) and any(
            path == target or path.startswith(f"{target}{os.sep}") or target.startswith(f"{path}{os.sep}")
            for target in self._targets
        )


class _Gate:
    """Gathers notices: calls back after a quiet time, or after the longest wait while they keep coming."""

    def __init__(self, changed: Changed) -> None:
        self._changed = changed
        self._places: set[str] = set()
        self._gathering = threading.Lock()
        self._noticed = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="brv-tui-watch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def notice(self, place: str) -> None:
        with self._gathering:
            if len(self._places) <= MOST_PLACES:
                self._places.add(place)
        self._noticed.set()

    def _gathered(self) -> frozenset[str] | None:
        with self._gathering:
            places, self._places = self._places, set()
        return frozenset(places) if len(places) <= MOST_PLACES else None

    def stop(self) -> None:
        self._stopped.set()
        self._noticed.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=2)

    def _run(self) -> None:
        while True:
            self._noticed.wait()
            waited = 0.0
            while not self._stopped.is_set():
                self._noticed.clear()
                waited += QUIET_SECONDS
                if not self._noticed.wait(QUIET_SECONDS) or waited >= LONGEST_WAIT_SECONDS:
                    break
            if self._stopped.is_set():
                return
            self._noticed.clear()
            self._changed(self._gathered())
