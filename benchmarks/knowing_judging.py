"""Whether an answer holds the symbols that a task needs, as the program's own benchmark counts it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_FILE = re.compile(r"^.*?\.(?:py|go|rs|ts|tsx|js|jsx|java|cs|rb|md)\.")
_KEYWORD = re.compile(r"^(?:func|def|class|fn|function)\s+")
_IDEAL = 10


@dataclass(frozen=True, slots=True)
class SymbolMetrics:
    """How good a ranked list of symbols is. Shares are from 0 to 1."""

    precision: dict[int, float]
    """The share of relevant symbols among the first so many; always of so many, even of a shorter list."""
    recall: dict[int, float]
    """The share of the needed symbols that are among the first so many."""
    f1: float
    """Of precision and recall among the first ten."""
    ndcg: float
    """Among the first ten; each symbol is relevant or not. Above 1 where more symbols match than are needed."""
    reciprocal_rank: float


def bare_symbol(name: str) -> str:
    """``name`` without repository, path, line and package: ``Type.member``, or the name of a function."""
    text = name.rpartition("://")[2].rpartition("/")[2]
    text = _FILE.sub("", text).rpartition(":")[2]
    text = _KEYWORD.sub("", text.strip()).rstrip("(. ")
    parts = text.split(".")
    start = next((at for at, part in enumerate(parts) if part[:1].isupper()), None)
    if start is None:
        return text if _FILE.match(name.rpartition("/")[2]) else parts[-1]
    return ".".join(parts[start:])


def is_match(found: str, needed: str) -> bool:
    """Whether the symbol ``found`` counts for ``needed``: a member counts for its type, and a type for its member.

    Names without a type match whatever the type of the other. Case is ignored.
    """
    one, other = (bare_symbol(name).lower().split(".") for name in (found, needed))
    if _holds(one, other) or _holds(other, one):
        return True
    if one[-1] != other[-1]:
        return False
    return len(one) == 1 or len(other) == 1 or not set(one[:-1]).isdisjoint(other[:-1])


def _holds(parts: Sequence[str], inner: Sequence[str]) -> bool:
    """Whether ``inner`` stands in ``parts``, one after the other."""
    return any(list(parts[at : at + len(inner)]) == list(inner) for at in range(len(parts) - len(inner) + 1))


def judge(found: Sequence[str], needed: Sequence[str], cuts: Iterable[int] = (5, 10, 20)) -> SymbolMetrics:
    """How good the ranked list ``found`` is, where the symbols ``needed`` are the right ones."""
    relevant = [any(is_match(symbol, one) for one in needed) for symbol in found]
    precision, recall = {}, {}
    for cut in {*cuts, _IDEAL}:
        precision[cut] = sum(relevant[:cut]) / cut
        reached = sum(any(is_match(symbol, one) for symbol in found[:cut]) for one in needed)
        recall[cut] = reached / len(needed) if needed else 0.0
    both = precision[_IDEAL] + recall[_IDEAL]
    gain = sum(1 / math.log2(at + 2) for at, is_good in enumerate(relevant[:_IDEAL]) if is_good)
    ideal = sum(1 / math.log2(at + 2) for at in range(min(len(needed), _IDEAL)))
    first = next((at for at, is_good in enumerate(relevant) if is_good), None)
    return SymbolMetrics(
        precision,
        recall,
        2 * precision[_IDEAL] * recall[_IDEAL] / both if both else 0.0,
        gain / ideal if ideal else 0.0,
        1 / (first + 1) if first is not None else 0.0,
    )
