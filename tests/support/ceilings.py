"""The ceilings of notes with given signals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from brvtui.engines.byterover.profile import Profile
from brvtui.ranking.ceiling import ScoreInputs, ceilings, days_until_below, score_inputs
from brvtui.ranking.maturity import levels_of
from tests.support.trees import BRV3

Signals = tuple[float, float, str, bool]
"""Stored importance and recency, maturity, and whether the note is local."""


def inputs(notes: Sequence[Signals], profile: Profile = BRV3) -> ScoreInputs:
    """The inputs to the scores of ``notes``."""
    importance, recency, maturity, local = zip(*notes, strict=True)
    return score_inputs(
        np.asarray(importance, dtype=np.float64),
        np.asarray(recency, dtype=np.float64),
        levels_of(maturity),
        np.asarray(local, dtype=np.bool_),
        profile.score,
    )


def ceiling_of(
    days: float, importance: float, recency: float, maturity: str, local: bool, profile: Profile = BRV3
) -> float:
    """The ceiling of one note at this age."""
    return float(ceilings(np.asarray([days]), inputs([(importance, recency, maturity, local)], profile), profile)[0])


def days_left(threshold: float, days: float, note: Signals, profile: Profile = BRV3) -> float:
    """Days until the ceiling of one note of this age falls below ``threshold``."""
    return float(days_until_below([threshold], np.asarray([days]), inputs([note], profile), profile)[0, 0])
