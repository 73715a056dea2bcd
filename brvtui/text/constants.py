"""Parameters of text relevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from brvtui.typed_tables import Positive, TableKeys


class ExpansionRules(Protocol):
    """Which index terms answer a query term, and how much they weigh."""

    @property
    def prefix_weight(self) -> float:
        """The weight of a longer term that the query term begins, before it is divided by its length."""

    @property
    def prefix_slope(self) -> float:
        """How much each letter that it is longer takes of that."""

    @property
    def fuzzy_weight(self) -> float:
        """The weight of a term some edits away, before it is divided by them."""

    @property
    def fuzzy_ratio(self) -> float:
        """How many edits a letter of the query term allows."""

    @property
    def fuzzy_max(self) -> int:
        """The most edits of any term."""


@dataclass(frozen=True, slots=True)
class TextRules:
    """Text relevance: BM25+ with prefix and fuzzy expansion."""

    relevance: Literal["minisearch", "tantivy"]
    boost: Annotated[dict[str, float], TableKeys(("title", "content", "path"))]
    k: Positive
    b: float
    d: float
    prefix_weight: float
    prefix_slope: float
    fuzzy_weight: float
    fuzzy_ratio: float
    fuzzy_max: int
