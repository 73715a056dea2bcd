"""Why one document is, or is not, in an answer."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.trace.hits import Detail, Hit
from brvtui.trace.traces import Trace


@dataclass(frozen=True)
class Reason:
    """The earliest reason of an engine's closed list; ``number`` counts from 1 in the order of that list."""

    number: int
    text: str


@dataclass(frozen=True)
class Remedy:
    """One change that would bring the document in. ``verified`` ones were re-run: ``rank`` and ``score`` came out."""

    text: str
    verified: bool
    query: str = ""
    rank: int | None = None
    score: float | None = None


@dataclass(frozen=True)
class Explanation:
    """One document and one query: its rank and hit when it is in the answer, else the earliest reason and a remedy."""

    query: str
    path: str
    title: str
    found: bool
    rank: int | None
    hit: Hit | None
    """The document's score; of one that is not in the answer, the score it would have had (None: nothing matches)."""
    detail: Detail | None
    reason: Reason | None
    numbers: str
    remedy: Remedy | None
    use: str
    """What becomes of a document that is in the answer, in words: quoted, passed to a model, listed."""
    trace: Trace
