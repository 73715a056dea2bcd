"""Changes of numbers: the hits, age, maturity and importance of the note, and the signals of its runner-up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from brvtui.engines.byterover.ageing.after_changes import accessed
from brvtui.engines.byterover.counterfactuals import Counterfactual, Lever, LeverStatus
from brvtui.engines.byterover.counterfactuals.case import Case, Trial
from brvtui.engines.byterover.counterfactuals.changes import SignalsSet, TimeSet
from brvtui.engines.byterover.counterfactuals.smallest_change import (
    SizedChange,
    SmallestChange,
    impossible,
    is_monotonic,
    smallest_change,
    too_low,
    verified,
)
from brvtui.engines.byterover.search.scoring import inputs_of
from brvtui.ranking.ceiling import HORIZON_DAYS
from brvtui.ranking.constants import SignalRules
from brvtui.ranking.decay import MS_PER_DAY
from brvtui.ranking.maturity import LEVELS
from brvtui.trace import Hit, Origin
from brvtui.tree.reading.signals import NoteSignals
from brvtui.wording import counted

STEPS_A_DAY = 10
"""The resolution of ages."""
_NO_CHANGE = "there is none that changes anything"


def hits(case: Case) -> Counterfactual:
    """More access hits: the smallest number that suffices."""
    states = after_hits(case.signals, case.context.constants.signals)
    candidates = _signals(case, states, range(1, len(states) + 1))
    return _of_signals(case, Lever.HITS, candidates, "no number of hits")


def importance(case: Case) -> Counterfactual:
    """A higher importance, in whole numbers."""
    own = case.signals
    last = math.floor(min(case.context.constants.signals.max_importance, 100))
    values = range(math.floor(own.importance) + 1, last + 1)
    candidates = _signals(case, [replace(own, importance=float(value)) for value in values], values)
    return _of_signals(case, Lever.IMPORTANCE, candidates, "no importance")


def maturity(case: Case) -> Counterfactual:
    """A higher maturity."""
    above = LEVELS[LEVELS.index(case.signals.maturity) + 1 :]
    states = [replace(case.signals, maturity=level) for level in above]
    candidates = _signals(case, states, [LEVELS.index(level) for level in above])
    return _of_signals(case, Lever.MATURITY, candidates, "no maturity")


def age(case: Case) -> Counterfactual:
    """An edit no longer ago than so many days, in tenths; one of a moment ago counts as 0.

    Where a younger note may do worse (:func:`is_monotonic`), whole days are tried, each by itself.
    """
    steady = is_monotonic(case)
    days = min(case.days, HORIZON_DAYS)
    steps = range(int(days * STEPS_A_DAY), -1, -1) if steady else range(int(days) * STEPS_A_DAY, -1, -STEPS_A_DAY)
    candidates = _ages(case, steps)
    what = "not even edited today"
    if not case.reaches(candidates[-1].max_score):
        return too_low(case, Lever.AGE, candidates[-1].max_score, what)
    found = smallest_change(case, candidates, steady)
    assert found.trial is not None  # the last one reaches
    if found.candidate is not None:
        amount = found.candidate.amount
        return verified(Lever.AGE, found.candidate.change, found.trial, _when(case, amount, steady), amount)
    if not steady:
        return Counterfactual(Lever.AGE, LeverStatus.OPEN, f"edited on no day until today: {found.trial.verdict}")
    return impossible(Lever.AGE, found.trial, what)


def after_hits(signals: NoteSignals, rules: SignalRules) -> list[NoteSignals]:
    """The stored signals after 1, 2, … access hits, as far as these change importance or maturity."""
    made: list[NoteSignals] = []
    state = signals
    while True:
        then = accessed(state, rules)
        if (then.importance, then.maturity) == (state.importance, state.maturity):
            return made
        state = then
        made.append(state)


def _signals(case: Case, signals: Sequence[NoteSignals], amounts: Sequence[float]) -> list[SizedChange]:
    days = np.full(len(signals), case.days)
    max_score = case.max_scores(
        inputs_of(signals, case.note.is_local, case.context.constants.score), days, case.relevance
    )
    changes = [SignalsSet(case.note.path, one) for one in signals]
    return list(map(SizedChange, changes, amounts, max_score.tolist()))


def _ages(case: Case, steps: Sequence[int]) -> list[SizedChange]:
    days = np.asarray(steps) / STEPS_A_DAY
    max_score = case.max_scores(case.inputs, np.maximum(days, 1 / MS_PER_DAY), case.relevance)
    now_ms = math.ceil(case.context.now_ms)
    changes = [TimeSet(case.note.path, now_ms - max(1, round(day * MS_PER_DAY))) for day in days.tolist()]
    return list(map(SizedChange, changes, days.tolist(), max_score.tolist()))


def _when(case: Case, days: float, steady: bool) -> str:
    if not case.days:
        return f"a moment later: its stored recency {case.signals.recency:g} counts at exactly 0 days alone"
    when = (
        "edited today"
        if not days
        else f"edited within the last {days:g} days"
        if steady
        else f"edited {days:g} days ago"
    )
    return f"{when}, not {case.days:.1f} days ago"


def _of_signals(case: Case, lever: Lever, candidates: Sequence[SizedChange], what: str) -> Counterfactual:
    if case.ignores_signals:
        return Counterfactual(
            lever, LeverStatus.IMPOSSIBLE, f"{what}: the engine ignores all stored signals of this tree"
        )
    if not candidates:
        return Counterfactual(lever, LeverStatus.IMPOSSIBLE, f"{what}: {_NO_CHANGE}")
    found = smallest_change(case, candidates, is_monotonic(case))
    if found.trial is None:
        return too_low(case, lever, max(candidate.max_score for candidate in candidates), what)
    if found.candidate is None:
        return impossible(lever, found.trial, what)
    text = _in_words(case, lever, found.candidate)
    return verified(lever, found.candidate.change, found.trial, text, found.candidate.amount)


def _in_words(case: Case, lever: Lever, found: SizedChange) -> str:
    assert isinstance(found.change, SignalsSet)
    before, after = case.signals, found.change.signals
    raised = f"importance {after.importance:g} instead of {before.importance:g}"
    if lever is Lever.IMPORTANCE:
        return raised
    changed = f"{after.maturity} instead of {before.maturity}"
    if lever is Lever.MATURITY:
        return changed
    level = changed if after.maturity != before.maturity else f"still {after.maturity}"
    return f"{counted(int(found.amount), 'more hit', 'more hits')}: {raised}, {level}"


def runner_up(case: Case) -> Counterfactual:
    """Lower signals of the runner-up: less importance, else a lower maturity, else both."""
    now = case.max_score(relevance=case.relevance)
    if not case.reaches(now):
        return too_low(case, Lever.RUNNER_UP, now, "the note's own score is short")
    rival = _rival(case)
    if rival is None:
        return Counterfactual(
            Lever.RUNNER_UP, LeverStatus.IMPOSSIBLE, "no other result is near enough to be in the way"
        )
    if rival.origin not in (Origin.TEXT, Origin.NAME) or rival.shared_source or case.ignores_signals:
        return Counterfactual(Lever.RUNNER_UP, LeverStatus.OPEN, f"{rival.title} has no signals that could be lowered")
    return _lowered(case, rival)


def _rival(case: Case) -> Hit | None:
    """The first result that reaches the prompt, in the order of the gates, and is not the note itself."""
    others = [hit for hit in case.trace.hits if hit.file != case.note.path or hit.origin is Origin.PROPAGATED]
    return next((hit for hit in others if hit.score >= case.context.constants.direct.prefetch), None)


def _lowered(case: Case, rival: Hit) -> Counterfactual:
    own = case.context.snapshot.signals[case.context.snapshot.by_path[rival.file]]
    lowest = replace(own, importance=0.0, maturity=LEVELS[0])
    values = range(math.ceil(own.importance) - 1, -1, -1)
    levels = LEVELS[: LEVELS.index(own.maturity)][::-1]
    only_importance = [replace(own, importance=float(value)) for value in values]
    only_maturity = [replace(own, maturity=level) for level in levels]
    both = [replace(lowest, importance=float(value)) for value in values] if levels else []
    last: Trial | None = None
    for tried in (only_importance, only_maturity, both):
        found = _least_lowered(case, rival.file, tried)
        last = found.trial or last
        if found.candidate is not None and found.trial is not None:
            text = _lowered_in_words(rival.title, own, found.candidate)
            return verified(Lever.RUNNER_UP, found.candidate.change, found.trial, text, found.candidate.amount)
    what = f"not even with {rival.title} as a draft of importance 0"
    return (
        impossible(Lever.RUNNER_UP, last, what)
        if last
        else Counterfactual(Lever.RUNNER_UP, LeverStatus.IMPOSSIBLE, what)
    )


def _least_lowered(case: Case, path: str, signals: Sequence[NoteSignals]) -> SmallestChange:
    own = case.max_score(relevance=case.relevance)
    candidates = [SizedChange(SignalsSet(path, state), state.importance, own) for state in signals]
    return smallest_change(case, candidates, _is_steady_below(case, path))


def _is_steady_below(case: Case, path: str) -> bool:
    """Whether a runner-up that falls further can only leave the note more room.

    Below the score that no unmatched word undoes, who is among the first decides whether there is an answer at all.
    """
    rules = case.context.constants
    sure = case.max_score(relevance=case.relevance) >= rules.out_of_domain.escape
    summarises = any(summary.file == path for summary in case.context.snapshot.summaries.values())
    return sure and not summarises and is_monotonic(case)


def _lowered_in_words(title: str, before: NoteSignals, found: SizedChange) -> str:
    assert isinstance(found.change, SignalsSet)
    after = found.change.signals
    parts = []
    if after.importance != before.importance:
        parts.append(f"importance {after.importance:g} instead of {before.importance:g}")
    if after.maturity != before.maturity:
        parts.append(f"{after.maturity} instead of {before.maturity}")
    return f"{title}: {', '.join(parts)}"
