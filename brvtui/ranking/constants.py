"""Parameters of the formulas of signals and scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from brvtui.typed_tables import Positive, Range, TableKeys

NOT_ROUNDED = 17
"""The maximum number of decimals of a double: scores are left as they are."""


@dataclass(frozen=True, slots=True)
class CompoundRules:
    """The compound score of one match."""

    relevance: float
    importance: float
    recency: float
    importance_scale: Positive
    boost: Annotated[dict[str, float], TableKeys(("draft", "validated", "core"))]
    local_bonus: float
    cap: Positive
    decimals: Annotated[int, Range(0, NOT_ROUNDED)]


@dataclass(frozen=True, slots=True)
class SignalRules:
    """Signals: their places, their defaults, the gain of each event, and the thresholds of maturity."""

    frontmatter: bool
    """True if a note's frontmatter may contain its signals, which have the lowest precedence."""
    importance: float
    recency: float
    maturity: Literal["draft", "validated", "core"]
    access_count: int
    update_count: int
    access_gain: float
    update_gain: float
    max_importance: float
    validated_from: float
    validated_until: float
    core_from: float
    core_until: float
    skip_validated: bool
    """True if an event can make a draft core [3.14], without being validated in between [doc]."""
    archive_below: float


@dataclass(frozen=True, slots=True)
class PruningRules:
    """The number of days without a change after which the engine offers a note for archiving, by maturity; 0 for
    never."""

    draft_days: float
    validated_days: float
    core_days: float
