"""Changes of one number of the note: hits, age, maturity, importance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from brvtui.engines.byterover.ageing.after_changes import accessed
from brvtui.engines.byterover.counterfactuals.case import Case
from brvtui.engines.byterover.counterfactuals.changes import SignalsSet, TimeSet
from brvtui.engines.byterover.counterfactuals.least import CandidateChange, in_vain, is_steady, least, too_low, verified
from brvtui.engines.byterover.counterfactuals.levers import Lever, LeverStatus, Way
from brvtui.engines.byterover.search.scoring import inputs_of
from brvtui.ranking.ceiling import HORIZON_DAYS
from brvtui.ranking.constants import SignalRules
from brvtui.ranking.decay import MS_PER_DAY
from brvtui.ranking.maturity import LEVELS
from brvtui.tree.reading.signals import NoteSignals
from brvtui.wording import counted

STEPS_A_DAY = 10
"""How finely ages are told apart."""
_NO_CHANGE = "there is none that changes anything"


def hits(case: Case) -> Way:
    """So many access hits."""
    states = after_hits(case.signals, case.context.constants.signals)
    candidates = _signals(case, states, range(1, len(states) + 1))
    return _of_signals(case, Lever.HITS, candidates, "no number of hits")


def importance(case: Case) -> Way:
    """A higher importance, in whole numbers."""
    own = case.signals
    last = math.floor(min(case.context.constants.signals.max_importance, 100))
    values = range(math.floor(own.importance) + 1, last + 1)
    candidates = _signals(case, [replace(own, importance=float(value)) for value in values], values)
    return _of_signals(case, Lever.IMPORTANCE, candidates, "no importance")


def maturity(case: Case) -> Way:
    """A higher maturity."""
    above = LEVELS[LEVELS.index(case.signals.maturity) + 1 :]
    states = [replace(case.signals, maturity=level) for level in above]
    candidates = _signals(case, states, [LEVELS.index(level) for level in above])
    return _of_signals(case, Lever.MATURITY, candidates, "no maturity")


def age(case: Case) -> Way:
    """An edit no longer ago than so many days, in tenths; one of a moment ago counts as 0.

    Where a younger note may do worse (:func:`is_steady`), whole days are tried, each by itself.
    """
    steady = is_steady(case)
    days = min(case.days, HORIZON_DAYS)
    steps = range(int(days * STEPS_A_DAY), -1, -1) if steady else range(int(days) * STEPS_A_DAY, -1, -STEPS_A_DAY)
    candidates = _ages(case, steps)
    what = "not even edited today"
    if not case.reaches(candidates[-1].most):
        return too_low(case, Lever.AGE, candidates[-1].most, what)
    found = least(case, candidates, steady)
    assert found.judged is not None  # the last one reaches
    if found.candidate is not None:
        return verified(Lever.AGE, found.candidate, found.judged, _when(case, found.candidate.amount, steady))
    if not steady:
        return Way(Lever.AGE, LeverStatus.OPEN, f"edited on no day until today: {found.judged.verdict}")
    return in_vain(Lever.AGE, found.judged, what)


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


def _signals(case: Case, signals: Sequence[NoteSignals], amounts: Sequence[float]) -> list[CandidateChange]:
    days = np.full(len(signals), case.days)
    most = case.each_most(inputs_of(signals, case.note.is_local, case.context.constants.score), days, case.relevance)
    changes = [SignalsSet(case.note.path, one) for one in signals]
    return list(map(CandidateChange, changes, amounts, most.tolist()))


def _ages(case: Case, steps: Sequence[int]) -> list[CandidateChange]:
    days = np.asarray(steps) / STEPS_A_DAY
    most = case.each_most(case.inputs, np.maximum(days, 1 / MS_PER_DAY), case.relevance)
    now_ms = math.ceil(case.context.now_ms)
    changes = [TimeSet(case.note.path, now_ms - max(1, round(day * MS_PER_DAY))) for day in days.tolist()]
    return list(map(CandidateChange, changes, days.tolist(), most.tolist()))


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


def _of_signals(case: Case, lever: Lever, candidates: Sequence[CandidateChange], what: str) -> Way:
    if case.ignores_signals:
        return Way(lever, LeverStatus.IMPOSSIBLE, f"{what}: the engine ignores all stored signals of this tree")
    if not candidates:
        return Way(lever, LeverStatus.IMPOSSIBLE, f"{what}: {_NO_CHANGE}")
    found = least(case, candidates, is_steady(case))
    if found.judged is None:
        return too_low(case, lever, max(candidate.most for candidate in candidates), what)
    if found.candidate is None:
        return in_vain(lever, found.judged, what)
    return verified(lever, found.candidate, found.judged, _said(case, lever, found.candidate))


def _said(case: Case, lever: Lever, found: CandidateChange) -> str:
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
