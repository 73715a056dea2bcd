"""A judgment: a query, the documents that it should find, and how it should be answered."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from brvtui.trace import Trace

GRADES = range(4)
"""0 is irrelevant, 1 related, 2 relevant, 3 what the query is about."""
COVERED, NOT_COVERED = "covered", "not covered"
OUTCOMES = (NOT_COVERED, COVERED, *(f"tier {tier}" for tier in range(5)))
"""Every outcome of a query. ``covered`` is that of engines whose answers have no tiers."""
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SLUG = re.compile(r"[^a-z0-9]+")
_SLUG_LENGTH = 40


class JudgmentsError(ValueError):
    """Judgments that cannot be read or changed. The message is one line: the file, the place, and what to do."""


@dataclass(frozen=True, slots=True)
class JudgedDocument:
    """One document of a judgment. ``title`` and ``digest`` find it again when its file has moved."""

    path: str
    grade: int
    title: str = ""
    digest: str = ""
    """The digest of its text when it was judged (:func:`brvtui.lab.judgments.following.digest_of`)."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """One judged query. Its ``id`` is unique in its file."""

    id: str
    text: str
    scope: str = ""
    expected: str = ""
    """One of :data:`OUTCOMES`; empty where none is expected."""
    comment: str = ""
    documents: tuple[JudgedDocument, ...] = ()


def is_id(text: str) -> bool:
    """Whether ``text`` can be the id of a judgment: 1 to 64 letters, digits, dots, dashes and underscores."""
    return _ID.fullmatch(text) is not None


def new_id(text: str, taken: Collection[str], numbers: dict[str, int] | None = None) -> str:
    """An id for the query ``text``: its first words, and a number where these are taken.

    ``numbers`` keeps the last number for each words between calls, so that many ids take time in proportion.
    """
    words = _SLUG.sub("-", text.lower()).strip("-")[:_SLUG_LENGTH].rstrip("-") or "query"
    number = numbers.get(words, 1) if numbers else 1
    while (made := f"{words}-{number}" if number > 1 else words) in taken:
        number += 1
    if numbers is not None:
        numbers[words] = number
    return made


def outcome_of(trace: Trace) -> str:
    """How the query of ``trace`` was answered: one of :data:`OUTCOMES`, or another tier of an engine that has more."""
    if not trace.covered:
        return NOT_COVERED
    return COVERED if trace.tier is None else f"tier {trace.tier}"


def meets(expected: str, outcome: str) -> bool | None:
    """Whether ``outcome`` is as ``expected``; None when nothing is expected, or the engine has no tiers to compare."""
    if not expected or (outcome == COVERED and expected not in (COVERED, NOT_COVERED)):
        return None
    if expected == COVERED:
        return outcome != NOT_COVERED
    return outcome == expected
