"""V4's search over one space: words, relevance, filter, signals, grouping (``docs/byterover_v4.md``, "A search")."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cmp_to_key

from brvtui.engines.byterover_v4.ageing import AgedTopic, DocumentScore, aged, document_score
from brvtui.engines.byterover_v4.corpus import SpaceCorpus, TopicFilter
from brvtui.engines.byterover_v4.documents import TopicDocument
from brvtui.engines.byterover_v4.index import RawSearch, TopicIndex
from brvtui.engines.byterover_v4.profile import V4Profile
from brvtui.engines.byterover_v4.words import AskedWords, asked_words
from brvtui.tree.spaces.signal_files import BrokenSignals, TopicSignals


class SignalsUnreadable(ValueError):
    """A matching topic's signals are no JSON, with which no query is answered. The message is V4's."""

    def __init__(self, path: str, broken: BrokenSignals) -> None:
        super().__init__(broken.message)
        self.path, self.file = path, broken.file


@dataclass(frozen=True, slots=True)
class SpaceState:
    """What differs from the space as it was read: signals that answers left behind, topics that were touched."""

    signals: Mapping[str, TopicSignals]
    mtimes_ms: Mapping[str, float]


UNCHANGED = SpaceState({}, {})


@dataclass(frozen=True, slots=True, eq=False)
class FoundDocument:
    """A document that a query found. ``rank`` counts from 0, by raw score."""

    place: int
    document: TopicDocument
    rank: int
    raw: float
    term_sum: float
    matched: int
    held: tuple[str, ...]
    """The significant words that its haystack contains."""
    relevance: float
    score: DocumentScore


@dataclass(frozen=True, slots=True, eq=False)
class FoundTopic:
    """A topic's documents, best first: the first is the hit, ``secondary`` are listed with it."""

    path: str
    documents: tuple[FoundDocument, ...]
    secondary: tuple[FoundDocument, ...]
    signals: AgedTopic

    @property
    def best(self) -> FoundDocument:
        """The document that carries the topic."""
        return self.documents[0]

    @property
    def score(self) -> float:
        """The score of the best document."""
        return self.best.score.value


@dataclass(frozen=True, slots=True, eq=False)
class SpaceSearch:
    """Everything that one search did: counts of each stage, and all topics that it found, best first."""

    words: AskedWords
    index: TopicIndex
    raw: RawSearch
    filtered: tuple[int, ...]
    """Places of documents that some term matched, and that hold none of the significant words."""
    best_raw: float
    """What relevance is relative to; 0 where nothing stayed."""
    topics: tuple[FoundTopic, ...]


def search(
    corpus: SpaceCorpus,
    query: str,
    asked: TopicFilter,
    now_ms: float,
    profile: V4Profile,
    state: SpaceState = UNCHANGED,
) -> SpaceSearch:
    """The search of ``query`` among the topics that ``asked`` lets pass.

    Raises :class:`brvtui.engines.byterover_v4.corpus.FilterError`,
    :class:`brvtui.engines.byterover_v4.index.DuplicateIds` and :class:`SignalsUnreadable`.
    """
    words = asked_words(query, profile.query)
    index = corpus.index(asked)
    raw = index.search(words.cleaned, profile.text)
    significant = tuple(dict.fromkeys(words.significant))
    filtered: list[int] = []
    kept: list[tuple[int, tuple[str, ...]]] = []
    for rank, place in enumerate(raw.documents.tolist()):
        haystack = index.documents[place].haystack
        held = tuple(word for word in significant if word in haystack)
        if held or not significant:
            kept.append((rank, held))
        else:
            filtered.append(place)
    best_raw = float(raw.raw[kept[0][0]]) if kept else 0.0
    signals: dict[str, AgedTopic] = {}
    found: list[FoundDocument] = []
    for rank, held in kept:
        place = int(raw.documents[rank])
        document = index.documents[place]
        if document.path not in signals:
            signals[document.path] = _aged(corpus, document.path, now_ms, profile, state)
        own = float(raw.raw[rank])
        relevance = own / best_raw
        score = document_score(relevance, signals[document.path], profile)
        found.append(
            FoundDocument(
                place, document, rank, own, float(raw.sums[rank]), int(raw.matched[rank]), held, relevance, score
            )
        )
    return SpaceSearch(words, index, raw, tuple(filtered), best_raw, tuple(_grouped(found, signals, profile)))


def _aged(corpus: SpaceCorpus, path: str, now_ms: float, profile: V4Profile, state: SpaceState) -> AgedTopic:
    stored = state.signals.get(path) or corpus.signals.get(path)
    if isinstance(stored, BrokenSignals):
        raise SignalsUnreadable(path, stored)
    topic = corpus.by_path.get(path)
    mtime = state.mtimes_ms.get(path, topic.mtime_ms if topic is not None else None)
    return aged(stored, mtime, now_ms, profile)


def _grouped(found: Sequence[FoundDocument], signals: Mapping[str, AgedTopic], profile: V4Profile) -> list[FoundTopic]:
    """The topics of ``found`` by score, each with its documents by score."""
    rules = profile.results
    groups: dict[str, list[FoundDocument]] = {}
    for one in by_score(found):
        groups.setdefault(one.document.path, []).append(one)
    made = []
    for path, documents in groups.items():
        least = max(rules.secondary_floor, rules.secondary_share * documents[0].score.value)
        secondary = [one for one in documents[1 : 1 + rules.secondaries] if one.score.value >= least]
        made.append(FoundTopic(path, tuple(documents), tuple(secondary), signals[path]))
    return made


def by_score(found: Sequence[FoundDocument]) -> list[FoundDocument]:
    """``found`` by score, highest first; equal ones keep their order.

    A score that is no number is neither above nor below any other, so the sort leaves it where its steps do: those of
    Python's sort are those of the engine's runtime.
    """
    if any(math.isnan(one.score.value) for one in found):
        return sorted(found, key=cmp_to_key(_compared))
    return sorted(found, key=lambda one: -one.score.value)


def _compared(one: FoundDocument, other: FoundDocument) -> int:
    difference = other.score.value - one.score.value
    return 0 if math.isnan(difference) else (difference > 0) - (difference < 0)
