"""The constants of an engine, by name and in what unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Engine:
    """What the constants describe."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Limits:
    """What the engine reads. ``max_files`` 0 lifts that limit."""

    max_files: int
    max_file_bytes: int
    probe_bytes: int
    max_control_ratio: float
    max_lines: int
    max_line_units: int
    recent_hours: float
    index_seconds: float
    failures: bool
    """Whether trees that make the real engine's searches fail fail here too."""


@dataclass(frozen=True, slots=True)
class Text:
    """Text relevance: BM25+ with prefix and fuzzy expansion."""

    relevance: str
    """``minisearch`` or ``tantivy``."""
    boost: dict[str, float]
    k: float
    b: float
    d: float
    prefix_weight: float
    prefix_slope: float
    fuzzy_weight: float
    fuzzy_ratio: float
    fuzzy_max: int


@dataclass(frozen=True, slots=True)
class Query:
    """How a query is read."""

    stop_words: tuple[str, ...]
    and_min_words: int
    and_word_length: int


@dataclass(frozen=True, slots=True)
class Score:
    """The compound score of one match."""

    relevance: float
    importance: float
    recency: float
    importance_scale: float
    boost: dict[str, float]
    local_bonus: float
    cap: float
    decimals: int


@dataclass(frozen=True, slots=True)
class Decay:
    """How signals age, per day."""

    importance_base: float
    recency_days: float


@dataclass(frozen=True, slots=True)
class Signals:
    """Default signals, what events add, and where maturity changes."""

    importance: float
    recency: float
    maturity: str
    access_count: int
    update_count: int
    access_gain: float
    update_gain: float
    max_importance: float
    validated_from: float
    validated_until: float
    core_from: float
    core_until: float
    archive_below: float


@dataclass(frozen=True, slots=True)
class Pruning:
    """After how many days without a change the engine offers a note for archiving, by maturity; 0 for never."""

    draft_days: float
    validated_days: float
    core_days: float


@dataclass(frozen=True, slots=True)
class Search:
    """Limits and filters of one search."""

    limit: int
    gap_ratio: float
    lift_factor: float
    lift_local_bonus: bool
    lift_source: str
    """``relevance`` [3.14] or ``score`` [doc]: what is carried to ancestor folders."""
    excerpt_chars: int
    excerpt_overlap: int
    excerpt_break: float


@dataclass(frozen=True, slots=True)
class OutOfDomain:
    """When a search is emptied although it matched."""

    min_notes: int
    floor: float
    escape: float
    word_length: int
    matched_results: int
    compare: str
    """``words`` [3.14]: words with their punctuation against tokens; ``tokens`` [doc]: token with token."""


@dataclass(frozen=True, slots=True)
class Paths:
    """Scores of path answers."""

    note_score: float
    summary_score: float
    child_score: float


@dataclass(frozen=True, slots=True)
class Cache:
    """The router's cache."""

    capacity: int
    ttl_seconds: float
    ttl_inclusive: bool
    fingerprint_seconds: float
    min_similarity: float
    min_tokens: int
    token_length: int


@dataclass(frozen=True, slots=True)
class Entities:
    """The supplementary entity searches."""

    below: int
    stop_words: tuple[str, ...]
    word_length: int
    min_words: int
    searches: int
    limit: int
    before_out_of_domain: bool


@dataclass(frozen=True, slots=True)
class Direct:
    """Tier 2."""

    prefetch: float
    max_notes: int
    min_top: float
    sure_top: float
    min_gap: float
    note_chars: int


@dataclass(frozen=True, slots=True)
class Call:
    """One kind of model call."""

    max_tokens: int
    temperature: float
    max_iterations: int


@dataclass(frozen=True, slots=True)
class Agent:
    """When a model that calls tools is made to end, and how much one tool may give it."""

    same_calls: int
    idle_turns: int
    note_chars: int
    most_listed: int


@dataclass(frozen=True, slots=True)
class Router:
    """The router itself: its search limit, the tier that each outcome is logged as, the documented latencies."""

    limit: int
    not_covered_tier: int
    expected: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Retry:
    """The retry ladder in the route; beside it, as advice, otherwise."""

    in_route: bool


@dataclass(frozen=True, slots=True)
class Manifest:
    """Token budgets of the manifest's lanes, and characters per token."""

    summaries: int
    contexts: int
    stubs: int
    chars_per_token: float
    contexts_by: str
    """``walk`` [3.14]: the query path knows no importance there; ``importance`` [doc]."""


@dataclass(frozen=True, slots=True)
class Archive:
    """What a stub keeps of the note that it stands for."""

    cue_units: int


@dataclass(frozen=True, slots=True)
class Profile:
    """A named set of constants."""

    name: str
    summary: str
    engine: Engine
    limits: Limits
    text: Text
    query: Query
    score: Score
    decay: Decay
    signals: Signals
    pruning: Pruning
    search: Search
    out_of_domain: OutOfDomain
    paths: Paths
    cache: Cache
    entities: Entities
    direct: Direct
    single_call: Call
    agentic_loop: Call
    agent: Agent
    router: Router
    retry: Retry
    manifest: Manifest
    archive: Archive


def lookup(profile: Profile, dotted: str) -> Any:
    """The constant called ``dotted`` (``direct.min_top``); raises AttributeError when there is none."""
    value: Any = profile
    for name in dotted.split("."):
        value = getattr(value, name)
    return value
