"""Watching folders for changes: bursts of events become one call that names the places (watchdog)."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

QUIET_SECONDS = 0.08
LONGEST_WAIT_SECONDS = 0.5
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
        self._watched: set[Path] = set()

    def start(self) -> Watching:
        """Begins watching; says why not when the system refuses."""
        observer = Observer()
        try:
            self._watch(observer)
            observer.start()
        except OSError as error:
            return Watching(False, f"the system refuses to watch: {error.strerror or error}")
        self._observer = observer
        self._gate.start()
        return Watching(True)

    def _watch(self, observer: BaseObserver) -> None:
        """Watches each target from the folder that holds it, so that one made anew is seen too.

        While that folder is missing, the nearest one above is watched for it, and only for its own entries: it may hold
        much that is not ours. What appears there is watched in its turn.
        """
        holders = {target.parent for target in self._folders}
        nearer = True
        while nearer:
            nearer = False
            for target in self._folders:
                folder = next((folder for folder in target.parents if folder.is_dir()), None)
                if folder is None or folder in self._watched:
                    continue
                appeared = None if folder in holders else partial(self._watch, observer)
                handler = _Handler(self._gate, self._folders, appeared)
                observer.schedule(handler, str(folder), recursive=folder in holders)
                self._watched.add(folder)
                nearer = True

    def stop(self) -> None:
        """Ends watching; no call comes after it returns."""
        self._gate.stop()
        if self._observer:
            self._observer.stop()
            self._observer.join(timeout=2)
            self._observer = None


class _Handler(FileSystemEventHandler):
    """Notices what concerns the targets; ``appeared`` is for a folder that waits for one of theirs."""

    def __init__(self, gate: _Gate, targets: list[Path], appeared: Callable[[], None] | None) -> None:
        self._gate = gate
        self._targets = [str(target) for target in targets]
        self._appeared = appeared

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type not in _CHANGES:
            return
        only_itself = os.sep if event.is_directory and event.event_type == "modified" else ""
        if only_itself and self._appeared:
            return
        for place in (event.src_path, event.dest_path):
            if self._concerns(place):
                if self._appeared:
                    # A folder that is gone by now, or one more than the system watches: its next change is tried again.
                    with suppress(OSError):
                        self._appeared()
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
