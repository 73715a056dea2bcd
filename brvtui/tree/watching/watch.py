"""Watches folders, and reports changes in batches. Polls if the system sends no events."""

from __future__ import annotations

import errno
import os
import re
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISDIR

from brvtui import faults
from brvtui.disk.walking import walk
from brvtui.tree.watching.native_events import NativeEvents

# Debouncing: combines many changes in a short time into one call.


QUIET_SECONDS = 0.08
LONGEST_WAIT_SECONDS = 0.5
MOST_PLACES = 5_000
"""The maximum number of changed paths that one call names. If more paths change at once, the call names none."""
Changed = Callable[[frozenset[str] | None], None]
"""A callback for changes. Its argument is the changed absolute paths, or None if any path may have changed.

If the path of a folder ends with a separator, only the folder's own entry changed. Otherwise, anything below the folder
may have changed.
"""


class Debouncer:
    """Calls back, from its own thread, once changes have stopped for ``QUIET_SECONDS``, or after the longest wait."""

    def __init__(self, changed: Changed, maintain: Callable[[], None], pause: Callable[[], float]) -> None:
        """Calls ``maintain`` before each call of ``changed``, and after each ``pause()`` seconds without a change."""
        self._changed = changed
        self._maintain = maintain
        self._pause = pause
        self._places: set[str] | None = set()
        self._places_lock = threading.Lock()
        self._has_places = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="brv-tui-watch", daemon=True)

    @property
    def is_stopped(self) -> bool:
        """True if :meth:`stop` was called."""
        return self._stopped.is_set()

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def add(self, place: str | None) -> None:
        """Adds a changed path; None means that any path may have changed."""
        with self._places_lock:
            if place is None or self._places is None or len(self._places) >= MOST_PLACES:
                self._places = None
            else:
                self._places.add(place)
        self._has_places.set()

    def stop(self) -> None:
        """Stops the thread. After this returns, no callback runs, unless a callback itself called this method."""
        self._stopped.set()
        self._has_places.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=2)

    def _take_places(self) -> frozenset[str] | None:
        with self._places_lock:
            places, self._places = self._places, set()
        return None if places is None else frozenset(places)

    def _run(self) -> None:
        while not self._stopped.is_set():
            if self._has_places.wait(self._pause()):
                self._settle()
            if self._stopped.is_set():
                return
            self._maintain()
            self._has_places.clear()
            places = self._take_places()
            if places is None or places:
                self._changed(places)

    def _settle(self) -> None:
        waited = 0.0
        while not self._stopped.is_set():
            self._has_places.clear()
            waited += QUIET_SECONDS
            if not self._has_places.wait(QUIET_SECONDS) or waited >= LONGEST_WAIT_SECONDS:
                return


# Finds changes by comparing all files with the last scan, for systems that send no events.


POLL_SECONDS = 2.0
_SHARE = 100
"""The maximum share of the time that scans may take is 1 divided by this number."""
_LONGEST_SECONDS = 30.0
_State = tuple[int, ...]


class Polling:
    """The state of everything below the targets at the last scan."""

    def __init__(self, targets: Iterable[Path], least_seconds: float = POLL_SECONDS) -> None:
        """Scans once. Targets need not exist."""
        self._targets = [str(target) for target in targets]
        self._least = least_seconds
        self.pause = least_seconds
        """The number of seconds until the next scan is due."""
        self._known: dict[str, _State] = {}
        self.look()

    def look(self) -> set[str]:
        """The paths that were added, removed or changed since the last call."""
        began = time.monotonic()
        found: dict[str, _State] = {}
        for target in self._targets:
            _add(target, found)
        took = time.monotonic() - began
        self.pause = max(self._least, min(_LONGEST_SECONDS, took * _SHARE))
        before, self._known = self._known, found
        return {place for place, _ in before.items() ^ found.items()}


def _add(target: str, found: dict[str, _State]) -> None:
    """Adds the state of everything below ``target`` to ``found``. Files have times; folders have none."""
    with suppress(OSError):
        state = Path(target).lstat()
        found[target] = (state.st_ino, state.st_mode)
        for entry, _ in walk(target, with_folders=True):
            with suppress(OSError):
                state = entry.stat(follow_symlinks=False)
                times = () if S_ISDIR(state.st_mode) else (state.st_mtime_ns, state.st_size, state.st_ctime_ns)
                found[entry.path] = (state.st_ino, state.st_mode, *times)


# Detects folders on network file systems, which send no events for changes by other machines.


