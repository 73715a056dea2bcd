"""A judgment: a query, its relevant documents and the expected outcome."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from brvtui.engines.contract import BriefAnswer
from brvtui.trace import Trace

GRADES = range(4)
"""The grades: 0 is irrelevant, 1 related, 2 relevant, 3 the subject of the query."""
COVERED, NOT_COVERED = "covered", "not covered"
FAILED = "failed"
"""The outcome of a query that the engine cannot currently answer."""
OUTCOMES = (NOT_COVERED, COVERED, *(f"tier {tier}" for tier in range(5)))
"""All possible outcomes of a query. ``covered`` is for engines without tiers."""
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SLUG = re.compile(r"[^a-z0-9]+")
_SLUG_LENGTH = 40


class JudgmentsError(ValueError):
    """Judgments cannot be read or changed. The message is one line that names the file, the place and the remedy."""


class JudgmentsWriteError(JudgmentsError):
    """The judgments file cannot be written."""


@dataclass(frozen=True, slots=True)
class JudgedDocument:
    """One document of a judgment. The ``title`` and ``digest`` help to find the document after its file has moved."""

    path: str
    grade: int
    title: str = ""
    digest: str = ""
    """The digest of the text when it was judged (:func:`brvtui.lab.judgments.following.digest_of`)."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """One judged query. The ``id`` is unique in the judgments file."""

    id: str
    text: str
    scope: str = ""
    expected: str = ""
    """The expected outcome, one of :data:`OUTCOMES`; empty if none is expected."""
    comment: str = ""
    documents: tuple[JudgedDocument, ...] = ()

    @property
    def grades(self) -> dict[str, int]:
        """The grade of each document, keyed by path."""
        return {document.path: document.grade for document in self.documents}


def is_id(text: str) -> bool:
    """True if ``text`` is a valid id of a judgment: 1 to 64 letters, digits, dots, dashes and underscores."""
    return _ID.fullmatch(text) is not None


def new_id(text: str, taken: Collection[str], numbers: dict[str, int] | None = None) -> str:
    """A new id for the query ``text``: its first words, with a number if that id is taken.

    ``numbers`` stores the last number for each text between calls, so that creating many ids takes linear time.
    """
    words = _SLUG.sub("-", text.lower()).strip("-")[:_SLUG_LENGTH].rstrip("-") or "query"
    number = numbers.get(words, 1) if numbers else 1
    while (id_ := f"{words}-{number}" if number > 1 else words) in taken:
        number += 1
    if numbers is not None:
        numbers[words] = number
    return id_


def outcome_of(answer: Trace | BriefAnswer) -> str:
    """The outcome of ``answer``: one of :data:`OUTCOMES`, or another tier if the engine has more."""
    if not answer.covered:
        return NOT_COVERED
    return COVERED if answer.tier is None else f"tier {answer.tier}"


def meets(expected: str, outcome: str) -> bool | None:
    """True if ``outcome`` is the ``expected`` one; None if no outcome is expected, or if the engine has no tiers."""
    if not expected or (outcome == COVERED and expected not in (COVERED, NOT_COVERED)):
        return None
    if expected == COVERED:
        return outcome not in (NOT_COVERED, FAILED)
    return outcome == expected
