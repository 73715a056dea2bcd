"""A command line for V4's scripts: words and flags (``docs/reference/byterover-v4.md``, "Commands")."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from brvtui.tree.reading.javascript import trim

_T = TypeVar("_T")
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|Infinity)")
_BASES = {"0x": 16, "0o": 8, "0b": 2}


@dataclass(frozen=True, slots=True)
class CommandLine:
    """The words to search for, and the flags, keyed by name. A flag without a value is True."""

    words: tuple[str, ...]
    flags: dict[str, str | bool] = field(default_factory=dict)

    @property
    def query(self) -> str:
        """The words, joined by spaces."""
        return " ".join(self.words)

    def text(self, flag: str) -> str:
        """The value of ``flag``; empty if the flag is missing or has no value."""
        value = self.flags.get(flag)
        return value if isinstance(value, str) else ""


def read_command_line(arguments: Sequence[str]) -> CommandLine:
    """Parses the command line ``arguments``. The value of an option is the next word, unless that word is an option."""
    words: list[str] = []
    flags: dict[str, str | bool] = {}
    left = list(reversed(arguments))
    while left:
        word = left.pop()
        if not word.startswith("--"):
            words.append(word)
        elif left and not left[-1].startswith("--"):
            flags[word[2:]] = left.pop()
        else:
            flags[word[2:]] = True
    return CommandLine(tuple(words), flags)


def number_of(value: str | bool | float) -> float:
    """``value`` as JavaScript converts it to a number; NaN if it is not a number."""
    if not isinstance(value, str):
        return float(value)
    text = trim(value)
    if not text:
        return 0.0
    base = _BASES.get(text[:2].lower())
    try:
        if base:
            return float(int(text[2:], base))
    except ValueError:
        return math.nan
    return float(text) if _DECIMAL.fullmatch(text) else math.nan


def first_ones(items: Sequence[_T], limit: float) -> Sequence[_T]:
    """The first ``limit`` of ``items``, as in JavaScript's ``slice(0, limit)``: a negative limit leaves out that many
    items at the end.
    """
    if math.isnan(limit):
        return items[:0]
    if math.isinf(limit):
        return items if limit > 0 else items[:0]
    return items[: math.trunc(limit)]
