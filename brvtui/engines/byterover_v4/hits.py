"""Converts found topics to the hits of a trace, with the parts of their scores, the matched words, and the best
possible scores.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from brvtui.engines.byterover_v4.ageing import aged_signals
from brvtui.engines.byterover_v4.documents import TopicDocument
from brvtui.engines.byterover_v4.index import TokenMatches
from brvtui.engines.byterover_v4.outlook import ceilings_of
from brvtui.engines.byterover_v4.printed import PrintedHit
from brvtui.engines.byterover_v4.profile import FIELDS, V4Profile
from brvtui.engines.byterover_v4.scripts import RankedSpace
from brvtui.engines.byterover_v4.search import FoundDocument, FoundTopic, SpaceSearch
from brvtui.engines.byterover_v4.sections import TopicHit, WordPlace
from brvtui.engines.contract import Context
from brvtui.ranking.bm25 import saturate
from brvtui.text.analysis import from_utf16
from brvtui.text.vocabulary import KINDS
from brvtui.trace import Hit, Kind, MatchedWord, MatchKind, NearMiss, Origin, Part, TextScore

LIMIT, FILTERED = "past the limit", "contains none of the significant words"


@dataclass(frozen=True, slots=True)
class SpacePaths:
    """A space, and its topics' paths in the snapshot, keyed by V4's own paths."""

    space: RankedSpace
    paths: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PlacedTopic:
    """A topic, together with the search that found it."""

    topic: FoundTopic
    search: SpaceSearch
    paths: SpacePaths

    @property
    def file(self) -> str:
        """The topic's path in the snapshot, or V4's own path if the snapshot has no such file."""
        return self.paths.paths.get(self.topic.path, self.topic.path)


def space_name(space: RankedSpace) -> str:
    """The name of a space, or of its folder if it has none."""
    folder = space.contents.folder
    return folder.name or folder.id or folder.tree.name


def traced_hit(found: PlacedTopic, printed: PrintedHit, profile: V4Profile) -> Hit:
    """The hit for a topic: the parts of its score, its signals, and the words that it matches."""
    topic, best = found.topic, found.topic.best
    is_number = not math.isnan(topic.score)
    alias = found.paths.paths.get(printed.path, "")
    return Hit(
        path=printed.path,
        file=alias or printed.path,
        title=printed.title or printed.path,
        kind=Kind.CONTEXT,
        origin=Origin.TEXT,
        score=topic.score if is_number else 0.0,
        parts=score_parts(topic, profile),
        text=TextScore(best.term_sum, best.matched, best.raw, best.relevance),
        signals=aged_signals(topic.signals, profile),
        shared_source=alias[1:].partition("]")[0] if alias.startswith("[") else "",
        words=tuple(_words(best, found.search)),
    )


def with_ceilings(hits: Sequence[Hit], found: Sequence[PlacedTopic], context: Context[V4Profile]) -> tuple[Hit, ...]:
    """The ``hits``, each with the best possible score of its topic. ``found`` begins with the topics of the hits."""
    ceilings = []
    corpora = {id(one.paths): one.paths.space.corpus for one in found[: len(hits)]}
    for key, corpus in corpora.items():
        own = [place for place in range(len(hits)) if id(found[place].paths) == key]
        paths = [found[place].topic.path for place in own]
        ceilings += list(zip(own, ceilings_of(corpus, paths, context.now_ms, context.constants), strict=True))
    return tuple(replace(hits[place], ceiling=ceiling) for place, ceiling in sorted(ceilings, key=lambda one: one[0]))


def score_parts(topic: FoundTopic, profile: V4Profile) -> tuple[Part, ...]:
    """The parts that add up to the score of ``topic``; empty if the score is not a number."""
    best, signals, rules = topic.best, topic.signals, profile.score
    if math.isnan(topic.score):
        return ()
    score = best.score
    return (
        Part("relevance", score.by_relevance, best.relevance, rules.relevance, "raw ÷ best raw"),
        Part("importance", score.by_importance, signals.importance, rules.importance),
        Part("recency", score.by_recency, signals.recency, rules.recency),
        Part("maturity", score.value - score.base, score.base, score.boost, signals.stored.maturity),
    )


def _words(best: FoundDocument, search: SpaceSearch) -> Iterator[MatchedWord]:
    """Yields the query words that a document matches, each with the heaviest matching term in the document."""
    for one in dict.fromkeys(search.raw.tokens):
        match = _heaviest(one, best)
        if match is not None:
            term, kind, distance, fields = match
            yield MatchedWord(from_utf16(one.token), from_utf16(term), kind, distance, fields)


def _heaviest(one: TokenMatches, best: FoundDocument) -> tuple[str, MatchKind, int, tuple[str, ...]] | None:
    if not one.sums[best.place]:
        return None
    places, expansion, terms = one.places, one.expansion, best.document.terms
    own_places = {places[name] for own in terms for name in own if name in places}
    if not own_places:
        return None
    place = min(own_places, key=lambda place: (-expansion.weights[place], place))
    name = one.terms[expansion.ids[place]]
    fields = tuple(field for field, own in zip(FIELDS, terms, strict=True) if name in own)
    return name, KINDS[expansion.kinds[place]], int(expansion.distances[place]), fields


def topic_hit(found: PlacedTopic, printed: PrintedHit) -> TopicHit:
    """The details of a hit: the element that matched, the raw score, and the instructions to the agent."""
    best = found.topic.best
    count = printed.access_count
    return TopicHit(
        printed.path,
        found.paths.paths.get(printed.path, ""),
        space_name(found.paths.space),
        printed.element,
        printed.kind,
        printed.others,
        best.raw,
        found.search.best_raw,
        float(saturate(np.asarray(best.raw))),
        best.rank + 1,
        tuple(_places(best.held, best.document)),
        printed.confidence,
        None if math.isnan(printed.score) else printed.score,
        int(count) + 1 if math.isfinite(count) else 0,
        printed.snippet,
    )


def _places(held: Sequence[str], document: TopicDocument) -> Iterator[WordPlace]:
    """Yields the place in ``document`` of each word in ``held``, which may be a whole term or part of a longer one."""
    fields = tuple(zip(FIELDS, document.terms, strict=True))
    for word in held:
        alone = next((name for name, terms in fields if word in terms), None)
        if alone is not None:
            yield WordPlace(word, alone, word)
            continue
        around = ((name, term) for name, terms in fields for term in terms if word in term)
        name, inside = next(around, (FIELDS[-1], ""))
        yield WordPlace(word, name, from_utf16(inside))


def near_miss(hit: Hit, rank: int, short: float, reason: str) -> NearMiss:
    """A near miss for ``hit`` at ``rank``, with the ``reason`` and how far it fell ``short``."""
    return NearMiss(hit.path, hit.file, hit.title, hit.kind, hit.maturity, rank, hit.score, reason, short, hit.words)


def dropped_topic(file: str, context: Context[V4Profile]) -> NearMiss:
    """A near miss for the topic in ``file``, which the filter dropped."""
    place = context.snapshot.by_path.get(file)
    title = context.snapshot.notes[place].title if place is not None else file
    return NearMiss(file, file, title, Kind.CONTEXT, "", 0, 0.0, FILTERED, 0.0)
