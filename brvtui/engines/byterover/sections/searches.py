"""One whole search with its attempts, and the supplementary searches for words of the query."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from brvtui.engines.byterover.sections.reading import QueryLint, Scope
from brvtui.trace.checks import Check, Stage, State
from brvtui.trace.hits import Hit, Listed, NearMiss


class SearchEnd(StrEnum):
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
class Attempt:
    """One of the engine's own relaxations: path look-up, scoped AND, scoped OR, whole tree AND, OR."""

    name: str
    query: str
    scope: str
    combine: str
    """``AND``, ``OR`` or empty."""
    state: State
    came_in: int
    found: int
    why: str
    listed: tuple[Listed, ...] = ()
    """The best of what it found, before out-of-domain rules, gap and limit; at most :data:`MOST_LISTED`."""
    timed_by: str = ""
    """The key of its milliseconds in :attr:`Trace.timings`; empty when none were its own: AND and OR are one pass."""


@dataclass(frozen=True)
class Lift:
    """One step of parent propagation: a hit's relevance carried to an ancestor folder."""

    folder: str
    child: str
    relevance: float
    levels: int
    factor: float
    value: float
    score: float
    summary_file: str
    kept: bool
    why: str


@dataclass(frozen=True)
class Search:
    """One whole search: how the query was read, what every stage did, what came out."""

    SECTION: ClassVar = "search"

    query: str
    limit: int
    outcome: SearchEnd
    scope: Scope
    lint: QueryLint
    attempts: tuple[Attempt, ...]
    combine: str
    combine_why: str
    and_failed: bool
    searchable: int
    matched: int
    total_found: int
    top: float | None
    floor: float | None
    stages: tuple[Stage, ...]
    out_of_domain: tuple[Check, ...]
    unmatched_words: tuple[str, ...]
    hits: tuple[Hit, ...]
    near_misses: tuple[NearMiss, ...]
    lifts: tuple[Lift, ...]


@dataclass(frozen=True)
class EntitySearch:
    """One supplementary search for a word of the query, and the paths it added."""

    entity: str
    search: Search
    added: tuple[str, ...]
    timed_by: str = ""
    """The key of its milliseconds in :attr:`Trace.timings`."""


@dataclass(frozen=True)
class EntityStep:
    """The supplementary searches as a whole."""

    SECTION: ClassVar = "entities"

    state: State
    check: Check
    why: str
    words: tuple[str, ...]
    searches: tuple[EntitySearch, ...]


@dataclass(frozen=True)
class PlainSearch:
    """A plain search that was asked for beside the route."""

    SECTION: ClassVar = "plain_search"

    search: Search
