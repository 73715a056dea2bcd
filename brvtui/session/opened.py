"""An open project as the parts of a session see it."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Protocol

from brvtui.config import Settings
from brvtui.engines.byterover.profile import Profile
from brvtui.snapshot import Snapshot
from brvtui.trace import Trace

Clock = Callable[[], float]


def system_clock() -> float:
    """Now, in milliseconds since 1970."""
    return time.time() * 1000


class NotLoaded(RuntimeError):
    """A query was put to a session that has no snapshot yet."""


class ReadableProject(Protocol):
    """What is needed of the session. Each of it may be another at the next look."""

    profile: Profile
    clock: Clock
    recording: bool

    @property
    def settings(self) -> Settings:
        """The merged settings."""

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""

    def snapshot_of(self, trace: Trace) -> Snapshot:
        """The snapshot that a trace was made on."""

    def probe(self, query: str, scope: str = "", engine: str = "") -> Trace:
        """The trace of a query, without any effect."""

    def refresh(self, places: Collection[Path] = ()) -> bool:
        """Reads what was noticed to have changed, and ``places``."""
