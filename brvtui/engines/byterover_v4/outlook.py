"""The effect of age on topics: best possible scores, and when confidence or importance falls too low."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from brvtui.engines.ageing.events import BELOW_MATURITY, LEAVES_HIGH, LEAVES_MEDIUM, OF_TOPICS
from brvtui.engines.byterover_v4.ageing import (
    AgedColumns,
    AgedTopic,
    TopicColumns,
    aged_columns,
    aged_signals,
    default_signals,
    document_scores,
    score_at,
    stored_columns,
)
from brvtui.engines.byterover_v4.corpus import SpaceCorpus
from brvtui.engines.byterover_v4.profile import V4Profile
from brvtui.ranking.ceiling import HORIZON_DAYS, PRECISION_DAYS, ScoreInputs, ceilings, falling_ages
from brvtui.ranking.constants import CompoundRules
from brvtui.ranking.decay import MS_PER_DAY, DecayRules, days_until_importance
from brvtui.trace import AgedSignals, Ceiling, DatedEvent, DocumentForecast, Horizon, Part
from brvtui.trace.forecasts import date_after
from brvtui.tree.spaces.contents import BrokenSignals, TopicSignals

EVENT_KINDS: Mapping[str, str] = {event.key: event.state for event in OF_TOPICS}
"""Descriptions of the ageing events of topics, keyed by event."""
_SOON = 1e-3
"""The smallest number of days until a future event, because 0 would mean that it has occurred."""


@dataclass(frozen=True, slots=True)
class _Constants:
    """The constants that affect the best possible score of a topic."""

    score: CompoundRules
    decay: DecayRules


def ceilings_of(corpus: SpaceCorpus, paths: Sequence[str], now_ms: float, profile: V4Profile) -> list[Ceiling | None]:
    """For each topic at ``paths``, its score as the best match for a query, and the number of days until it loses each
    level of confidence.

    An entry is None if the topic's signals do not result in a number.
    """
    columns = corpus.columns(paths)
    inputs, constants = _inputs(columns, profile)
    since = aged_columns(columns, now_ms, profile).days
    now = ceilings(np.where(since > 0, since, 0.0), inputs, constants)
    fresh = ceilings(np.full(len(paths), PRECISION_DAYS), inputs, constants)  # not 0, where the stored recency applies
    names = _thresholds(profile)
    falling = _falling(corpus, profile)
    result: list[Ceiling | None] = []
    for place, path in enumerate(paths):
        ages = falling.get(path, (math.inf,) * len(names))  # a topic whose file V4 does not find does not age
        horizons = tuple(
            Horizon(threshold, name, bool(fresh[place] >= threshold), _left(now[place], threshold, since[place], age))
            for (name, threshold), age in zip(names.items(), ages, strict=True)
        )
        result.append(None if math.isnan(now[place]) else Ceiling(float(now[place]), horizons))
    return result


def standing(corpus: SpaceCorpus, path: str, now_ms: float, profile: V4Profile) -> tuple[AgedSignals, Ceiling | None]:
    """The signals of the topic at ``path`` before and after decay, and the topic's best possible score."""
    stored = corpus.signals.get(path)
    readable = None if isinstance(stored, BrokenSignals) else stored
    aged = aged_columns(corpus.columns((path,)), now_ms, profile)
    days, importance, recency = (float(one[0]) for one in (aged.days, aged.importance, aged.recency))
    topic = AgedTopic(readable or default_signals(profile.signals), readable is not None, days, importance, recency)
    (ceiling,) = ceilings_of(corpus, (path,), now_ms, profile)
    return aged_signals(topic, profile), ceiling


def _left(now: float, threshold: float, since: float, falling: float) -> float | None:
    """The days until the best possible score falls below ``threshold``: 0 if it already has, None if it takes longer
    than :data:`HORIZON_DAYS`.
    """
    if not now >= threshold:
        return 0.0
    left = falling - since
    return float(left) if left <= HORIZON_DAYS else None


def _thresholds(profile: V4Profile) -> dict[str, float]:
    return {"results.high": profile.results.high, "results.medium": profile.results.medium}


def _inputs(columns: TopicColumns, profile: V4Profile) -> tuple[ScoreInputs, _Constants]:
    importance, recency, boost = stored_columns(columns, profile)
    inputs = ScoreInputs(importance, recency, boost, np.zeros(len(boost)))
    return inputs, _Constants(profile.compound, profile.decay)


