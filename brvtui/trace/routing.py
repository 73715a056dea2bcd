"""Trace sections for engines that route a query through tiers: the cache and the outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from brvtui.trace.checks import Check, State
from brvtui.trace.hits import Hit, Listed


@dataclass(frozen=True)
class Rung:
    """One step of the retry ladder: its search, the state after the search, and the number of notes found."""

    number: int
    strategy: str
    query: str
    """The rewritten query text; empty for a step without one."""
    state: State
    hits: int
    why: str
    listed: tuple[Listed, ...] = ()
    """The step's best results, at most :data:`MOST_LISTED`."""
    unit: str = ""
    """The unit of scores in :attr:`listed`: ``score``, ``BM25``, ``similarity of names``; empty if none are listed."""
    timed_by: str = ""
    """The key of the step's duration in ``timings``; empty if the step did not search."""

    @property
    def ran(self) -> bool:
        """True if the step searched without an error."""
        return self.state in (State.HIT, State.MISSED)


@dataclass(frozen=True)
class Ladder:
    """The part of a trace about the retry ladder."""

    SECTION: ClassVar = "ladder"

    state: State
    why: str
    rungs: tuple[Rung, ...] = ()
    """Every step in order, including steps that did not run; empty if the ladder was not used."""
    found: tuple[str, ...] = ()
    """The paths that the ladder found, best first."""
    hits: tuple[Hit, ...] = ()
    """The ladder's hits, best first; empty unless the ladder answered."""
    in_route: bool = False
    """True if the route uses the ladder's results; False if they are only advice."""

    @property
    def strategy(self) -> str:
        """The step that found results; empty if no step did."""
        return next((rung.strategy for rung in self.rungs if rung.state is State.HIT and rung.number), "")


class SearchOutcome(StrEnum):
    """The possible results of one search."""

    MATCHES = "matches"
    NO_TOKENS = "no_tokens"
    NO_MATCH = "no_match"
    BELOW_FLOOR = "below_floor"
    UNMATCHED_WORDS = "unmatched_words"
    PATH_NOTE = "path_note"
    PATH_FOLDER = "path_folder"
    ENGINE_FAILS = "engine_fails"


@dataclass(frozen=True)
class FingerprintState:
    """The tree's fingerprint as seen by the cache."""

    SECTION: ClassVar = "fingerprint"

    value: str
    held: bool
    """True if an earlier fingerprint was still cached, so that the engine did not check the files again."""
    age_s: float
    left_s: float
    current: str
    """The fingerprint that would be computed now."""
    files: int


@dataclass(frozen=True)
class CacheEntry:
    """A simulated cache entry at the time of this query."""

    key: str
    tier: int
    covered: bool
    """True if the answer came from notes or a model; False if the memory did not cover the query."""
    age_s: float
    left_s: float
    fingerprint_match: bool
    shared_tokens: int
    union_tokens: int
    similarity: float
    state: State
    why: str
    sources: tuple[str, ...] = ()
    """The paths of the notes that the answer quotes."""
    signals_changed: int = 0
    """For the entry that answered: the number of notes whose signals have changed since. They are not in the
    fingerprint, so the answer stays valid.
    """


@dataclass(frozen=True)
class CacheLook:
    """The results of both cache look-ups (exact and fuzzy), and all entries in order of insertion."""

    SECTION: ClassVar = "cache"

    key: str
    tokens: tuple[str, ...]
    capacity: int
    exact: State
    exact_why: str
    fuzzy: State
    fuzzy_why: str
    fuzzy_check: Check | None
    hit_key: str
    entries: tuple[CacheEntry, ...]
    simulated: bool = True

    def lasts_s(self, tree: FingerprintState) -> float | None:
        """The number of seconds for which the matching entry can still be used; None if no entry answered.

        The entry can be used until it expires. If the ``tree`` has changed, it can be used only until the cached
        fingerprint, which hides the change, expires.
        """
        entry = next((entry for entry in self.entries if entry.key == self.hit_key), None)
        if entry is None:
            return None
        return entry.left_s if tree.value == tree.current else min(entry.left_s, tree.left_s)


class Outcome(StrEnum):
    """The possible outcomes of a route, which are kinds of answers."""

    EXACT_CACHE = "exact_cache"
    FUZZY_CACHE = "fuzzy_cache"
    NOT_COVERED = "not_covered"
    DIRECT = "direct"
    SINGLE_CALL = "single_call"
    AGENTIC_LOOP = "agentic_loop"


@dataclass(frozen=True)
class Route:
    """The outcome of a route through the tiers."""

    SECTION: ClassVar = "route"

    outcome: Outcome
    used: bool
    """False if the answer came from the cache, so that the search was computed only for display."""

    @property
    def needs_model(self) -> bool:
        """True if the query needs a model: at tiers 3 and 4, and if no note covers the query."""
        return self.outcome in (Outcome.SINGLE_CALL, Outcome.AGENTIC_LOOP, Outcome.NOT_COVERED)


@dataclass(frozen=True, slots=True)
class TreeChanges:
    """The sorted paths of files that the fingerprint covers and that have changed since an earlier tree."""

    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CacheNow:
    """The simulated cache at one moment, shown next to the query that is being typed."""

    fingerprint: FingerprintState
    look: CacheLook
    changes: Mapping[str, TreeChanges]
    """The changes to the tree since each entry was cached, keyed by the entry's key. Entries whose changes are no
    longer known are missing.
    """
    index_left_s: float = 0.0
    """The number of seconds for which the engine may still search an index older than the last change."""
