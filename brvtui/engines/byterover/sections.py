"""ByteRover's sections of a trace: how the query was read, the searches, the simulated cache, the outcome."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from brvtui.trace.checks import Check, Stage, State
from brvtui.trace.hits import Hit, Listed, NearMiss
from brvtui.trace.routing import SearchOutcome
from brvtui.trace.scores import TermExpansion

ENGINE = "byterover"
"""The engine's name in settings, traces and files."""
ESCAPE = "unmatched words allowed"
"""The name of the check by which a high score makes up for a word that no best match has."""
UNMATCHED = "a word is in none of the best matches, and no score makes up for it"
"""Why near misses are none of the results where that check failed too."""


@dataclass(frozen=True)
class QueryWord:
    """A word of the query as splitting on spaces leaves it, beside the tokens that are searched."""

    word: str
    tokens: tuple[str, ...]
    stop_word: bool
    significant: bool
    """Long enough to count for the unmatched-word rule."""
    mismatch: bool
    """True when the word's own punctuation keeps it from ever equalling a token (``rotated?``)."""


@dataclass(frozen=True)
class QueryLint:
    """A query word by word: stop words removed, the rest as tokens with the index terms that they match."""

    text: str
    filtered: str
    words: tuple[QueryWord, ...]
    tokens: tuple[str, ...]
    expansions: tuple[TermExpansion, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scope:
    """The part of the tree that a search was kept to, and why. An empty ``path`` is the whole tree."""

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
    """Searchable notes inside the scope."""
    why: str


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


@dataclass(frozen=True, kw_only=True)
class Search:
    """One whole search: how the query was read, what every stage did, and what it found."""

    SECTION: ClassVar = "search"

    query: str
    limit: int
    outcome: SearchOutcome
    scope: Scope
    lint: QueryLint
    attempts: tuple[Attempt, ...]
    combine: str = ""
    """``AND``, ``OR``, or empty where no text was searched."""
    combine_why: str = ""
    and_failed: bool = False
    searchable: int
    """Notes that can be found at all."""
    matched: int = 0
    total_found: int = 0
    top: float | None = None
    """The best score, unrounded; None without a match."""
    floor: float | None = None
    """The score, unrounded, below which matches are dropped; None where nothing was kept."""
    stages: tuple[Stage, ...] = ()
    out_of_domain: tuple[Check, ...] = ()
    unmatched_words: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()
    near_misses: tuple[NearMiss, ...] = ()
    lifts: tuple[Lift, ...] = ()

    @property
    def held_below(self) -> tuple[str, ...]:
        """The unmatched words that notes hold all the same, none of which is among the best matches."""
        held = {expansion.term for expansion in self.lint.expansions if expansion.notes}
        return tuple(word for word in self.unmatched_words if word in held)


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
    """The search alone, which was asked for beside the route."""

    SECTION: ClassVar = "plain_search"

    search: Search
