"""ByteRover's sections of a trace: query, searches, simulated cache, and outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from brvtui.trace.checks import Check, Stage, State
from brvtui.trace.hits import BetterMatch, Hit, Listed, NearMiss
from brvtui.trace.routing import SearchOutcome
from brvtui.trace.scores import TermExpansion

ENGINE = "byterover"
"""The engine's name in settings, traces and files."""
ESCAPE = "unmatched words allowed"
"""The name of the check whether the score is high enough to make up for a query word that none of the best matches
contains.
"""
UNMATCHED = "the best matches lack a word, and no score is high enough to make up for it"
"""The reason given for near misses if the check :data:`ESCAPE` failed."""


@dataclass(frozen=True)
class QueryWord:
    """A word of the query (text between spaces), and its tokens for the search."""

    word: str
    tokens: tuple[str, ...]
    stop_word: bool
    significant: bool
    """True if the word is long enough to count for the unmatched-word rule."""
    mismatch: bool
    """True if the word can never equal a token because of its punctuation, such as ``rotated?``."""


@dataclass(frozen=True)
class QueryLint:
    """The analysis of a query, word by word: stop words, and tokens with the index terms that match them."""

    text: str
    filtered: str
    words: tuple[QueryWord, ...]
    tokens: tuple[str, ...]
    expansions: tuple[TermExpansion, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scope:
    """The part of the tree that a search was restricted to, and the reason. An empty ``path`` means the whole tree."""

    path: str
    pattern: str
    source: str
    """``none``, ``option``, ``path``, ``slash`` or ``first_word``."""
    match: str
    """``exact``, ``absolute``, ``relative``, ``simple``, ``substring`` or empty."""
    text: str
    """The text to search for within the scope."""
    restricts: bool
    notes: int
    """The number of searchable notes in the scope."""
    why: str


@dataclass(frozen=True)
class Attempt:
    """One attempt of a search: the path look-up, or a search by AND or OR in the scope or in the whole tree."""

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
    """The best matches before any are dropped; at most :data:`MOST_LISTED`."""
    timed_by: str = ""
    """The key of its duration in :attr:`Trace.timings`; empty if that is part of another attempt's."""


@dataclass(frozen=True)
class Lift:
    """One step of parent propagation, which passes a hit's relevance up to a folder above it."""

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


@dataclass(frozen=True, kw_only=True)
class Search:
    """One complete search: the query as the engine reads it, every stage, and the results."""

    SECTION: ClassVar = "search"

    query: str
    limit: int
    outcome: SearchOutcome
    scope: Scope
    lint: QueryLint
    attempts: tuple[Attempt, ...]
    combine: str = ""
    """``AND``, ``OR``, or empty if no text was searched."""
    combine_why: str = ""
    and_failed: bool = False
    searchable: int
    """The number of searchable notes."""
    matched: int = 0
    total_found: int = 0
    top: float | None = None
    """The best unrounded score; None if nothing matched."""
    floor: float | None = None
    """The unrounded score below which matches are dropped; None if no match was kept."""
    stages: tuple[Stage, ...] = ()
    out_of_domain: tuple[Check, ...] = ()
    unmatched_words: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()
    near_misses: tuple[NearMiss, ...] = ()
    better_match: BetterMatch | None = None
    lifts: tuple[Lift, ...] = ()

    @property
    def held_below(self) -> tuple[str, ...]:
        """The unmatched words that occur in some notes, but in none of the best matches."""
        in_notes = {expansion.term for expansion in self.lint.expansions if expansion.notes}
        return tuple(word for word in self.unmatched_words if word in in_notes)


@dataclass(frozen=True)
class EntitySearch:
    """One entity search for a word of the query, and the paths that it added."""

    entity: str
    search: Search
    added: tuple[str, ...]
    timed_by: str = ""
    """The key of the search's duration in :attr:`Trace.timings`."""


@dataclass(frozen=True)
class EntityStep:
    """All entity searches of a query."""

    SECTION: ClassVar = "entities"

    state: State
    check: Check
    why: str
    words: tuple[str, ...]
    searches: tuple[EntitySearch, ...]


@dataclass(frozen=True)
class PlainSearch:
    """A search without the router, which is made on request."""

    SECTION: ClassVar = "plain_search"

    search: Search
