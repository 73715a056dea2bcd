"""A variant: what is replaced before queries are asked again, and how that is written."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from brvtui.ranking.maturity import LEVELS
from brvtui.wording import nearest, shortened

if TYPE_CHECKING:
    from brvtui.loading.revised import Difference
    from brvtui.snapshot import Snapshot

Value = bool | int | float | str
SIGNALS = ("importance", "recency", "maturity", "access_count", "update_count")
"""The stored signals of a note that can be replaced."""
_LATER = re.compile(r"([+-])([0-9]{1,6}(?:\.[0-9]+)?)([hdwy])")
MOST_DAYS = 365_000
"""How far a variant may move the clock: a thousand years."""
_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "y": 365.25}
_CONSTANT = re.compile(r"([a-z_0-9]+(?:\.[A-Za-z_0-9]+)+)=(.+)", re.DOTALL)
_SIGNAL = re.compile(r"(.+\.md):([a-z_]+)=(.+)", re.DOTALL)
_REVISION, _WITHOUT, _MODE = "rev:", "without:", "mode="


class VariantError(ValueError):
    """A variant that cannot be: the message is one line that says what to write."""


@dataclass(frozen=True, slots=True)
class EditedText:
    """The text of a note as it would be saved."""

    path: str
    data: bytes
    keep_mtime: bool = False
    """Whether the save keeps the modification time."""


@dataclass(frozen=True, slots=True)
class SignalChange:
    """Another value of a stored signal of the note at ``path``."""

    path: str
    name: str
    value: float | str


@dataclass(frozen=True, slots=True, eq=False)
class EarlierNotes:
    """The notes as they were at an earlier moment of this session; equal to itself alone."""

    paths: tuple[str, ...]
    """The notes that changed since."""
    paths_now: Mapping[str, str] = field(default_factory=dict)
    """Where those of them that were moved are now, by their paths then."""
    difference: Difference | None = None
    """What changes the notes of now back, where they are files of a context tree."""
    signals: tuple[SignalChange, ...] = ()
    """What changes the signals back that were set since in this tool's overlay."""
    snapshot: Snapshot | None = None
    """The state itself, where it is one of topics."""


@dataclass(frozen=True, slots=True)
class Variant:
    """What is replaced before queries are asked. The empty one replaces nothing."""

    engine: str = ""
    """Empty for the engine that answers anyway."""
    profile: str = ""
    """Empty for the profile that the engine has anyway."""
    mode: str = ""
    constants: tuple[tuple[str, Value], ...] = ()
    """Constants by their dotted names, sorted."""
    days: float = 0.0
    """How many days the clock is ahead; negative for back."""
    revision: str = ""
    """The git revision from which the notes are read."""
    signals: tuple[SignalChange, ...] = ()
    without: tuple[str, ...] = ()
    """Paths of the notes that are left out."""
    edit: EditedText | None = None
    earlier: EarlierNotes | None = None

    @property
    def is_earlier(self) -> bool:
        """Whether it is a state of before, so that what is better there was lost since."""
        return bool(self.revision) or self.earlier is not None or self.days < 0

    @property
    def paths_now(self) -> Mapping[str, str]:
        """Where notes that are known to have moved since are now, by their paths then."""
        return self.earlier.paths_now if self.earlier is not None else {}

    def with_constant(self, name: str, value: Value | None) -> Variant:
        """With the constant ``name`` at ``value``; None for as it is in the profile."""
        made = {key: old for key, old in self.constants if key != name}
        if value is not None:
            made[name] = value
        return replace(self, constants=tuple(sorted(made.items())))

    def __str__(self) -> str:
        """As :func:`parse_variant` reads it; edits cannot be written: one is named by its note."""
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
    """The value of a constant that is written ``text``: a number, true or false, else the text itself."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def parse_variant(text: str, profiles: Mapping[str, Collection[str]], engine: str) -> Variant:
    """The variant that is written ``text``, words of any order: ``soleri``, ``docs``, ``+30d``, ``rev:main``,
    ``direct.min_top=0.9``, ``mode=bm25``, ``without:PATH``, ``PATH:importance=90``.

    ``profiles`` has the names of each engine's profiles; ``engine`` answers where none is named. Raises
    :class:`VariantError`.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise VariantError(f"{shortened(text, 60)}: {error}") from error
    if not words:
        raise VariantError("nothing is named: write an engine, a profile, +30d, rev:main or a constant=value")
    made = Variant()
    for word in words:
        made = _with_word(made, word, profiles)
    asked = made.engine or engine
    if made.profile and made.profile not in profiles.get(asked, ()):
        if made.engine:
            raise VariantError(f"{asked} has no profile {made.profile}{nearest(made.profile, profiles.get(asked, ()))}")
        made = replace(made, engine=next(name for name, own in profiles.items() if made.profile in own))
    if made.revision and (made.signals or made.without):
        raise VariantError("a revision is asked as it was: leave out signals and notes")
    return made


def _with_word(made: Variant, word: str, profiles: Mapping[str, Collection[str]]) -> Variant:
    if word == "now":
        return made
    if word in profiles and not made.engine:
        return replace(made, engine=word)
    if any(word in own for own in profiles.values()):
        return replace(made, profile=word)
    if later := _LATER.fullmatch(word):
        days = float(f"{later[1]}{later[2]}") * _DAYS[later[3]]
        if abs(days) > MOST_DAYS:
            raise VariantError(f"{shortened(word, 40)}: at most {MOST_DAYS} days can be asked")
        return replace(made, days=days)
    if word.startswith(_REVISION) and word != _REVISION:
        return replace(made, revision=word.removeprefix(_REVISION))
    if word.startswith(_WITHOUT) and word != _WITHOUT:
        return replace(made, without=tuple(sorted({*made.without, word.removeprefix(_WITHOUT)})))
    if word.startswith(_MODE) and word != _MODE:
        return replace(made, mode=word.removeprefix(_MODE))
    if signal := _SIGNAL.fullmatch(word):
        return replace(made, signals=(*made.signals, _signal(signal[1], signal[2], signal[3])))
    if constant := _CONSTANT.fullmatch(word):
        return made.with_constant(constant[1], read_value(constant[2]))
    known = dict.fromkeys((*profiles, *(name for own in profiles.values() for name in own)))
    said = nearest(word, known) or "; write an engine, a profile, +30d, rev:main or a constant=value"
    raise VariantError(f"no variant {shortened(word, 40)}{said}")


def _signal(path: str, name: str, text: str) -> SignalChange:
    if name not in SIGNALS:
        raise VariantError(f"{path}: no signal {shortened(name, 40)}{nearest(name, SIGNALS)}")
    if name == "maturity":
        if text not in LEVELS:
            raise VariantError(f"{path}: maturity must be one of {', '.join(LEVELS)}")
        return SignalChange(path, name, text)
    value, most = read_value(text), {"importance": 100, "recency": 1}.get(name, 1_000_000)
    if isinstance(value, (bool, str)) or not 0 <= value <= most:
        raise VariantError(f"{path}: {name} must lie between 0 and {most}")
    return SignalChange(path, name, value)
