"""What can be changed in a variant, one control a value: constants, the clock, a note's signals, leaving a note out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from brvtui.lab.whatif.variant import SignalChange, Value, Variant
from brvtui.ranking.maturity import LEVELS
from brvtui.tree.reading.signals import NoteSignals
from brvtui.typed_tables import Adjustable, adjustable

CLOCK, NOTE = "clock", "note"
DAYS = "days"
LEFT_OUT = "left out"
_UNITS = {
    "days": "d", "hours": "h", "seconds": "s", "chars": "chars", "units": "chars", "tokens": "tokens", "bytes": "bytes",
}  # fmt: skip
_YEAR = 365.0


@dataclass(frozen=True, slots=True)
class Control:
    """One value that can be changed: a number from ``least`` to ``most`` in steps, or one of ``choices``."""

    group: str
    name: str
    """Unique together with :attr:`path`; of a constant its dotted name."""
    base: Value
    """The value as long as nothing is changed."""
    least: float = 0.0
    most: float = 0.0
    step: float = 1.0
    unit: str = ""
    choices: tuple[Value, ...] = ()
    path: str = ""
    """The note that it is about."""

    @property
    def key(self) -> str:
        """What tells it from all others."""
        return f"{self.path}:{self.name}" if self.path else self.name

    @property
    def label(self) -> str:
        """The name below its group."""
        return self.name.removeprefix(f"{self.group}.")

    def moved(self, value: Value, steps: float) -> Value:
        """``value`` after so many steps up, or down; kept within the range, whole where the base is."""
        if self.choices:
            place = self.choices.index(value) if value in self.choices else 0
            return self.choices[(place + (1 if steps > 0 else -1)) % len(self.choices)]
        assert not isinstance(value, (bool, str))
        return self.at(value + steps * self.step)

    def at(self, number: float) -> Value:
        """The value nearest to ``number`` that it can have."""
        made = min(max(round(number / self.step) * self.step, self.least), self.most)
        return round(made) if isinstance(self.base, int) else float(f"{made:.10g}")

    def share(self, value: Value) -> float:
        """Where ``value`` lies between the ends, from 0 to 1."""
        if isinstance(value, (bool, str)) or self.most <= self.least:
            return 0.0
        return min(max((value - self.least) / (self.most - self.least), 0.0), 1.0)


def constant_controls(constants: Any) -> tuple[Control, ...]:
    """A control for each number, switch and choice among ``constants``, a dataclass."""
    return tuple(_of_constant(each) for each in adjustable(constants))


def _of_constant(each: Adjustable) -> Control:
    group = each.name.rpartition(".")[0].partition(".")[0] or "engine"
    if each.choices or isinstance(each.value, bool):
        return Control(group, each.name, each.value, choices=each.choices or (False, True))
    assert not isinstance(each.value, str)
    value, step = float(each.value), step_of(each.value)
    least = (each.range.least if math.isfinite(each.range.least) else 0.0) + (step if each.range.is_open else 0.0)
    most = each.range.most if each.range.most < math.inf else _upper(value, step, isinstance(each.value, int))
    unit = _UNITS.get(each.name.rpartition("_")[2], "")
    return Control(group, each.name, each.value, least, max(most, value), step, unit)


def step_of(value: float) -> float:
    """A step that moves ``value`` by a tenth to a hundredth of itself, and keeps the digits that it is written with."""
    if not value:
        return 1.0 if isinstance(value, int) else 0.05
    size = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    if isinstance(value, int) or value == int(value):
        return max(size, 1.0) if abs(value) > 1 else 0.05 if isinstance(value, float) else 1.0
    digits = len(f"{value:.10f}".rstrip("0").partition(".")[2])
    return min(size, 10.0**-digits)


def _upper(value: float, step: float, whole: bool) -> float:
    if not whole and 0 < value <= 1:
        return 1.0 if value < 1 else 2.0
    if not value:
        return 10.0 if whole else 1.0
    return max(math.ceil(2 * value / step) * step, 10.0 if whole else 0.0)


def clock_control() -> Control:
    """The control of the clock: days from now, a year ahead or back."""
    return Control(CLOCK, DAYS, 0.0, -_YEAR, _YEAR, 1.0, "d")


def note_controls(path: str, signals: NoteSignals) -> Iterator[Control]:
    """The controls of the note at ``path``: its stored signals, and whether it is left out."""
    yield Control(NOTE, "importance", float(signals.importance), 0, 100, 1, path=path)
    yield Control(NOTE, "maturity", signals.maturity, choices=LEVELS, path=path)
    yield Control(NOTE, "recency", float(signals.recency), 0, 1, 0.05, path=path)
    for name, count in (("access_count", signals.access_count), ("update_count", signals.update_count)):
        yield Control(NOTE, name, count, 0, max(2 * count, 100), 1, path=path)
    yield Control(NOTE, LEFT_OUT, False, choices=(False, True), path=path)


def value_in(variant: Variant, control: Control) -> Value:
    """The value of ``control`` in ``variant``."""
    if control.name == DAYS and control.group == CLOCK:
        return variant.days
    if control.path and control.name == LEFT_OUT:
        return control.path in variant.without
    if control.path:
        found = (each.value for each in variant.signals if (each.path, each.name) == (control.path, control.name))
        return next(found, control.base)
    return dict(variant.constants).get(control.name, control.base)


def with_value(variant: Variant, control: Control, value: Value) -> Variant:
    """``variant`` with ``control`` at ``value``; at its base, it is as if it was never changed."""
    if control.name == DAYS and control.group == CLOCK:
        return replace(variant, days=float(value))
    if control.path and control.name == LEFT_OUT:
        others = {path for path in variant.without if path != control.path}
        return replace(variant, without=tuple(sorted({*others, control.path} if value else others)))
    if control.path:
        rest = tuple(each for each in variant.signals if (each.path, each.name) != (control.path, control.name))
        if value == control.base:
            return replace(variant, signals=rest)
        assert not isinstance(value, bool)
        return replace(variant, signals=(*rest, SignalChange(control.path, control.name, value)))
    return variant.with_constant(control.name, None if value == control.base else value)
