"""Users' feedback on results, stored for engines that learn from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Usefulness(StrEnum):
    """The usefulness of a result to a user."""

    ACCEPTED = "accepted"
    MODIFIED = "modified"
    """The result was used with changes."""
    DISMISSED = "dismissed"
    FAILED = "failed"
    """The system failed while the result was in use. This feedback is stored, but not counted."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """One user's feedback on one result."""

    query: str
    document: str
    usefulness: Usefulness
    at_ms: float
    """The time, in milliseconds since 1970."""


class FeedbackLog(Protocol):
    """The feedback on one engine's results over one tree."""

    def counts(self) -> Mapping[Usefulness, int]:
        """The count of each kind of feedback. Raises OSError."""

    def said(self) -> Sequence[Feedback]:
        """All feedback, oldest first. Raises OSError."""

    def add(self, feedback: Feedback) -> None:
        """Stores ``feedback``. Raises OSError."""


class NoFeedback:
    """A feedback log that stores nothing."""

    def counts(self) -> Mapping[Usefulness, int]:
        """Returns no counts."""
        return {}

    def said(self) -> Sequence[Feedback]:
        """Returns no feedback."""
        return ()

    def add(self, feedback: Feedback) -> None:
        """Raises PermissionError, because this log cannot store feedback."""
        raise PermissionError("feedback is not kept here")
