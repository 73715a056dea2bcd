"""The trace sections that are specific to Soleri (``docs/reference/soleri.md``, "The trace")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from brvtui.trace import DocumentForecast, Hit

ENGINE = "soleri"
"""The engine's name in settings, traces and files."""
PROFILES = (ENGINE, "soleri-code")
POOL, VECTOR = "pool", "vector"
"""The names of the legs."""
SIGNALS = ("words", "vector", "severity", "age", "tags", "domain", "links")
"""The display names of the signals, in the order of the weights."""


@dataclass(frozen=True)
class SharedTerm:
    """A term that query and entry share, with both TF-IDF weights, and its contribution to the cosine."""

    term: str
    in_query: float
    in_entry: float
    adds: float


@dataclass(frozen=True)
class RankedEntry:
    """A candidate with its ranks, which start at 1. A rank is None if the candidate is not in that list."""

    hit: Hit
    id: str
    tier: str
    pool_rank: int | None
    bm25: float | None
    weighted: float | None
    """The entry's BM25 times the weight of its tier."""
    vector_rank: int | None
    first_rank: int | None
    """The rank before links were added to the score."""
    path: tuple[str, ...]
    """The ids on the shortest path of links from one of the best entries to this entry; empty if there is none."""
    forecast: DocumentForecast
    """The best possible score of the entry, and the events that change it because of age or the validity window."""
    shared: tuple[SharedTerm, ...]
    """The terms shared with the query, largest contribution first."""
    other_score: float = 0.0
    """The score with the weights :attr:`LearnedWeights.other`."""
    lost_copies: tuple[str, ...] = ()
    """The dropped copies of the entry, each as the name of its tier with the reason."""
    named_by: tuple[str, ...] = ()
    """For each link on ``path``, the id of the entry whose ``related`` names the other one."""


@dataclass(frozen=True)
class GuardDecision:
    """The two checks of the small corpus guard."""

    candidates: int
    most: int
    limit: int
    half: float
    acts: bool


@dataclass(frozen=True)
class LearnedWeights:
    """The weights in use, the weights for comparison, and the feedback."""

    used: dict[str, float]
    other: dict[str, float]
    """The weights for comparison: the fixed ones if feedback has changed the weights in use; otherwise, the weights
    that enough feedback of this kind would lead to.
    """
    moved: bool
    rows: int
    """The number of feedback rows that are used."""
    needed: int
    """The minimum number of feedback rows for a change of the weights."""
    rate: float | None
    """The share of useful results; None if there is no feedback."""


@dataclass(frozen=True)
class SearchedTier:
    """A tier that was searched."""

    name: str
    weight: float
    entries: int


@dataclass(frozen=True)
class MemorySearch:
    """The search in the user's memories."""

    held: int
    """The total number of memories, including archived ones."""
    expression: str
    """The FTS5 expression for searching memories."""
    score: float
    """The score that each memory gets."""
    found: tuple[str, ...]
    """The contexts of the matching memories, best first."""
    given: int
    """The number of memories that the agent receives."""
    pushed_off: int
    """The number of last entries that were displaced by memories."""


@dataclass(frozen=True)
class VaultSearch:
    """The details of a search that are specific to this engine."""

    SECTION: ClassVar[str] = "vault_search"
    expression: str
    """The FTS5 expression that was searched."""
    limit: int
    fetch_limit: int
    filters: dict[str, str]
    tags: tuple[str, ...]
    tiers: tuple[SearchedTier, ...]
    seeds: tuple[str, ...]
    guard: GuardDecision
    weights: LearnedWeights
    ranking: tuple[RankedEntry, ...]
    """All candidates in their final order. The first ``returned`` are the answer."""
    returned: int
    embedder: str
    embedder_error: str
    deviations: tuple[str, ...]
    """The points where this profile follows the original program instead of its documentation, if they made a
    difference.
    """
    shape: str
    """The form of the results for agents: ``full`` or ``scan``."""
    given: tuple[dict[str, Any], ...]
    """The records as an agent receives them, with Soleri's field names."""
    max_tokens: int | None = None
    cut_by_budget: int = 0
    memories: MemorySearch | None = None
    """The search in the user's memories; None if there are no memories."""

    @property
    def reach(self) -> float:
        """The best possible score with these weights, which a perfect entry with a link to one of the best entries
        would have.
        """
        used = self.weights.used
        return sum(used.values()) - used.get("graph_proximity", 0.0) / 2

    def placed(self, file: str) -> RankedEntry | None:
        """The candidate for the note at ``file``; None if the note is not a candidate."""
        return next((placed for placed in self.ranking if placed.hit.file == file), None)
