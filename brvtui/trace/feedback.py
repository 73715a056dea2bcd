"""What users say of results, which some engines learn from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Usefulness(StrEnum):
    """What became of a result."""

    ACCEPTED = "accepted"
    MODIFIED = "modified"
    """It was used with changes."""
    DISMISSED = "dismissed"
    FAILED = "failed"
    """The system failed while the result was in use, which says nothing of the result: it is kept and not counted."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """What one user said of one result."""

    query: str
    document: str
    usefulness: Usefulness
    at_ms: float
    """Milliseconds since 1970."""
