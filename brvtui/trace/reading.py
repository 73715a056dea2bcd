"""How a query was read: its words, the index terms that answer them, and the part of the tree it was kept to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class MatchKind(StrEnum):
    """How an index term answers a query term."""

    EXACT = "exact"
    PREFIX = "prefix"
    FUZZY = "fuzzy"


@dataclass(frozen=True)
class TermMatch:
    """An index term that answers a query term. ``weight`` is in 0..1; ``df`` counts notes per field."""

    term: str
    kind: MatchKind
    weight: float
    distance: int
    df: dict[str, int]


@dataclass(frozen=True)
class TermExpansion:
    """Every index term that answers one query term; ``matches`` holds the heaviest, the counts count all."""

    term: str
    matches: tuple[TermMatch, ...]
    exact: int
    prefix: int
    fuzzy: int
    notes: int
    """Notes that hold any of the matched terms, in any field."""


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
    """What is left of a query before it is searched."""

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
    """What is left to search."""
    restricts: bool
    notes: int
    """Searchable notes inside the scope."""
    why: str