def _falling(corpus: SpaceCorpus, profile: V4Profile) -> Mapping[str, tuple[float, ...]]:
    """The ages in days when each topic of ``corpus`` loses high and medium confidence."""
    if not corpus.falling or corpus.falling[0][0] is not profile:
        paths = list(corpus.by_path)
        inputs, constants = _inputs(corpus.columns(paths), profile)
        rows = [
            falling_ages(np.full(len(paths), threshold), inputs, constants).tolist()
            for threshold in _thresholds(profile).values()
        ]
        corpus.falling[:] = [(profile, dict(zip(paths, zip(*rows, strict=True), strict=True)))]
    return corpus.falling[0][1]


def forecast(corpus: SpaceCorpus, path: str, now_ms: float, profile: V4Profile, day: float) -> DocumentForecast | None:
    """The score that the topic at ``path`` gets if it is the best match for a query, now and in ``day`` days, and its
    dated events.

    The result is None if the topic's signals do not result in a number.
    """
    stored = corpus.signals.get(path)
    if isinstance(stored, BrokenSignals):
        return None
    (now,) = ceilings_of(corpus, (path,), now_ms, profile)
    (then,) = ceilings_of(corpus, (path,), now_ms + day * MS_PER_DAY, profile)
    if now is None or then is None:
        return None
    rules = profile.score
    highest = max(rules.boost.values())
    reach = (rules.relevance + rules.importance + rules.recency) * highest
    signals = aged_columns(corpus.columns((path,)), now_ms, profile)
    score = score_at(document_scores(np.ones(1), signals, np.zeros(1, dtype=np.int64), profile), 0)
    maturity = stored.maturity if stored else profile.signals.maturity
    lacks = [
        Part("importance", (score.by_importance - rules.importance) * highest),
        Part("recency", (score.by_recency - rules.recency) * highest),
        Part("maturity", score.base * (score.boost - highest), note=maturity),
    ]
    below_maturity = _below_maturity(stored or default_signals(profile.signals), signals, profile)
    return DocumentForecast(
        now.score,
        reach,
        tuple(sorted((part for part in lacks if part.value), key=lambda part: part.value)),
        then.score,
        tuple(_events(_regaining(now, then, day), below_maturity, now_ms)),
    )


def _regaining(now: Ceiling, then: Ceiling, day: float) -> tuple[Horizon, ...]:
    """The horizons of ``now``, except where the topic lacks a level of confidence now but has it in ``day`` days. In
    that case, the horizon of ``then`` is used. A level can be regained because a stored recency of 0 applies only at an
    age of 0 days; after that, recency depends on the file's age.
    """
    result = []
    for first, later in zip(now.horizons, then.horizons, strict=True):
        regained = first.days_left == 0 and later.days_left != 0
        left = None if later.days_left is None else later.days_left + day
        result.append(replace(first, days_left=left) if regained else first)
    return tuple(result)


def _below_maturity(stored: TopicSignals, aged: AgedColumns, profile: V4Profile) -> float | None:
    """The days until the importance falls below the minimum for the maturity: 0 if it already has, None if it takes
    longer than :data:`HORIZON_DAYS`.
    """
    rules = profile.signals
    minimum = {"validated": rules.validated_until, "core": rules.core_until}.get(stored.maturity)
    if minimum is None:
        return None
    if aged.importance[0] < minimum:
        return 0.0
    left = days_until_importance(minimum, np.asarray([stored.importance]), profile.decay)[0] - aged.days[0]
    return max(float(left), _SOON) if left <= HORIZON_DAYS else None


def _events(horizons: Sequence[Horizon], below_maturity: float | None, now_ms: float) -> list[DatedEvent]:
    """The events of a topic, soonest first. ``below_maturity`` is the number of days until its importance is too low
    for its maturity.
    """
    events = []
    for horizon in horizons:
        left = horizon.days_left
        if left is not None:  # 0 for a past event
            name = horizon.constant.rpartition(".")[2]
            event = LEAVES_HIGH if name == "high" else LEAVES_MEDIUM
            text = f"{event.happens}, {event.in_short}"
            events.append(DatedEvent(event.key, left, date_after(now_ms, left) if left else "", text))
    if below_maturity is not None:
        date = date_after(now_ms, below_maturity) if below_maturity else ""
        events.append(DatedEvent(BELOW_MATURITY.key, below_maturity, date, BELOW_MATURITY.happens))
    return sorted(events, key=lambda event: event.days)
