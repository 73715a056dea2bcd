"""Every constant of the Jeffs Brain pipeline, by name: ``profiles/jeffs_brain.toml`` (``docs/jeffs_brain.md``)."""

from __future__ import annotations

import dataclasses
import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any

from brvtui.ladder import LadderRules
from brvtui.ranking.intent import IntentRules
from brvtui.services.requests import RequestPolicy
from brvtui.services.reranking import RerankRules
from brvtui.typed_tables import ProfileError, merged, typed

NAME = "jeffs_brain"
MODES = ("auto", "bm25", "semantic", "hybrid")


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a request has that says nothing else."""

    mode: str
    top_k: int
    candidate_k: int
    rerank_top_n: int
    rerank: bool


@dataclass(frozen=True, slots=True)
class Columns:
    """The weight of each column of the full-text index."""

    path: float
    title: float
    summary: float
    tags: float
    content: float

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights in the order of the columns."""
        return (self.path, self.title, self.summary, self.tags, self.content)


@dataclass(frozen=True, slots=True)
class Bm25:
    """FTS5's closed form of BM25."""

    k: float
    b: float
    least_idf: float
    """Stands in for an inverse document frequency of 0 or less."""


@dataclass(frozen=True, slots=True)
class Fusion:
    """Reciprocal rank fusion."""

    k: float


@dataclass(frozen=True, slots=True)
class Unanimity:
    """When two legs agree so far that a reranker is not asked."""

    window: int
    agree_min: int


@dataclass(frozen=True, slots=True)
class Trigrams:
    """Likeness of names."""

    least: float


@dataclass(frozen=True, slots=True)
class Vectors:
    """What a vector stands for."""

    text_chars: int


@dataclass(frozen=True)
class Language:
    """Which words of a bare query are searched."""

    word_length: int
    english: tuple[str, ...]
    dutch: tuple[str, ...]

    @cached_property
    def stopped(self) -> frozenset[str]:
        """The stop words of both languages as one set."""
        return frozenset((*self.english, *self.dutch))


@dataclass(frozen=True, slots=True)
class HybridProfile:
    """A named set of constants of the hybrid pipeline."""

    name: str
    summary: str
    options: Defaults
    columns: Columns
    bm25: Bm25
    fusion: Fusion
    unanimity: Unanimity
    rerank: RerankRules
    trigrams: Trigrams
    vectors: Vectors
    service: RequestPolicy
    intent: IntentRules
    ladder: LadderRules
    query: Language


@cache
def load() -> HybridProfile:
    """The built-in profile."""
    text = resources.files("brvtui").joinpath("profiles", f"{NAME}.toml").read_text(encoding="utf-8")
    return _build(tomllib.loads(text), NAME)


def overlay(base: HybridProfile, tables: dict[str, Any], origin: str) -> HybridProfile:
    """``base`` with the constants in ``tables`` put in their place; ``origin`` names the file in messages.

    Raises :class:`brvtui.typed_tables.ProfileError`.
    """
    return _build(merged(dataclasses.asdict(base), tables), origin)


_POSITIVE = ("fusion.k", "bm25.k", "service.timeout_seconds", "rerank.scale")
_AT_LEAST_ONE = (
    "unanimity.window",
    "service.tries",
    "service.batch",
    "service.max_bytes",
    "rerank.batch",
    "rerank.parallel",
)


def _build(tables: dict[str, Any], origin: str) -> HybridProfile:
    made: HybridProfile = typed(HybridProfile, tables, "", origin)
    if made.options.mode not in MODES:
        raise ProfileError(f"{origin}: options.mode must be one of {', '.join(MODES)}")
    for dotted in _POSITIVE:
        if not 0 < _lookup(made, dotted) < float("inf"):
            raise ProfileError(f"{origin}: {dotted} must be a number above 0")
    for dotted in _AT_LEAST_ONE:
        if _lookup(made, dotted) < 1:
            raise ProfileError(f"{origin}: {dotted} must be at least 1")
    return made


def _lookup(profile: HybridProfile, dotted: str) -> float:
    table, name = dotted.split(".")
    value: float = getattr(getattr(profile, table), name)
    return value
