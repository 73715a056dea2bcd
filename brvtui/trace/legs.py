"""Ranked lists before they are merged, and a hit's place in each."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.trace.checks import State


@dataclass(frozen=True, slots=True)
class LegHit:
    """One place of a leg. ``rank`` counts from 0; ``value`` is what ranked it, in the leg's own unit."""

    id: str
    rank: int
    value: float


@dataclass(frozen=True, slots=True)
class Leg:
    """One ranked list before fusion. ``counts`` is False for a list that is no part of the fused one."""

    name: str
    """``bm25``, ``vector``, or another channel of the engine."""
    state: State
    unit: str
    """The unit of the hits' values: ``BM25``, ``cosine``; empty for an empty list."""
    counts: bool
    why: str
    hits: tuple[LegHit, ...] = ()


@dataclass(frozen=True, slots=True)
class LegRank:
    """The place of a hit in the leg called ``leg``, counted from 0."""

    leg: str
    rank: int
    value: float
