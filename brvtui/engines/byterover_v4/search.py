"""V4's search over one space: words, relevance, filter, signals and grouping.

See ``docs/reference/byterover-v4.md``, "A search".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from typing import overload

import numpy as np

from brvtui.engines.byterover_v4.ageing import (
    AgedColumns,
    AgedTopic,
    DocumentScore,
    aged_columns,
    default_signals,
    document_scores,
    score_at,
)
from brvtui.engines.byterover_v4.corpus import SpaceCorpus, TopicFilter
from brvtui.engines.byterover_v4.documents import TopicDocument
from brvtui.engines.byterover_v4.index import Floats, Ints, RawSearch, TopicIndex, in_order_of_first
from brvtui.engines.byterover_v4.profile import V4Profile, WordRules
from brvtui.ranking.compound import Compound
from brvtui.tree.reading.javascript import spaced_words
from brvtui.tree.spaces.contents import BrokenSignals, TopicSignals

# The searched words of a query, and its significant words. A document must contain at least one significant word.


@dataclass(frozen=True, slots=True)
class AskedWords:
    """A query as V4 reads it."""

    cleaned: str
    """The text that is searched: the query without stop words, or the query as typed if it contains only stop words."""
    dropped: tuple[str, ...]
    """The stop words that are not searched, as typed."""
    significant: tuple[str, ...]
    """Runs of ASCII letters and digits. A document must contain one of them; if there are none, all documents pass."""


def asked_words(query: str, rules: WordRules) -> AskedWords:
    """``query`` as V4 reads it."""
    words = spaced_words(query)
    stop = frozenset(rules.stop_words)
    kept = [word for word in words if word.lower() not in stop]
    cleaned = " ".join(kept) if kept else query
    dropped = tuple(word for word in words if word.lower() in stop) if kept else ()
    significant = re.findall(f"[a-z0-9]{{{rules.significant_length},}}", cleaned.lower())
    return AskedWords(cleaned, dropped, tuple(significant))


class SignalsUnreadable(ValueError):
    """The signals of a matching topic are not valid JSON, so the query fails. The message is V4's own."""

    def __init__(self, path: str, broken: BrokenSignals) -> None:
        super().__init__(broken.message)
        self.path, self.file = path, broken.file


@dataclass(frozen=True, slots=True)
class SpaceState:
    """The changes since a space was read: signals that answers changed, and times of touched topics."""

    signals: Mapping[str, TopicSignals]
    mtimes_ms: Mapping[str, float]


UNCHANGED = SpaceState({}, {})


@dataclass(frozen=True, slots=True, eq=False)
class FoundDocument:
    """A document that a query found. ``rank`` is its rank by raw score, counted from 0."""

    place: int
    document: TopicDocument
    rank: int
    raw: float
    term_sum: float
    matched: int
    held: tuple[str, ...]
    """The significant words that occur in the document's text."""
    relevance: float
    score: DocumentScore


@dataclass(frozen=True, slots=True, eq=False)
class FoundTopic:
    """The documents of a found topic, best first: the hit, followed by the ``secondary`` ones listed with it."""

    path: str
    documents: tuple[FoundDocument, ...]
    secondary: tuple[FoundDocument, ...]
    signals: AgedTopic

    @property
    def best(self) -> FoundDocument:
        """The topic's best document, which determines its rank."""
        return self.documents[0]

    @property
    def score(self) -> float:
        """The score of the best document."""
        return self.best.score.value


@dataclass(frozen=True, slots=True, eq=False)
class SpaceSearch:
    """The results of one search: the counts of each stage, and all topics found, best first."""

    words: AskedWords
    index: TopicIndex
    raw: RawSearch
    kept: int
    """The number of documents that passed the filter."""
    filtered: Ints
    """The documents that match a term, but contain none of the significant words."""
    best_raw: float
    """The best raw score, which is the divisor that turns raw scores into relevance; 0 if no document passed the
    filter.
    """
    topics: FoundTopics


def search(
    corpus: SpaceCorpus,
    query: str,
    topic_filter: TopicFilter,
    now_ms: float,
    profile: V4Profile,
    state: SpaceState = UNCHANGED,
) -> SpaceSearch:
    """The search for ``query`` among the topics that ``topic_filter`` accepts.

    Raises :class:`brvtui.engines.byterover_v4.corpus.FilterError`,
    :class:`brvtui.engines.byterover_v4.index.DuplicateIds` and :class:`SignalsUnreadable`.
    """
    words = asked_words(query, profile.query)
    index, columns = corpus.index(topic_filter)
    raw = index.search(words.cleaned, profile.text)
    significant = tuple(dict.fromkeys(words.significant))
    passes = index.containing(significant)[raw.documents] if significant else np.ones(len(raw.documents), dtype=bool)
    ranks = np.flatnonzero(passes)
    places = raw.documents[ranks]
    if corpus.has_broken_signals:
        _check_signals(corpus, (index.documents[place].path for place in places.tolist()), state)
    if state is not UNCHANGED:
        columns = corpus.columns(index.paths, state.signals, state.mtimes_ms)
    signals = aged_columns(columns, now_ms, profile)
    best_raw = float(raw.raw[ranks[0]]) if len(ranks) else 0.0
    relevance = raw.raw[ranks] / best_raw if len(ranks) else np.zeros(0)
    numbers = index.topic_of[places]
    scores = document_scores(relevance, signals, numbers, profile)
    order = by_score(scores.score)
    ranking = _Ranking(
        corpus, index, raw, significant, ranks, relevance, scores, signals, state, profile, order, numbers[order]
    )
    topics = FoundTopics(ranking)
    return SpaceSearch(words, index, raw, len(ranks), raw.documents[~passes], best_raw, topics)


