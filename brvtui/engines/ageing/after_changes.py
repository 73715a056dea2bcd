"""A note after access hits, curate updates and saves (``docs/engine.md``, "Maturity")."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from brvtui.engines.ageing.rules import AgeingRules, inputs_of
from brvtui.engines.changes import accessed, updated
from brvtui.ranking.ceiling import ceilings
from brvtui.tree.reading.signals import NoteSignals


@dataclass(frozen=True, slots=True)
class After:
    """A note after so many hits or updates: its stored signals and its ceiling, 0..1."""

    times: int
    signals: NoteSignals
    days: float
    """Days since modification: a hit leaves the file alone, an update writes it."""
    ceiling: float


def after_hits(signals: NoteSignals, days: float, local: bool, hits: int, rules: AgeingRules) -> After:
    """The note, last written ``days`` ago, after ``hits`` access hits, each recorded before the next one comes."""
    for _ in range(hits):
        signals = accessed(signals, rules.signals)
    return _after(signals, days, local, hits, rules)


def after_updates(signals: NoteSignals, days: float, local: bool, updates: int, rules: AgeingRules) -> After:
    """The note, last written ``days`` ago, after ``updates`` curate updates: they write it, which makes it young."""
    for _ in range(updates):
        signals = updated(signals, rules.signals)
    return _after(signals, 0.0 if updates else days, local, updates, rules)


def _after(signals: NoteSignals, days: float, local: bool, times: int, rules: AgeingRules) -> After:
    ceiling = ceilings(np.asarray([days]), inputs_of([signals], local, rules.score), rules)
    return After(times, signals, days, float(ceiling[0]))
