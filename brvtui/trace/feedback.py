"""Feedback of users on results, and where it is kept for engines that learn from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


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


class FeedbackLog(Protocol):
    """What was said of one engine's results over one tree."""

    def counts(self) -> Mapping[Usefulness, int]:
        """How often each was said. Raises OSError."""

    def said(self) -> Sequence[Feedback]:
        """Everything that was said, oldest first. Raises OSError."""

    def add(self, feedback: Feedback) -> None:
        """Keeps ``feedback``. Raises OSError."""


class NoFeedback:
    """Nothing is kept."""

    def counts(self) -> Mapping[Usefulness, int]:
        """Nothing."""
        return {}

    def said(self) -> Sequence[Feedback]:
        """Nothing."""
        return ()

    def add(self, feedback: Feedback) -> None:
        """Raises PermissionError: there is no place to keep it."""
        raise PermissionError("feedback is not kept here")
