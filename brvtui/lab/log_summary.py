"""Counts over a log of queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from brvtui.tree.engine_files.query_log import LoggedQuery

_SLOWEST = 5


@dataclass(frozen=True, slots=True)
class UntieredAnswers:
    """How many queries an engine without tiers answered, and for how many it found nothing."""

    engine: str
    answered: int
    not_covered: int


@dataclass(frozen=True, slots=True)
class LogSummary:
    """Counts over the entries of a log that ended."""

    queries: int
    tiers: tuple[int, int, int, int, int]
    """How many each of the tiers 0 to 4 answered from notes."""
    uncovered: int
    """How many of an engine with tiers no note covered; ByteRover logs them as tier 2."""
    untiered: tuple[UntieredAnswers, ...]
    """Engines whose answers have no tier, by name."""
    cached: float | None
    """The share of the answers with a tier that the cache gave, 0 to 1; None without any."""
    not_covered: tuple[LoggedQuery, ...]
    """Newest first, each query once."""
    failed: int
    slowest: tuple[LoggedQuery, ...]


def summarise(entries: Sequence[LoggedQuery]) -> LogSummary:
    """The summary of ``entries``, given newest first."""
    ended = [entry for entry in entries if entry.status == "completed"]
    tiered = [entry for entry in ended if entry.tier is not None]
    tiers = Counter(entry.tier for entry in tiered if not entry.not_covered)
    others = Counter((entry.engine, entry.not_covered) for entry in ended if entry.tier is None)
    engines = sorted({engine for engine, _ in others})
    uncovered = {entry.query.strip().lower(): entry for entry in reversed(entries) if entry.not_covered}
    timed = [entry for entry in ended if entry.took_ms is not None]
    return LogSummary(
        len(entries),
        (tiers[0], tiers[1], tiers[2], tiers[3], tiers[4]),
        sum(entry.not_covered for entry in tiered),
        tuple(UntieredAnswers(engine, others[engine, False], others[engine, True]) for engine in engines),
        sum(entry.from_cache for entry in tiered) / len(tiered) if tiered else None,
        tuple(sorted(uncovered.values(), key=lambda entry: -entry.at_ms)),
        sum(entry.status == "error" for entry in entries),
        tuple(sorted(timed, key=lambda entry: -(entry.took_ms or 0.0))[:_SLOWEST]),
    )
