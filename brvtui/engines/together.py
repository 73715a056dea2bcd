"""One ranking of several memories as a single tree, in which each memory ranks its own notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from brvtui.engines.contract import Context, EngineError
from brvtui.trace import Check, Hit, NearMiss
from brvtui.trace.routing import SearchOutcome


class NotTogether(EngineError):
    """Raised if the query or the constants make a common ranking impossible. The message is one line for the user."""


@dataclass(frozen=True, slots=True)
class MemberHit:
    """A result, and the member that it belongs to."""

    member: str
    hit: Hit


@dataclass(frozen=True, slots=True)
class MemberMiss:
    """A near miss, and the member that it belongs to."""

    member: str
    miss: NearMiss


@dataclass(frozen=True, slots=True)
class OneRanking:
    """The answer from one common ranking, with its statistics."""

    query: str
    profile: str
    """The names of the profiles of the counted members. These profiles may differ in the source of signals."""
    members: int = 0
    """The number of members whose notes were counted; 0 if the query names a note or folder."""
    notes: int = 0
    """The number of notes of the counted members."""
    averages: tuple[float, ...] = ()
    """The mean lengths of title, content and path over all counted notes."""
    frequencies: tuple[tuple[str, int, int, int], ...] = ()
    """Each query token, with the numbers of notes that contain it in the title, in the content and in the path."""
    scope: str = ""
    combine: str = ""
    """AND or OR; empty if no text was searched."""
    outcome: SearchOutcome = SearchOutcome.NO_MATCH
    matched: int = 0
    total_found: int = 0
    top: float | None = None
    floor: float | None = None
    checks: tuple[Check, ...] = ()
    unmatched_words: tuple[str, ...] = ()
    hits: tuple[MemberHit, ...] = ()
    near_misses: tuple[MemberMiss, ...] = ()
    missing: tuple[Any, ...] = ()
    """The members that did not answer, each with the reason, as recorded by the caller."""


@dataclass(frozen=True, slots=True)
class TermCounts:
    """The statistics of a query in one memory, and the numbers of matching notes."""

    notes: int
    inside: int
    """The number of notes in the scope, or of all notes if there is no scope."""
    lengths: tuple[int, ...]
    """The sum of the notes' lengths in each field."""
    frequencies: dict[str, tuple[int, ...]]
    """For each of the memory's terms that match the query, the number of notes that contain the term, by field."""
    some: int
    """The number of notes in the scope that match any token."""
    every: int
    """The number of notes in the scope that match every token."""


@dataclass(frozen=True, slots=True)
class FinishedPart:
    """One member's results with their score components, and those parent folders that are results themselves."""

    hits: tuple[Hit, ...]
    summaries: tuple[Hit, ...]
    misses: tuple[tuple[str, str, str], ...]
    """The title, kind and maturity of each near miss."""


class PartQuestion(Protocol):
    """A request to one of the memories, which can be sent to a different process."""

    def of(self, context: Context[Any]) -> Any:
        """The answer to the request in the context of a memory. Raises :class:`EngineError`."""


class RankedMemories(Protocol):
    """The memories that are ranked together, keyed by name."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the memories that have answered every request so far."""

    @property
    def profiles(self) -> Mapping[str, str]:
        """The name of each memory's profile."""

    @property
    def now_ms(self) -> float:
        """The time of the query."""

    def ask(self, questions: Mapping[str, PartQuestion]) -> dict[str, Any]:
        """The answers to ``questions``, keyed by memory. A memory that fails is left out of later requests."""


@runtime_checkable
class RanksTogether(Protocol):
    """An engine that can rank several memories as one."""

    def why_apart(self, constants: Any) -> str:
        """The reason why a memory with ``constants`` cannot be ranked together with others; empty if it can."""

    def rank_alike(self, constants: Any) -> Any:
        """``constants`` without the values that may differ between the members of one ranking, for comparison."""

    def rank_together(
        self, constants: Any, query: str, limit: int, memories: RankedMemories, domains: frozenset[str]
    ) -> OneRanking:
        """The ranking for ``query``, with at most ``limit`` results. A limit of 0 means the limit in ``constants``.
        ``domains`` are the domains of all memories.

        Raises :class:`NotTogether` if the query names several places.
        """
