"""The Jeffs Brain pipeline's constants, set in ``profiles/jeffs_brain.toml`` (``docs/reference/jeffs-brain.md``)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

from brvtui.engines.jeffs_brain.intent import IntentRules
from brvtui.engines.jeffs_brain.sections import ENGINE as NAME
from brvtui.engines.profile_files import profile_tables
from brvtui.ladder import LadderRules
from brvtui.typed_tables import Count, Range, typed


@dataclass(frozen=True, slots=True)
class Defaults:
    """The default options of a request."""

    mode: Literal["auto", "bm25", "semantic", "hybrid"]
    top_k: int
    candidate_k: int
    rerank_top_n: int
    rerank: bool


@dataclass(frozen=True, slots=True)
class ColumnWeights:
    """The weight of each column of the full-text index."""

    path: float
    title: float
    summary: float
    tags: float
    content: float

    @property
    def weights(self) -> tuple[float, ...]:
        """The column weights as a tuple, in column order."""
        return (self.path, self.title, self.summary, self.tags, self.content)


@dataclass(frozen=True, slots=True)
class Fusion:
    """Constants of rank fusion. If ``k`` is not positive, :data:`brvtui.ranking.fusion.DEFAULT_K` is used."""

    k: Annotated[float, Range(-1e15)]


@dataclass(frozen=True, slots=True)
class Unanimity:
    """The agreement between two legs that makes it unnecessary to call the reranker."""

    window: Count
    agree_min: int


@dataclass(frozen=True, slots=True)
class Trigrams:
    """The minimum similarity between names."""

    least: float


@dataclass(frozen=True, slots=True)
class Reranking:
    """The length of the snippet that a reranker receives for a note without title and summary."""

    snippet_chars: int


@dataclass(frozen=True, slots=True)
class Vectors:
    """The maximum length of an embedded text, and the number of texts per request."""

    text_chars: int
    batch: Count


@dataclass(frozen=True)
class Language:
    """Rules for the words of a query."""

    word_length: int
    english: tuple[str, ...]
    dutch: tuple[str, ...]

    @cached_property
    def stopped(self) -> frozenset[str]:
        """The stop words of both languages."""
        return frozenset((*self.english, *self.dutch))


@dataclass(frozen=True, slots=True)
class HybridProfile:
    """A named set of constants for the hybrid pipeline."""

    name: str
    summary: str
    options: Defaults
    columns: ColumnWeights
    fusion: Fusion
    unanimity: Unanimity
    rerank: Reranking
    trigrams: Trigrams
    vectors: Vectors
    intent: IntentRules
    ladder: LadderRules
    query: Language


def load(source: str = "") -> HybridProfile:
    """The built-in profile called ``source`` (the default if empty), or the profile in the TOML file ``source``.

    Raises :class:`brvtui.typed_tables.ProfileError` if there is no such profile, or if a key or value in it is invalid.
    """
    return typed(HybridProfile, profile_tables(source or NAME, (NAME,)), "", source or NAME)
