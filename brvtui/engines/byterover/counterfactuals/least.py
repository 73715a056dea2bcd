"""The smallest of many changes of one kind that brings a query to tier 2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from brvtui.engines.byterover.counterfactuals.case import Case, Judged
from brvtui.engines.byterover.counterfactuals.changes import Change
from brvtui.engines.byterover.counterfactuals.levers import Lever, LeverStatus, Way
from brvtui.engines.byterover.sections import Search, SearchEnd

_ALIKE = 1e-12


@dataclass(frozen=True, slots=True)
class CandidateChange:
    """A change, how large it is, and the highest score, unrounded, that it can give the note."""

    change: Change
    amount: float
    most: float


@dataclass(frozen=True, slots=True)
class Least:
    """The smallest candidate that does it, or none; ``judged`` is what became of it, or else of the largest."""

    candidate: CandidateChange | None
    judged: Judged | None
    """None when no candidate can reach the score that a direct answer needs."""


def least(case: Case, candidates: Sequence[CandidateChange], is_steady: bool) -> Least:
    """The first of ``candidates``, given smallest first, after which the query is answered at tier 2.

    Those that cannot reach the needed score are not tried. With ``is_steady``, a candidate that does it means that
    every larger one of no lower score does too, so the rest is bisected; else every one is tried.
    """
    near = [candidate for candidate in candidates if case.reaches(candidate.most)]
    if not near:
        return Least(None, None)
    first = case.judged(near[0].change)
    if first.answers:
        return Least(near[0], first)
    if is_steady and all(one.most <= other.most + _ALIKE for one, other in pairwise(near)):
        return _bisected(case, near, first)
    judged = first
    for candidate in near[1:]:
        judged = case.judged(candidate.change)
        if judged.answers:
            return Least(candidate, judged)
    return Least(None, judged)


def _bisected(case: Case, near: Sequence[CandidateChange], first: Judged) -> Least:
    """:func:`least` where the first does not do it."""
    low, high = 0, len(near) - 1
    last = case.judged(near[high].change) if high else first
    if not last.answers:
        return Least(None, last)
    found = last
    while high - low > 1:
        middle = (low + high) // 2
        judged = case.judged(near[middle].change)
        if judged.answers:
            high, found = middle, judged
        else:
            low = middle
    return Least(near[high], found)


def is_steady(case: Case) -> bool:
    """Whether a higher score of the note can only bring a direct answer nearer.

    It can where no other result depends on the note's signals: not where scores, instead of relevances, are carried up
    to folders, nor where the note is its folder's summary. And where one search decides: when a search of a scope, or
    one that an out-of-domain rule empties, gives way to another, the note may have a higher relevance in that one.
    """
    search = case.trace.section(Search)
    lends_score = case.context.constants.search.lift_source == "score"
    summarises = any(summary.file == case.note.path for summary in case.context.snapshot.summaries.values())
    scoped = any(attempt.scope for attempt in search.attempts)
    is_large = len(case.context.snapshot.notes) >= case.context.constants.out_of_domain.min_notes
    may_be_emptied = search.outcome is not SearchEnd.MATCHES or (is_large and search.and_failed)
    return not (lends_score or summarises or scoped or may_be_emptied)


def too_low(case: Case, lever: Lever, most: float, what: str) -> Way:
    """``lever`` is impossible: the score stays below the one that is needed."""
    needed, seen = case.context.constants.direct.min_top, case.seen(most)
    text = f"{what}: {seen:.2f} at most, {needed:g} is needed"
    return Way(lever, LeverStatus.IMPOSSIBLE, text, score=seen)


def verified(lever: Lever, found: CandidateChange, judged: Judged, text: str) -> Way:
    """``found`` does it."""
    score = judged.hit.score if judged.hit else None
    return Way(lever, LeverStatus.VERIFIED, text, found.change, found.amount, score, judged.verdict)


def in_vain(lever: Lever, judged: Judged, what: str) -> Way:
    """``lever`` is impossible: not even the largest change does it, or none of all that there are."""
    score = judged.hit.score if judged.hit else None
    return Way(lever, LeverStatus.IMPOSSIBLE, f"{what}: {judged.verdict}", score=score, verdict=judged.verdict)
