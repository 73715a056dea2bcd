"""Search results: ranked lists before they are merged, hits, and near misses."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from brvtui.trace.checks import State
from brvtui.trace.scores import AgedSignals, Ceiling, Contribution, MatchedWord, Part, TextScore


@dataclass(frozen=True, slots=True)
class LegHit:
    """One entry of a leg. ``rank`` counts from 0; ``value`` is the ranking value, in the leg's unit."""

    id: str
    rank: int
    value: float


@dataclass(frozen=True, slots=True)
class Leg:
    """One ranked list before fusion. ``counts`` is False if the list does not contribute to the fused list."""

    name: str
    """``bm25``, ``vector``, or another channel of the engine."""
    state: State
    unit: str
    """The unit of the hits' values, such as ``BM25`` or ``cosine``; empty for an empty list."""
    counts: bool
    why: str
    hits: tuple[LegHit, ...] = ()


@dataclass(frozen=True, slots=True)
class LegRank:
    """A hit's rank in the leg called ``leg``, counted from 0."""

    leg: str
    rank: int
    value: float


SUM_TOLERANCE = 1e-9

MOST_LISTED = 10
"""The maximum number of results listed for an attempt or a step of the retry ladder, whose counts include all results.
"""


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
    """A ranked result. The engine shows it as ``path``; ``file`` is the path of its note in the tree."""

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
    """The entity whose search added this hit; empty for the main search."""
    places: tuple[LegRank, ...] = ()
    """The rank in each leg that contains the hit; empty for an engine without legs."""
    words: tuple[MatchedWord, ...] = ()
    """The query words that the hit matches, in query order; empty if the query was only a path."""

    @property
    def maturity(self) -> str:
        """The stored maturity; empty if the hit has no signals."""
        return self.signals.maturity if self.signals else ""


def parts_gap(hit: Hit) -> float:
    """The absolute difference between the sum of the hit's parts and the hit's score (0 if exact)."""
    return abs(sum(part.value for part in hit.parts) - hit.score)


def adds_up(hit: Hit) -> bool:
    """True if the hit's parts add up to its score within :data:`SUM_TOLERANCE`."""
    return parts_gap(hit) <= SUM_TOLERANCE


@dataclass(frozen=True)
class NearMiss:
    """A note that matched but is not a result. ``short`` is the score, or the number of ranks, that it lacked."""

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
    """The query words that the note matches, in query order."""


@dataclass(frozen=True)
class BetterMatch:
    """A document that ranks below the first result although its text matches the query clearly better."""

    file: str
    title: str
    rank: int
    """The document's rank, counted from 1."""
    times: float | None
    """Its raw text score divided by the first result's; None if ranks in the leg for text are compared."""
    leg_rank: int | None
    """The first result's rank, from 1, in the leg that this document leads; None if it is not in that leg."""
    because: tuple[str, ...]
    """The names of the score parts that put the first result ahead of the document, largest difference first."""


def behind_the_first(hit: Hit, rank: int, kept: int) -> NearMiss:
    """A near miss for ``hit``, whose ``rank`` is beyond the first ``kept`` results."""
    return NearMiss(
        hit.path, hit.file, hit.title, hit.kind, "", rank, hit.score, f"behind the first {kept}", rank - kept
    )


@dataclass(frozen=True)
class Listed:
    """A short form of a result that an attempt or a step of the retry ladder found."""

    path: str
    file: str
    title: str
    kind: Kind | None
    """The kind of note; None if the pipeline does not distinguish kinds."""
    maturity: str
    """The stored maturity; empty if the result has none."""
    score: float


def listed(hit: Hit) -> Listed:
    """The short form of ``hit``."""
    return Listed(hit.path, hit.file, hit.title, hit.kind, hit.maturity, hit.score)


@dataclass(frozen=True)
class Detail:
    """The score of one document, by term and field. The contributions add up to about ``score.term_sum``."""

    path: str
    contributions: tuple[Contribution, ...]
    score: TextScore | None
    """The text score; None if the engine's text score is not made of terms."""
    formula: str
    hit: Hit | None = None
    """The document with its score, or with the score that it has without the engine's cuts; None if nothing in the
    document matches.
    """
