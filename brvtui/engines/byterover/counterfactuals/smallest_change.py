"""The smallest of many changes of one kind that brings a query to tier 2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from brvtui.engines.byterover.counterfactuals import Counterfactual, Lever, LeverStatus
from brvtui.engines.byterover.counterfactuals.case import Case, Trial
from brvtui.engines.byterover.counterfactuals.changes import Change
from brvtui.engines.byterover.sections import Search, SearchOutcome

_ALIKE = 1e-12


@dataclass(frozen=True, slots=True)
class SizedChange:
    """A change, how large it is, and the highest score, unrounded, that it can give the note."""

    change: Change
    amount: float
    max_score: float


@dataclass(frozen=True, slots=True)
class SmallestChange:
    """The smallest candidate that does it, or none; ``trial`` is what became of it, or else of the largest."""

    candidate: SizedChange | None
    trial: Trial | None
    """None when no candidate can reach the score that a direct answer needs."""


def smallest_change(case: Case, candidates: Sequence[SizedChange], is_monotonic: bool) -> SmallestChange:
    """The first of ``candidates``, given smallest first, after which the query is answered at tier 2.

    Those that cannot reach the needed score are not tried. With ``is_monotonic``, a candidate that does it means that
    every larger one of no lower score does too, so the rest is bisected; else every one is tried.
    """
    near = [candidate for candidate in candidates if case.reaches(candidate.max_score)]
    if not near:
        return SmallestChange(None, None)
    first = case.try_change(near[0].change)
    if first.answers:
        return SmallestChange(near[0], first)
    if is_monotonic and all(one.max_score <= other.max_score + _ALIKE for one, other in pairwise(near)):
        return _bisected(case, near, first)
    trial = first
    for candidate in near[1:]:
        trial = case.try_change(candidate.change)
        if trial.answers:
            return SmallestChange(candidate, trial)
    return SmallestChange(None, trial)


def _bisected(case: Case, near: Sequence[SizedChange], first: Trial) -> SmallestChange:
    """:func:`smallest_change` where the first does not do it."""
    low, high = 0, len(near) - 1
    last = case.try_change(near[high].change) if high else first
    if not last.answers:
        return SmallestChange(None, last)
    found = last
    while high - low > 1:
        middle = (low + high) // 2
        trial = case.try_change(near[middle].change)
        if trial.answers:
            high, found = middle, trial
        else:
            low = middle
    return SmallestChange(near[high], found)


def is_monotonic(case: Case) -> bool:
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
    may_be_emptied = search.outcome is not SearchOutcome.MATCHES or (is_large and search.and_failed)
    return not (lends_score or summarises or scoped or may_be_emptied)


def too_low(case: Case, lever: Lever, max_score: float, what: str) -> Counterfactual:
    """The result of ``lever`` when the score, at most ``max_score`` unrounded, stays below the one that is needed."""
    needed, seen = case.context.constants.direct.min_top, case.seen(max_score)
    text = f"{what}: {seen:.2f} at most, {needed:g} is needed"
    return Counterfactual(lever, LeverStatus.IMPOSSIBLE, text, score=seen)


def verified(lever: Lever, change: Change, trial: Trial, text: str, amount: float | None = None) -> Counterfactual:
    """The result of ``lever`` when ``change``, of the size ``amount``, does it."""
    return Counterfactual(lever, LeverStatus.VERIFIED, text, change, amount, trial.score, trial.verdict)


def impossible(lever: Lever, trial: Trial, what: str) -> Counterfactual:
    """The result of ``lever`` when not even the largest change does it, or none of all that there are."""
    text = f"{what}: {trial.verdict}"
    return Counterfactual(lever, LeverStatus.IMPOSSIBLE, text, score=trial.score, verdict=trial.verdict)
