"""Every constant of an engine, by name.

A profile is a TOML file: ``profiles/brv-3.toml`` holds every value, the others say what they change
(``extends``). No threshold, weight or limit is a literal elsewhere; traces name constants by their dotted path here
(``direct.min_top``).
"""

from __future__ import annotations

import dataclasses
import math
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from brvtui.typed_tables import ProfileError, merged, typed

__all__ = ["Profile", "ProfileError", "load", "lookup", "overlay"]

DEFAULT = "brv-3"
BUILT_IN = ("brv-3", "docs", "combined")
TIERS = 5


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


def load(source: str | Path = DEFAULT) -> Profile:
    """The profile called ``source`` (a built-in name), or read from the TOML file ``source``.

    Raises :class:`ProfileError` when there is no such profile, or a key or value of it is wrong.
    """
    return _build(_tables(source), str(source))


def overlay(base: Profile, tables: dict[str, Any], origin: str) -> Profile:
    """``base`` with the constants in ``tables`` (as a profile file would hold them) put in their place.

    Raises :class:`ProfileError`; ``origin`` names the file in its message.
    """
    return _build(merged(dataclasses.asdict(base), tables), origin)


@cache
def _built_in(name: str) -> dict[str, Any]:
    text = resources.files("brvtui").joinpath("profiles", f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _tables(source: str | Path) -> dict[str, Any]:
    if str(source) in BUILT_IN:
        tables = _built_in(str(source))
    else:
        path = Path(source)
        if not path.is_file():
            raise ProfileError(f"no profile {source}: use {', '.join(BUILT_IN)} or the path of a TOML file")
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise ProfileError(f"{path}: cannot be read as a profile ({error})") from error
        tables = {"extends": DEFAULT, "name": path.stem, **tables}
    base = tables.get("extends")
    if base is None:
        return tables
    if base not in BUILT_IN:
        raise ProfileError(f"{source}: extends = {base!r}, but only {', '.join(BUILT_IN)} can be extended")
    rest = {key: value for key, value in tables.items() if key != "extends"}
    return merged(_tables(base), rest)


def _build(tables: dict[str, Any], origin: str) -> Profile:
    profile: Profile = typed(Profile, tables, "", origin)
    _check(profile, origin)
    return profile


_AT_LEAST_ONE = (
    "search.limit",
    "router.limit",
    "entities.limit",
    "cache.capacity",
    "search.excerpt_chars",
    "single_call.max_iterations",
    "agentic_loop.max_iterations",
    "agent.same_calls",
    "agent.idle_turns",
    "agent.note_chars",
    "agent.most_listed",
)
_POSITIVE = (
    "decay.recency_days",
    "decay.importance_base",
    "manifest.chars_per_token",
    "score.importance_scale",
    "score.cap",
    "text.k",
    "cache.ttl_seconds",
)
_RANGES = (("decay.importance_base", 0, 1), ("score.decimals", 0, 12), ("search.excerpt_break", 0, 1))
_CHOICES = {
    "text.relevance": ("minisearch", "tantivy"),
    "manifest.contexts_by": ("walk", "importance"),
    "search.lift_source": ("relevance", "score"),
    "out_of_domain.compare": ("words", "tokens"),
    "signals.maturity": ("draft", "validated", "core"),
}
_NAMES = {"text.boost": {"title", "content", "path"}, "score.boost": {"draft", "validated", "core"}}


def _check(profile: Profile, origin: str) -> None:
    for dotted, allowed in _CHOICES.items():
        if lookup(profile, dotted) not in allowed:
            raise ProfileError(f"{origin}: {dotted} must be one of {', '.join(allowed)}")
    for dotted, names in _NAMES.items():
        if set(lookup(profile, dotted)) != names:
            raise ProfileError(f"{origin}: {dotted} must name exactly {', '.join(sorted(names))}")
    _check_numbers(profile, origin)


def _check_numbers(profile: Profile, origin: str) -> None:
    for dotted in _AT_LEAST_ONE:
        if lookup(profile, dotted) < 1:
            raise ProfileError(f"{origin}: {dotted} must be at least 1")
    for dotted in _POSITIVE:
        if not 0 < lookup(profile, dotted) < float("inf"):
            raise ProfileError(f"{origin}: {dotted} must be a number above 0")
    for dotted, least, most in _RANGES:
        if not least <= lookup(profile, dotted) <= most:
            raise ProfileError(f"{origin}: {dotted} must lie between {least:g} and {most:g}")
    for dotted, value in _numbers(profile):
        if not math.isfinite(value) or value < 0:
            raise ProfileError(f"{origin}: {dotted} must be a number of 0 or more")
    if len(profile.router.expected) != TIERS:
        raise ProfileError(f"{origin}: router.expected must hold {TIERS} texts")


def _numbers(profile: Profile) -> Iterator[tuple[str, float]]:
    for table in dataclasses.fields(profile):
        values = getattr(profile, table.name)
        if not dataclasses.is_dataclass(values):
            continue
        for field in dataclasses.fields(values):
            value = getattr(values, field.name)
            for number in value.values() if isinstance(value, dict) else (value,):
                if isinstance(number, (int, float)) and not isinstance(number, bool):
                    yield f"{table.name}.{field.name}", number
