"""Parameters of the signal and score formulas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from brvtui.typed_tables import Positive, Range, TableKeys

NOT_ROUNDED = 17
"""The number of decimals that means no rounding. No double has more significant digits."""


@dataclass(frozen=True, slots=True)
class CompoundRules:
    """The parameters of a match's compound score."""

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
    """The parameters of signals: their sources and defaults, the gain per event, and the maturity thresholds."""

    frontmatter: bool
    """True if signals are also read from a note's frontmatter. All other sources take precedence over it."""
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
    """True if one event can promote a draft to core [3.14]; false if it becomes validated first [doc]."""
    archive_below: float


@dataclass(frozen=True, slots=True)
class PruningRules:
    """For each maturity, the number of days without a change after which the engine suggests archiving a note; 0 means
    never.
    """

    draft_days: float
    validated_days: float
    core_days: float
