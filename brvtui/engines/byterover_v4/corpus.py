"""The topics of one space that V4 ranks, with their documents, ages and signals."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from brvtui.engines.byterover_v4.ageing import TopicColumns, topic_columns
from brvtui.engines.byterover_v4.documents import TopicDocument
from brvtui.engines.byterover_v4.index import TopicIndex
from brvtui.engines.byterover_v4.profile import V4Profile
from brvtui.tree.spaces.contents import BrokenSignals, SignalFiles, TopicSignals
from brvtui.tree.spaces.topic_html import KNOWN, Topic

_KEPT_INDEXES = 32
_NONE: Mapping[str, TopicSignals] = {}
_AS_READ: Mapping[str, float] = {}
_ENDING = ".html"


class FilterError(ValueError):
    """A filter that V4 rejects. The message is V4's own."""


@dataclass(frozen=True, slots=True)
class TopicFilter:
    """A filter for the topics to search; empty fields accept all topics."""

    scope: str = ""
    tag: str = ""
    attribute: str = ""
    value: str = ""

    def check(self) -> None:
        """Raises :class:`FilterError` for an element tag that V4 does not know."""
        if self.tag and self.tag not in KNOWN:
            raise FilterError(f'unknown --element-tag "{self.tag}" (not a <bv-*> element)')

    def takes_path(self, path: str) -> bool:
        """True if the topic at ``path`` is in the filter's scope."""
        scope = self.scope.removesuffix(_ENDING).rstrip("/")
        return not scope or path == f"{scope}{_ENDING}" or path.startswith(f"{scope}/")

    def takes_elements(self, topic: Topic) -> bool:
        """True if ``topic`` contains the element that the filter requires."""
        if not self.tag:
            return True
        with_value = self.attribute and self.value
        return any(
            element.tag == self.tag and (not with_value or element.attributes.get(self.attribute) == self.value)
            for element in topic.elements
        )


@dataclass(frozen=True, slots=True, eq=False)
class RankedTopic:
    """A topic with its documents, and its modification time in ms, including fractions."""

    path: str
    topic: Topic
    mtime_ms: float
    documents: tuple[TopicDocument, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SpaceCorpus:
    """The topics of a space in V4's order. The indexes for the last few filters are cached."""

    topics: tuple[RankedTopic, ...]
    signals: SignalFiles
    by_path: Mapping[str, RankedTopic]
    documents: int
    """The number of documents in all topics."""
    has_broken_signals: bool
    falling: list[tuple[V4Profile, Mapping[str, tuple[float, ...]]]] = field(default_factory=list)
    """The age when each topic loses each level of confidence, for the last profile used."""
    _indexes: OrderedDict[TopicFilter, tuple[TopicIndex, TopicColumns]] = field(default_factory=OrderedDict)

    def index(self, topic_filter: TopicFilter) -> tuple[TopicIndex, TopicColumns]:
        """The index of the documents in topics that ``topic_filter`` accepts, and the signals of these topics.

        Raises :class:`brvtui.engines.byterover_v4.index.DuplicateIds` and :class:`FilterError`.
        """
        topic_filter.check()
        cached = self._indexes.get(topic_filter)
        if cached is None:
            index = TopicIndex([document for topic in self.searched(topic_filter) for document in topic.documents])
            cached = index, self.columns(index.paths)
            while len(self._indexes) >= _KEPT_INDEXES:
                self._indexes.popitem(last=False)
            self._indexes[topic_filter] = cached
        return cached

    def columns(
        self,
        paths: Sequence[str],
        signals: Mapping[str, TopicSignals] = _NONE,
        mtimes_ms: Mapping[str, float] = _AS_READ,
    ) -> TopicColumns:
        """The stored signals and times of the topics at ``paths``; values in ``signals`` and ``mtimes_ms`` replace
        them.

        A broken signals file is treated as missing here, because a search that needs the file has failed before.
        """
        stored = (signals.get(path) or self.signals.get(path) for path in paths)
        times = [
            mtimes_ms.get(path, self.by_path[path].mtime_ms if path in self.by_path else math.nan) for path in paths
        ]
        return topic_columns([None if isinstance(one, BrokenSignals) else one for one in stored], times)

    def searched(self, topic_filter: TopicFilter) -> Sequence[RankedTopic]:
        """The topics that ``topic_filter`` accepts."""
        return [
            topic
            for topic in self.topics
            if topic_filter.takes_path(topic.path) and topic_filter.takes_elements(topic.topic)
        ]


def corpus_of(topics: Sequence[RankedTopic], signals: SignalFiles) -> SpaceCorpus:
    """The corpus of ``topics``, in V4's order, with the given stored ``signals``."""
    return SpaceCorpus(
        tuple(topics),
        signals,
        {topic.path: topic for topic in topics},
        sum(len(topic.documents) for topic in topics),
        any(isinstance(stored, BrokenSignals) for stored in signals.values()),
    )
