"""The gates of a route. Each gate returns a step with the gate's decision and the reason
(``docs/reference/byterover.md``).

The verdict is the first step that takes the query. Gates compare the rounded scores of the hits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from brvtui.engines.advice import NO_WORDS
from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.sections import ESCAPE, Search
from brvtui.trace import Check, Hit, State, Step
from brvtui.trace.routing import Outcome, SearchOutcome
from brvtui.wording import counted

_RULE = "the-tiers"
_GateResult = tuple[bool, tuple[Check, ...], str]


def prefetched(hits: Sequence[Hit], profile: Profile) -> tuple[Hit, ...]:
    """The hits that a direct answer or a prompt quotes: the first ones that reach the prefetch threshold."""
    reaching = [hit for hit in hits if hit.score >= profile.direct.prefetch]
    return tuple(reaching[: profile.direct.max_notes])


def out_of_domain(found: Search, hits: Sequence[Hit]) -> Step:
    """The step that handles a query without results. If ByteRover's search would fail, it passes the query on
    to the gates.
    """
    fails = not hits and found.outcome is SearchOutcome.ENGINE_FAILS
    covered = None if fails else bool(hits)
    results = Check("results", float(len(hits)), ">", 0.0, covered, float(len(hits)), "", "out-of-domain")
    further = ", all from further searches" if hits and not found.hits else ""
    why = f"{counted(len(hits), 'result', 'results')}{further}" if hits else _why_nothing(found)
    state = State.SKIPPED if fails else State.PASSED if covered else State.TAKEN
    return Step("out_of_domain", None, "coverage", state, (*found.out_of_domain, results), why)


def gate_steps(hits: Sequence[Hit], profile: Profile, reached: bool) -> tuple[Step, ...]:
    """The steps of the gates in order. Gates after the one that takes the query are not reached. If ``reached`` is
    false, no gate is.
    """
    steps = []
    for gate in _GATES:
        took, checks, why = gate.decide(hits, profile) if reached else (False, (), "")
        state = State.NOT_REACHED if not reached else State.TAKEN if took else State.FAILED
        steps.append(Step(gate.name, gate.tier, gate.label, state, checks, why, profile.router.expected[gate.tier]))
        reached = reached and not took
    return tuple(steps)


def _direct_answer(hits: Sequence[Hit], profile: Profile) -> _GateResult:
    """The gate that takes a query if the notes answer it without a model."""
    checks = _direct_checks(hits, prefetched(hits, profile), profile)
    took = bool(checks[-1].passed)
    return took, checks, _passed(checks) if took else failed(checks)


def _single_call(hits: Sequence[Hit], profile: Profile) -> _GateResult:
    """The gate that takes a query if there is a note to quote to a model."""
    limits = profile.direct
    reaching = sum(hit.score >= limits.prefetch for hit in hits)
    best = max((hit.score for hit in hits), default=None)
    note = f"{counted(reaching, 'result reaches', 'results reach')} it"
    check = _check("best score", best, limits.prefetch, "direct.prefetch", reaching > 0, note)
    quoted = len(prefetched(hits, profile))
    why = f"{counted(quoted, 'note reaches', 'notes reach')} {limits.prefetch:g}"
    if quoted < reaching:
        reach = counted(reaching, "result that reaches", "results that reach")
        why = f"{quoted} of the {reach} {limits.prefetch:g} are quoted"
    return bool(quoted), (check,), why


class _Gate(NamedTuple):
    """One gate. ``decide`` returns True if the gate takes the query, followed by the checks and the reason."""

    name: str
    tier: int
    label: str
    outcome: Outcome
    decide: Callable[[Sequence[Hit], Profile], _GateResult]


_GATES = (
    _Gate("direct", 2, "direct answer", Outcome.DIRECT, _direct_answer),
    _Gate("single_call", 3, "one model call", Outcome.SINGLE_CALL, _single_call),
    _Gate("agentic_loop", 4, "agent loop", Outcome.AGENTIC_LOOP, lambda hits, profile: (True, (), "")),
)
OUTCOMES = {gate.name: gate.outcome for gate in _GATES}
"""The outcome of a query that a gate takes, keyed by the name of the gate's step."""


