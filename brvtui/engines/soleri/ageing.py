"""The best score that any query can give an entry, and when its decay changes (``docs/soleri.md``, "Ceiling")."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime

from brvtui.engines.soleri.entries import VaultEntry
from brvtui.engines.soleri.profile import AgeRules, SeverityValues, SignalValues, SoleriProfile, Weights
from brvtui.engines.soleri.vault import Vault
from brvtui.trace import DatedEvent, DocumentForecast, Part

# The seven signals, and their weighted sum (``docs/soleri.md``, "Signals").


@dataclass(frozen=True, slots=True)
class EntrySignals(SignalValues):
    """The signals of one entry for one query: vector from -1 to 1, graph proximity to 0.5, the others from 0 to 1."""

    def total(self, weights: Weights) -> float:
        """The sum of each signal times its weight."""
        return sum([weight * value for weight, value in zip(weights.in_order, self.in_order, strict=True)])


NAMES = tuple(signal.name for signal in fields(EntrySignals))


def severity_of(severity: str, values: SeverityValues) -> float:
    """The value of a severity; an unknown one counts as a suggestion."""
    return {"critical": values.critical, "warning": values.warning}.get(severity, values.suggestion)


def jaccard(first: Iterable[str], second: Iterable[str]) -> float:
    """The shared share of two sets, compared exactly; 0 when both are empty."""
    ours, theirs = set(first), set(second)
    return len(ours & theirs) / len(ours | theirs) if ours or theirs else 0.0


def temporal_decay(entry: VaultEntry, now: float, rules: AgeRules) -> float:
    """What age leaves of an entry at ``now`` (seconds since 1970), from 0 to 1.

    An entry with ``valid_until`` keeps 1 until the last part of its window and falls in a straight line there; any
    other halves with each half-life since its last change.
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
    """What ``age_seconds`` leave of an entry without a window."""
    return 1.0 if age_seconds <= 0 else math.exp(-math.log(2) * age_seconds / (rules.half_life_days * _DAY_SECONDS))


def changed_at(entry: VaultEntry) -> float | None:
    """When ``entry`` last changed, in seconds since 1970; None where that is not known."""
    return entry.updated_at if entry.updated_at is not None else entry.created_at


def window_of(entry: VaultEntry) -> float:
    """The length of a validity window in seconds; 0 where its start or its end is not known, so that nothing fades."""
    start = entry.valid_from if entry.valid_from is not None else entry.created_at
    return entry.valid_until - start if entry.valid_until is not None and start is not None else 0.0


NEAREST = 0.5
"""The graph proximity of a direct neighbour, which no entry exceeds."""
_DAY_SECONDS = 86_400.0
_OPENS, _FADES, _CLOSES, _HALVES = "window-opens", "window-fades", "window-closes", "age-halves"
EVENT_KINDS = {
    _OPENS: "in an open window",
    _FADES: "in the last part of their window",
    _CLOSES: "past their window",
    _HALVES: "with an age factor that has halved",
}
"""What time brings to entries, and what an entry is then."""


def best_score(weights: Weights) -> float:
    """The most that any entry can reach with ``weights``: everything perfect, and a direct neighbour of a best one."""
    return sum(weights.in_order) - (1 - NEAREST) * weights.graph_proximity


def forecast(
    entry: VaultEntry, vault: Vault, weights: Weights, now: float, profile: SoleriProfile, day: float = 0.0
) -> DocumentForecast:
    """What ``entry`` of ``vault`` can reach at ``now`` (seconds since 1970) and ``day`` days on, and what comes when.

    A query can bring any words, tags and domain. Severity, age, and whether an entry has tags, a link or a vector, are
    the entry's own.
    """
    dated = replace(entry, created_at=None, updated_at=None) if profile.as_run.dates_dropped else entry
    reach = best_score(weights)
    lacks = _lacks(dated, vault, weights, now, profile)
    then = _lacks(dated, vault, weights, now + day * _DAY_SECONDS, profile) if day else lacks
    events = (_event(kind, at, now, text) for kind, at, text in _changes(dated, now, profile))
    return DocumentForecast(
        reach + sum([part.value for part in lacks]),
        reach,
        tuple(sorted(lacks, key=lambda part: part.value)),
        reach + sum([part.value for part in then]),
        tuple(sorted(events, key=lambda event: event.days)),
    )


def _lacks(entry: VaultEntry, vault: Vault, weights: Weights, now: float, profile: SoleriProfile) -> list[Part]:
    severity = severity_of(entry.severity, profile.severity)
    decay = temporal_decay(entry, now, profile.decay)
    has_link, has_vector = bool(vault.links.neighbours.get(entry.id)), entry.id in vault.vectors.vectors
    short = (
        ("severity", weights.severity * (severity - 1), entry.severity),
        ("age", weights.temporal_decay * (decay - 1), ""),
        ("tags", 0.0 if entry.tags else -weights.tag_overlap, "it has none"),
        ("links", 0.0 if has_link else -weights.graph_proximity * NEAREST, "it has none"),
        ("vector", 0.0 if has_vector else -weights.vector, "it has none"),
    )
    return [Part(name, value, note=note) for name, value, note in short if value]


def _changes(entry: VaultEntry, now: float, profile: SoleriProfile) -> Iterator[tuple[str, float, str]]:
    """Kinds and times (seconds since 1970) of what happens: ``entry`` is found, fades or is lost; and in words."""
    if entry.valid_from is not None and entry.valid_from > now:
        yield _OPENS, entry.valid_from, "its window opens: no word finds it before"
    if entry.valid_until is not None:
        ended = entry.valid_until <= now
        window = window_of(entry)
        fades = entry.valid_until - window * profile.decay.ramp_share
        if window > 0 and not ended and fades > now:
            yield _FADES, fades, "its age factor begins to fall from 1"
        yield (
            _CLOSES,
            entry.valid_until,
            "its window closed" if ended else "its window closes: no word finds it any more",
        )
    if entry.valid_until or changed_at(entry) is None:
        return
    half = profile.decay.half_life_days * _DAY_SECONDS
    age = max(0.0, now - (changed_at(entry) or 0.0))
    halvings = math.floor(age / half) + 1
    yield _HALVES, now + halvings * half - age, f"its age factor has halved to {0.5**halvings:.3g}"


def _event(kind: str, at: float, now: float, text: str) -> DatedEvent:
    try:
        date = datetime.fromtimestamp(at, UTC).date().isoformat()
    except (OverflowError, OSError, ValueError):  # beyond what a calendar holds
        date = ""
    return DatedEvent(kind, (at - now) / _DAY_SECONDS, date, text)
