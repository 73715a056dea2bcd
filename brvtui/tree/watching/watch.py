"""Watching folders: a burst of changes becomes one call that names the places. Where events fail, files are polled."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from brvtui import faults
from brvtui.tree.watching.bursts import Changed, Gate
from brvtui.tree.watching.disks import network_disk
from brvtui.tree.watching.native_events import Events
from brvtui.tree.watching.polling import POLL_SECONDS, Polling

_TEND_SECONDS = 1.0
"""How often it is looked whether the folders that are watched are still the ones at their paths."""
_LIMITS = {
    errno.ENOSPC: "no inotify watch is left; raise fs.inotify.max_user_watches",
    errno.EMFILE: "no inotify instance is left; raise fs.inotify.max_user_instances",
}


@dataclass(frozen=True, slots=True)
class Watching:
    """Whether changes are noticed, and if not, or not by the system's own events, why."""

    active: bool
    why: str = ""
    poll_seconds: float = 0.0
    """How often all files are looked at; 0 where the system tells what changes."""


class Watcher:
    """Calls ``changed``, from a thread of its own, once after each burst of changes below the folders."""

    def __init__(
        self,
        folders: Iterable[Path],
        changed: Changed,
        told: Callable[[Watching], None] = lambda _: None,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        """Nothing is watched before :meth:`start`. Folders need not exist yet.

        ``told`` is called when events are given up for polling later on, which is done at most every
        ``poll_seconds``.
        """
        self._folders = list(dict.fromkeys(folders))
        self._told = told
        self._poll_seconds = poll_seconds
        self._gate = Gate(changed, self._tend, self._pause)
        self._events: Events | None = None
        self._polling: Polling | None = None

    def start(self) -> Watching:
        """Begins watching, and says how."""
        network = next(filter(None, map(network_disk, self._folders)), "")
        if network:
            begun = self._poll(f"a disk of type {network} does not tell what others change")
        else:
            self._events = Events(self._folders, self._gate.notice)
            try:
                self._events.start()
                begun = Watching(True)
            except OSError as error:
                begun = self._poll(_reason(error))
        self._gate.start()
        return begun

    def stop(self) -> None:
        """Ends watching; no call comes after it returns."""
        self._gate.stop()
        if self._events is not None:
            self._events.stop()
            self._events = None

    def _pause(self) -> float:
        return self._polling.pause if self._polling is not None else _TEND_SECONDS

    def _tend(self) -> None:
        if self._polling is not None:
            for place in self._polling.look():
                self._gate.notice(place)
        elif self._events is not None:
            try:
                self._events.tend()
            except OSError as error:
                self._told(self._poll(_reason(error)))
                self._gate.notice(None)  # what changed before the first look is not known

    def _poll(self, why: str) -> Watching:
        if self._events is not None:
            self._events.stop()
            self._events = None
        self._polling = Polling(self._folders, self._poll_seconds)
        return Watching(True, why, self._polling.pause)


def _reason(error: OSError) -> str:
    return _LIMITS.get(error.errno or 0) or f"the system refuses to watch: {faults.said(error)}"
