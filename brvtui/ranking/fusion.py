"""Reciprocal rank fusion, and the check for agreement between two lists.

See ``docs/reference/jeffs-brain.md``, "Fusion" and "Unanimity", and Cormack, Clarke and Büttcher, SIGIR 2009.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

DEFAULT_K = 60.0
"""The rank fusion constant that is used if the given one is not positive."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One entry of a ranked list. ``None`` means unknown; a rank of 0 and a similarity of 0.0 are known values."""

    id: str
    path: str
    title: str = ""
    summary: str = ""
    content: str = ""
    bm25_rank: int | None = None
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class Share:
    """The contribution of one list to a score: ``weight / (k + rank + 1)``, where ranks start at 0."""

    leg: int
    rank: int
    value: float


@dataclass(frozen=True, slots=True)
class Fused:
    """A candidate in the merged list. The candidate's score is the sum of its shares, added in order."""

    candidate: Candidate
    shares: tuple[Share, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of two lists: the first ids of the first list, and the number of positions with the same id."""

    ids: tuple[str, ...]
    agreements: int


def positive_k(k: float) -> float:
    """``k`` if it is positive, else :data:`DEFAULT_K`."""
    return k if k > 0 else DEFAULT_K


def share(rank: int, k: float, leg: int = 0, weight: float = 1) -> Share:
    """The contribution of ``rank`` (counted from 0) in the list ``leg`` to a score."""
    return Share(leg, rank, weight / (k + rank + 1))


def ranked(candidates: Sequence[Candidate], k: float, leg: int = 0) -> list[Fused]:
    """The ``candidates`` of a single list in their order, each scored by its rank."""
    fused = []
    for rank, candidate in enumerate(candidates):
        part = share(rank, positive_k(k), leg)
        fused.append(Fused(candidate, (part,), part.value))
    return fused


def fuse(lists: Sequence[Sequence[Candidate]], k: float) -> list[Fused]:
    """Merges the lists by id and adds up the scores. The result is sorted by score (best first), path and first
    occurrence.

    A candidate's fields come from the first list that contains it. Later lists fill empty or unknown fields, except the
    path. A candidate without an id is left out, but still occupies its rank.
    """
    kept: dict[str, Candidate] = {}
    shares: dict[str, list[Share]] = {}
    for leg, candidates in enumerate(lists):
        for rank, candidate in enumerate(candidates):
            if not candidate.id:
                continue
            known = kept.get(candidate.id)
            kept[candidate.id] = candidate if known is None else _filled(known, candidate)
            shares.setdefault(candidate.id, []).append(share(rank, positive_k(k), leg))
    merged = [Fused(kept[name], tuple(parts), sum(part.value for part in parts)) for name, parts in shares.items()]
    return sorted(merged, key=lambda fused: (-fused.score, fused.candidate.path))


def _filled(known: Candidate, other: Candidate) -> Candidate:
    return replace(
        known,
        title=known.title or other.title,
        summary=known.summary or other.summary,
        content=known.content or other.content,
        bm25_rank=other.bm25_rank if known.bm25_rank is None else known.bm25_rank,
        similarity=other.similarity if known.similarity is None else known.similarity,
    )


def unanimity(first: Sequence[str], second: Sequence[str], window: int, agree_min: int) -> Agreement | None:
    """Compares the first ``window`` ids of two lists position by position.

    Returns None if a list is shorter than the window, or if fewer than ``agree_min`` positions have the same id.
    """
    if len(first) < window or len(second) < window:
        return None
    agreements = sum(one == other for one, other in zip(first[:window], second[:window], strict=True))
    return Agreement(tuple(first[:window]), agreements) if agreements >= agree_min else None