_MOUNTS = Path("/proc/self/mountinfo")
_MOUNT_POINT = 4
_ESCAPED = re.compile(r"\\([0-7]{3})")
_NETWORK_TYPES = frozenset(
    {
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "9p", "vboxsf", "prl_fs", "vmhgfs", "drvfs"),
        *("ceph", "glusterfs", "lustre", "beegfs", "gpfs", "orangefs", "fuse.sshfs", "fuse.glusterfs", "fuse.rclone"),
        *("fuse.s3fs", "fuse.vmhgfs-fuse"),
    }
)
"""The types of file systems on which other machines may change files."""


def network_disk(folder: Path, mounts: Path = _MOUNTS) -> str:
    """Returns the type of the file system that contains ``folder`` if it is a network file system; otherwise empty.

    ``mounts`` is the mount table (proc(5), mountinfo). The result is empty if there is no such table.
    """
    try:
        table = mounts.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return ""
    here = os.path.realpath(folder)
    best, kind = "", ""
    for row in table.splitlines():
        own, _, rest = row.partition(" - ")
        fields, kinds = own.split(" "), rest.split(" ")
        if len(fields) <= _MOUNT_POINT:
            continue
        point = _ESCAPED.sub(lambda found: chr(int(found.group(1), 8)), fields[_MOUNT_POINT])
        is_above = here == point or here.startswith(f"{point.rstrip(os.sep)}{os.sep}")
        if is_above and len(point) >= len(best):
            best, kind = point, kinds[0]
    return kind if kind in _NETWORK_TYPES else ""


_MAINTENANCE_SECONDS = 1.0
"""The interval in seconds between checks that each watched path still leads to the same folder."""
_LIMITS = {
    errno.ENOSPC: "no inotify watch is left; raise fs.inotify.max_user_watches",
    errno.EMFILE: "no inotify instance is left; raise fs.inotify.max_user_instances",
}


@dataclass(frozen=True, slots=True)
class Watching:
    """The method that detects changes: system events or, for the reason ``why``, polling."""

    why: str = ""
    poll_seconds: float = 0.0
    """The number of seconds between two scans of all files; 0 if the system sends events."""


class Watcher:
    """Calls ``changed`` from its own thread, once for each batch of changes below the watched folders."""

    def __init__(
        self,
        folders: Iterable[Path],
        changed: Changed,
        on_fallback: Callable[[Watching], None] = lambda _: None,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        """Does not watch anything before :meth:`start`. Folders need not exist yet.

        Calls ``on_fallback`` if the watcher later has to poll because events are no longer available. Polls at most
        every ``poll_seconds``.
        """
        self._folders = list(dict.fromkeys(folders))
        self._on_fallback = on_fallback
        self._poll_seconds = poll_seconds
        self._debouncer = Debouncer(changed, self._maintain, self._pause)
        self._events: NativeEvents | None = None
        self._polling: Polling | None = None
        self._lock = threading.RLock()
        """Held while events are started or stopped, because an app closed during opening stops them from another
        thread.
        """

    def start(self) -> Watching:
        """Starts watching, unless :meth:`stop` was already called, and returns the method that detects changes."""
        with self._lock:
            begun = self._start() if not self._debouncer.is_stopped else Watching()
        if self._debouncer.is_stopped:
            self._end_events()
        return begun

    def _start(self) -> Watching:
        network = next(filter(None, map(network_disk, self._folders)), "")
        if network:
            begun = self._poll(f"a disk of type {network} does not report outside changes")
        else:
            self._events = NativeEvents(self._folders, self._debouncer.add)
            try:
                self._events.start()
                begun = Watching()
            except (OSError, RecursionError) as error:  # on Python 3.11, watchdog recurses into subfolders
                begun = self._poll(_reason(error))
        self._debouncer.start()
        return begun

    def stop(self) -> None:
        """Stops watching. No callback runs after this returns."""
        self._debouncer.stop()
        if self._lock.acquire(blocking=False):  # otherwise, ``start`` runs in another thread and ends them
            try:
                self._end_events()
            finally:
                self._lock.release()

    def _end_events(self) -> None:
        with self._lock:
            if self._events is not None:
                self._events.stop()
                self._events = None

    def _pause(self) -> float:
        return self._polling.pause if self._polling is not None else _MAINTENANCE_SECONDS

    def _maintain(self) -> None:
        if self._polling is not None:
            for place in self._polling.look():
                self._debouncer.add(place)
        elif self._events is not None:
            try:
                self._events.maintain()
            except (OSError, RecursionError) as error:
                self._on_fallback(self._poll(_reason(error)))
                self._debouncer.add(None)  # changes made before the first scan are unknown

    def _poll(self, why: str) -> Watching:
        self._end_events()
        self._polling = Polling(self._folders, self._poll_seconds)
        return Watching(why, self._polling.pause)


def _reason(error: OSError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return "folders are nested too deeply to be watched"
    return _LIMITS.get(error.errno or 0) or f"the system refuses to watch: {faults.reason(error)}"
