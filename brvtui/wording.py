"""Wording for counts, unknown names and long texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_MOST_NAMED, _EXAMPLES = 25, 5
MOST_PROBLEMS = 20
"""The maximum number of faults of one kind that are listed per file. Further faults are only counted."""


def ordinal(number: int) -> str:
    """Returns the ordinal number in figures: ``3rd``, ``12th``."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number // 10 % 10 != 1 else "th"
    return f"{number:,}{ending}"


def counted(number: int, one: str, more: str) -> str:
    """``number`` with its noun: ``1 note``, ``2 notes``."""
    return f"{number} {one if number == 1 else more}"


def first_of(names: Sequence[str]) -> str:
    """The first of ``names``, and the number of the others."""
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0]


def unlisted(number: int, noun: str) -> str:
    """A line for the ``number`` of unlisted faults in a file: ``3 more unknown keys``. ``noun`` is singular."""
    return counted(number, f"more {noun}", f"more {noun}s")


def first_lines(lines: Sequence[str], noun: str, where: str = "") -> list[str]:
    """The first 20 of ``lines`` and, after ``where``, the number of the others, which are called ``noun``."""
    more = len(lines) - MOST_PROBLEMS
    return [*lines[:MOST_PROBLEMS], *([where + unlisted(more, noun)] if more > 0 else [])]


def profile_text(name: str) -> str:
    """The name of a profile for users. A star at its end is replaced by its meaning: settings change constants."""
    return f"{name} (changed by settings)" if name.endswith("*") else name


def shortened(text: str, most: int = 120) -> str:
    """``text`` for a message: at most ``most`` characters, ending with an ellipsis if it was cut."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def difference_as_shown(value: float, before: float, decimals: int) -> float:
    """``value`` minus ``before``, both rounded to ``decimals`` first, because readers subtract displayed numbers."""
    return round(round(value, decimals) - round(before, decimals), decimals)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """An addition to a message about the unknown ``name``: the nearest of ``known``; empty if none is near."""
    import difflib

    near = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]}?" if near else ""


def nearest(name: str, known: Iterable[str]) -> str:
    """An addition to a message about the unknown ``name``: the nearest of ``known``, or all if there are few."""
    names = sorted(known) if isinstance(known, (set, frozenset)) else list(known)
    if hint := did_you_mean(name, names):
        return hint
    if len(names) <= _MOST_NAMED:
        return f"; known: {', '.join(names)}"
    return f"; {len(names)} are known, such as {', '.join(names[:_EXAMPLES])}"