def failed(checks: Sequence[Check]) -> str:
    """The last failed check in ``checks`` and its margin, in a few words."""
    check = next((check for check in reversed(checks) if check.passed is False), None) or checks[0]
    if check.threshold is None:
        return check.name
    if check.value is None or check.margin is None:
        return f"{check.name}: no value to compare with {check.threshold:g}"
    short = -check.margin
    lacked = f"{short:.2f}" if short >= 0.005 else f"{short:.2g}"
    value = f"{check.value:.2f}" if float(f"{check.value:.2f}") < check.threshold else f"{check.value:.6g}"
    return f"{check.name} {value} is {lacked} short of {check.threshold:g}"


def _direct_checks(hits: Sequence[Hit], quoted: tuple[Hit, ...], profile: Profile) -> tuple[Check, ...]:
    """The checks for a direct answer. The last one decides; it is not reached if the top score is too low."""
    limits = profile.direct
    first = quoted[0].score if quoted else (hits[0].score if hits else None)
    top_ok = bool(quoted) and quoted[0].score >= limits.min_top
    top = _check("top score", first, limits.min_top, "direct.min_top", top_ok)
    if not top_ok:
        unreached = (
            Check("sure top", None, "≥", limits.sure_top, None, None, "direct.sure_top", _RULE, "not reached"),
            Check("lead over the next", None, "≥", limits.min_gap, None, None, "direct.min_gap", _RULE, "not reached"),
        )
        return (top, *unreached)
    if len(quoted) == 1:
        note = "no other result reaches the prompt"
        return (top, Check("notes to choose from", 1, "=", 1, True, 0.0, "direct.max_notes", _RULE, note))
    sure = quoted[0].score >= limits.sure_top
    sure_check = _check("sure top", first, limits.sure_top, "direct.sure_top", sure, "no lead needed" if sure else "")
    if sure:
        return (top, sure_check)
    gap = quoted[0].score - quoted[1].score
    note = f"to {quoted[1].title}" if quoted[1].title else ""
    lead = _check("lead over the next", gap, limits.min_gap, "direct.min_gap", gap >= limits.min_gap, note)
    return (top, sure_check, lead)


def _check(name: str, value: float | None, threshold: float, constant: str, passed: bool, note: str = "") -> Check:
    margin = None if value is None else value - threshold
    return Check(name, value, "≥", threshold, passed, margin, constant, _RULE, note)


def _passed(checks: Sequence[Check]) -> str:
    """The check that let the direct answer pass the gates, in a few words."""
    top, last = checks[0], checks[-1]
    if last.constant == "direct.max_notes":
        return f"top {top.value:.2f}, and no other result reaches the prompt"
    if last.constant == "direct.sure_top":
        return f"top {top.value:.2f} reaches {last.threshold:g}, so no lead is needed"
    return f"top {top.value:.2f}, and {last.value:.2f} ahead of the next"


def _why_nothing(found: Search) -> str:
    """The reason why nothing was found, in a few words."""
    if found.outcome is SearchOutcome.BELOW_FLOOR:
        floor = next(check for check in found.out_of_domain if check.name == "relevance floor")
        return f"the best match, {floor.value:.2f}, is below the floor of {floor.threshold:g}"
    if found.outcome is SearchOutcome.UNMATCHED_WORDS:
        words = ", ".join(f"“{word}”" for word in found.unmatched_words)
        escape = next(check for check in found.out_of_domain if check.name == ESCAPE)
        top = f"the top score, {found.top:.2f}, is under {escape.threshold:g}"
        return f"no note matches all words, {top}, and none of the best matches contains {words}"
    if found.outcome is SearchOutcome.NO_TOKENS:
        return NO_WORDS
    if found.outcome is SearchOutcome.ENGINE_FAILS:
        return "the search failed"
    return "no note matches any word"
