"""Watches folders and reports changes in batches; polls where the system sends no events."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from brvtui import faults
from brvtui.tree.watching.debouncing import Changed, Debouncer
from brvtui.tree.watching.disks import network_disk
from brvtui.tree.watching.native_events import NativeEvents
from brvtui.tree.watching.polling import POLL_SECONDS, Polling

_MAINTENANCE_SECONDS = 1.0
"""How often to check that the watched folders are still the ones at their paths."""
_LIMITS = {
    errno.ENOSPC: "no inotify watch is left; raise fs.inotify.max_user_watches",
    errno.EMFILE: "no inotify instance is left; raise fs.inotify.max_user_instances",
}


@dataclass(frozen=True, slots=True)
class Watching:
    """How changes are noticed: by events of the system, or, for the reason ``why``, by polling."""

    why: str = ""
    poll_seconds: float = 0.0
    """Seconds between two looks at all files; 0 where the system sends events."""


class Watcher:
    """Calls ``changed`` from its own thread, once for each batch of changes below the folders."""

    def __init__(
        self,
        folders: Iterable[Path],
        changed: Changed,
        on_fallback: Callable[[Watching], None] = lambda _: None,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        """Watches nothing before :meth:`start`. Folders need not exist yet.

        Calls ``on_fallback`` when it later has to poll instead of waiting for events. It polls at most every
        ``poll_seconds``.
        """
        self._folders = list(dict.fromkeys(folders))
        self._on_fallback = on_fallback
        self._poll_seconds = poll_seconds
        self._debouncer = Debouncer(changed, self._maintain, self._pause)
        self._events: NativeEvents | None = None
        self._polling: Polling | None = None

    def start(self) -> Watching:
        """Starts watching; returns whether by events or by polling."""
        network = next(filter(None, map(network_disk, self._folders)), "")
        if network:
            begun = self._poll(f"a disk of type {network} does not tell what others change")
        else:
            self._events = NativeEvents(self._folders, self._debouncer.add)
            try:
                self._events.start()
                begun = Watching()
            except (OSError, RecursionError) as error:  # watchdog walks recursively on Python 3.11
                begun = self._poll(_reason(error))
        self._debouncer.start()
        return begun

    def stop(self) -> None:
        """Stops watching. No callback runs after it returns."""
        self._debouncer.stop()
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
                self._debouncer.add(None)  # what changed before the first look is not known

    def _poll(self, why: str) -> Watching:
        if self._events is not None:
            self._events.stop()
            self._events = None
        self._polling = Polling(self._folders, self._poll_seconds)
        return Watching(why, self._polling.pause)


def _reason(error: OSError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return "folders are nested too deeply to be watched"
    return _LIMITS.get(error.errno or 0) or f"the system refuses to watch: {faults.reason(error)}"
