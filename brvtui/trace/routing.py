"""Sections of traces whose engine routes a query over tiers: the cache before it, and the outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from brvtui.trace.checks import Check, State


class SearchOutcome(StrEnum):
    """How one search ended."""

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
    """The tree's fingerprint as the cache sees it."""

    SECTION: ClassVar = "fingerprint"

    value: str
    held: bool
    """True when an earlier value was still held, so the files were not looked at again."""
    age_s: float
    left_s: float
    current: str
    """The fingerprint if it were computed now."""
    files: int


@dataclass(frozen=True)
class CacheEntry:
    """A simulated cache entry as this query saw it."""

    key: str
    tier: int
    covered: bool
    """Whether notes or a model gave the answer; False where the query was not covered."""
    age_s: float
    left_s: float
    fingerprint_match: bool
    shared_tokens: int
    union_tokens: int
    similarity: float
    state: State
    why: str
    sources: tuple[str, ...] = ()
    """The paths of what the answer quotes."""


@dataclass(frozen=True)
class CacheLook:
    """Both cache look-ups over every entry, oldest inserted first."""

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


class Outcome(StrEnum):
    """The outcome of a route: which kind of answer the query gets."""

    EXACT_CACHE = "exact_cache"
    FUZZY_CACHE = "fuzzy_cache"
    NOT_COVERED = "not_covered"
    DIRECT = "direct"
    SINGLE_CALL = "single_call"
    AGENTIC_LOOP = "agentic_loop"


@dataclass(frozen=True)
class Route:
    """The outcome of the route."""

    SECTION: ClassVar = "route"

    outcome: Outcome
    used: bool
    """False when a cache hit answered: the search was computed to be shown, and not used."""


@dataclass(frozen=True, slots=True)
class TreeChanges:
    """The differences from an earlier tree in files that the fingerprint covers, as sorted paths."""

    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CacheNow:
    """The simulated cache at one moment, beside the query that is being typed."""

    fingerprint: FingerprintState
    look: CacheLook
    changes: Mapping[str, TreeChanges]
    """By an entry's key what changed since it was answered, where that is still known."""
    index_left_s: float = 0.0
    """How long the engine may still search the index from before the tree last changed, in seconds."""
