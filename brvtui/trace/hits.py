"""Results of a search: ranked lists before they are merged, hits, and near misses."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from brvtui.trace.checks import State
from brvtui.trace.scores import AgedSignals, Ceiling, Contribution, MatchedWord, Part, TextScore


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


SUM_TOLERANCE = 1e-9

MOST_LISTED = 10
"""Results that an attempt or a step of the ladder carries; its counts count all."""


class Kind(StrEnum):
    """The kind of a result: a note, a folder's summary, or the stub of an archived note."""

    CONTEXT = "context"
    SUMMARY = "summary"
    ARCHIVE_STUB = "archive_stub"


class Origin(StrEnum):
    """The origin of a hit's score."""

    TEXT = "text"
    PATH = "path"
    NAME = "name"
    PROPAGATED = "propagated"
    FUSED = "fused"


@dataclass(frozen=True)
class Hit:
    """A ranked result. ``path`` is what the engine shows; ``file`` is the note below the tree that stands behind it."""

    path: str
    file: str
    title: str
    kind: Kind
    origin: Origin
    score: float
    parts: tuple[Part, ...]
    text: TextScore | None = None
    signals: AgedSignals | None = None
    ceiling: Ceiling | None = None
    shared_source: str = ""
    found_by: str = ""
    """The entity whose search added this hit; empty for the search itself."""
    places: tuple[LegRank, ...] = ()
    """Its place in each leg that holds it; empty where an engine has no legs."""
    words: tuple[MatchedWord, ...] = ()
    """The words of the query that it answers, in the query's order; empty where nothing but its path was asked for."""

    @property
    def maturity(self) -> str:
        """As stored; empty when it has no signals."""
        return self.signals.maturity if self.signals else ""


def parts_gap(hit: Hit) -> float:
    """How far the parts of ``hit`` are from adding up to its score (absolute, 0 when exact)."""
    return abs(sum(part.value for part in hit.parts) - hit.score)


def adds_up(hit: Hit) -> bool:
    """Whether the parts of ``hit`` sum to its score within :data:`SUM_TOLERANCE`."""
    return parts_gap(hit) <= SUM_TOLERANCE


@dataclass(frozen=True)
class NearMiss:
    """A note that matched and is not in the results; ``short`` is what it lacked (in score, or in ranks)."""

    path: str
    file: str
    title: str
    kind: Kind
    maturity: str
    rank: int
    score: float
    reason: str
    short: float
    words: tuple[MatchedWord, ...] = ()
    """The words of the query that it answers, in the query's order."""


def behind_the_first(hit: Hit, rank: int, kept: int) -> NearMiss:
    """``hit`` at ``rank``, which is not among the ``kept`` results."""
    return NearMiss(
        hit.path, hit.file, hit.title, hit.kind, "", rank, hit.score, f"behind the first {kept}", rank - kept
    )


@dataclass(frozen=True)
class Listed:
    """A result in short: what an attempt, or a step of the ladder, found."""

    path: str
    file: str
    title: str
    kind: Kind | None
    """None when the pipeline does not distinguish kinds of notes."""
    maturity: str
    """As stored; empty when the result has none."""
    score: float


def listed(hit: Hit) -> Listed:
    """``hit`` in short."""
    return Listed(hit.path, hit.file, hit.title, hit.kind, hit.maturity, hit.score)


@dataclass(frozen=True)
class Detail:
    """The term x field detail of one document: contributions sum to ``score.term_sum`` within the tolerance."""

    path: str
    contributions: tuple[Contribution, ...]
    score: TextScore | None
    """None where an engine's text score has no such parts."""
    formula: str
    hit: Hit | None = None
    """The score that the document has, or would have had without being cut; None when nothing of it matches."""
