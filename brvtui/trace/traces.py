"""One query's whole decision: what was asked, every step of the route, and where it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from brvtui.trace.answers import Answer
from brvtui.trace.cache import CacheLook, FingerprintState
from brvtui.trace.checks import Check, State
from brvtui.trace.hits import Hit
from brvtui.trace.ladder import Ladder
from brvtui.trace.searches import EntityStep, Search

SCHEMA = 1


class Outcome(StrEnum):
    """What a routed query ended as."""

    EXACT_CACHE = "exact_cache"
    FUZZY_CACHE = "fuzzy_cache"
    NOT_COVERED = "not_covered"
    DIRECT = "direct"
    SINGLE_CALL = "single_call"
    AGENTIC_LOOP = "agentic_loop"


@dataclass(frozen=True)
class Step:
    """One step of the route, in the order in which the router takes them."""

    name: str
    tier: int | None
    label: str
    state: State
    checks: tuple[Check, ...]
    summary: str
    expected: str = ""
    """The documented latency of the tier."""


@dataclass(frozen=True)
class Snapshotted:
    """The snapshot that a trace was made on."""

    project: str
    generation: int
    notes: int
    clock: str
    """ISO 8601, UTC, milliseconds."""


@dataclass(frozen=True)
class Trace:
    """One query's whole decision."""

    schema: int
    pipeline: str
    mode: str
    """``probe`` or ``run``."""
    query: str
    scope_option: str
    profile: str
    engine: str
    snapshot: Snapshotted
    fingerprint: FingerprintState
    cache: CacheLook
    search: Search
    entities: EntityStep
    ladder: Ladder
    steps: tuple[Step, ...]
    tier: int
    outcome: Outcome
    verdict: str
    used: bool
    """False when a cache hit answered: the search was computed to be shown, and not used."""
    hits: tuple[Hit, ...]
    """What the gates saw: the search's hits, then what entity searches added."""
    answer: Answer
    notices: tuple[str, ...] = ()
    timings: dict[str, float] = field(default_factory=dict)
    """Milliseconds of every stage."""

    @property
    def uncovered(self) -> bool:
        """Whether nothing in the tree covers the query: found so now, or given again by the cache."""
        return self.outcome is Outcome.NOT_COVERED or not (self.used or self.hits)
