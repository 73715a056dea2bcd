"""Changes of the note behind the first that let the first lead by enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from brvtui.engines.byterover.counterfactuals.case import Case, Judged
from brvtui.engines.byterover.counterfactuals.changes import SignalsSet
from brvtui.engines.byterover.counterfactuals.least import (
    CandidateChange,
    Least,
    in_vain,
    is_steady,
    least,
    too_low,
    verified,
)
from brvtui.engines.byterover.counterfactuals.levers import Lever, LeverStatus, Way
from brvtui.ranking.maturity import LEVELS
from brvtui.trace import Hit, Origin
from brvtui.tree.reading.signals import NoteSignals

_LEVER = Lever.RUNNER_UP


def runner_up(case: Case) -> Way:
    """Lower signals of the runner-up: less importance, else a lower maturity, else both."""
    now = case.most(relevance=case.relevance)
    if not case.reaches(now):
        return too_low(case, _LEVER, now, "the note's own score is short")
    rival = _rival(case)
    if rival is None:
        return Way(_LEVER, LeverStatus.IMPOSSIBLE, "no other result is near enough to be in the way")
    if rival.origin not in (Origin.TEXT, Origin.NAME) or rival.shared_source or case.ignores_signals:
        return Way(_LEVER, LeverStatus.OPEN, f"{rival.title} has no signals that could be lowered")
    return _lowered(case, rival)


def _rival(case: Case) -> Hit | None:
    """The first result that reaches the prompt, in the order of the gates, and is not the note itself."""
    others = [hit for hit in case.trace.hits if hit.file != case.note.path or hit.origin is Origin.PROPAGATED]
    return next((hit for hit in others if hit.score >= case.context.constants.direct.prefetch), None)


def _lowered(case: Case, rival: Hit) -> Way:
    own = case.context.snapshot.signals[case.context.snapshot.by_path[rival.file]]
    lowest = replace(own, importance=0.0, maturity=LEVELS[0])
    values = range(math.ceil(own.importance) - 1, -1, -1)
    levels = LEVELS[: LEVELS.index(own.maturity)][::-1]
    only_importance = [replace(own, importance=float(value)) for value in values]
    only_maturity = [replace(own, maturity=level) for level in levels]
    both = [replace(lowest, importance=float(value)) for value in values] if levels else []
    last: Judged | None = None
    for tried in (only_importance, only_maturity, both):
        found = _least(case, rival.file, tried)
        last = found.judged or last
        if found.candidate is not None and found.judged is not None:
            return verified(_LEVER, found.candidate, found.judged, _said(rival.title, own, found.candidate))
    what = f"not even with {rival.title} as a draft of importance 0"
    return in_vain(_LEVER, last, what) if last else Way(_LEVER, LeverStatus.IMPOSSIBLE, what)


def _least(case: Case, path: str, signals: Sequence[NoteSignals]) -> Least:
    own = case.most(relevance=case.relevance)
    candidates = [CandidateChange(SignalsSet(path, state), state.importance, own) for state in signals]
    return least(case, candidates, _is_steady(case, path))


def _is_steady(case: Case, path: str) -> bool:
    """Whether a runner-up that falls further can only leave the note more room.

    Below the score that no unmatched word undoes, who is among the first decides whether there is an answer at all.
    """
    rules = case.context.constants
    sure = case.most(relevance=case.relevance) >= rules.out_of_domain.escape
    summarises = any(summary.file == path for summary in case.context.snapshot.summaries.values())
    return sure and not summarises and is_steady(case)


def _said(title: str, before: NoteSignals, found: CandidateChange) -> str:
    assert isinstance(found.change, SignalsSet)
    after = found.change.signals
    parts = []
    if after.importance != before.importance:
        parts.append(f"importance {after.importance:g} instead of {before.importance:g}")
    if after.maturity != before.maturity:
        parts.append(f"{after.maturity} instead of {before.maturity}")
    return f"{title}: {', '.join(parts)}"
