"""Notes' signals, and the places where they are stored (``docs/reference/byterover.md``, "Signals").

The first of these places that contains a note's signals wins: a signals file, the tool's own overlay, the engine's
sidecar, and the note's frontmatter if the profile or a setting allows it. Other notes have the default signals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from pathlib import Path
from typing import Any

from brvtui import faults
from brvtui.ranking.constants import SignalRules
from brvtui.ranking.maturity import LEVELS
from brvtui.tree.reading.frontmatter import block_of, parse
from brvtui.tree.reading.json_file import LARGEST_NAMED_JSON, number_of, read_json

_KEYS = ("importance:", "recency:", "maturity:", "accessCount:", "updateCount:")
_LONGEST_HEAD = 4096
"""The number of characters at the start of a note that are searched for a damaged fence."""


class Source(StrEnum):
    """The places where signals can be found."""

    FILE = "signals file"
    OVERLAY = "overlay"
    SIDECAR = "sidecar"
    FRONTMATTER = "frontmatter"
    DEFAULT = "default"


class SignalsError(ValueError):
    """Raised if a signals file cannot be used. The message names the file and the remedy."""


@dataclass(frozen=True, slots=True)
class NoteSignals:
    """The stored signals of one note, without decay. Importance is from 0 to 100, recency from 0 to 1."""

    importance: float
    recency: float
    maturity: str
    access_count: int
    update_count: int
    source: Source

    def to_mapping(self) -> dict[str, str | float]:
        """Returns the values under camelCase keys, in the form that :func:`from_mapping` reads."""
        return {
            "importance": self.importance,
            "recency": self.recency,
            "maturity": self.maturity,
            "accessCount": self.access_count,
            "updateCount": self.update_count,
        }


@dataclass(frozen=True, slots=True)
class SignalLayers:
    """Stored signals, keyed by note path. The first layer that contains a note wins. Frontmatter is used last."""

    layers: tuple[Mapping[str, NoteSignals], ...] = ()
    broken: frozenset[str] = frozenset()
    """The notes whose sidecar file is not JSON. A search that finds one of them reads no signals."""

    def get(self, path: str) -> NoteSignals | None:
        """Returns the signals of the note at ``path`` from the first layer that contains them; otherwise None."""
        return next((layer[path] for layer in self.layers if path in layer), None)

    def with_first(self, signals: Mapping[str, NoteSignals]) -> SignalLayers:
        """A copy in which ``signals`` have precedence; the object itself if ``signals`` is empty."""
        first, *others = self.layers or (_NOTHING,)
        return SignalLayers(({**first, **signals}, *others), self.broken) if signals else self

    def changed_since(self, before: SignalLayers) -> set[str]:
        """Returns the paths of the notes whose stored signals differ from ``before``."""
        found: set[str] = set()
        for one, other in zip_longest(self.layers, before.layers, fillvalue=_NOTHING):
            if one is not other:
                found |= {path for path, signals in one.items() if other.get(path) != signals}
                found |= other.keys() - one.keys()
        return found


_NOTHING: Mapping[str, NoteSignals] = {}
_EXACT = 2**53
"""The limit up to which a float represents every whole number exactly."""
NO_LAYERS = SignalLayers()


def defaults(signals: SignalRules) -> NoteSignals:
    """Returns the signals of a note that has no stored signals."""
    return NoteSignals(
        signals.importance,
        signals.recency,
        signals.maturity,
        signals.access_count,
        signals.update_count,
        Source.DEFAULT,
    )


def frontmatter_defaults(signals: SignalRules) -> NoteSignals | None:
    """Returns the signals that complete partial frontmatter; None if signals are not read from frontmatter."""
    return defaults(signals) if signals.frontmatter else None


def from_mapping(value: Any, source: Source, base: NoteSignals, partial: bool) -> NoteSignals | None:
    """Parses the signals in ``value``, which has camelCase keys. Returns None if they are invalid.

    With ``partial``, missing keys come from ``base``; otherwise every key is required.
    """
    if not isinstance(value, Mapping):
        return None
    maturity = value.get("maturity", base.maturity if partial else None)
    importance = number_of(value.get("importance", base.importance if partial else None))
    recency = number_of(value.get("recency", base.recency if partial else None))
    accesses = value.get("accessCount", base.access_count if partial else None)
    updates = value.get("updateCount", base.update_count if partial else None)
    if importance is None or recency is None or not is_count(accesses) or not is_count(updates):
        return None
    if maturity not in LEVELS or not 0 <= importance <= 100 or not 0 <= recency <= 1:
        return None
    return NoteSignals(importance, recency, str(maturity), int(float(accesses)), int(float(updates)), source)


def is_count(value: Any) -> bool:
    """True if ``value`` is a whole number that is not negative."""
    if type(value) is int and 0 <= value <= _EXACT:
        return True
    number = number_of(value)
    return number is not None and number >= 0 and number.is_integer()


def from_frontmatter(text: str, base: NoteSignals) -> NoteSignals | None:
    """Returns the signals in a note's frontmatter, completed from ``base``; None if there are none, or if one is
    invalid.

    Parses the block only if it contains the name of a signal, because parsing takes four times as long as indexing the
    note.
    """
    block = block_of(text)
    if not block or not any(key in block for key in _KEYS):
        return None
    return from_fields(parse(text).fields, base)


def names_signals(text: str) -> bool:
    """True if a note's frontmatter, which may be damaged, contains the name of a signal."""
    block = block_of(text)
    if not block:
        head = f"\n{text[:_LONGEST_HEAD]}".partition("\n# ")[0].splitlines()
        return any(line.endswith("---") for line in head) and any(line.startswith(_KEYS) for line in head)
    if not any(key in block for key in _KEYS):
        return False
    front = parse(text)
    return bool(front.problem) or any(key[:-1] in front.fields for key in _KEYS)


def from_fields(fields: Mapping[str, Any], base: NoteSignals) -> NoteSignals | None:
    """Returns the signals among ``fields``, the fields of a note's frontmatter, like :func:`from_frontmatter`."""
    if not any(key[:-1] in fields for key in _KEYS):
        return None
    return from_mapping(fields, Source.FRONTMATTER, base, partial=True)


def read_signals_file(path: Path, base: NoteSignals) -> dict[str, NoteSignals]:
    """Reads signals from a JSON file of the form ``{path: {importance, …}}``, and returns them keyed by note path.

    Raises :class:`SignalsError` if the file cannot be read or an entry is invalid.
    """
    try:
        value = read_json(path, LARGEST_NAMED_JSON, follow_links=True)
    except (OSError, ValueError) as error:
        raise SignalsError(
            f"{path}: cannot be read as signals ({faults.reading_reason(error)}); "
            'use a JSON file such as {"auth/tokens.md": {"importance": 60, "maturity": "core"}}'
        ) from error
    if not isinstance(value, dict):
        raise SignalsError(f"{path}: must contain a JSON object of note paths and their signals")
    found: dict[str, NoteSignals] = {}
    for note, entry in value.items():
        signals = from_mapping(entry, Source.FILE, base, partial=True)
        if signals is None:
            raise SignalsError(
                f"{path}: the signals of {note} are not valid: check importance (0..100), recency (0..1) and maturity"
            )
        found[note] = signals
    return found
