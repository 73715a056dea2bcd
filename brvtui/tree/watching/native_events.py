"""Receives change events from the system, through watchdog, for folders that may be removed and created again."""

from __future__ import annotations

import ctypes
import errno
import logging
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from watchdog.events import (
    DirAttribEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirModifiedEvent,
    DirMovedEvent,
    FileAttribEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, EventEmitter, ObservedWatch

from brvtui.regular_files import MISSING

_FOLDER_CHANGES = [DirAttribEvent, DirCreatedEvent, DirDeletedEvent, DirModifiedEvent, DirMovedEvent]
_FILE_CHANGES = [
    FileAttribEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
]
_CHANGES: list[type[FileSystemEvent]] = [*_FOLDER_CHANGES, *_FILE_CHANGES]
"""The only events that are requested.

Events for opening a folder would never end: after a flood of these events, 5,000 folders would be read again, which
would cause the next flood.
"""
# When folders move, watchdog warns that it watches them under two names. `maintain` watches them again.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"watchdog\.observers")
_REWATCH_AFTER = frozenset({"attrib", "moved"})
"""Folder events after which all folders must be watched again.

A folder may have become readable. If several folders move at once, watchdog confuses their subfolders and misses
events.
"""
_OF_FOLDER_ITSELF = frozenset({"modified", "attrib"})
_GROWING = frozenset({"created", "moved"})
_DELETE_SELF = 0x400
OnChange = Callable[[str | None], None]
"""A callback for one changed path (see :data:`brvtui.tree.watching.watch.Changed`). None means that any path may have
changed.
"""


@dataclass(frozen=True, slots=True)
class _Identity:
    """The identity of the folder at a path. ``is_open`` is True if this process may list and enter it."""

    device: int
    inode: int
    is_open: bool


@dataclass(frozen=True, slots=True)
class _Watched:
    watch: ObservedWatch
    identity: _Identity


class NativeEvents:
    """Calls ``on_change`` for each event below the targets. All methods must be called from the same thread."""

    def __init__(self, targets: Iterable[Path], on_change: OnChange) -> None:
        """Does not watch anything before :meth:`start`. Targets need not exist yet."""
        self._targets = list(targets)
        self._on_change = on_change
        self._observer: BaseObserver | None = None
        self._watched: dict[Path, _Watched] = {}
        self._must_rewatch = False
        """True if watchdog may have lost track of some folders."""
        self._has_new_folders = False
        self._warnings = _WarningHandler(self._rewatch_later)

    def start(self) -> None:
        """Starts watching. Raises OSError if the system refuses to watch a folder."""
        observer = Observer()
        observer.start()
        self._observer = observer
        logging.getLogger("watchdog").addHandler(self._warnings)
        self._watch(observer)
        check_limit()

    def maintain(self) -> None:
        """Watches new folders, and folders that were replaced. Raises OSError if the system refuses to watch one."""
        observer = self._observer
        if observer is None:
            return
        # If events overflow while folders move, watchdog's thread that reads inotify can end with an error.
        if any(not reader.is_alive() for reader in map(_reader_of, observer.emitters) if reader is not None):
            raise OSError(errno.EIO, "watchdog stopped reading events")
        alive = {emitter.watch for emitter in observer.emitters if emitter.is_alive()}
        rewatch = self._must_rewatch
        if rewatch:  # if the flag is set again after this, the next call handles it
            self._must_rewatch = False
        grown, self._has_new_folders = self._has_new_folders, False
        dropped = 0
        for folder, watched in list(self._watched.items()):
            if rewatch or watched.watch not in alive or _identity(folder) != watched.identity:
                with suppress(KeyError):
                    observer.unschedule(watched.watch)
                del self._watched[folder]
                dropped += 1
        if self._watch(observer) or dropped:
            self._on_change(None)
        if rewatch or dropped or grown:
            check_limit()

    def stop(self) -> None:
        """Stops watching."""
        logging.getLogger("watchdog").removeHandler(self._warnings)
        if self._observer is not None:
            self._observer.stop()
            self._observer.join(timeout=2)
            self._observer = None
        self._watched.clear()

    def _watch(self, observer: BaseObserver) -> bool:
        """Watches the parent folder of each target, so that a target that is created again is noticed.

        Returns True if any of these folders was not watched before. If the parent is missing, watches only the entries
        of the nearest existing folder above it. Its subfolders are not watched, because they may have nothing to do
        with this tool.
        """
        holders = {target.parent for target in self._targets}
        found, nearer = False, True
        while nearer:
            nearer = False
            for target in self._targets:
                folder = next((folder for folder in target.parents if folder.is_dir()), None)
                if folder is None or folder in self._watched:
                    continue
                identity = _identity(folder)
                if identity is None:
                    continue
                waiting = folder not in holders
                handler = _Handler(self._on_event, self._targets, waiting)
                try:
                    watch = observer.schedule(handler, str(folder), recursive=not waiting, event_filter=_CHANGES)
                except MISSING:
                    continue  # the folder was just removed, so the one above it is tried next
                self._watched[folder] = _Watched(watch, identity)
                found = nearer = True
        return found

    def _on_event(self, place: str, event: FileSystemEvent) -> None:
        if event.is_directory and event.event_type in _REWATCH_AFTER:
            self._rewatch_later()
        self._has_new_folders |= event.is_directory and event.event_type in _GROWING
        self._on_change(place)

    def _rewatch_later(self) -> None:
        self._must_rewatch = True
        self._on_change(None)


class _Handler(FileSystemEventHandler):
    """Passes on the events that affect the targets.

    ``waiting`` is True if the watched folder is above a missing parent of a target.
    """

    def __init__(self, on_event: Callable[[str, FileSystemEvent], None], targets: list[Path], waiting: bool) -> None:
        self._on_event = on_event
        self._targets = [str(target) for target in targets]
        self._waiting = waiting

    def on_any_event(self, event: FileSystemEvent) -> None:
        only_itself = os.sep if event.is_directory and event.event_type in _OF_FOLDER_ITSELF else ""
        if only_itself and self._waiting:
            return
        for place in (event.src_path, event.dest_path):
            if self._concerns(place):
                self._on_event(f"{os.fsdecode(place)}{only_itself}", event)

    def _concerns(self, place: str | bytes) -> bool:
        """True if ``place`` is a target, inside a target, or a folder above one."""
        path = os.fsdecode(place)
        return bool(path) and any(
            path == target or path.startswith(f"{target}{os.sep}") or target.startswith(f"{path}{os.sep}")
            for target in self._targets
        )


class _WarningHandler(logging.Handler):
    """Reacts if watchdog warns that its queue overflowed, or that it could not watch folders again."""

    def __init__(self, on_warning: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._on_warning = on_warning

    def emit(self, record: logging.LogRecord) -> None:
        self._on_warning()


def check_limit() -> None:
    """Raises OSError if the system would refuse one more watch. Watchdog itself silently skips such a folder."""
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(os.O_CLOEXEC)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    try:
        if libc.inotify_add_watch(descriptor, b"/", _DELETE_SELF) < 0 and ctypes.get_errno() == errno.ENOSPC:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(descriptor)


def _reader_of(emitter: EventEmitter) -> threading.Thread | None:
    """Returns watchdog's thread that reads inotify; None if there is none."""
    reader = getattr(emitter, "_inotify_fd", None)
    return reader if isinstance(reader, threading.Thread) else None


def _identity(folder: Path) -> _Identity | None:
    try:
        found = folder.stat()
    except OSError:
        return None
    return _Identity(found.st_dev, found.st_ino, os.access(folder, os.R_OK | os.X_OK))
