"""One query that was answered, as a log keeps it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

ENGINE = "engine"
OURS = "brv-tui"
CACHED = (0, 1)
"""The tiers that answer from the cache."""


@dataclass(frozen=True, slots=True)
class LoggedQuery:
    """A query with what became of it. What a log does not say is None or empty."""

    at_ms: float
    """When it began, in ms since 1970."""
    query: str
    who: str
    """:data:`ENGINE` or :data:`OURS`."""
    status: str
    """``completed``, ``error``, ``cancelled`` or ``processing``."""
    tier: int | None = None
    took_ms: float | None = None
    top_score: float | None = None
    total_found: int | None = None
    paths: tuple[str, ...] = ()
    """The notes that it matched, best first."""
    not_covered: bool = False
    fingerprint: str = ""
    scope: str = ""
    profile: str = ""
    engine: str = "byterover"
    """The engine that answered, by its name."""
    problem: str = ""
    """Why it failed."""
    options: dict[str, Any] = field(default_factory=dict, hash=False)
    """The query's options by name, as :attr:`brvtui.trace.Trace.options` has them."""

    @property
    def from_cache(self) -> bool:
        """Whether the cache answered."""
        return self.tier in CACHED
