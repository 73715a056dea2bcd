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
    """Constants for the random walk with restart."""

    restart: Annotated[float, Range(0, 1)]
    """The share of the probability that returns to the seeds in each round."""
    rounds: CountLimit
    levels: Count
    """The maximum distance of the walk from a seed, in edges."""
    settled: Positive
    """The walk ends once the total change in a round is less than this."""
    leaders: Count
    """The number of best nodes whose order is compared from round to round."""
    leaders_rounds: Count
    """The walk ends once the best nodes have kept their order in this many consecutive comparisons."""
    leaders_equal: SizeLimit
    """If more nodes than this are equal, their order is not compared, because the original program sorts equal nodes
    arbitrarily; 0 means no limit.
    """
    negligible: Share
    """A node with less probability than this does not pass it on. Its probability is lost."""
    cutoff: Share
    """A node is not a result if its probability is below this share of the best node's."""
    other_module: Share
    """The factor for the probability that follows an edge into a different module. The rest is lost."""
    module_sample: SizeLimit
    """The number of nodes whose modules are checked; 0 means all."""
    crossing_types: tuple[str, ...]
    """The types of edges that lead into a different module without loss, because a person wrote them."""
    closed_types: tuple[str, ...]
    """The types of edges to dead ends, whose own edges are not loaded. There are none by default."""
    edge_weights: dict[str, float]
    other_edges: float
    """The weight of an edge of any type that is not listed."""
    generated_edges: Share
    """The factor for the weight of an edge that a tool found (provenance ``lsp_resolved``)."""
    whole_neighbourhood: bool
    """True if edges are read as they are in the original program's cache: those of the last level are included, they
    have no provenance, and only types in ``kept_types`` are preserved.
    """
    kept_types: tuple[str, ...]
    lost_type: str
    """The type assigned to an edge whose type is not in ``kept_types``."""


@dataclass(frozen=True, slots=True)
class HitsRules:
    """Constants for hubs and authorities among the results of the walk."""

    more_than: Annotated[int, Range()]
    """Hubs and authorities are used if there are more candidates than this."""
    nodes: CountLimit
    rounds: Count
    types: tuple[str, ...]
    """The types of edges to use; empty for all types."""


@dataclass(frozen=True, slots=True)
class ComponentWeights:
    """The weights of the four components that every score has."""

    blast_radius: float
    confidence: float
    recency: float
    distance: float


@dataclass(frozen=True, slots=True)
class AgeSteps:
    """The value for each step of age. The first step that an age does not exceed applies."""

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
    """The factor for lowering the score of a node that is not a seed by its authority, because its links do not depend
    on the task.
    """
    hub_above: Share
    hub_factor: float


@dataclass(frozen=True, slots=True)
class FeedbackWeights:
    """The maximum effects of feedback on a score."""

    neutral: Share
    useful: float
    useless: float
    zero_counts: bool
    """True if feedback that is entirely negative has an effect. The original program ignores it."""


@dataclass(frozen=True, slots=True)
class ScoreRules:
    """Constants for the score of a candidate, which is a sum of components."""

    plain: ComponentWeights
    """The weights used without hubs and authorities."""
    linked: ComponentWeights
    """The weights used with hubs and authorities."""
    authority: AuthorityRules
    recency: AgeSteps
    change: AgeSteps
    """The bonus for a node with a recent commit."""
    feedback: FeedbackWeights
    session: float
    session_most: Positive
    walk_units: Count
    """The number of callers that the highest walk probability is worth."""
    seed_units: Annotated[int, Range()]
    """The number of additional callers that a seed with weight 1 is worth."""
    least_confidence: Share
    penalty: Share
    """The factor for the score of a test or an archived note."""
    penalty_words: tuple[str, ...]
    """Words in a task that cancel the penalty."""
    penalty_words_inside: bool
    """True if a penalty word is also recognised inside another word, such as ``test`` in ``latest``."""
    injected_lead: float
    """The lead over the best score that is given to symbols at the top."""


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
    """Constants for questions about files and about pull requests."""

    cutoff: Share
    """The cutoff of the walk for a pull request."""
    first_mention_counts: bool
    """True if a symbol in the given files that was first listed as a user of another symbol remains a user."""


@dataclass(frozen=True, slots=True)
class NoteGraphRules:
    """Constants for building a graph of notes."""

    plain_headings: tuple[str, ...]
    """Generic headings, in lower case. The name of a section with such a heading includes the note's name."""
    sections_most: CountLimit
    """The maximum number of sections per note. The last section includes all further text."""
    set_aside: tuple[str, ...]
    """Folders, and values of ``status``, that mark a note as archived or deprecated, in lower case."""
    connector_most: Count
    """If more notes than this share a keyword, tag or file, it connects none of them."""
    similar_above: Share
    similar_most: Count
    """The maximum number of edges from a note to similar notes in its folder."""
    similar_group: Count
    """Similar notes are not computed for a folder with more notes than this."""
    caller_types: tuple[str, ...]
    """The types of edges from a node that uses a note to that note."""
    user_types: tuple[str, ...]
    """The types of edges from a note to a changed file or note that it uses."""
    hits_types: tuple[str, ...]
    """The types of edges that determine hubs and authorities."""
    delivers: Literal["whole", "summary"]
    """The part of a note that is delivered: the whole text or the summary. Sections are always delivered whole."""
    shown: CountLimit
    """The number of first results whose walk paths are recorded."""
    linked: CountLimit
    """The maximum number of results that no channel found whose strongest walk path is recorded."""
    ways: Count
    """The maximum number of recorded paths per result."""
    way_edges: Count
    """The maximum number of edges in a recorded path."""
    neighbours: Count
    """The maximum number of recorded neighbours per result."""
    recency_of_change: bool
    """True if the recency of a note depends on its last change."""
    other_confidence: Share
    confidences: dict[str, float]
    edge_weights: dict[str, float]
    """The weights in the walk for edge types that occur only between notes."""


@dataclass(frozen=True, slots=True)
class KnowingProfile:
    """A named set of the engine's constants."""

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
    """The built-in profile called ``source`` (the default if empty), or the profile in the TOML file ``source``.

    Raises :class:`brvtui.typed_tables.ProfileError` if there is no such profile, or if a key or value in it is invalid.
    """
    return typed(KnowingProfile, profile_tables(source or ENGINE, PROFILES), "", source or ENGINE)