def _check_signals(corpus: SpaceCorpus, paths: Iterable[str], state: SpaceState) -> None:
    for path in paths:
        stored = state.signals.get(path) or corpus.signals.get(path)
        if isinstance(stored, BrokenSignals):
            raise SignalsUnreadable(path, stored)


@dataclass(frozen=True, slots=True, eq=False)
class _Ranking:
    """The documents that passed the filter, sorted by raw score, with the inputs to their scores."""

    corpus: SpaceCorpus
    index: TopicIndex
    raw: RawSearch
    significant: tuple[str, ...]
    ranks: Ints
    relevance: Floats
    scores: Compound
    signals: AgedColumns
    """The topics' signals, keyed by the topic's index."""
    state: SpaceState
    profile: V4Profile
    order: Ints
    """Indexes into ``ranks``, sorted by score."""
    topics: Ints
    """The number of the topic of each document, in the same order as ``order``."""

    def topic(self, number: int) -> FoundTopic:
        """The topic with this ``number`` in the index, with its documents sorted by score."""
        documents = tuple(self._document(place) for place in self.order[self.topics == number].tolist())
        rules = self.profile.results
        minimum = max(rules.secondary_floor, rules.secondary_share * documents[0].score.value)
        secondary = tuple(one for one in documents[1 : 1 + rules.secondaries] if one.score.value >= minimum)
        return FoundTopic(self.index.paths[number], documents, secondary, self._signals(number))

    def _document(self, place: int) -> FoundDocument:
        rank = int(self.ranks[place])
        number = int(self.raw.documents[rank])
        document = self.index.documents[number]
        haystack = document.haystack
        contained = tuple(word for word in self.significant if word in haystack)
        return FoundDocument(
            number, document, rank, float(self.raw.raw[rank]), float(self.raw.sums[rank]),
            int(self.raw.matched[rank]), contained, float(self.relevance[place]), score_at(self.scores, place),
        )  # fmt: skip

    def _signals(self, number: int) -> AgedTopic:
        path, aged = self.index.paths[number], self.signals
        stored = self.state.signals.get(path) or self.corpus.signals.get(path)
        assert not isinstance(stored, BrokenSignals)
        days, importance, recency = (float(one[number]) for one in (aged.days, aged.importance, aged.recency))
        return AgedTopic(stored or default_signals(self.profile.signals), stored is not None, days, importance, recency)


class FoundTopics(Sequence[FoundTopic]):
    """The topics that a search found, best first. Each is created on first access."""

    def __init__(self, ranking: _Ranking) -> None:
        """Sorts the topics by their best documents in ``ranking``."""
        self._ranking = ranking
        self.numbers = in_order_of_first(ranking.topics, len(ranking.index.paths))
        """The number of each topic in the index."""
        self._made: dict[int, FoundTopic] = {}

    @property
    def paths(self) -> list[str]:
        """The path of each topic."""
        paths = self._ranking.index.paths
        return [paths[number] for number in self.numbers.tolist()]

    def named(self, path: str) -> FoundTopic | None:
        """The topic at ``path``; None if it was not found."""
        number = self._ranking.index.numbers.get(path, -1)
        places = np.flatnonzero(self.numbers == number).tolist()
        return self[places[0]] if places else None

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> FoundTopic: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[FoundTopic, ...]: ...

    def __getitem__(self, place: int | slice) -> FoundTopic | tuple[FoundTopic, ...]:
        if isinstance(place, slice):
            return tuple(self[one] for one in range(*place.indices(len(self))))
        number = int(self.numbers[place])
        if number not in self._made:
            self._made[number] = self._ranking.topic(number)
        return self._made[number]


def by_score(scores: Floats) -> Ints:
    """The positions of ``scores``, highest score first; equal scores keep their order.

    A score that is not a number is neither above nor below any other, so its position depends on the sorting algorithm.
    Python uses the same algorithm as the engine's runtime.
    """
    if np.isnan(scores).any():
        values = scores.tolist()

        def compared(one: int, other: int) -> int:
            difference: float = values[other] - values[one]
            return (difference > 0) - (difference < 0)

        return np.asarray(sorted(range(len(values)), key=cmp_to_key(compared)), dtype=np.int64)
    return np.argsort(-scores, kind="stable")
