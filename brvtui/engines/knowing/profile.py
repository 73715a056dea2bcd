"""The engine's constants in ``profiles/knowing.toml`` and ``knowing-code.toml`` (``docs/reference/knowing.md``)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal

from brvtui.engines.knowing.sections import ENGINE, PROFILES
from brvtui.engines.knowing.seed_rules import (
    EquivalenceRules,
    FullTextRules,
    FusionRules,
    KeywordRules,
    LearningSteps,
    NoiseRules,
    PackCacheRules,
    PathChannelRules,
    SeedRules,
    SessionRules,
    TieredRules,
    UseRules,
)
from brvtui.engines.profile_files import profile_tables
from brvtui.typed_tables import Count, CountLimit, Positive, Range, Share, SizeLimit, typed


@dataclass(frozen=True, slots=True)
class WalkRules:
    """The random walk with restart."""

    restart: Annotated[float, Range(0, 1)]
    """The share of each round that restarts at the seeds."""
    rounds: CountLimit
    levels: Count
    """The maximum number of edges from a seed over which the walk continues."""
    settled: Positive
    """The walk ends once the total change in a round is less than this."""
    leaders: Count
    """The number of best nodes whose order is compared between rounds."""
    leaders_rounds: Count
    """The walk ends once these nodes keep their order in this number of comparisons in a row."""
    leaders_equal: SizeLimit
    """With more equal nodes than this, no order is compared, because the program sorts equal nodes arbitrarily; 0 for
    no limit.
    """
    negligible: Share
    """A node with less probability does not pass it on; the probability is lost."""
    cutoff: Share
    """A node with less than this share of the best node's probability is not a result."""
    other_module: Share
    """The factor of an edge into another module. The rest is lost."""
    module_sample: SizeLimit
    """The number of nodes whose modules are checked; 0 for all."""
    crossing_types: tuple[str, ...]
    """The types of edges that lead into another module without loss, because a person wrote them."""
    closed_types: tuple[str, ...]
    """The types of edges whose targets are dead ends, because their edges are not loaded. None by default."""
    edge_weights: dict[str, float]
    other_edges: float
    """The weight of an edge of any other type."""
    generated_edges: Share
    """The factor of an edge that a tool found (provenance ``lsp_resolved``)."""
    whole_neighbourhood: bool
    """True if edges are read as from the program's cache: including the last level, without their provenance, and with
    only the types in ``kept_types``.
    """
    kept_types: tuple[str, ...]
    lost_type: str
    """The type assigned to an edge whose type is not in ``kept_types``."""


@dataclass(frozen=True, slots=True)
class HitsRules:
    """Hubs and authorities among the results of the walk."""

    more_than: Annotated[int, Range()]
    """Hubs and authorities count if there are more candidates than this."""
    nodes: CountLimit
    rounds: Count
    types: tuple[str, ...]
    """The types of edges to follow; empty for all."""


@dataclass(frozen=True, slots=True)
class ComponentWeights:
    """The weights of the four components that every score has."""

    blast_radius: float
    confidence: float
    recency: float
    distance: float


@dataclass(frozen=True, slots=True)
class AgeSteps:
    """The values of ages. The first step that an age does not exceed applies."""

    day: float
    week: float
    month: float
    older: float
    unknown: float


@dataclass(frozen=True, slots=True)
class AuthorityRules:
    """The effect of hubs and authorities on a score."""

    seed_above: Share
    seed_factor: float
    other_above: Share
    other_factor: float
    """The factor of the deduction for a node that is not a seed, because its many links do not depend on the task."""
    hub_above: Share
    hub_factor: float


@dataclass(frozen=True, slots=True)
class FeedbackWeights:
    """The maximum effects of feedback on a score."""

    neutral: Share
    useful: float
    useless: float
    zero_counts: bool
    """True if entirely negative feedback counts. The program ignores it."""


