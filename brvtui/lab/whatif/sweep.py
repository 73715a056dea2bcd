"""Runs judged queries over a grid of one or two values, and finds the values at which an outcome changes."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from brvtui.engines.changes import bisected
from brvtui.lab.evaluation.evaluate import Progress
from brvtui.lab.evaluation.results import Metric, QueryResult, mean_of
from brvtui.lab.judgments.model import Judgment, outcome_of
from brvtui.lab.whatif.variant import CLOCK, MOST_DAYS, Control, Value, Variant, read_value, with_value
from brvtui.trace import Check, Hit, Trace
from brvtui.wording import nearest, shortened

# Finds the value at which an outcome changes: by a linear equation if a score or threshold is linear, or by bisection.


_ROUNDING = "rounding"
_NEAR = 1e-9
"""The precision of a solved value: the outcomes at this distance below and above it differ."""
_SOLVED_WITHIN = 6
"""The number of bisections after which equations are no longer tried, because any curve is nearly linear by then."""
_MOST_GUESSES = 12
_MOST_HALVINGS = 60
_MOST_BETWEEN = 8
"""The maximum number of outcome changes that are searched for between two values. Further changes are not found."""


@dataclass(frozen=True, slots=True)
class TierCrossing:
    """A change in a query's outcome between two values."""

    query: str
    """The id of the judgment."""
    before: str
    """The outcome below the value."""
    after: str
    """The outcome above the value."""
    at: Value
    """The value at which the outcome changes, within 1e-9; for whole numbers and choices, the first value with the new
    outcome.
    """
    is_solved: bool
    """True if a linear equation gave the value and queries on both sides confirmed it; False if bisection found it."""


def crossings_between(
    query: str, low: Value, high: Value, trace_at: Callable[[Value], Trace]
) -> Iterator[TierCrossing]:
    """Yields the changes of the outcome of ``query`` from ``low`` to ``high``, in order.

    A change from tier 2 to tier 3 and then to tier 4 is two changes. At most eight changes are searched for, and an
    outcome that changes and changes back may be missed.
    """
    end = outcome_of(trace_at(high))
    for _ in range(_MOST_BETWEEN):
        crossing = crossing_between(query, low, high, trace_at)
        yield crossing
        if crossing.after == end:
            return
        low = crossing.at
        if crossing.is_solved and isinstance(low, float):
            low += _NEAR * max(1.0, abs(low))  # the outcome there is known


def crossing_between(query: str, low: Value, high: Value, trace_at: Callable[[Value], Trace]) -> TierCrossing:
    """A value between ``low`` and ``high`` at which the outcome of ``query`` changes from the one at ``low``."""
    below, above = trace_at(low), trace_at(high)
    before, after = outcome_of(below), outcome_of(above)
    if isinstance(low, (bool, str)) or isinstance(high, (bool, str)):
        return TierCrossing(query, before, after, high, False)
    if isinstance(low, int) and isinstance(high, int):
        return _whole_number_crossing(query, before, low, high, trace_at)
    for halving in range(_MOST_HALVINGS):
        if halving <= _SOLVED_WITHIN:
            for guess in _guesses(low, below, high, above):
                near = _NEAR * max(1.0, abs(guess))
                if outcome_of(trace_at(guess - near)) == before and outcome_of(trace_at(guess + near)) == after:
                    return TierCrossing(query, before, after, guess, True)
        middle = (low + high) / 2
        if high - low <= _NEAR * max(1.0, abs(high)) or not low < middle < high:
            break
        trace = trace_at(middle)
        if outcome_of(trace) == before:
            low, below = middle, trace
        else:
            high, above, after = middle, trace, outcome_of(trace)
    return TierCrossing(query, before, after, high, False)


def _whole_number_crossing(
    query: str, before: str, low: int, high: int, trace_at: Callable[[Value], Trace]
) -> TierCrossing:
    def other_outcome(value: int) -> str | None:
        outcome = outcome_of(trace_at(value))
        return outcome if outcome != before else None

    at, after = bisected(low, high, outcome_of(trace_at(high)), other_outcome)
    return TierCrossing(query, before, after, at, False)


def _guesses(low: float, below: Trace, high: float, above: Trace) -> list[float]:
    """The values from ``low`` to ``high`` at which a check or score, if linear, crosses a limit; empty if over 12."""
    near = 2 * _NEAR * max(1.0, abs(low), abs(high))
    ends = (low, below, high, above)
    values = (*_check_roots(*ends), *_score_roots(*ends), *_rounding_roots(*ends))
    inside = [each for each in dict.fromkeys(values) if low + near < each < high - near]
    return inside if len(inside) <= _MOST_GUESSES else []


