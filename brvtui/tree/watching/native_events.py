"""Changes as the system tells them (watchdog), of folders that may be missing, removed and made again."""

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

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, EventEmitter, ObservedWatch

_CHANGES = frozenset({"created", "deleted", "modified", "moved", "attrib", "closed"})
# Where folders were moved, watchdog warns of those that it watches under two names; they are watched again (`tend`).
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"watchdog\.observers")
_UNSETTLING = frozenset({"attrib", "moved"})
"""Of folders: one that could not be entered could not be watched either, and now may be; and where several are moved in
one go, watchdog takes folders inside them for others, of which it then hears nothing."""
_OF_ITSELF = frozenset({"modified", "attrib"})
_GROWING = frozenset({"created", "moved"})
_DELETE_SELF = 0x400
Notice = Callable[[str | None], None]
"""Is told a place that changed, as :data:`brvtui.tree.watching.bursts.Changed` is, or None for any."""


@dataclass(frozen=True, slots=True)
class _Identity:
    """Which folder it is that has a path; another one there is another identity, and so is one that was shut."""

    device: int
    inode: int
    is_open: bool


@dataclass(frozen=True, slots=True)
class _Watched:
    watch: ObservedWatch
    identity: _Identity


class Events:
    """Tells ``notice`` what the system says of the targets. Methods may be called from one thread only."""

    def __init__(self, targets: Iterable[Path], notice: Notice) -> None:
        """Nothing is watched before :meth:`start`. Targets need not exist yet."""
        self._targets = list(targets)
        self._notice = notice
        self._observer: BaseObserver | None = None
        self._watched: dict[Path, _Watched] = {}
        self._unsure = False
        """Whether the system lost track of some folders, or may have."""
        self._grown = False
        """Whether there are more folders than before."""
        self._lost = _Lost(self._be_unsure)

    def start(self) -> None:
        """Begins watching. Raises OSError when the system refuses, also for one folder among many."""
        observer = Observer()
        observer.start()
        self._observer = observer
        logging.getLogger("watchdog").addHandler(self._lost)
        self._watch(observer)
        check_limit()

    def tend(self) -> None:
        """Watches again what was exchanged, and what appeared. Raises OSError when the system refuses."""
        observer = self._observer
        if observer is None:
            return
        # After an overflow among moved folders, watchdog's one reader of inotify can end with an error of its own.
        if any(not reader.is_alive() for reader in map(_reader_of, observer.emitters) if reader is not None):
            raise OSError(errno.EIO, "watchdog stopped reading events")
        alive = {emitter.watch for emitter in observer.emitters if emitter.is_alive()}
        unsure = self._unsure
        if unsure:  # Whoever sets it from here on is heard by the next call.
            self._unsure = False
        grown, self._grown = self._grown, False
        dropped = 0
        for folder, watched in list(self._watched.items()):
            if unsure or watched.watch not in alive or _identity(folder) != watched.identity:
                with suppress(KeyError):
                    observer.unschedule(watched.watch)
                del self._watched[folder]
                dropped += 1
        if self._watch(observer) or dropped:
            self._notice(None)
        if unsure or dropped or grown:
            check_limit()

    def stop(self) -> None:
        """Ends watching."""
        logging.getLogger("watchdog").removeHandler(self._lost)
        if self._observer is not None:
            self._observer.stop()
            self._observer.join(timeout=2)
            self._observer = None
        self._watched.clear()

    def _watch(self, observer: BaseObserver) -> bool:
        """Watches each target from the folder that holds it, so that one made anew is seen too; whether any was new.

        While that folder is missing, the nearest one above is watched for it, and only for its own entries: it may hold
        much that is not ours. What appears there is watched in its turn.
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
                handler = _Handler(self._hear, self._targets, waiting)
                try:
                    watch = observer.schedule(handler, str(folder), recursive=not waiting)
                except (FileNotFoundError, NotADirectoryError):
                    continue  # Gone by now: the one above it is next.
                self._watched[folder] = _Watched(watch, identity)
                found = nearer = True
        return found

    def _hear(self, place: str, event: FileSystemEvent) -> None:
        if event.is_directory and event.event_type in _UNSETTLING:
            self._be_unsure()
        self._grown |= event.is_directory and event.event_type in _GROWING
        self._notice(place)

    def _be_unsure(self) -> None:
        self._unsure = True
        self._notice(None)


class _Handler(FileSystemEventHandler):
    """Hears what concerns the targets; ``waiting`` is for a folder above one of theirs that is missing."""

    def __init__(self, hear: Callable[[str, FileSystemEvent], None], targets: list[Path], waiting: bool) -> None:
        self._hear = hear
        self._targets = [str(target) for target in targets]
        self._waiting = waiting

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type not in _CHANGES:
            return
        only_itself = os.sep if event.is_directory and event.event_type in _OF_ITSELF else ""
        if only_itself and self._waiting:
            return
        for place in (event.src_path, event.dest_path):
            if self._concerns(place):
                self._hear(f"{os.fsdecode(place)}{only_itself}", event)

    def _concerns(self, place: str | bytes) -> bool:
        """Whether the place is in a target, or is a folder that holds one."""
        path = os.fsdecode(place)
        return bool(path) and any(
            path == target or path.startswith(f"{target}{os.sep}") or target.startswith(f"{path}{os.sep}")
            for target in self._targets
        )


class _Lost(logging.Handler):
    """Hears watchdog's warnings: that the queue overflowed, or that folders could not be watched again."""

    def __init__(self, unsure: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._unsure = unsure

    def emit(self, record: logging.LogRecord) -> None:
        self._unsure()


def check_limit() -> None:
    """Raises OSError when the system would not watch one more folder: watchdog passes over those that it cannot."""
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
    """The thread that reads what inotify tells, where there is one."""
    reader = getattr(emitter, "_inotify_fd", None)
    return reader if isinstance(reader, threading.Thread) else None


def _identity(folder: Path) -> _Identity | None:
    try:
        found = folder.stat()
    except OSError:
        return None
    return _Identity(found.st_dev, found.st_ino, os.access(folder, os.R_OK | os.X_OK))
