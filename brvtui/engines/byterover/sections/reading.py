"""How a query was read: its words, and the part of the tree that it was kept to."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.trace.terms import TermExpansion


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
