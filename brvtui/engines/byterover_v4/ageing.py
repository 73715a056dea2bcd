"""The ageing of a topic's signals, the effect of an access hit, and the addends of a document's score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.byterover_v4.profile import LEVELS, TopicSignalRules, V4Profile
from brvtui.ranking.compound import Compound, compound
from brvtui.ranking.decay import days_since, decayed_importance, decayed_recency
from brvtui.trace import AgedSignals
from brvtui.tree.spaces.contents import TopicSignals

Floats = NDArray[np.float64]
_DRAFT, _VALIDATED, _CORE = LEVELS


@dataclass(frozen=True, slots=True)
class AgedTopic:
    """A topic's signals, as stored and after decay. ``days`` is the topic's age; NaN if V4 finds no file."""

    stored: TopicSignals
    has_file: bool
    """True if signals are stored for the topic; False if the signals are the defaults."""
    days: float
    importance: float
    recency: float


@dataclass(frozen=True, slots=True, eq=False)
class TopicColumns:
    """The stored signals of some topics and their modification times, as arrays."""

    has_file: NDArray[np.bool_]
    """True for each topic with stored signals. Other topics have NaN for all numbers."""
    importance: Floats
    recency: Floats
    levels: NDArray[np.int64]
    """Indexes into :data:`brvtui.engines.byterover_v4.profile.LEVELS`; -1 for a maturity that V4 does not know."""
    mtimes_ms: Floats
    """Modification times; NaN if V4 finds no file."""


@dataclass(frozen=True, slots=True, eq=False)
class AgedColumns:
    """Topics' signals after decay at one time, and the topics' maturity boosts (NaN for an unknown maturity)."""

    days: Floats
    importance: Floats
    recency: Floats
    boost: Floats


@dataclass(frozen=True, slots=True)
class DocumentScore:
    """A score and its addends. The weighted signals add up to ``base``, which is multiplied by the maturity's boost."""

    by_relevance: float
    by_importance: float
    by_recency: float
    base: float
    boost: float
    """The boost for the maturity; NaN for a maturity that V4 does not know."""
    value: float


def score_at(scores: Compound, place: int) -> DocumentScore:
    """The score of the document at index ``place`` in ``scores``."""
    columns = (scores.by_relevance, scores.by_importance, scores.by_recency, scores.base, scores.boost, scores.score)
    return DocumentScore(*(float(column[place]) for column in columns))


def default_signals(rules: TopicSignalRules) -> TopicSignals:
    """The signals of a topic that has no stored signals."""
    counts = float(rules.access_count), float(rules.update_count)
    return TopicSignals(rules.importance, rules.recency, rules.maturity, *counts)


def topic_columns(signals: Sequence[TopicSignals | None], mtimes_ms: Sequence[float]) -> TopicColumns:
    """The columns for topics with these stored ``signals`` (None without any) and modification times."""
    return TopicColumns(
        np.asarray([one is not None for one in signals], dtype=bool),
        np.asarray([math.nan if one is None else one.importance for one in signals], dtype=np.float64),
        np.asarray([math.nan if one is None else one.recency for one in signals], dtype=np.float64),
        np.asarray([_level(one.maturity) if one is not None else 0 for one in signals], dtype=np.int64),
        np.asarray(mtimes_ms, dtype=np.float64),
    )


def _level(maturity: str) -> int:
    return LEVELS.index(maturity) if maturity in LEVELS else -1


def stored_columns(topics: TopicColumns, profile: V4Profile) -> tuple[Floats, Floats, Floats]:
    """The importance, recency and boost of ``topics``: the stored ones, or the defaults of ``profile``."""
    rules = profile.signals
    boosts = np.asarray([*(profile.score.boost[level] for level in LEVELS), math.nan])
    return (
        np.where(topics.has_file, topics.importance, rules.importance),
        np.where(topics.has_file, topics.recency, rules.recency),
        boosts[np.where(topics.has_file, topics.levels, _level(rules.maturity))],
    )


def aged_columns(topics: TopicColumns, now_ms: float, profile: V4Profile) -> AgedColumns:
    """The signals of ``topics`` at ``now_ms``. Topics with an unknown or future modification time do not age."""
    importance, recency, boost = stored_columns(topics, profile)
    days = days_since(math.floor(now_ms), topics.mtimes_ms)
    counted = np.where(days > 0, days, 0.0)
    return AgedColumns(
        days,
        decayed_importance(importance, counted, profile.decay),
        decayed_recency(recency, counted, profile.decay),
        boost,
    )


def document_scores(relevance: Floats, signals: AgedColumns, topics: NDArray[np.int64], profile: V4Profile) -> Compound:
    """The scores of documents: ``(w_r relevance + w_i min(importance, 100) / 100 + w_c recency) * boost``; NaN if a
    signal is not a number.

    ``topics`` contains the index into ``signals`` of each document's topic.
    """
    importance, recency, boost = signals.importance[topics], signals.recency[topics], signals.boost[topics]
    return compound(relevance, importance, recency, boost, 0.0, profile.compound)


def after_access(signals: TopicSignals, rules: TopicSignalRules) -> TopicSignals:
    """The ``signals`` after one access hit."""
    importance = min(rules.max_importance, signals.importance + rules.access_gain)
    return replace(
        signals,
        importance=importance,
        maturity=next_maturity(importance, signals.maturity, rules),
        access_count=signals.access_count + 1,
    )


def next_maturity(importance: float, maturity: str, rules: TopicSignalRules) -> str:
    """The maturity of a topic after an event that set its importance to ``importance``; often unchanged."""
    if importance >= rules.core_from:
        return _CORE
    if importance >= rules.validated_from and maturity == _DRAFT:
        return _VALIDATED
    if maturity == _CORE and importance < rules.core_until:
        return _VALIDATED
    if maturity == _VALIDATED and importance < rules.validated_until:
        return _DRAFT
    return maturity


def aged_signals(signals: AgedTopic, profile: V4Profile) -> AgedSignals:
    """The ``signals`` in the form that traces use: before and after decay, and after one more access hit."""
    stored, after = signals.stored, after_access(signals.stored, profile.signals)
    moved = f"becomes {after.maturity}" if after.maturity != stored.maturity else f"stays {stored.maturity}"
    return AgedSignals(
        maturity=stored.maturity,
        importance_stored=_number(stored.importance),
        importance=_number(signals.importance),
        recency_stored=_number(stored.recency),
        recency=_number(signals.recency),
        days=_number(signals.days),
        access_count=int(_number(stored.access_count)),
        update_count=int(_number(stored.update_count)),
        source="sidecar" if signals.has_file else "default",
        after_access=f"the next access raises importance from {stored.importance:g} to {after.importance:g}; "
        f"the topic {moved}",
    )


def _number(value: float) -> float:
    return value if math.isfinite(value) else 0.0
