"""The constants for searching the vault, set in ``profiles/soleri.toml`` and ``soleri-code.toml``.

See ``docs/reference/soleri.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal

from brvtui.engines.profile_files import profile_tables
from brvtui.engines.soleri.sections import ENGINE, PROFILES
from brvtui.typed_tables import Count, Positive, Range, typed


@dataclass(frozen=True, slots=True)
class Limits:
    """The default numbers of results."""

    search: Count
    full: Count
    scan: Count
    source: Count
    """The number of results per tier in profiles that, like the original program, ignore the limit."""
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
        """The column weights as a tuple, in column order."""
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
        """The numbers as a tuple, in signal order."""
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
    """The value of the severity signal for each severity."""

    critical: float
    warning: float
    suggestion: float


@dataclass(frozen=True, slots=True)
class AgeRules:
    """Constants of the age factor."""

    half_life_days: Positive
    ramp_share: Positive
    """The share of a validity window, at its end, during which the factor falls."""


@dataclass(frozen=True, slots=True)
class PoolRules:
    """The number of candidates to fetch from the full-text pool."""

    factor: Count
    least: Count

    def size(self, limit: int) -> int:
        """The number of candidates to fetch for ``limit`` results."""
        return max(self.factor * limit, self.least)


@dataclass(frozen=True, slots=True)
class GraphRules:
    """The number of entries whose links are followed."""

    seeds: Count


@dataclass(frozen=True, slots=True)
class GuardRules:
    """The limits for the small corpus guard."""

    candidates: Count
    share: float


@dataclass(frozen=True, slots=True)
class TierWeights:
    """The weight of each tier, and of sources that have a name of their own."""

    agent: float
    project: float
    team: float
    named: float


@dataclass(frozen=True, slots=True)
class LearningRules:
    """Constants for adapting weights to feedback."""

    rows: Count
    """The minimum number of feedback rows for a change of the weights."""
    span: float
    lowest: float
    highest: float
    modified: float
    """The value of a result that was used with changes. The value of an accepted result is 1."""


@dataclass(frozen=True, slots=True)
class BudgetRules:
    """Constants for the token budget."""

    confident: float
    confident_results: Count


@dataclass(frozen=True, slots=True)
class VectorRules:
    """Constants for computing vectors."""

    batch: Count
    re_embed: bool
    """True if an entry gets a new vector when its text changes. In the documentation, it keeps the old vector."""


@dataclass(frozen=True, slots=True)
class ResultRules:
    """Constants for the returned results."""

    snippet_chars: Count
    memory_score: float


@dataclass(frozen=True, slots=True)
class MappingRules:
    """Constants for mapping notes to entries."""

    compared_chars: Annotated[int, Range()]
    """The number of characters of the context that are used for TF-IDF; 0 for all."""
    severity_by_maturity: bool
    """True if the default severity of a note depends on its maturity. Otherwise, the default is ``suggestion``."""
    shared_tier: Literal["team", "named"]
    """The weight that applies to shared sources: that of the tier ``team``, or that of ``named`` sources."""
    personal: str
    """The alias of the shared source that is the personal tree, the tier ``agent``; empty if there is none."""


@dataclass(frozen=True, slots=True)
class ProgramDeviations:
    """Deviations of the original program from its documentation. False means to follow the documentation."""

    length_before_stripping: bool
    ascii_terms: bool
    dates_dropped: bool
    heaviest_copy: bool
    source_limit: bool
    memories_untransformed: bool
    hybrid_without_vectors: bool


@dataclass(frozen=True, slots=True)
class SoleriProfile:
    """A named set of constants for searching the vault."""

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
    as_run: ProgramDeviations


@cache
def load_profile(source: str) -> SoleriProfile:
    """The built-in profile called ``source`` (the first one if empty), or the profile in the TOML file ``source``.

    Raises :class:`brvtui.typed_tables.ProfileError` if there is no such profile, or if a key or value in it is invalid.
    """
    return typed(SoleriProfile, profile_tables(source or ENGINE, PROFILES), "", source or ENGINE)
