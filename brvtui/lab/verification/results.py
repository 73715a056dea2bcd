"""What a verification found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AnswerDifference:
    """A question that the installed engine answers otherwise: the first step that differs, and both sides of it."""

    query: str
    step: str
    """``documents``, ``text score``, ``results``, ``total``, ``tier`` …: steps in the order in which they are made."""
    engine: str
    ours: str


@dataclass(frozen=True, slots=True)
class Verification:
    """The answers of an installed engine beside ours."""

    engine: str
    """Its name and version: ``byterover-cli 3.14.0``."""
    profile: str
    """The profile of ours that was compared with it."""
    over: str
    """The project."""
    documents: int
    queries: int
    differences: tuple[AnswerDifference, ...]
    isolation: str
    """How the network was cut off."""
    notices: tuple[str, ...]

    @property
    def same(self) -> int:
        """How many queries were answered the same."""
        return self.queries - len({difference.query for difference in self.differences})

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        return f"{self.same} of {self.queries} the same as {self.engine}"