@dataclass(frozen=True, slots=True)
class ScoreRules:
    """The score of a candidate, as a sum of components."""

    plain: ComponentWeights
    """Weights without hubs and authorities."""
    linked: ComponentWeights
    """Weights with hubs and authorities."""
    authority: AuthorityRules
    recency: AgeSteps
    change: AgeSteps
    """The bonus for a node with a recent commit."""
    feedback: FeedbackWeights
    session: float
    session_most: Positive
    walk_units: Count
    """The highest walk probability counts as this number of callers."""
    seed_units: Annotated[int, Range()]
    """A seed with weight 1 has this number of extra callers."""
    least_confidence: Share
    penalty: Share
    """The factor for a test or an archived note."""
    penalty_words: tuple[str, ...]
    """Words in a task that lift the penalty."""
    penalty_words_inside: bool
    """True if a word counts inside another, such as ``test`` in ``latest``."""
    injected_lead: float
    """The lead of a framework's own symbols over the best score."""


@dataclass(frozen=True, slots=True)
class PackingRules:
    """Constants for filling a token budget."""

    bytes_per_token: Count
    budget: CountLimit
    review_budget: CountLimit
    proximity_least: float
    proximity_per_phantom: float
    proximity_most: float
    delta_worth: Share
    """A delta is worth sending if it costs less than this share of the whole context."""
    whole_tokens: Annotated[int, Range()]
    delta_tokens: Annotated[int, Range()]
    edge_tokens: Annotated[int, Range()]
    changed_edge_tokens: Annotated[int, Range()]
    removed_node_tokens: Annotated[int, Range()]


@dataclass(frozen=True, slots=True)
class ReviewRules:
    """Constants for the context of changed files and of a pull request."""

    cutoff: Share
    """The cutoff of the walk for a pull request."""
    first_mention_counts: bool
    """True if a changed symbol counts as unchanged once it was listed as a user of another."""


@dataclass(frozen=True, slots=True)
class NoteGraphRules:
    """Constants for building a graph of notes."""

    plain_headings: tuple[str, ...]
    """Generic headings, in lower case. The name of a section with such a heading includes the name of its note."""
    sections_most: CountLimit
    """The maximum number of sections per note. Further text belongs to the last section."""
    set_aside: tuple[str, ...]
    """Folders, and values of ``status``, that make a note archived or deprecated, in lower case."""
    connector_most: Count
    """A keyword, tag or file that more notes than this share connects none of them."""
    similar_above: Share
    similar_most: Count
    """The maximum number of edges from a note to similar notes in its folder."""
    similar_group: Count
    """In folders with more notes than this, similar notes are not computed."""
    caller_types: tuple[str, ...]
    """The types of edges from a user of a note to the note."""
    user_types: tuple[str, ...]
    """The types of edges from a note to a changed file or note that it uses."""
    hits_types: tuple[str, ...]
    """The types of edges for hubs and authorities."""
    delivers: Literal["whole", "summary"]
    """The delivered part of a note: its whole text or its summary. Sections are always delivered whole."""
    shown: CountLimit
    """The number of results whose walk paths are recorded."""
    linked: CountLimit
    """The number of results without a channel whose strongest walk path is recorded."""
    ways: Count
    """The maximum number of recorded paths per result."""
    way_edges: Count
    """The maximum length of a recorded path in edges."""
    neighbours: Count
    """The maximum number of recorded neighbours per result."""
    recency_of_change: bool
    """True if the last change of a note determines its recency."""
    other_confidence: Share
    confidences: dict[str, float]
    edge_weights: dict[str, float]
    """The walk's weights for the types of edges that only notes have."""


@dataclass(frozen=True, slots=True)
class KnowingProfile:
    """A named set of constants of the engine."""

    name: str
    summary: str
    keywords: KeywordRules
    tiered: TieredRules
    full_text: FullTextRules
    equivalence: EquivalenceRules
    paths: PathChannelRules
    fusion: FusionRules
    noise: NoiseRules
    noise_of_notes: NoiseRules
    seeds: SeedRules
    session: SessionRules
    use: UseRules
    learning: LearningSteps
    pack_cache: PackCacheRules
    walk: WalkRules
    hits: HitsRules
    scoring: ScoreRules
    packing: PackingRules
    review: ReviewRules
    notes: NoteGraphRules


@cache
def load_profile(source: str = "") -> KnowingProfile:
    """The profile with the name ``source``, or read from the TOML file ``source``; the default for an empty name.

    Raises :class:`brvtui.typed_tables.ProfileError` if there is no such profile, or one of its keys or values is
    invalid.
    """
    return typed(KnowingProfile, profile_tables(source or ENGINE, PROFILES), "", source or ENGINE)
