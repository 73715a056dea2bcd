"""Two notes under one query: the parts of both scores, whose differences sum to the gap between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from brvtui.engines.contract import Context, Engine
from brvtui.lab.pair.turning import TurningChange
from brvtui.snapshot.naming import Named
from brvtui.trace import Detail, Trace


@dataclass(frozen=True, slots=True)
class PartOfBoth:
    """One part in both scores; 0 where a score has none of that name."""

    name: str
    above: float
    below: float

    @property
    def difference(self) -> float:
        """How much of the gap it makes."""
        return self.above - self.below


@dataclass(frozen=True, slots=True)
class ComparedNote:
    """One of the two notes."""

    path: str
    title: str
    rank: int | None
    """From 1; None where it is no result, and then :attr:`score` is what it would have had."""
    score: float
    reason: str = ""
    """Why it is no result; empty where it is one."""


@dataclass(frozen=True)
class PairComparison:
    """Two notes: the one that stands higher, and the other."""

    above: ComparedNote
    below: ComparedNote
    parts: tuple[PartOfBoth, ...]
    """In the order of the engine; their differences sum to :attr:`gap`."""
    words: tuple[PartOfBoth, ...]
    """What each word of the query adds to the sum over words, before that is made a relevance; empty of engines
    without such a sum."""
    trace: Trace
    turning: tuple[TurningChange, ...] = ()
    """The smallest change of each kind after which the lower one stands above the other, each tried."""

    @property
    def gap(self) -> float:
        """The score of the higher note less that of the other."""
        return self.above.score - self.below.score


class NotScored(ValueError):
    """A note that has no score under the query; the message says why, in a line."""


def compare_pair(engine: Engine[Any], context: Context[Any], trace: Trace, one: Named, other: Named) -> PairComparison:
    """``one`` and ``other`` under the query of ``trace``, the one that stands higher first.

    Raises :class:`NotScored`.
    """
    looked = [_looked(engine, context, trace, named) for named in (one, other)]
    (above, above_parts, above_detail), (below, below_parts, below_detail) = sorted(
        looked, key=lambda made: _place(made[0])
    )
    return PairComparison(
        above,
        below,
        _both(above_parts, below_parts),
        _both(_words(above_detail), _words(below_detail)),
        trace,
    )


def _looked(
    engine: Engine[Any], context: Context[Any], trace: Trace, named: Named
) -> tuple[ComparedNote, dict[str, float], Detail | None]:
    why = engine.why(context, trace, named)
    files = list(dict.fromkeys(hit.file for hit in trace.hits))
    rank = files.index(named.path) + 1 if named.path in files else None
    hit = next((hit for hit in trace.hits if hit.file == named.path), why.hit)
    reason = "" if rank is not None or why.reason is None else why.reason.text
    if hit is None:
        raise NotScored(f"{named.path} has no score for this query: {reason or 'no word of the query matches it'}")
    numbers = f" ({why.numbers})" if reason and why.numbers else ""
    parts: dict[str, float] = {}
    for part in hit.parts:
        parts[part.name] = parts.get(part.name, 0.0) + part.value
    detail = engine.detail(context, trace, named.path) if named.position is not None else None
    return ComparedNote(named.path, hit.title or why.title, rank, hit.score, f"{reason}{numbers}"), parts, detail


def _place(note: ComparedNote) -> tuple[bool, int, float]:
    return note.rank is None, note.rank or 0, -note.score


def _words(detail: Detail | None) -> dict[str, float]:
    made: dict[str, float] = {}
    for one in detail.contributions if detail is not None else ():
        made[one.query_term] = made.get(one.query_term, 0.0) + one.value
    return made


def _both(above: dict[str, float], below: dict[str, float]) -> tuple[PartOfBoth, ...]:
    names: Iterable[str] = {**above, **below}
    return tuple(PartOfBoth(name, above.get(name, 0.0), below.get(name, 0.0)) for name in names)
