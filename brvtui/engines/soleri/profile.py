"""Every constant of the vault search, by name: ``profiles/soleri.toml``, ``soleri-code.toml`` (``docs/soleri.md``)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal

from brvtui.engines.profile_files import profile_tables
from brvtui.engines.soleri.sections import ENGINE, PROFILES
from brvtui.typed_tables import Count, Positive, Range, typed


@dataclass(frozen=True, slots=True)
class Limits:
    """How many results a query gives that names no number."""

    search: Count
    full: Count
    scan: Count
    source: Count
    """Of each tier, where the program as run ignores the limit."""
    merged: Count


@dataclass(frozen=True, slots=True)
class FieldWeights:
    """The weight of each column of the full-text index."""

    id: float
    title: float
    description: float
    context: float
    tags: float

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights in the order of the columns."""
        return (self.id, self.title, self.description, self.context, self.tags)


@dataclass(frozen=True, slots=True)
class SignalValues:
    """A number for each of the seven signals."""

    semantic: float
    vector: float
    severity: float
    temporal_decay: float
    tag_overlap: float
    domain_match: float
    graph_proximity: float

    @property
    def in_order(self) -> tuple[float, ...]:
        """The numbers in the order of the signals."""
        return (
            self.semantic,
            self.vector,
            self.severity,
            self.temporal_decay,
            self.tag_overlap,
            self.domain_match,
            self.graph_proximity,
        )


@dataclass(frozen=True, slots=True)
class Weights(SignalValues):
    """The weight of each signal."""


@dataclass(frozen=True, slots=True)
class SeverityValues:
    """The signal of each severity."""

    critical: float
    warning: float
    suggestion: float


@dataclass(frozen=True, slots=True)
class AgeRules:
    """What age takes."""

    half_life_days: Positive
    ramp_share: Positive
    """The last share of a validity window, in which an entry fades."""


@dataclass(frozen=True, slots=True)
class PoolRules:
    """How many candidates are fetched for a limit."""

    factor: Count
    least: Count

    def size(self, limit: int) -> int:
        """The number of candidates that are fetched for ``limit`` results."""
        return max(self.factor * limit, self.least)


@dataclass(frozen=True, slots=True)
class GraphRules:
    """Where the walk over links starts."""

    seeds: Count


@dataclass(frozen=True, slots=True)
class GuardRules:
    """When few candidates are all returned."""

    candidates: Count
    share: float


@dataclass(frozen=True, slots=True)
class TierWeights:
    """The priority of each tier, and of a source with a name of its own."""

    agent: float
    project: float
    team: float
    named: float


@dataclass(frozen=True, slots=True)
class LearningRules:
    """How feedback moves the weights."""

    rows: Count
    """Below so many rows, nothing moves."""
    span: float
    lowest: float
    highest: float
    modified: float
    """What a result that was used with changes counts, where one that was accepted counts 1."""


@dataclass(frozen=True, slots=True)
class BudgetRules:
    """What a token budget cuts."""

    confident: float
    confident_results: Count


@dataclass(frozen=True, slots=True)
class VectorRules:
    """How vectors are made."""

    batch: Count
    re_embed: bool
    """Whether an entry whose text changed gets a new vector; the document keeps the old one."""


@dataclass(frozen=True, slots=True)
class ResultRules:
    """What a result shows."""

    snippet_chars: Count
    memory_score: float


@dataclass(frozen=True, slots=True)
class MappingRules:
    """How a note becomes an entry."""

    compared_chars: Annotated[int, Range()]
    """How many characters of the context the TF-IDF comparison reads; 0 for all of them."""
    severity_by_maturity: bool
    """Whether a note without a severity of its own has one by its maturity; else all of them are suggestions."""
    shared_tier: Literal["team", "named"]
    """Whose weight shared sources have: that of the ``team``, or of a ``named`` source."""
    personal: str
    """The alias of the shared source that is the personal tree, hence the tier ``agent``; empty for none."""


@dataclass(frozen=True, slots=True)
class AsRun:
    """Where the running program differs from the document; each is False for what the document says."""

    length_before_stripping: bool
    ascii_terms: bool
    dates_dropped: bool
    heaviest_copy: bool
    source_limit: bool
    memories_untransformed: bool
    hybrid_without_vectors: bool


@dataclass(frozen=True, slots=True)
class SoleriProfile:
    """A named set of constants of the vault search."""

    name: str
    summary: str
    limits: Limits
    columns: FieldWeights
    weights: Weights
    hybrid_weights: Weights
    severity: SeverityValues
    decay: AgeRules
    pool: PoolRules
    graph: GraphRules
    guard: GuardRules
    tiers: TierWeights
    learning: LearningRules
    budget: BudgetRules
    vectors: VectorRules
    results: ResultRules
    mapping: MappingRules
    as_run: AsRun


@cache
def load_profile(source: str) -> SoleriProfile:
    """The profile called ``source``, or read from the TOML file ``source``; the first built-in one for an empty name.

    Raises :class:`brvtui.typed_tables.ProfileError` when there is no such profile, or a key or value of it is wrong.
    """
    return typed(SoleriProfile, profile_tables(source or ENGINE, PROFILES), "", source or ENGINE)
