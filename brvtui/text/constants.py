"""Parameters of text relevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from brvtui.typed_tables import Positive, TableKeys


class ExpansionRules(Protocol):
    """The rules for which index terms match a query term, and for their weights."""

    @property
    def prefix_weight(self) -> float:
        """The weight of a prefix match before the deduction for the additional letters of the longer term."""

    @property
    def prefix_slope(self) -> float:
        """The weight of each additional letter in the divisor of the prefix weight."""

    @property
    def fuzzy_weight(self) -> float:
        """The weight of a fuzzy match before the deduction for the number of edits."""

    @property
    def fuzzy_ratio(self) -> float:
        """The number of edits allowed per letter of the query term."""

    @property
    def fuzzy_max(self) -> int:
        """The maximum number of edits, regardless of the term's length."""


@dataclass(frozen=True, slots=True)
class TextRules:
    """The parameters of text relevance: BM25+ with prefix and fuzzy expansion."""

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
