"""Parameters of text relevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from brvtui.typed_tables import Positive, TableKeys


class ExpansionRules(Protocol):
    """The index terms that match a query term, and their weights."""

    @property
    def prefix_weight(self) -> float:
        """The weight of a longer term that begins with the query term, before it is divided by its length."""

    @property
    def prefix_slope(self) -> float:
        """The amount by which each additional letter lowers that weight."""

    @property
    def fuzzy_weight(self) -> float:
        """The weight of a term some edits away, before it is divided by the number of edits."""

    @property
    def fuzzy_ratio(self) -> float:
        """The number of edits that each letter of the query term allows."""

    @property
    def fuzzy_max(self) -> int:
        """The maximum number of edits for any term."""


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
