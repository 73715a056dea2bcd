"""ByteRover V4's constants, set in ``profiles/byterover_v4.toml`` (``docs/reference/byterover-v4.md``)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal

from brvtui.engines.profile_files import profile_tables
from brvtui.ranking.constants import CompoundRules
from brvtui.ranking.decay import DecayRules
from brvtui.typed_tables import Count, Positive, TableKeys, typed

NAME = "byterover_v4"
PROFILES = (NAME,)
FIELDS = ("title", "summary", "keywords", "body")
LEVELS = ("draft", "validated", "core")


@dataclass(frozen=True, slots=True)
class EngineNames:
    """The names of the engine that uses these constants."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class TopicTextRules:
    """Constants for text relevance: BM25+ over four fields, with prefix and fuzzy expansion."""

    boost: Annotated[dict[str, float], TableKeys(FIELDS)]
    k: Positive
    b: float
    d: float
    prefix_weight: float
    prefix_slope: float
    fuzzy_weight: float
    fuzzy_ratio: float
    fuzzy_max: int


@dataclass(frozen=True, slots=True)
class WordRules:
    """The stop words, and the minimum length of significant words.

    A document must contain at least one significant word.
    """

    stop_words: tuple[str, ...]
    significant_length: Count


@dataclass(frozen=True, slots=True)
class WeightRules:
    """The weights of a document's score."""

    relevance: float
    importance: float
    recency: float
    importance_scale: Positive
    boost: Annotated[dict[str, float], TableKeys(LEVELS)]


@dataclass(frozen=True, slots=True)
class TopicSignalRules:
    """The default signals, the effect of an access hit, and the maturity thresholds."""

    importance: float
    recency: float
    maturity: Literal["draft", "validated", "core"]
    access_count: int
    update_count: int
    access_gain: float
    max_importance: float
    validated_from: float
    validated_until: float
    core_from: float
    core_until: float


@dataclass(frozen=True, slots=True)
class HitRules:
    """The limits and thresholds that determine which documents become hits."""

    limit: Count
    recall_limit: Count
    least_limit_of_several: Count
    """The smallest limit that is used for each space if several spaces are searched."""
    secondaries: int
    secondary_floor: float
    secondary_share: float
    high: float
    medium: float
    snippet_units: Count
    snippet_before: Count


@dataclass(frozen=True, slots=True)
class CitationRules:
    """Limits for the citations that an agent receives."""

    most: Count
    recalled_from: Count
    quote_units: Count
    days: Count


@dataclass(frozen=True, slots=True)
class CoverageRules:
    """The thresholds of our own advice, which predicts whether ByteRover 3.14 would cover a query."""

    bonus: float
    cap: float
    floor: float
    escape: float
    word_length: Count
    results: Count
    direct_top: float
    sure_top: float
    lead: float


@dataclass(frozen=True, slots=True)
class V4Profile:
    """A named set of ByteRover V4's constants."""

    name: str
    summary: str
    engine: EngineNames
    text: TopicTextRules
    query: WordRules
    score: WeightRules
    decay: DecayRules
    signals: TopicSignalRules
    results: HitRules
    citation: CitationRules
    advice: CoverageRules

    @property
    def compound(self) -> CompoundRules:
        """The rules of the compound score with these weights, and without a bonus, a cap or rounding."""
        rules = self.score
        return CompoundRules(
            rules.relevance, rules.importance, rules.recency, rules.importance_scale, rules.boost, 0.0, math.inf, 12
        )


@cache
def load_profile(source: str) -> V4Profile:
    """The built-in profile called ``source`` (the default if empty), or the profile in the TOML file ``source``.

    Raises :class:`brvtui.typed_tables.ProfileError` if there is no such profile or if a key or value in it is wrong.
    """
    return typed(V4Profile, profile_tables(source or NAME, PROFILES), "", source or NAME)
