"""Judges whether an answer contains the symbols of a task, by the rules of the program's own benchmark."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from brvtui.engines.knowing.keywords import lower

_FILES = (".go", ".py", ".ts", ".tsx", ".js", ".jsx", ".rs", ".java", ".cs", ".rb")
_DECLARATION = re.compile("^(?:func|type|var|const|def|class|interface|struct) ")
_END = re.compile(r"(?!^)[( {\[<]")
_CAPITAL = re.compile("[A-Z]")
_IDEAL = 10


@dataclass(frozen=True, slots=True)
class SymbolMetrics:
    """The quality of a ranked list of symbols. Shares are from 0 to 1."""

    precision: dict[int, float]
    """The share of relevant symbols among the first k; the divisor is k even for a shorter list."""
    recall: dict[int, float]
    """The share of the needed symbols that are among the first k."""
    f1: float
    """The F1 score of precision and recall among the first ten."""
    ndcg: float
    """The nDCG of the first ten symbols, each of which is either relevant or not.

    It exceeds 1 if more symbols match than are needed.
    """
    reciprocal_rank: float


def bare_symbol(name: str) -> str:
    """``name`` without repository, path, line and package: ``Type.member``, or the name of a function. Accepts the
    formats of all systems in the benchmark, such as ``file.go:42:func Name(``. The result is empty for just a file and
    a line.
    """
    text = name.strip().rstrip(".").rstrip("(")
    file, found, rest = text.partition(":")
    if found and file.endswith(_FILES):
        line, found, declared = rest.partition(":")
        if found:
            return _END.split(_DECLARATION.sub("", declared.strip()))[0]
        return line.strip() if line.strip("0123456789") else ""
    return _without_domain(_without_path(text.partition("://")[2] if "://" in text else text)).rpartition("/")[2]


def _without_path(text: str) -> str:
    """The part of ``text`` after a file extension or, without one, after folders and package, or from the first
    capitalised part on.
    """
    for ending in _FILES:
        _, found, symbol = text.rpartition(f"{ending}.")
        if found:
            return symbol
    if "/" in text:
        tail = text.rpartition("/")[2]
        return tail.partition(".")[2] if "." in tail else tail
    parts = text.split(".")
    start = next((at for at, part in enumerate(parts) if _CAPITAL.match(part)), len(parts) - 1)
    return ".".join(parts[start:])


def _without_domain(text: str) -> str:
    """``text`` without a repository's address: a domain, an owner and a name."""
    parts = text.partition("://")[2 if "://" in text else 0].split("/")
    is_address = len(parts) >= 3 and "." in parts[0] and not _CAPITAL.search(parts[0])
    return "/".join(parts[3:]) if is_address else text


def is_match(found: str, needed: str) -> bool:
    """True if the symbol ``found`` counts for ``needed``: a member counts for its type, and a type for its member.

    A name without a type matches a name with any type. Case is ignored, except for parts of longer names. A name that
    becomes empty matches nothing.
    """
    one, other = bare_symbol(found), bare_symbol(needed)
    if not one or not other:
        return False
    if _holds(one, other) or _holds(other, one):
        return True
    parts, needed_parts = lower(one).split("."), lower(other).split(".")
    shorter, longer = sorted((parts, needed_parts), key=len)
    if longer[-len(shorter) :] == shorter:
        return True
    return parts[-1] == needed_parts[-1] and not set(parts[:-1]).isdisjoint(needed_parts[:-1])


def _holds(text: str, inner: str) -> bool:
    """True if the first occurrence of ``inner`` in ``text`` begins and ends at a dot or an end."""
    text, inner = text.replace("::", "."), inner.replace("::", ".")
    before, found, after = text.partition(inner)
    return bool(found) and before[-1:] in ("", ".") and after[:1] in ("", ".")


def judge(found: Sequence[str], needed: Sequence[str], cuts: Iterable[int] = (5, 10, 20)) -> SymbolMetrics:
    """The quality of the ranked list ``found`` if ``needed`` are the right symbols."""
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
