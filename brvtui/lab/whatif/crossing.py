"""The value at which a query is answered otherwise: solved where a score or a threshold is linear, else bisected."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from brvtui.lab.judgments.model import outcome_of
from brvtui.lab.whatif.variant import Value
from brvtui.trace import Check, Hit, Trace

_ROUNDING = "rounding"
_NEAR = 1e-9
"""How near a solved value must be: on both sides of it, so far away, the outcomes differ."""
_SOLVED_WITHIN = 6
"""How often an interval is halved before solving is given up: by then any curve looks straight."""
_MOST_GUESSES = 12
_MOST_HALVINGS = 60
_MOST_BETWEEN = 8
"""How many changes are looked for between two values; an outcome that flickers more often is not followed."""


@dataclass(frozen=True, slots=True)
class TierCrossing:
    """Between two values, a query is answered otherwise."""

    query: str
    """The judgment's id."""
    before: str
    """The outcome below."""
    after: str
    """The outcome above."""
    at: Value
    """The value past which it is so; within 1e-9. Of whole numbers and choices, the first that has it."""
    is_solved: bool
    """Whether a linear equation gave the value, and asking on both sides confirmed it; else it was bisected."""


def crossings_between(
    query: str, low: Value, high: Value, trace_at: Callable[[Value], Trace]
) -> Iterator[TierCrossing]:
    """The changes on the way from ``low`` to ``high``, at which ``query`` has different outcomes, in order.

    From tier 2 to tier 4 by way of tier 3 is two. At most eight are sought, and one that changes back may be missed.
    """
    end = outcome_of(trace_at(high))
    for _ in range(_MOST_BETWEEN):
        found = crossing_between(query, low, high, trace_at)
        yield found
        if found.after == end:
            return
        low = found.at
        if found.is_solved and isinstance(low, float):
            low += _NEAR * max(1.0, abs(low))  # the outcome was asked there


def crossing_between(query: str, low: Value, high: Value, trace_at: Callable[[Value], Trace]) -> TierCrossing:
    """Where the outcome that ``query`` has at ``low`` ends, on the way to ``high``, where it has another one."""
    below, above = trace_at(low), trace_at(high)
    before, after = outcome_of(below), outcome_of(above)
    if isinstance(low, (bool, str)) or isinstance(high, (bool, str)):
        return TierCrossing(query, before, after, high, False)
    if isinstance(low, int) and isinstance(high, int):
        return _of_whole(query, before, low, high, trace_at)
    for halving in range(_MOST_HALVINGS):
        if halving <= _SOLVED_WITHIN:
            for guess in _guesses(low, below, high, above):
                near = _NEAR * max(1.0, abs(guess))
                if outcome_of(trace_at(guess - near)) == before and outcome_of(trace_at(guess + near)) == after:
                    return TierCrossing(query, before, after, guess, True)
        middle = (low + high) / 2
        if high - low <= _NEAR * max(1.0, abs(high)) or not low < middle < high:
            break
        found = trace_at(middle)
        if outcome_of(found) == before:
            low, below = middle, found
        else:
            high, above, after = middle, found, outcome_of(found)
    return TierCrossing(query, before, after, high, False)


def _of_whole(query: str, before: str, low: int, high: int, trace_at: Callable[[Value], Trace]) -> TierCrossing:
    while high - low > 1:
        middle = (low + high) // 2
        if outcome_of(trace_at(middle)) == before:
            low = middle
        else:
            high = middle
    return TierCrossing(query, before, outcome_of(trace_at(high)), high, False)


def _guesses(low: float, below: Trace, high: float, above: Trace) -> list[float]:
    """The values between ``low`` and ``high`` at which something that decides changes, if it is linear between them."""
    near = 2 * _NEAR * max(1.0, abs(low), abs(high))
    ends = (low, below, high, above)
    found = (*_of_checks(*ends), *_of_scores(*ends), *_of_rounding(*ends))
    inside = [each for each in dict.fromkeys(found) if low + near < each < high - near]
    return inside if len(inside) <= _MOST_GUESSES else []


def _of_checks(low: float, below: Trace, high: float, above: Trace) -> Iterator[float]:
    """Where margins of comparisons become 0; first those of comparisons that end otherwise."""
    first, second = _checks(below), _checks(above)
    shared = [(first[name], second[name]) for name in first if name in second]
    for one, other in sorted(shared, key=lambda pair: pair[0].passed == pair[1].passed):
        if None not in (one.value, one.threshold, other.value, other.threshold):
            assert one.value is not None
            assert one.threshold is not None
            assert other.value is not None
            assert other.threshold is not None
            yield from _root(low, one.value - one.threshold, high, other.value - other.threshold)


def _checks(trace: Trace) -> dict[tuple[str, str], Check]:
    return {(step.name, check.name): check for step in trace.steps for check in step.checks}


def _of_scores(low: float, below: Trace, high: float, above: Trace) -> Iterator[float]:
    """Where a score becomes as large as the value itself: it may be what scores are compared with, one by one."""
    then = {hit.path: hit.score for hit in above.hits}
    for hit in below.hits:
        if hit.path in then:
            yield from _root(low, hit.score - low, high, then[hit.path] - high)


def _of_rounding(low: float, below: Trace, high: float, above: Trace) -> Iterator[float]:
    """Where a score comes to be rounded to another value."""
    scale = 10.0**below.scale.decimals
    then = {hit.path: hit for hit in above.hits}
    for hit in below.hits:
        other = then.get(hit.path)
        if other is None or not (_is_rounded(hit) and _is_rounded(other)):
            continue
        one, two = _unrounded(hit), _unrounded(other)
        least, most = sorted((one, two))
        steps = range(math.ceil(least * scale + 0.5), math.floor(most * scale + 0.5) + 1)
        if len(steps) <= _MOST_GUESSES:
            for step in steps:
                yield from _root(low, one - (step - 0.5) / scale, high, two - (step - 0.5) / scale)


def _is_rounded(hit: Hit) -> bool:
    return any(part.name == _ROUNDING for part in hit.parts)


def _unrounded(hit: Hit) -> float:
    return sum(part.value for part in hit.parts if part.name != _ROUNDING)


def _root(low: float, one: float, high: float, other: float) -> Iterator[float]:
    """Where the line through ``one`` at ``low`` and ``other`` at ``high`` is 0, if it is between them."""
    if math.isfinite(one) and math.isfinite(other) and one * other < 0:
        yield low - one * (high - low) / (other - one)
