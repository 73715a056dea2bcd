"""How the signals of a topic age, what an access hit adds, and what a document's score is made of."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from brvtui.engines.byterover_v4.profile import LEVELS, TopicSignalRules, V4Profile
from brvtui.ranking.decay import days_since, decayed_importance, decayed_recency
from brvtui.tree.spaces.signal_files import TopicSignals

_DRAFT, _VALIDATED, _CORE = LEVELS


@dataclass(frozen=True, slots=True)
class AgedTopic:
    """The signals of a topic as they count now. ``days`` since it was modified: NaN where V4 finds no file."""

    stored: TopicSignals
    has_file: bool
    """Whether signals are stored for it; else they are the defaults."""
    days: float
    importance: float
    recency: float


@dataclass(frozen=True, slots=True)
class DocumentScore:
    """A score and its addends: the three weighted signals sum to ``base``, which maturity multiplies."""

    by_relevance: float
    by_importance: float
    by_recency: float
    base: float
    boost: float
    """NaN for a maturity that V4 does not know."""
    value: float


def default_signals(rules: TopicSignalRules) -> TopicSignals:
    """The signals of a topic that has no file of them."""
    counts = float(rules.access_count), float(rules.update_count)
    return TopicSignals(rules.importance, rules.recency, rules.maturity, *counts)


def aged(stored: TopicSignals | None, mtime_ms: float | None, now_ms: float, profile: V4Profile) -> AgedTopic:
    """The signals of a topic at ``now_ms``. A topic of the future, or of no known time, does not age."""
    signals = stored or default_signals(profile.signals)
    days = math.nan if mtime_ms is None else float(days_since(math.floor(now_ms), mtime_ms))
    if not days > 0:
        return AgedTopic(signals, stored is not None, days, signals.importance, signals.recency)
    importance = float(decayed_importance(np.float64(signals.importance), days, profile.decay))
    recency = float(decayed_recency(np.float64(signals.recency), days, profile.decay))
    return AgedTopic(signals, stored is not None, days, importance, recency)


def document_score(relevance: float, topic: AgedTopic, profile: V4Profile) -> DocumentScore:
    """``(w_r relevance + w_i min(importance, 100) / 100 + w_c recency) * boost``; NaN where a signal is none."""
    rules = profile.score
    scale = rules.importance_scale
    capped = math.nan if math.isnan(topic.importance) else min(topic.importance, scale)
    by_relevance = rules.relevance * relevance
    by_importance = rules.importance * (capped / scale)
    by_recency = rules.recency * topic.recency
    base = by_relevance + by_importance + by_recency
    boost = rules.boost.get(topic.stored.maturity, math.nan)
    return DocumentScore(by_relevance, by_importance, by_recency, base, boost, base * boost)


def after_access(signals: TopicSignals, rules: TopicSignalRules) -> TopicSignals:
    """``signals`` after one access hit."""
    importance = min(rules.max_importance, signals.importance + rules.access_gain)
    return replace(
        signals,
        importance=importance,
        maturity=next_maturity(importance, signals.maturity, rules),
        access_count=signals.access_count + 1,
    )


def next_maturity(importance: float, maturity: str, rules: TopicSignalRules) -> str:
    """The maturity that a topic of this importance and maturity moves to, often its own."""
    if importance >= rules.core_from:
        return _CORE
    if importance >= rules.validated_from and maturity == _DRAFT:
        return _VALIDATED
    if maturity == _CORE and importance < rules.core_until:
        return _VALIDATED
    if maturity == _VALIDATED and importance < rules.validated_until:
        return _DRAFT
    return maturity
