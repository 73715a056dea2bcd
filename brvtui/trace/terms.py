"""The index terms that answer a query term."""

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
