"""One ranking of several memories, as if their notes lay in one tree, each asked where it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from brvtui.engines.contract import Context, EngineError
from brvtui.trace import Check, Hit, NearMiss
from brvtui.trace.routing import SearchOutcome


class NotTogether(EngineError):
    """A query or constants that prevent one ranking. The message is one line for the user."""


@dataclass(frozen=True, slots=True)
class MemberHit:
    """A result, and the member that has it. The parts of its score sum to it."""

    member: str
    hit: Hit


@dataclass(frozen=True, slots=True)
class MemberMiss:
    """A near miss, and the member that has it."""

    member: str
    miss: NearMiss


@dataclass(frozen=True, slots=True)
class OneRanking:
    """The answer of one ranking, and what it was made of."""

    query: str
    profile: str
    """The profiles of the counted members, by name: they may differ in how signals are read."""
    members: int = 0
    """Members whose notes were counted; 0 where the query names a note or folder."""
    notes: int = 0
    """Notes of those members."""
    averages: tuple[float, ...] = ()
    """Mean length of title, content and path over all of them."""
    frequencies: tuple[tuple[str, int, int, int], ...] = ()
    """Each token of the query with how many notes hold it in title, content and path."""
    scope: str = ""
    combine: str = ""
    """AND or OR; empty where nothing was searched."""
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
    """Who is not in it, and why, as whoever asked them records it."""


@dataclass(frozen=True, slots=True)
class TermCounts:
    """The statistics of a query in one memory, and the number of its notes that match."""

    notes: int
    inside: int
    """Notes in the scope; all without one."""
    lengths: tuple[int, ...]
    """Sum of the lengths of each field."""
    frequencies: dict[str, tuple[int, ...]]
    """For each of its terms that answers the query, how many notes hold it, by field."""
    some: int
    """Notes in the scope that match some token."""
    every: int
    """Notes in the scope that match every token."""


@dataclass(frozen=True, slots=True)
class FinishedPart:
    """The results of one member, in parts, and the folders above them that are results too."""

    hits: tuple[Hit, ...]
    summaries: tuple[Hit, ...]
    misses: tuple[tuple[str, str, str], ...]
    """Title, kind and maturity of the near misses."""


class PartQuestion(Protocol):
    """A question to one of the memories. It can be sent to another process."""

    def of(self, context: Context[Any]) -> Any:
        """The answer in the context of that memory. Raises :class:`EngineError`."""


class RankedMemories(Protocol):
    """The memories that are ranked together, by name."""

    @property
    def names(self) -> tuple[str, ...]:
        """Memories that gave every answer."""

    @property
    def profiles(self) -> Mapping[str, str]:
        """The name of each one's profile."""

    @property
    def now_ms(self) -> float:
        """The moment at which they are asked."""

    def ask(self, questions: Mapping[str, PartQuestion]) -> dict[str, Any]:
        """The answers by name. One without an answer is left out, and from then on."""


@runtime_checkable
class RanksTogether(Protocol):
    """An engine that ranks several memories as one."""

    def why_apart(self, constants: Any) -> str:
        """The reason why a memory with ``constants`` cannot be ranked with others; empty if it can."""

    def rank_alike(self, constants: Any) -> Any:
        """``constants`` without what does not change how notes are ranked together."""

    def rank_together(
        self, constants: Any, query: str, limit: int, memories: RankedMemories, domains: frozenset[str]
    ) -> OneRanking:
        """At most ``limit`` results for ``query``, 0 for as many as ``constants`` say; ``domains`` are those of all.

        Raises :class:`NotTogether` for a query that names several places.
        """
