"""Wording for counts, unknown names and long texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_MOST_NAMED, _EXAMPLES = 25, 5
MOST_PROBLEMS = 20
"""The maximum number of problems of one kind that are listed for a file. The others are only counted."""


def ordinal(number: int) -> str:
    """Returns a number as an ordinal in figures: ``3rd``, ``12th``."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number // 10 % 10 != 1 else "th"
    return f"{number:,}{ending}"


def counted(number: int, one: str, more: str) -> str:
    """Returns ``number`` with its noun: ``1 note``, ``2 notes``."""
    return f"{number} {one if number == 1 else more}"


def first_of(names: Sequence[str]) -> str:
    """Returns the first of ``names``, and the number of the others."""
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0]


def unlisted(number: int, noun: str) -> str:
    """Text for ``number`` further problems that are not listed: ``3 more unknown keys``. ``noun`` is singular."""
    return counted(number, f"more {noun}", f"more {noun}s")


def first_lines(lines: Sequence[str], noun: str, where: str = "") -> list[str]:
    """Returns the first 20 of ``lines`` and, if there are more, a line with their number.

    This line begins with ``where``, and calls the others ``noun``.
    """
    more = len(lines) - MOST_PROBLEMS
    return [*lines[:MOST_PROBLEMS], *([where + unlisted(more, noun)] if more > 0 else [])]


def profile_text(name: str) -> str:
    """The name of a profile for users. An asterisk at its end is replaced by its meaning, "changed by settings"."""
    return f"{name} (changed by settings)" if name.endswith("*") else name


def shortened(text: str, most: int = 120) -> str:
    """Returns ``text`` cut to at most ``most`` characters. If it was cut, it ends with an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def difference_as_shown(value: float, before: float, decimals: int) -> float:
    """``value`` minus ``before``, both rounded to ``decimals`` first, because readers subtract displayed numbers."""
    return round(round(value, decimals) - round(before, decimals), decimals)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """An addition to a message about the unknown ``name``: the nearest name in ``known``; empty if none is near."""
    import difflib

    near = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]}?" if near else ""


def nearest(name: str, known: Iterable[str]) -> str:
    """Returns an addition to a message about the unknown ``name``: the nearest name in ``known``.

    If none is near, lists all known names, or examples if there are many.
    """
    names = sorted(known) if isinstance(known, (set, frozenset)) else list(known)
    if hint := did_you_mean(name, names):
        return hint
    if len(names) <= _MOST_NAMED:
        return f"; known: {', '.join(names)}"
    return f"; {len(names)} are known, such as {', '.join(names[:_EXAMPLES])}"
