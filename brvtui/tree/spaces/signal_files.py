"""The signals of topics, as V4 keeps them: a JSON file each, below ``state/signals`` (``docs/byterover_v4.md``)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brvtui import faults
from brvtui.disk.walking import walk
from brvtui.regular_files import read_regular
from brvtui.tree.reading.json_file import LARGEST_JSON
from brvtui.tree.spaces.json_text import parse_json

_ENDING = ".json"


@dataclass(frozen=True, slots=True)
class TopicSignals:
    """Stored signals of a topic. Nothing is checked, as V4 checks nothing: a missing or wrong number is NaN."""

    importance: float
    recency: float
    maturity: str
    access_count: float
    update_count: float

    def to_mapping(self) -> dict[str, Any]:
        """The values under V4's names; whole numbers as such."""
        return {
            "accessCount": _plain(self.access_count),
            "importance": _plain(self.importance),
            "maturity": self.maturity,
            "recency": _plain(self.recency),
            "updateCount": _plain(self.update_count),
        }


@dataclass(frozen=True, slots=True)
class BrokenSignals:
    """A file of signals that is no JSON: every query that matches its topic fails with this message."""

    file: Path
    message: str


SignalFiles = Mapping[str, TopicSignals | BrokenSignals]
"""What is stored, by the path of the topic."""


def read_signals(folder: Path) -> SignalFiles:
    """The signals of every topic that has a file below ``folder``. Raises nothing."""
    files = ((Path(entry.path), path) for entry, path in walk(folder) if path.endswith(_ENDING))
    return {path.removesuffix(_ENDING): _read(file) for file, path in files}


def _read(file: Path) -> TopicSignals | BrokenSignals:
    try:
        value = parse_json(read_regular(file, LARGEST_JSON).decode("utf-8", "replace"))
    except OSError as error:
        return BrokenSignals(file, faults.reason(error))
    except ValueError as error:
        return BrokenSignals(file, str(error))
    given: Mapping[str, Any] = value if isinstance(value, dict) else {}
    maturity = given.get("maturity")
    numbers = (_number(given.get(name)) for name in ("importance", "recency", "accessCount", "updateCount"))
    importance, recency, accesses, updates = numbers
    return TopicSignals(importance, recency, maturity if isinstance(maturity, str) else "", accesses, updates)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _plain(number: float) -> float | int | None:
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else number
