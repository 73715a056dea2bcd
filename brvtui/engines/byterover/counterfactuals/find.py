"""Finds the smallest changes after which a query is answered at tier 2 (``docs/engine.md``, "What it would take").

Every change that is listed was put to the router; what is called impossible is proven so.
"""

from __future__ import annotations

from collections.abc import Callable

from brvtui.engines.byterover.context import Context
from brvtui.engines.byterover.counterfactuals import Counterfactual, Counterfactuals, Lever, LeverStatus, numbers, words
from brvtui.engines.byterover.counterfactuals.case import Cancelled, Case
from brvtui.engines.byterover.counterfactuals.numbers import runner_up
from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.reasons.why_not import Loss
from brvtui.engines.byterover.sections import Outcome, Route, Search, SearchOutcome
from brvtui.trace import Ladder, Origin, Trace

_WITHOUT_MODEL = (Outcome.DIRECT, Outcome.EXACT_CACHE, Outcome.FUZZY_CACHE)
_OF_THE_TREE = (
    Lever.HITS,
    Lever.AGE,
    Lever.MATURITY,
    Lever.IMPORTANCE,
    Lever.RUNNER_UP,
    Lever.TITLE,
)


def find_counterfactuals(
    context: Context,
    trace: Trace,
    path: str = "",
    cancelled: Callable[[], bool] = lambda: False,
) -> Counterfactuals | None:
    """The smallest changes after which the query of ``trace`` is answered directly, on the snapshot of ``context``.

    The answer is to be led by the note at ``path``; without one, by the best result or the nearest miss. None when
    the query needs no model as it is, or when ``cancelled`` became true meanwhile.
    """
    snapshot, profile = context.snapshot, context.constants
    outcome = trace.section(Route).outcome
    if outcome in _WITHOUT_MODEL and not (path and outcome is Outcome.DIRECT):
        return None
    file = path or _nearest(context, trace)
    if not file:
        return _of_no_note(profile, trace)
    if file not in snapshot.by_path:
        ways = _all_impossible(tuple(Lever), "the file is not searched")
        name = file.rpartition("/")[2]
        return Counterfactuals(trace.query, outcome, file, name, None, None, profile.direct.min_top, ways)
    case = Case(context, trace, snapshot.by_path[file], cancelled)
    if outcome is Outcome.DIRECT and trace.hits and _leads(trace, file, profile):
        return None
    try:
        ways = _ways(case)
    except Cancelled:
        return None
    score = next((hit.score for hit in trace.hits if hit.file == file and hit.origin is not Origin.PROPAGATED), None)
    if score is None and case.relevance > 0:
        score = case.seen(case.max_score(relevance=case.relevance))
    return Counterfactuals(
        trace.query, outcome, file, case.note.title, score, case.max_score(), profile.direct.min_top, ways
    )  # fmt: skip


def _leads(trace: Trace, file: str, profile: Profile) -> bool:
    first = next((hit for hit in trace.hits if hit.score >= profile.direct.prefetch), None)
    return first is not None and first.file == file


def _nearest(context: Context, trace: Trace) -> str:
    """The note that came nearest to leading a direct answer; empty when none matches.

    The gates look at the first result that reaches the prompt, also when entity searches added a better one behind it.
    """
    snapshot, profile = context.snapshot, context.constants
    found = [hit for hit in trace.hits if hit.origin is not Origin.PROPAGATED]
    first = [hit.file for hit in found if hit.score >= profile.direct.prefetch]
    best = [hit.file for hit in sorted(found, key=lambda hit: -hit.score)]
    missed = [miss.file for miss in trace.section(Search).near_misses]
    liked = [hit.file for hit in trace.section(Ladder).hits]
    return next((file for file in (*first, *best, *missed, *liked) if file in snapshot.by_path), "")


def _ways(case: Case) -> tuple[Counterfactual, ...]:
    if case.trace.section(Search).outcome is SearchOutcome.ENGINE_FAILS:
        return _all_impossible(tuple(Lever), Loss.ENGINE_FAILS.value)
    made = [*_of_note(case), words.wording(case), words.path(case)]
    return tuple(sorted(made, key=lambda way: list(Lever).index(way.lever)))


def _of_note(case: Case) -> tuple[Counterfactual, ...]:
    if not case.note.is_local:
        return _all_impossible(_OF_THE_TREE, f"the shared source {case.note.alias} is read only")
    if not case.relevance:
        needs_match = tuple(lever for lever in _OF_THE_TREE if lever is not Lever.TITLE)
        return (*_all_impossible(needs_match, "no word of the query matches the note"), words.title(case, False))
    age = numbers.age(case)
    return (
        numbers.hits(case),
        age,
        numbers.maturity(case),
        numbers.importance(case),
        runner_up(case),
        words.title(case, age.is_verified),
    )


def _of_no_note(profile: Profile, trace: Trace) -> Counterfactuals:
    if trace.section(Search).outcome is SearchOutcome.ENGINE_FAILS:
        ways = _all_impossible(tuple(Lever), Loss.ENGINE_FAILS.value)
    else:
        why = "no note matches any word of the query"
        unnamed = "no note to try it with: brv-tui explain TEXT PATH --takes names one"
        ways = (
            *_all_impossible(tuple(lever for lever in _OF_THE_TREE if lever is not Lever.TITLE), why),
            *(Counterfactual(lever, LeverStatus.OPEN, unnamed) for lever in (Lever.TITLE, Lever.WORDING, Lever.PATH)),
        )
    return Counterfactuals(trace.query, trace.section(Route).outcome, "", "", None, None, profile.direct.min_top, ways)


def _all_impossible(levers: tuple[Lever, ...], why: str) -> tuple[Counterfactual, ...]:
    return tuple(Counterfactual(lever, LeverStatus.IMPOSSIBLE, why) for lever in levers)
