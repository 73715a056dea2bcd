"""The constants of the vault search, set in ``profiles/soleri.toml`` and ``soleri-code.toml``.

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
    """The number per tier, in profiles that ignore the limit as the program does."""
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
    """One number for each of the seven signals."""

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
    """Constants of the age factor."""

    half_life_days: Positive
    ramp_share: Positive
    """The last share of a validity window, in which the factor falls."""


@dataclass(frozen=True, slots=True)
class PoolRules:
    """The number of candidates to fetch."""

    factor: Count
    least: Count

    def size(self, limit: int) -> int:
        """The number of candidates to fetch for ``limit`` results."""
        return max(self.factor * limit, self.least)


@dataclass(frozen=True, slots=True)
class GraphRules:
    """The number of entries from which links are followed."""

    seeds: Count


@dataclass(frozen=True, slots=True)
class GuardRules:
    """The limits of the small corpus guard."""

    candidates: Count
    share: float


@dataclass(frozen=True, slots=True)
class TierWeights:
    """The weight of each tier, and of a source with its own name."""

    agent: float
    project: float
    team: float
    named: float


@dataclass(frozen=True, slots=True)
class LearningRules:
    """Constants for adapting weights to feedback."""

    rows: Count
    """The number of feedback rows from which the weights change."""
    span: float
    lowest: float
    highest: float
    modified: float
    """The value of a result used with changes. An accepted one counts 1."""


@dataclass(frozen=True, slots=True)
class BudgetRules:
    """Constants of the token budget."""

    confident: float
    confident_results: Count


@dataclass(frozen=True, slots=True)
class VectorRules:
    """Constants for computing vectors."""

    batch: Count
    re_embed: bool
    """True if an entry gets a new vector when its text changes. According to the documentation, it keeps
    the old one.
    """


@dataclass(frozen=True, slots=True)
class ResultRules:
    """Constants of the returned results."""

    snippet_chars: Count
    memory_score: float


@dataclass(frozen=True, slots=True)
class MappingRules:
    """Constants for mapping notes to entries."""

    compared_chars: Annotated[int, Range()]
    """The number of characters of the context used for TF-IDF; 0 for all."""
    severity_by_maturity: bool
    """True if the default severity of a note depends on its maturity. Otherwise it is a suggestion."""
    shared_tier: Literal["team", "named"]
    """The tier whose weight shared sources get: ``team``, or a ``named`` source."""
    personal: str
    """The alias of the shared source that is the personal tree, and so the tier ``agent``; empty if there is none."""


@dataclass(frozen=True, slots=True)
class ProgramDeviations:
    """Switches for deviations of the running program from its documentation; False follows the documentation."""

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
    as_run: ProgramDeviations


@cache
def load_profile(source: str) -> SoleriProfile:
    """The profile with the name ``source``, or read from the TOML file ``source``; the first built-in one for an empty
    name.

    Raises :class:`brvtui.typed_tables.ProfileError` if there is no such profile, or one of its keys or values is
    invalid.
    """
    return typed(SoleriProfile, profile_tables(source or ENGINE, PROFILES), "", source or ENGINE)