def _check_roots(low: float, below: Trace, high: float, above: Trace) -> Iterator[float]:
    """Yields the values between ``low`` and ``high`` at which the margin of a check, if linear, would be zero. Checks
    that pass on only one side come first.
    """
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


def _score_roots(low: float, below: Trace, high: float, above: Trace) -> Iterator[float]:
    """Yields the values at which a score would equal the swept value, which may be a threshold for scores."""
    then = {hit.path: hit.score for hit in above.hits}
    for hit in below.hits:
        if hit.path in then:
            yield from _root(low, hit.score - low, high, then[hit.path] - high)


def _rounding_roots(low: float, below: Trace, high: float, above: Trace) -> Iterator[float]:
    """Yields the values at which the rounding of a score changes."""
    scale = 10.0**below.scale.decimals
    then = {hit.path: hit for hit in above.hits}
    for hit in below.hits:
        other = then.get(hit.path)
        if other is None or not (_is_rounded(hit) and _is_rounded(other)):
            continue
        one, two = _unrounded(hit), _unrounded(other)
        lowest, highest = sorted((one, two))
        steps = range(math.ceil(lowest * scale + 0.5), math.floor(highest * scale + 0.5) + 1)
        if len(steps) <= _MOST_GUESSES:
            for step in steps:
                yield from _root(low, one - (step - 0.5) / scale, high, two - (step - 0.5) / scale)


def _is_rounded(hit: Hit) -> bool:
    return any(part.name == _ROUNDING for part in hit.parts)


def _unrounded(hit: Hit) -> float:
    return sum(part.value for part in hit.parts if part.name != _ROUNDING)


def _root(low: float, one: float, high: float, other: float) -> Iterator[float]:
    """Yields the zero of the line through ``one`` at ``low`` and ``other`` at ``high``, if it is between them."""
    if math.isfinite(one) and math.isfinite(other) and one * other < 0:
        yield low - one * (high - low) / (other - one)


FORM = "CONSTANT=FROM:TO or CONSTANT=FROM:TO:N"
"""The syntax of an axis. An axis without a range covers all values of its slider."""
_POINTS = {1: 21, 2: 11}
"""The default number of values of an axis, by the number of axes."""
_MOST = 200
_GREATEST = 1e9
"""The upper limit of a sweep. Larger constants would not change answers."""
_RANGE = re.compile(r"([^:]+):([^:]+)(?::([0-9]{1,9}))?")


class SweepError(ValueError):
    """A sweep is invalid. The message is one line with the valid syntax."""


class AskableState(Protocol):
    """A state for running queries."""

    def ask(self, judgment: Judgment) -> QueryResult:
        """The result of the query of ``judgment``."""

    def trace(self, judgment: Judgment) -> Trace:
        """The trace of the query of ``judgment``."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A value to vary, and the settings to try, in order."""

    control: Control
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One point of the grid."""

    values: tuple[Value, ...]
    """One value per axis."""
    mean: float | None
    """The mean of the metric over the queries with a value."""
    outcomes: tuple[str, ...]
    """The outcome of each query."""


@dataclass(frozen=True)
class Sweep:
    """The results of the judged queries on a grid."""

    axes: tuple[Axis, ...]
    metric: Metric
    engine: str
    profile: str
    clock: str
    """The time, in ISO 8601 (UTC); for a sweep over days, the time of day 0."""
    others: Variant
    """The replacements that are made at every point, in addition to the axes."""
    queries: tuple[Judgment, ...]
    measured: int
    """The number of queries that have a value for the metric."""
    points: tuple[SweepPoint, ...]
    """The points of the grid, ordered so that the last axis changes fastest."""
    crossings: tuple[TierCrossing, ...]
    """The changes of the queries' outcomes, query by query; empty for a sweep with two axes."""

    def outcomes_at(self, point: SweepPoint) -> dict[str, int]:
        """The number of queries with each outcome at ``point``."""
        names = sorted(set(point.outcomes))
        return {name: point.outcomes.count(name) for name in names}


