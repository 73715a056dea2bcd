"""Reciprocal rank fusion, and the check that two lists agree.

See ``docs/reference/jeffs-brain.md``, "Fusion" and "Unanimity". Cormack, Clarke and Büttcher, SIGIR 2009.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

DEFAULT_K = 60.0
"""The constant of rank fusion if no usable one is given."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One entry of a ranked list. ``None`` means unknown: a rank of 0 and a similarity of 0.0 are values."""

    id: str
    path: str
    title: str = ""
    summary: str = ""
    content: str = ""
    bm25_rank: int | None = None
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class Share:
    """The addend of one rank in one list to a score: ``weight / (k + rank + 1)``, with ranks from 0."""

    leg: int
    rank: int
    value: float


@dataclass(frozen=True, slots=True)
class Fused:
    """A candidate of the merged list. The sum of its shares, in their order, is its score."""

    candidate: Candidate
    shares: tuple[Share, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two lists that agree: the first ids of the first list, and the number of positions with the same id."""

    ids: tuple[str, ...]
    agreements: int


def positive_k(k: float) -> float:
    """``k``, or :data:`DEFAULT_K` in place of one that is not positive."""
    return k if k > 0 else DEFAULT_K


def share(rank: int, k: float, leg: int = 0, weight: float = 1) -> Share:
    """The share of the rank ``rank``, counted from 0, in a list of this weight."""
    return Share(leg, rank, weight / (k + rank + 1))


def ranked(candidates: Sequence[Candidate], k: float, leg: int = 0) -> list[Fused]:
    """One list with the score of each rank, in its order."""
    fused = []
    for rank, candidate in enumerate(candidates):
        part = share(rank, positive_k(k), leg)
        fused.append(Fused(candidate, (part,), part.value))
    return fused


def fuse(lists: Sequence[Sequence[Candidate]], k: float) -> list[Fused]:
    """The lists merged by id: scores added, best first, equal scores by path and then by first occurrence.

    The first list with a candidate provides its fields. Later lists fill empty or unknown fields, but never the path.
    A candidate without an id is left out, but keeps its rank in its list.
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
    """The agreement of two lists of ids at the same positions of their first ``window``.

    None if a list is shorter than the window, or if fewer than ``agree_min`` positions agree.
    """
    if len(first) < window or len(second) < window:
        return None
    agreements = sum(one == other for one, other in zip(first[:window], second[:window], strict=True))
    return Agreement(tuple(first[:window]), agreements) if agreements >= agree_min else None
