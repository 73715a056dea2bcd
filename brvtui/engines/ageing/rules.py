"""The ageing constants, and the inputs of the notes' scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.ageing.events import Event
from brvtui.ranking.ceiling import ScoreInputs, score_inputs
from brvtui.ranking.constants import CompoundRules, PruningRules, SignalRules
from brvtui.ranking.decay import DecayRules
from brvtui.ranking.maturity import Floats, Levels, levels_of
from brvtui.snapshot import Snapshot
from brvtui.tree.reading.signals import NoteSignals


@dataclass(frozen=True, slots=True)
class AgeingRules:
    """An engine's ageing constants."""

    score: CompoundRules
    decay: DecayRules
    signals: SignalRules
    gates: Mapping[Event, float]
    """The score that each gate requires, highest first, keyed by the event after which a note can no longer reach it.
    """
    events: tuple[Event, ...]
    """The ageing events that can occur, in display order."""
    pruning: PruningRules = PruningRules(0, 0, 0)


def inputs_at(snapshot: Snapshot, positions: NDArray[np.int64] | slice, rules: CompoundRules) -> ScoreInputs:
    """The score inputs of the notes at ``positions``, except text relevance and age."""
    columns = snapshot.columns
    return score_inputs(
        columns.importance[positions],
        columns.recency[positions],
        columns.maturity[positions],
        columns.is_local[positions],
        rules,
    )


def inputs_of(signals: Sequence[NoteSignals], is_local: bool, rules: CompoundRules) -> ScoreInputs:
    """The score inputs, as in :func:`inputs_at`, of notes with the stored ``signals``."""
    importance, levels = importance_and_levels(signals)
    recency = np.asarray([one.recency for one in signals], dtype=np.float64)
    return score_inputs(importance, recency, levels, np.full(len(signals), is_local), rules)


def importance_and_levels(signals: Sequence[NoteSignals]) -> tuple[Floats, Levels]:
    """The stored importance of the notes, and their maturity as positions in :data:`brvtui.ranking.maturity.LEVELS`."""
    importance = np.asarray([one.importance for one in signals], dtype=np.float64)
    return importance, levels_of(one.maturity for one in signals)
