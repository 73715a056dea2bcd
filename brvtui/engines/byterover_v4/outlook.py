"""The best score that any query can give a topic, and when it stops being of high confidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from brvtui.engines.byterover_v4.ageing import TopicColumns, aged_columns, document_scores, stored_columns
from brvtui.engines.byterover_v4.corpus import SpaceCorpus
from brvtui.engines.byterover_v4.profile import V4Profile
from brvtui.ranking.ceiling import ScoreInputs, ceilings, days_until_below
from brvtui.ranking.constants import CompoundRules, DecayRules
from brvtui.ranking.decay import MS_PER_DAY
from brvtui.trace import Ceiling, DatedEvent, DocumentForecast, Horizon, Part
from brvtui.tree.spaces.signal_files import BrokenSignals

EVENT_KINDS: Mapping[str, str] = {"high": "no more of high confidence", "medium": "no more of medium confidence"}
"""What time brings to topics, by name: even as the best match of a query they lose a confidence."""


@dataclass(frozen=True, slots=True)
class _Constants:
    """What the ceiling of a topic depends on."""

    score: CompoundRules
    decay: DecayRules


def topic_ceilings(topics: TopicColumns, now_ms: float, profile: V4Profile) -> list[Ceiling | None]:
    """What each topic scores as the best match of a query, and for how long that is of high or medium confidence.

    None where signals make no number.
    """
    importance, recency, boost = stored_columns(topics, profile)
    inputs = ScoreInputs(importance, recency, boost, np.zeros(len(boost)))
    constants = _Constants(profile.compound, profile.decay)
    since = np.nan_to_num(aged_columns(topics, now_ms, profile).days, nan=0.0)
    names = {"results.high": profile.results.high, "results.medium": profile.results.medium}
    now = ceilings(np.maximum(0.0, since), inputs, constants)
    fresh = ceilings(np.zeros(len(boost)), inputs, constants)
    left = days_until_below(tuple(names.values()), since, inputs, constants)
    left[:, np.isnan(topics.mtimes_ms)] = math.inf  # what V4 finds no file of does not age
    made: list[Ceiling | None] = []
    for place, score in enumerate(now.tolist()):
        horizons = tuple(
            Horizon(
                threshold,
                name,
                bool(fresh[place] >= threshold),
                float(left[row, place]) if math.isfinite(left[row, place]) else None,
            )
            for row, (name, threshold) in enumerate(names.items())
        )
        made.append(None if math.isnan(score) else Ceiling(score, horizons))
    return made


def forecast(corpus: SpaceCorpus, path: str, now_ms: float, profile: V4Profile, day: float) -> DocumentForecast | None:
    """What the topic at ``path`` scores as the best match of a query, now and ``day`` days on, and what comes when.

    None where its signals make no number.
    """
    stored = corpus.signals.get(path)
    if isinstance(stored, BrokenSignals):
        return None
    columns = corpus.columns((path,))
    (now,) = topic_ceilings(columns, now_ms, profile)
    (then,) = topic_ceilings(columns, now_ms + day * MS_PER_DAY, profile)
    if now is None or then is None:
        return None
    rules = profile.score
    highest = max(rules.boost.values())
    reach = (rules.relevance + rules.importance + rules.recency) * highest
    signals = aged_columns(columns, now_ms, profile)
    made = document_scores(np.ones(1), signals, np.zeros(1, dtype=np.int64), profile).one(0)
    maturity = stored.maturity if stored else profile.signals.maturity
    lacks = [
        Part("importance", (made.by_importance - rules.importance) * highest),
        Part("recency", (made.by_recency - rules.recency) * highest),
        Part("maturity", made.base * (made.boost - highest), note=maturity),
    ]
    return DocumentForecast(
        now.score,
        reach,
        tuple(sorted((part for part in lacks if part.value), key=lambda part: part.value)),
        then.score,
        tuple(_events(now.horizons, now_ms)),
    )


def _events(horizons: Sequence[Horizon], now_ms: float) -> list[DatedEvent]:
    made = []
    for horizon in horizons:
        if horizon.days_left:
            name = horizon.constant.rpartition(".")[2]
            text = f"stops being of {name} confidence even as the best match"
            made.append(DatedEvent(name, horizon.days_left, _date(now_ms, horizon.days_left), text))
    return sorted(made, key=lambda event: event.days)


def _date(now_ms: float, days: float) -> str:
    try:
        return (datetime.fromtimestamp(now_ms / 1000, UTC) + timedelta(days=days)).date().isoformat()
    except (OverflowError, OSError, ValueError):  # beyond what a calendar holds
        return ""
