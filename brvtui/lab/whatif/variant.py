"""Variants, which replace parts of the state before queries run, and the syntax of variants."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from brvtui.ranking.maturity import LEVELS
from brvtui.tree.reading.signals import NoteSignals
from brvtui.typed_tables import Adjustable, adjustable
from brvtui.wording import nearest, shortened

if TYPE_CHECKING:
    from brvtui.loading.revised import Difference
    from brvtui.snapshot import Snapshot

Value = bool | int | float | str
SIGNALS = ("importance", "recency", "maturity", "access_count", "update_count")
"""The stored signals of a note that can be replaced."""
_LATER = re.compile(r"([+-])([0-9]{1,6}(?:\.[0-9]+)?)([hdwy])")
MOST_DAYS = 365_000
"""The maximum shift of the clock: a thousand years."""
_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "y": 365.25}
_CONSTANT = re.compile(r"([a-z_0-9]+(?:\.[A-Za-z_0-9]+)+)=(.+)", re.DOTALL)
_SIGNAL = re.compile(r"(.+\.md):([a-z_]+)=(.+)", re.DOTALL)
_REVISION, _WITHOUT, _MODE = "rev:", "without:", "mode="


class VariantError(ValueError):
    """A variant is invalid. The message is one line with the valid syntax."""


@dataclass(frozen=True, slots=True)
class EditedText:
    """The unsaved text of a note."""

    path: str
    data: bytes
    keep_mtime: bool = False
    """True if saving keeps the file's modification time."""


@dataclass(frozen=True, slots=True)
class SignalChange:
    """A new value of a stored signal of the note at ``path``."""

    path: str
    name: str
    value: float | str


@dataclass(frozen=True, slots=True, eq=False)
class EarlierNotes:
    """The notes at an earlier time in this session. Two objects are equal only if they are identical."""

    paths: tuple[str, ...]
    """The paths of the notes that have changed since the earlier time."""
    paths_now: Mapping[str, str] = field(default_factory=dict)
    """The current paths of moved notes, by their earlier paths."""
    difference: Difference | None = None
    """The changes that restore the earlier notes, with the signals that were set since then in this tool's signal
    overlay, if the notes are files in a context tree.
    """
    snapshot: Snapshot | None = None
    """The earlier snapshot, if it contains V4 topics."""


@dataclass(frozen=True, slots=True)
class Variant:
    """Replacements for parts of the state, made before queries run. An empty variant replaces nothing."""

    engine: str = ""
    """The name of the engine; empty for the current engine."""
    profile: str = ""
    """The name of the profile; empty for the engine's current profile."""
    mode: str = ""
    constants: tuple[tuple[str, Value], ...] = ()
    """Constants with new values, sorted by dotted name."""
    days: float = 0.0
    """The clock's shift in days; negative for earlier times."""
    revision: str = ""
    """The git revision of the notes."""
    signals: tuple[SignalChange, ...] = ()
    without: tuple[str, ...] = ()
    """Paths of the notes to leave out."""
    edit: EditedText | None = None
    earlier: EarlierNotes | None = None

    @property
    def is_earlier(self) -> bool:
        """True if the variant is an earlier state, so that results that are better in it have been lost since."""
        return bool(self.revision) or self.earlier is not None or self.days < 0

    @property
    def paths_now(self) -> Mapping[str, str]:
        """The current paths of notes known to have moved, by their earlier paths."""
        return self.earlier.paths_now if self.earlier is not None else {}

    def with_constant(self, name: str, value: Value | None) -> Variant:
        """A copy with the constant ``name`` set to ``value``; None restores the profile's value."""
        constants = {key: old for key, old in self.constants if key != name}
        if value is not None:
            constants[name] = value
        return replace(self, constants=tuple(sorted(constants.items())))

    def __str__(self) -> str:
        """The variant in the syntax of :func:`parse_variant`, except that an edited note appears as its path."""
        return shlex.join(_words(self)) if self != Variant() else "now"


