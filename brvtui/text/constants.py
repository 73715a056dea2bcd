"""Parameters of text relevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from brvtui.typed_tables import Positive, TableKeys


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
