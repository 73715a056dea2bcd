"""The best score that any query can give a topic, and when it stops being of high confidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

import numpy as np

from brvtui.engines.byterover_v4.ageing import DocumentScore, aged_columns, document_scores
from brvtui.engines.byterover_v4.corpus import SpaceCorpus
from brvtui.engines.byterover_v4.profile import V4Profile
from brvtui.ranking.decay import MS_PER_DAY
from brvtui.trace import DatedEvent, DocumentForecast, Part
from brvtui.tree.spaces.signal_files import BrokenSignals

EVENT_KINDS: Mapping[str, str] = {"high": "no more of high confidence", "medium": "no more of medium confidence"}
"""What time brings to topics, by name: even as the best match of a query they lose a confidence."""
_FARTHEST = 36_500.0
"""Days."""
_STEPS = 60


def forecast(corpus: SpaceCorpus, path: str, now_ms: float, profile: V4Profile, day: float) -> DocumentForecast | None:
    """What the topic at ``path`` scores as the best match of a query, now and ``day`` days on, and what comes when.

    None where its signals make no number.
    """
    stored = corpus.signals.get(path)
    if isinstance(stored, BrokenSignals):
        return None
    columns, first = corpus.columns((path,)), np.zeros(1, dtype=np.int64)

    def best(days: float) -> DocumentScore:
        signals = aged_columns(columns, now_ms + days * MS_PER_DAY, profile)
        return document_scores(np.ones(1), signals, first, profile).one(0)

    def ceiling(days: float) -> float:
        return best(days).value

    now = ceiling(0.0)
    if math.isnan(now):
        return None
    rules = profile.score
    highest = max(rules.boost.values())
    reach = (rules.relevance + rules.importance + rules.recency) * highest
    made = best(0.0)
    lacks = [
        Part("importance", (made.by_importance - rules.importance) * highest),
        Part("recency", (made.by_recency - rules.recency) * highest),
        Part(
            "maturity", made.base * (made.boost - highest), note=stored.maturity if stored else profile.signals.maturity
        ),
    ]
    events = []
    for name, threshold in (("high", profile.results.high), ("medium", profile.results.medium)):
        days = _days_until(ceiling, threshold)
        if days is not None:
            text = f"stops being of {name} confidence even as the best match"
            events.append(DatedEvent(name, days, _date(now_ms, days), text))
    return DocumentForecast(
        now, reach, tuple(sorted((part for part in lacks if part.value), key=lambda part: part.value)), ceiling(day),
        tuple(events),
    )  # fmt: skip


def _days_until(ceiling: Callable[[float], float], threshold: float) -> float | None:
    """Days until ``ceiling`` falls below ``threshold``; None when it already has, or never does."""
    if ceiling(0.0) < threshold or ceiling(_FARTHEST) >= threshold:
        return None
    low, high = 0.0, _FARTHEST
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if ceiling(middle) >= threshold else (low, middle)
    return high


def _date(now_ms: float, days: float) -> str:
    try:
        return (datetime.fromtimestamp(now_ms / 1000, UTC) + timedelta(days=days)).date().isoformat()
    except (OverflowError, OSError, ValueError):  # beyond what a calendar holds
        return ""