def parse_axis(text: str, controls: Sequence[Control], axes: int) -> Axis:
    """The axis written as ``direct.min_top``, ``direct.min_top=0.5:1`` or ``direct.min_top=0.5:1:11``.

    ``axes`` is the total number of axes. Raises :class:`SweepError`.
    """
    name, _, written = text.partition("=")
    known = {each.key: each for each in controls}
    control = known.get(name)
    if control is None:
        path, of_note, signal = name.rpartition(":")
        if of_note:
            signals = [each.name for each in controls if each.path == path]
            raise SweepError(f"{path} has no signal {shortened(signal, 40)}{nearest(signal, signals)}")
        hint = nearest(name, (key for key in known if ":" not in key))
        raise SweepError(f"no constant {shortened(name, 60)}{hint}; --list lists them")
    if control.choices:
        if written:
            raise SweepError(f"{name} has no range: leave out ={shortened(written, 40)}; all its values are used")
        return Axis(control, control.choices)
    first, last, count = control.least, control.most, _POINTS[axes]
    if written:
        match = _RANGE.fullmatch(written)
        ends = [read_value(each) for each in match.groups()[:2]] if match else []
        numbers = [each for each in ends if not isinstance(each, (bool, str)) and math.isfinite(each)]
        if match is not None and len(numbers) == 2 and control.least <= numbers[1] < numbers[0]:
            turned = f"{name}={numbers[1]:g}:{numbers[0]:g}{f':{match[3]}' if match[3] else ''}"
            raise SweepError(f"{shortened(text, 60)}: FROM must be below TO; write {turned}")
        if match is None or len(numbers) < 2 or not control.least <= numbers[0] < numbers[1]:
            hint = f"with FROM at least {control.least:g}, such as {name}={control.least:g}:{control.most:g}:{count}"
            raise SweepError(f"{shortened(text, 60)} must be {FORM}, {hint}")
        if numbers[1] > (greatest := MOST_DAYS if control.group == CLOCK else _GREATEST):
            raise SweepError(f"{shortened(text, 60)}: TO must be at most {greatest:g}")
        first, last = numbers
        count = int(match[3]) if match[3] else count
    if not 2 <= count <= _MOST:
        raise SweepError(f"{name}: the number of points must be from 2 to {_MOST}")
    numbers = [first + (last - first) * place / (count - 1) for place in range(count)]
    if isinstance(control.base, int):
        return Axis(control, tuple(dict.fromkeys(round(each) for each in numbers)))
    return Axis(control, tuple(float(f"{each:.12g}") for each in numbers))


def sweep(
    axes: Sequence[Axis],
    judgments: Sequence[Judgment],
    metric: Metric,
    state: Callable[[Variant], AskableState],
    base: Variant,
    names: tuple[str, str, str],
    progress: Progress = lambda done, of: None,
) -> Sweep:
    """Runs the queries of ``judgments`` at every point of the grid of ``axes``, each time with the replacements in
    ``base``.

    ``names`` are the names of the engine and the profile, and the clock. Calls ``progress`` with the number of finished
    points and the total. Raises the errors of ``state`` and of the queries.
    """
    points: list[SweepPoint] = []
    measured = 0
    grid = list(itertools.product(*(axis.values for axis in axes)))
    for number, values in enumerate(grid, start=1):
        at = state(_variant(base, axes, values))
        results = [at.ask(judgment) for judgment in judgments]
        mean = mean_of(result.value(metric) for result in results)
        measured = sum(result.value(metric) is not None for result in results)  # the same at every point
        points.append(SweepPoint(values, mean, tuple(result.outcome for result in results)))
        progress(number, len(grid))
    crossings = tuple(_crossings(axes[0], judgments, points, state, base)) if len(axes) == 1 else ()
    others = without(base, axes)
    return Sweep(tuple(axes), metric, *names, others, tuple(judgments), measured, tuple(points), crossings)


def without(variant: Variant, axes: Sequence[Axis]) -> Variant:
    """``variant`` with the values that ``axes`` vary set back to their base values."""
    return _variant(variant, axes, [axis.control.base for axis in axes])


def _variant(base: Variant, axes: Sequence[Axis], values: Sequence[Value]) -> Variant:
    variant = base
    for axis, value in zip(axes, values, strict=True):
        variant = with_value(variant, axis.control, value)
    return variant


def _crossings(
    axis: Axis,
    judgments: Sequence[Judgment],
    points: Sequence[SweepPoint],
    state: Callable[[Variant], AskableState],
    base: Variant,
) -> Iterator[TierCrossing]:
    for place, judgment in enumerate(judgments):

        def trace_at(value: Value, judgment: Judgment = judgment) -> Trace:
            return state(with_value(base, axis.control, value)).trace(judgment)

        for low, high in itertools.pairwise(points):
            before, after = low.outcomes[place], high.outcomes[place]
            if before != after:
                yield from crossings_between(judgment.id, low.values[0], high.values[0], trace_at)