def _words(variant: Variant) -> Iterator[str]:
    yield from (word for word in (variant.engine, variant.profile) if word)
    if variant.mode:
        yield f"{_MODE}{variant.mode}"
    yield from (f"{name}={_written(value)}" for name, value in variant.constants)
    if variant.days:
        whole = variant.days == int(variant.days)
        yield f"{variant.days:+.0f}d" if whole else f"{variant.days * 24:+.10g}h"
    if variant.revision:
        yield f"{_REVISION}{variant.revision}"
    yield from (f"{each.path}:{each.name}={_written(each.value)}" for each in variant.signals)
    yield from (f"{_WITHOUT}{path}" for path in variant.without)
    if variant.edit is not None:
        yield f"edit:{variant.edit.path}"
    if variant.earlier is not None:
        yield "before edits"


def _written(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_value(text: str) -> Value:
    """The value of a constant given as ``text``: a number, true or false, or otherwise the text itself."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def parse_variant(text: str, profiles: Mapping[str, Collection[str]], engine: str) -> Variant:
    """The variant in ``text``, which consists of words in any order: ``soleri``, ``docs``, ``+30d``, ``rev:main``,
    ``direct.min_top=0.9``, ``mode=bm25``, ``without:PATH``, ``PATH:importance=90``.

    ``profiles`` contains each engine's profile names; ``engine`` is the default engine. Raises :class:`VariantError`.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise VariantError(f"{shortened(text, 60)}: {error}") from error
    if not words:
        raise VariantError("the variant is empty: enter an engine, a profile, +30d, rev:main or a constant=value")
    variant = Variant()
    for word in words:
        variant = _with_word(variant, word, profiles)
    chosen = variant.engine or engine
    if variant.profile and variant.profile not in profiles.get(chosen, ()):
        if variant.engine:
            raise VariantError(
                f"{chosen} has no profile {variant.profile}{nearest(variant.profile, profiles.get(chosen, ()))}"
            )
        variant = replace(variant, engine=next(name for name, own in profiles.items() if variant.profile in own))
    if variant.revision and (variant.signals or variant.without):
        raise VariantError("a revision cannot be combined with changed signals or notes")
    return variant


def _with_word(variant: Variant, word: str, profiles: Mapping[str, Collection[str]]) -> Variant:
    if word == "now":
        return variant
    if word in profiles and not variant.engine:
        return replace(variant, engine=word)
    if any(word in own for own in profiles.values()):
        return replace(variant, profile=word)
    if later := _LATER.fullmatch(word):
        days = float(f"{later[1]}{later[2]}") * _DAYS[later[3]]
        if abs(days) > MOST_DAYS:
            raise VariantError(f"{shortened(word, 40)}: at most {MOST_DAYS} days are allowed")
        return replace(variant, days=days)
    if word.startswith(_REVISION) and word != _REVISION:
        return replace(variant, revision=word.removeprefix(_REVISION))
    if word.startswith(_WITHOUT) and word != _WITHOUT:
        return replace(variant, without=tuple(sorted({*variant.without, word.removeprefix(_WITHOUT)})))
    if word.startswith(_MODE) and word != _MODE:
        return replace(variant, mode=word.removeprefix(_MODE))
    if signal := _SIGNAL.fullmatch(word):
        return replace(variant, signals=(*variant.signals, _signal(signal[1], signal[2], signal[3])))
    if constant := _CONSTANT.fullmatch(word):
        return variant.with_constant(constant[1], read_value(constant[2]))
    known = dict.fromkeys((*profiles, *(name for own in profiles.values() for name in own)))
    hint = nearest(word, known) or "; write an engine, a profile, +30d, rev:main or a constant=value"
    raise VariantError(f"no variant {shortened(word, 40)}{hint}")


def _signal(path: str, name: str, text: str) -> SignalChange:
    if name not in SIGNALS:
        raise VariantError(f"{path}: no signal {shortened(name, 40)}{nearest(name, SIGNALS)}")
    if name == "maturity":
        if text not in LEVELS:
            raise VariantError(f"{path}: maturity must be one of {', '.join(LEVELS)}")
        return SignalChange(path, name, text)
    value, limit = read_value(text), {"importance": 100, "recency": 1}.get(name, 1_000_000)
    if isinstance(value, (bool, str)) or not 0 <= value <= limit:
        raise VariantError(f"{path}: {name} must be from 0 to {limit}")
    return SignalChange(path, name, value)


# Controls for a variant, one per value: constants, the clock, a note's signals, and leaving a note out.


CLOCK, NOTE = "clock", "note"
DAYS = "days"
LEFT_OUT = "left out"
_UNITS = {
    "days": "d", "hours": "h", "seconds": "s", "chars": "chars", "units": "chars", "tokens": "tokens", "bytes": "bytes",
}  # fmt: skip
_YEAR = 365.0


@dataclass(frozen=True, slots=True)
class Control:
    """A value that can be changed: a number from ``least`` to ``most``, or one of ``choices``."""

    group: str
    name: str
    """The name, unique in combination with :attr:`path`; for a constant, its dotted name."""
    base: Value
    """The unchanged value."""
    least: float = 0.0
    most: float = 0.0
    step: float = 1.0
    unit: str = ""
    choices: tuple[Value, ...] = ()
    path: str = ""
    """The path of the note that the control belongs to; empty for other controls."""

    @property
    def key(self) -> str:
        """A unique key for the control."""
        return f"{self.path}:{self.name}" if self.path else self.name

    @property
    def label(self) -> str:
        """The control's name without its group."""
        return self.name.removeprefix(f"{self.group}.")

    def moved(self, value: Value, steps: float) -> Value:
        """``value`` moved up by ``steps`` steps, or down if negative. The result stays within the range, and is a whole
        number if the base is one.
        """
        if self.choices:
            place = self.choices.index(value) if value in self.choices else 0
            return self.choices[(place + (1 if steps > 0 else -1)) % len(self.choices)]
        assert not isinstance(value, (bool, str))
        return self.at(value + steps * self.step)

    def at(self, number: float) -> Value:
        """The valid value nearest to ``number``."""
        value = min(max(round(number / self.step) * self.step, self.least), self.most)
        return round(value) if isinstance(self.base, int) else float(f"{value:.10g}")

    def share(self, value: Value) -> float:
        """The position of ``value`` in the range, from 0 to 1."""
        if isinstance(value, (bool, str)) or self.most <= self.least:
            return 0.0
        return min(max((value - self.least) / (self.most - self.least), 0.0), 1.0)


def constant_controls(constants: Any) -> tuple[Control, ...]:
    """A control for each number, switch and choice in ``constants``, which is a dataclass."""
    return tuple(_constant_control(each) for each in adjustable(constants))


def _constant_control(each: Adjustable) -> Control:
    group = each.name.rpartition(".")[0].partition(".")[0] or "engine"
    if each.choices or isinstance(each.value, bool):
        return Control(group, each.name, each.value, choices=each.choices or (False, True))
    assert not isinstance(each.value, str)
    value, step = float(each.value), step_of(each.value)
    low = (each.range.least if math.isfinite(each.range.least) else 0.0) + (step if each.range.is_open else 0.0)
    high = each.range.most if each.range.most < math.inf else _upper(value, step, isinstance(each.value, int))
    unit = _UNITS.get(each.name.rpartition("_")[2], "")
    return Control(group, each.name, each.value, low, max(high, value), step, unit)


def step_of(value: float) -> float:
    """A step size between a hundredth and a tenth of ``value`` that keeps its number of decimals."""
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
    """The control for the clock: days from now, up to a year in both directions."""
    return Control(CLOCK, DAYS, 0.0, -_YEAR, _YEAR, 1.0, "d")


def note_controls(path: str, signals: NoteSignals) -> Iterator[Control]:
    """Yields the controls of the note at ``path``: one for each stored signal, and one for leaving the note out."""
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
        values = (each.value for each in variant.signals if (each.path, each.name) == (control.path, control.name))
        return next(values, control.base)
    return dict(variant.constants).get(control.name, control.base)


def with_value(variant: Variant, control: Control, value: Value) -> Variant:
    """``variant`` with ``control`` set to ``value``. The base value removes the replacement."""
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
