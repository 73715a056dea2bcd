"""The session as its own parts read it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from brvtui.engines.profile_files import TreeProfile
from brvtui.snapshot import Snapshot
from brvtui.trace import Trace
from brvtui.tree.reading.kinds import ProjectKind

Clock = Callable[[], float]


class NotLoaded(RuntimeError):
    """A session was asked before it had a snapshot."""


class OpenProject(Protocol):
    """The session as its parts read it. Every attribute may change between two looks."""

    profile: TreeProfile
    """ByteRover's constants, with which the tree is read."""
    clock: Clock
    kind: ProjectKind

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""

    def snapshot_of(self, trace: Trace) -> Snapshot:
        """The snapshot that a trace was made on."""

    def probe(self, query: str, scope: str = "", engine: str = "") -> Trace:
        """The trace of a query, without any effect."""
