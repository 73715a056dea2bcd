"""The seven signals and their weighted sum (``docs/reference/soleri.md``, "Signals")."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields

from brvtui.engines.soleri.entries import VaultEntry
from brvtui.engines.soleri.profile import AgeRules, SeverityValues, SignalValues, Weights

_DAY_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class EntrySignals(SignalValues):
    """The signals of one entry for one query. The vector signal is from -1 to 1, graph proximity is from 0 to 0.5, and
    the others are from 0 to 1.
    """

    def total(self, weights: Weights) -> float:
        """The weighted sum of the signals."""
        return sum([weight * value for weight, value in zip(weights.in_order, self.in_order, strict=True)])


NAMES = tuple(signal.name for signal in fields(EntrySignals))


def severity_of(severity: str, values: SeverityValues) -> float:
    """The value of the signal for a severity. An unknown severity has the value of ``suggestion``."""
    return {"critical": values.critical, "warning": values.warning}.get(severity, values.suggestion)


def jaccard(first: Iterable[str], second: Iterable[str]) -> float:
    """The Jaccard similarity of two sets; 0 if both are empty."""
    ours, theirs = set(first), set(second)
    return len(ours & theirs) / len(ours | theirs) if ours or theirs else 0.0


def temporal_decay(entry: VaultEntry, now: float, rules: AgeRules) -> float:
    """The age factor of an entry at ``now`` (seconds since 1970), from 0 to 1.

    With ``valid_until``, the factor is 1 until the last part of the validity window, where it falls linearly to 0.
    Otherwise, the factor halves with each half-life since the last change.
    """
    if not entry.valid_until:
        changed = changed_at(entry)
        return half_life_decay(now - changed, rules) if changed is not None else 1.0
    window = window_of(entry)
    remaining = entry.valid_until - now
    if remaining <= 0:
        return 0.0
    ramp = window * rules.ramp_share
    return 1.0 if window <= 0 or remaining > ramp else remaining / ramp


def half_life_decay(age_seconds: float, rules: AgeRules) -> float:
    """The age factor of an entry without a validity window, ``age_seconds`` after its last change."""
    return 1.0 if age_seconds <= 0 else math.exp(-math.log(2) * age_seconds / (rules.half_life_days * _DAY_SECONDS))


def changed_at(entry: VaultEntry) -> float | None:
    """The time of the last change of ``entry``, in seconds since 1970; None if it is unknown."""
    return entry.updated_at if entry.updated_at is not None else entry.created_at


def window_of(entry: VaultEntry) -> float:
    """The length of a validity window in seconds; 0 if its start or end is unknown. The age factor then does not fall
    before the end.
    """
    start = entry.valid_from if entry.valid_from is not None else entry.created_at
    return entry.valid_until - start if entry.valid_until is not None and start is not None else 0.0
