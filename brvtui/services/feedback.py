"""Where feedback on results is kept, for engines whose weights follow it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from brvtui.faults import error_line
from brvtui.trace.feedback import Feedback, Usefulness


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


def feedback_problem(error: OSError) -> str:
    """That the judgments of users cannot be read, and why."""
    return f"the feedback cannot be read, so it does not count: {error_line(error)}"
