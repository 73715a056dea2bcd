"""What only a trace of Soleri holds (``docs/soleri.md``, "The trace")."""

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
"""The signals as they are shown, in the order of their weights."""


@dataclass(frozen=True)
class SharedTerm:
    """A term of the query that an entry holds, too: its TF-IDF weight in both, and what it adds to the cosine."""

    term: str
    in_query: float
    in_entry: float
    adds: float


@dataclass(frozen=True)
class RankedEntry:
    """One candidate of the whole list. Ranks count from 1; None where it is in no such list."""

    hit: Hit
    id: str
    tier: str
    pool_rank: int | None
    bm25: float | None
    weighted: float | None
    """BM25 times the tier's weight."""
    vector_rank: int | None
    first_rank: int | None
    """Its rank before links counted."""
    path: tuple[str, ...]
    """The ids of the shortest way over links from one of the best entries; empty without one."""
    forecast: DocumentForecast
    """The best score that it can have, and when age or a validity window change that."""
    shared: tuple[SharedTerm, ...]
    """Terms that it has in common with the query, what adds most first."""
    other_score: float = 0.0
    """Its score under the other weights (:attr:`LearnedWeights.other`)."""
    lost_copies: tuple[str, ...] = ()
    """The tiers whose copies of it gave way, each with why."""
    named_by: tuple[str, ...] = ()
    """For each step of ``path``, the id of the entry that names the other in its ``related``."""


@dataclass(frozen=True)
class GuardDecision:
    """The small corpus guard's two comparisons."""

    candidates: int
    most: int
    limit: int
    half: float
    acts: bool


@dataclass(frozen=True)
class LearnedWeights:
    """The weights that were used, the others that feedback compares them with, and what moved them."""

    used: dict[str, float]
    other: dict[str, float]
    """Once weights have moved, the fixed ones; until then those that feedback of this rate leads to."""
    moved: bool
    rows: int
    """Rows of feedback that count."""
    needed: int
    """Rows from which on weights move."""
    rate: float | None
    """The share of results that were of use; None without feedback."""


@dataclass(frozen=True)
class SearchedTier:
    """A tier that was searched."""

    name: str
    weight: float
    entries: int


@dataclass(frozen=True)
class MemorySearch:
    """What was found among memories that the user brought."""

    held: int
    """How many there are, archived ones included."""
    expression: str
    """What FTS5 was asked for."""
    score: float
    """Of each of them."""
    found: tuple[str, ...]
    """The contexts of those that were found, best first."""
    given: int
    """How many of them an agent gets."""
    pushed_off: int
    """How many entries gave way to them at the end of the results."""


@dataclass(frozen=True)
class VaultSearch:
    """Everything that the vault search did, beside what all traces hold."""

    SECTION: ClassVar[str] = "vault_search"
    expression: str
    """What FTS5 was asked for."""
    limit: int
    fetch_limit: int
    filters: dict[str, str]
    tags: tuple[str, ...]
    tiers: tuple[SearchedTier, ...]
    seeds: tuple[str, ...]
    guard: GuardDecision
    weights: LearnedWeights
    ranking: tuple[RankedEntry, ...]
    """All candidates in their final order; the answer is its first ``returned``."""
    returned: int
    embedder: str
    embedder_error: str
    deviations: tuple[str, ...]
    """Where this profile does what the running program does, against the document, and it made a difference here."""
    shape: str
    """``full`` or ``scan``: what an agent gets of each result."""
    given: tuple[dict[str, Any], ...]
    """What an agent gets: the results in that shape, under Soleri's own names."""
    max_tokens: int | None = None
    cut_by_budget: int = 0
    memories: MemorySearch | None = None
    """None where no memories were brought."""

    @property
    def reach(self) -> float:
        """The most that a score can be with these weights: everything perfect, and a direct neighbour."""
        used = self.weights.used
        return sum(used.values()) - used.get("graph_proximity", 0.0) / 2

    def placed(self, file: str) -> RankedEntry | None:
        """The candidate whose note is ``file``; None when it is none."""
        return next((placed for placed in self.ranking if placed.hit.file == file), None)
