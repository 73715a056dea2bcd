"""Sweeps: judged queries over a grid of one or two values, and the points at which a query is answered otherwise."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from brvtui.lab.evaluation.evaluate import Progress
from brvtui.lab.evaluation.metrics import Metric
from brvtui.lab.evaluation.results import QueryResult, mean_of
from brvtui.lab.judgments.model import Judgment
from brvtui.lab.whatif.controls import CLOCK, Control, with_value
from brvtui.lab.whatif.crossing import TierCrossing, crossings_between
from brvtui.lab.whatif.variant import MOST_DAYS, Value, Variant, read_value
from brvtui.trace import Trace
from brvtui.wording import nearest, shortened

FORM = "CONSTANT=FROM:TO or CONSTANT=FROM:TO:N"
"""How an axis is written; without the range, all values that its slider has are meant."""
_POINTS = {1: 21, 2: 11}
"""How many values an axis has that names no number, by the number of axes."""
_MOST = 200
_GREATEST = 1e9
"""The end of a sweep: beyond it, no constant changes an answer."""
_RANGE = re.compile(r"([^:]+):([^:]+)(?::([0-9]{1,9}))?")


class SweepError(ValueError):
    """A sweep that cannot be: the message is one line that says what to write."""


class AskableState(Protocol):
    """A state in which queries can be asked."""

    def ask(self, judgment: Judgment) -> QueryResult:
        """How the query of ``judgment`` is answered."""

    def trace(self, judgment: Judgment) -> Trace:
        """The trace of the query of ``judgment``."""


@dataclass(frozen=True, slots=True)
class Axis:
    """What is changed, and the values that it takes, in order."""

    control: Control
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One point of the grid."""

    values: tuple[Value, ...]
    """One for each axis."""
    mean: float | None
    """Of the metric, over the queries for which it means something."""
    outcomes: tuple[str, ...]
    """Of each query."""


@dataclass(frozen=True)
class Sweep:
    """Judged queries over a grid."""

    axes: tuple[Axis, ...]
    metric: Metric
    engine: str
    profile: str
    clock: str
    """The moment, ISO 8601 in UTC; of a sweep over days, that from which they count."""
    others: Variant
    """What is replaced at every point, beside what the axes replace."""
    queries: tuple[Judgment, ...]
    measured: int
    """How many of the queries the metric means something for."""
    points: tuple[SweepPoint, ...]
    """The last axis changes first."""
    crossings: tuple[TierCrossing, ...]
    """Of a sweep over one axis, by query."""

    def outcomes_at(self, point: SweepPoint) -> dict[str, int]:
        """How many queries have each outcome at ``point``."""
        names = sorted(set(point.outcomes))
        return {name: point.outcomes.count(name) for name in names}


def parse_axis(text: str, controls: Sequence[Control], axes: int) -> Axis:
    """The axis that is written ``direct.min_top``, ``direct.min_top=0.5:1`` or ``direct.min_top=0.5:1:11``.

    ``axes`` is how many there are in all. Raises :class:`SweepError`.
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
            raise SweepError(f"{name} has no range: leave out ={shortened(written, 40)}, all its values are taken")
        return Axis(control, control.choices)
    first, last, count = control.least, control.most, _POINTS[axes]
    if written:
        found = _RANGE.fullmatch(written)
        ends = [read_value(each) for each in found.groups()[:2]] if found else []
        numbers = [each for each in ends if not isinstance(each, (bool, str)) and math.isfinite(each)]
        if found is not None and len(numbers) == 2 and control.least <= numbers[1] < numbers[0]:
            turned = f"{name}={numbers[1]:g}:{numbers[0]:g}{f':{found[3]}' if found[3] else ''}"
            raise SweepError(f"{shortened(text, 60)}: FROM must be below TO; write {turned}")
        if found is None or len(numbers) < 2 or not control.least <= numbers[0] < numbers[1]:
            hint = f"from {control.least:g} on, such as {name}={control.least:g}:{control.most:g}:{count}"
            raise SweepError(f"{shortened(text, 60)} must be {FORM}, {hint}")
        if numbers[1] > (greatest := MOST_DAYS if control.group == CLOCK else _GREATEST):
            raise SweepError(f"{shortened(text, 60)}: TO must be at most {greatest:g}")
        first, last = numbers
        count = int(found[3]) if found[3] else count
    if not 2 <= count <= _MOST:
        raise SweepError(f"{name}: from 2 to {_MOST} points can be asked")
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
    """Asks ``judgments`` at every point of the grid of ``axes``, each with what ``base`` replaces.

    ``names`` are those of engine and profile, and the clock. Calls ``progress`` with the number of points that are
    asked, and of all. Raises what ``state`` and asking raise.
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
    """``variant`` without what ``axes`` change."""
    return _variant(variant, axes, [axis.control.base for axis in axes])


def _variant(base: Variant, axes: Sequence[Axis], values: Sequence[Value]) -> Variant:
    made = base
    for axis, value in zip(axes, values, strict=True):
        made = with_value(made, axis.control, value)
    return made


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
