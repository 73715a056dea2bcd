"""Every constant of the engine, by name: ``profiles/knowing.toml``, ``knowing-code.toml`` (``docs/knowing.md``)."""

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
    """The share of each round that starts again at the seeds."""
    rounds: CountLimit
    levels: Count
    """How many edges away from a seed the walk may go."""
    settled: Positive
    """The walk ends when the probabilities of two rounds differ by less than this in total."""
    leaders: Count
    """How many of the best nodes must keep their order ..."""
    leaders_rounds: Count
    """... in how many comparisons, for the walk to end."""
    leaders_equal: SizeLimit
    """More equal nodes than this have no order, as in the program, whose order of equal ones is any; 0 for all."""
    negligible: Share
    """A node with less probability does not hand it on: it is lost."""
    cutoff: Share
    """A node with less than this share of the best one's probability is no result."""
    other_module: Share
    """The factor of an edge into another module. What it takes away is lost."""
    module_sample: SizeLimit
    """How many nodes are looked at for their module; 0 for all."""
    crossing_types: tuple[str, ...]
    """The types of edges that lead into another module without loss: those that a person wrote."""
    closed_types: tuple[str, ...]
    """The types of edges over which no edges are read: what they lead to is a dead end. None by default."""
    edge_weights: dict[str, float]
    other_edges: float
    """The weight of an edge of any other type."""
    generated_edges: Share
    """The factor of an edge that a tool found, and nobody wrote (the provenance ``lsp_resolved``)."""
    whole_neighbourhood: bool
    """Whether edges are read as from the program's cache: those of the last level, too, without their provenance,
    and with the types in ``kept_types`` alone."""
    kept_types: tuple[str, ...]
    lost_type: str
    """What an edge of a type that the cache does not keep is read as."""


@dataclass(frozen=True, slots=True)
class HitsRules:
    """Hubs and authorities among the results of the walk."""

    more_than: Annotated[int, Range()]
    """They are counted among more than so many candidates."""
    nodes: CountLimit
    rounds: Count
    types: tuple[str, ...]
    """The types of edges that count; empty for all."""


@dataclass(frozen=True, slots=True)
class ComponentWeights:
    """The weights of the four components that every score has."""

    blast_radius: float
    confidence: float
    recency: float
    distance: float


@dataclass(frozen=True, slots=True)
class AgeSteps:
    """What an age in days is worth: the value of the first step that it does not exceed."""

    day: float
    week: float
    month: float
    older: float
    unknown: float


@dataclass(frozen=True, slots=True)
class AuthorityRules:
    """What hubs and authorities add to a score, or take from it."""

    seed_above: Share
    seed_factor: float
    other_above: Share
    other_factor: float
    """Taken from a node that is no seed: much is linked to it, whatever the task."""
    hub_above: Share
    hub_factor: float


@dataclass(frozen=True, slots=True)
class FeedbackWeights:
    """What feedback adds at most, and takes at most."""

    neutral: Share
    useful: float
    useless: float
    zero_counts: bool
    """Whether feedback that is all negative counts; the program takes it for none."""


@dataclass(frozen=True, slots=True)
class ScoreRules:
    """The score of a candidate, as a sum of components."""

    plain: ComponentWeights
    """Without hubs and authorities."""
    linked: ComponentWeights
    """With them."""
    authority: AuthorityRules
    recency: AgeSteps
    change: AgeSteps
    """Added for a node that changed of late."""
    feedback: FeedbackWeights
    session: float
    session_most: Positive
    walk_units: Count
    """The walk's probability counts as up to so many callers."""
    seed_units: Annotated[int, Range()]
    """A seed has up to so many callers more, by its weight."""
    least_confidence: Share
    penalty: Share
    """The factor of a test, or of a note in an archive."""
    penalty_words: tuple[str, ...]
    """A task with one of these words lifts the penalty."""
    penalty_words_inside: bool
    """Whether a word counts inside of another, as ``test`` in ``latest``."""
    injected_lead: float
    """How far above the best score a framework's class puts its own symbols."""


@dataclass(frozen=True, slots=True)
class PackingRules:
    """Filling a budget of tokens."""

    bytes_per_token: Count
    budget: CountLimit
    review_budget: CountLimit
    proximity_least: float
    proximity_per_phantom: float
    proximity_most: float
    delta_worth: Share
    """A delta is sent if it has less than this share of the tokens of the whole."""
    whole_tokens: Annotated[int, Range()]
    delta_tokens: Annotated[int, Range()]
    edge_tokens: Annotated[int, Range()]
    changed_edge_tokens: Annotated[int, Range()]
    removed_node_tokens: Annotated[int, Range()]


@dataclass(frozen=True, slots=True)
class ReviewRules:
    """The context of changed files, and of a pull request."""

    cutoff: Share
    """As that of the walk, for a pull request."""
    first_mention_counts: bool
    """Whether a changed symbol that another one uses, and that is met there first, is no changed one."""


@dataclass(frozen=True, slots=True)
class NoteGraphRules:
    """How notes become a graph."""

    plain_headings: tuple[str, ...]
    """Headings in lower case that say nothing of their section's subject: such a section has no name of its own."""
    sections_most: CountLimit
    """What stands below more headings of a note belongs to the last section."""
    set_aside: tuple[str, ...]
    """Folders, and values of ``status``, in lower case: a note with one of them is penalised."""
    connector_most: Count
    """Keywords, tags and files that more notes have join none of them."""
    similar_above: Share
    similar_most: Count
    """How many similar notes of its folder a note is joined with."""
    similar_group: Count
    """In a folder of more notes, none is compared."""
    caller_types: tuple[str, ...]
    """The edges that say that a note is used by another."""
    user_types: tuple[str, ...]
    """The edges that say that a note uses a changed file, or another note."""
    hits_types: tuple[str, ...]
    """The edges that make hubs and authorities."""
    delivers: Literal["whole", "summary"]
    """What an agent is given of a note: all of it, or its summary; of a section always all."""
    shown: CountLimit
    """For how many results the walk's ways are told."""
    linked: CountLimit
    """Of how many results that no channel found the strongest way is told."""
    ways: Count
    """How many ways are told for each ..."""
    way_edges: Count
    """... and how long they may be."""
    neighbours: Count
    """How many neighbours are told for each."""
    recency_of_change: bool
    """Whether recency is that of a note's last change."""
    other_confidence: Share
    confidences: dict[str, float]
    edge_weights: dict[str, float]
    """The walk's weights of the edges that only notes have."""


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
    """The profile called ``source``, or read from the TOML file ``source``; the document's for an empty name.

    Raises :class:`brvtui.typed_tables.ProfileError` when there is no such profile, or a key or value of it is wrong.
    """
    return typed(KnowingProfile, profile_tables(source or ENGINE, PROFILES), "", source or ENGINE)
