"""The best possible score of an entry over time, with its events (``docs/reference/soleri.md``, "Ceiling")."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from brvtui.engines.soleri.entries import VaultEntry
from brvtui.engines.soleri.profile import SoleriProfile, Weights
from brvtui.engines.soleri.signals import _DAY_SECONDS, changed_at, severity_of, temporal_decay, window_of
from brvtui.engines.soleri.vault import Vault
from brvtui.trace import DatedEvent, DocumentForecast, Part

NEAREST = 0.5
"""The graph proximity of a direct neighbour, which is the highest possible value."""
_OPENS, _FADES, _CLOSES, _HALVES = "window-opens", "window-fades", "window-closes", "age-halves"
EVENT_KINDS = {
    _OPENS: "in an open window",
    _FADES: "in the last part of their window",
    _CLOSES: "past their window",
    _HALVES: "with an age factor that has halved",
}
"""The kinds of events that time causes, each with a phrase for the state of entries after it."""


def best_score(weights: Weights) -> float:
    """The best possible score with ``weights``, which a perfect entry with a link to one of the best entries would
    have.
    """
    return sum(weights.in_order) - (1 - NEAREST) * weights.graph_proximity


def forecast(
    entry: VaultEntry, vault: Vault, weights: Weights, now: float, profile: SoleriProfile, day: float = 0.0
) -> DocumentForecast:
    """The best possible score of ``entry`` at ``now`` (seconds since 1970) and ``day`` days later, and the events that
    change it.

    The query may have any words, tags and domain. The entry's severity, age, tags, links and vector are given.
    """
    dated = replace(entry, created_at=None, updated_at=None) if profile.as_run.dates_dropped else entry
    reach = best_score(weights)
    lacks = _deductions(dated, vault, weights, now, profile)
    then = _deductions(dated, vault, weights, now + day * _DAY_SECONDS, profile) if day else lacks
    events = (_event(kind, at, now, text) for kind, at, text in _changes(dated, now, profile))
    return DocumentForecast(
        reach + sum([part.value for part in lacks]),
        reach,
        tuple(sorted(lacks, key=lambda part: part.value)),
        reach + sum([part.value for part in then]),
        tuple(sorted(events, key=lambda event: event.days)),
    )


def _deductions(entry: VaultEntry, vault: Vault, weights: Weights, now: float, profile: SoleriProfile) -> list[Part]:
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
    """Yields the kind, time (seconds since 1970) and description of each past or future change of ``entry``."""
    if entry.valid_from is not None and entry.valid_from > now:
        yield _OPENS, entry.valid_from, "its window opens; until then, no word finds it"
    if entry.valid_until is not None:
        ended = entry.valid_until <= now
        window = window_of(entry)
        fades = entry.valid_until - window * profile.decay.ramp_share
        if window > 0 and not ended and fades > now:
            yield _FADES, fades, "its age factor begins to fall from 1"
        yield (
            _CLOSES,
            entry.valid_until,
            "its window closed" if ended else "its window closes; from then on, no word finds it",
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
    except (OverflowError, OSError, ValueError):  # outside the calendar's range
        date = ""
    return DatedEvent(kind, (at - now) / _DAY_SECONDS, date, text)
