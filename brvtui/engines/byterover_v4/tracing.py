"""An answer of V4 as a trace: steps with their comparisons, conserved counts, parts that sum."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from brvtui.engines.byterover_v4.corpus import TopicFilter
from brvtui.engines.byterover_v4.coverage import coverage
from brvtui.engines.byterover_v4.hits import (
    LIMIT,
    PlacedTopic,
    SpacePaths,
    dropped_topic,
    near_miss,
    space_name,
    topic_hit,
    traced_hit,
    with_ceilings,
)
from brvtui.engines.byterover_v4.index import in_order_of_first
from brvtui.engines.byterover_v4.printed import PrintedHit, printed_hits
from brvtui.engines.byterover_v4.profile import NAME, V4Profile
from brvtui.engines.byterover_v4.scripts import RankedSpace, ScriptAnswer
from brvtui.engines.byterover_v4.search import SpaceSearch
from brvtui.engines.byterover_v4.sections import DECIMALS, SpaceAnswer, SpaceFailure
from brvtui.engines.byterover_v4.steps import notices_of, stages_of, steps_of, verdict_of
from brvtui.engines.contract import Context, Query
from brvtui.text.analysis import from_utf16
from brvtui.trace import (
    SCHEMA,
    Scale,
    State,
    Step,
    Trace,
)

_MOST_NEAR_MISSES = 10


def traced(
    context: Context[V4Profile],
    query: Query,
    text: str,
    asked: TopicFilter,
    answer: ScriptAnswer,
    spaces: Sequence[SpacePaths],
) -> Trace:
    """The trace of ``answer`` to ``text``, which ``query`` put to ``spaces``."""
    profile = context.constants
    found, files = _in_order(answer, spaces)
    described = _described(found, answer, profile)
    filtered = [
        file for search, paths in zip(answer.searches, spaces, strict=True) for file in _filtered(search, paths)
    ]
    kept = sum(search.kept for search in answer.searches)
    words = answer.searches[0].words
    section = SpaceAnswer(
        tuple(space_name(paths.space) for paths in spaces),
        words.cleaned,
        words.dropped,
        tuple(dict.fromkeys(words.significant)),
        asked.scope,
        element_words(asked),
        sum(paths.space.corpus.documents for paths in spaces),
        sum(len(search.index) for search in answer.searches),
        None if math.isnan(answer.limit) else answer.limit,
        tuple(topic_hit(one, printed) for one, printed in described),
        files,
        len(answer.hits),
        tuple(filtered),
        answer.should_cite,
        tuple(one.file for one, printed in described if any(printed is cited for cited in answer.cited)),
        answer.citation_block,
        answer.plain(),
    )
    hits = tuple(traced_hit(one, printed, profile) for one, printed in described)
    shown = with_ceilings(hits[: len(answer.hits)], found, context)
    terms = dict.fromkeys(from_utf16(token.token) for token in answer.searches[0].raw.tokens)
    advice = coverage(shown, [topic.absolute for topic in section.topics[: len(shown)]], tuple(terms), profile)
    behind = [
        near_miss(hit, rank, rank - len(shown), LIMIT) for rank, hit in enumerate(hits[len(shown) :], len(shown) + 1)
    ]
    dropped = [dropped_topic(file, context) for file in section.filtered[: _MOST_NEAR_MISSES - len(behind)]]
    matched = sum(len(search.raw.documents) for search in answer.searches)
    return Trace(
        schema=SCHEMA,
        engine=NAME,
        version=f"{profile.engine.name} {profile.engine.version}",
        profile=profile.name,
        mode="run" if query.run else "probe",
        query=text,
        scope_option=query.scope,
        snapshot=context.snapshot_info,
        verdict=verdict_of(section),
        covered=bool(shown),
        tier=None,
        steps=(*steps_of(section, _best_score(found[: section.returned]), matched, kept, profile), advice.step),
        stages=tuple(stages_of(section, matched, kept)),
        hits=shown,
        near_misses=tuple(behind + dropped),
        total_found=len(files),
        matched=matched,
        sections=(replace(section, not_covered=advice.lacks),),
        scale=Scale(DECIMALS, max(profile.score.boost.values()), 1.0),
        notices=tuple(notices_of(section)),
        options=dict(query.options),
    )


def failed(
    context: Context[V4Profile], query: Query, text: str, failure: SpaceFailure, spaces: Sequence[RankedSpace]
) -> Trace:
    """The trace of a query that V4 does not answer."""
    printed = {"error": failure.message}
    section = SpaceAnswer(
        spaces=tuple(map(space_name, spaces)),
        cleaned=text,
        dropped=(),
        significant=(),
        scope=query.scope,
        element="",
        documents=0,
        searched=0,
        limit=None,
        topics=(),
        found=(),
        returned=0,
        filtered=(),
        should_cite=False,
        cited=(),
        citation_block="",
        printed=printed,
        failure=failure,
    )
    profile = context.constants
    return Trace(
        schema=SCHEMA,
        engine=NAME,
        version=f"{profile.engine.name} {profile.engine.version}",
        profile=profile.name,
        mode="run" if query.run else "probe",
        query=text,
        scope_option=query.scope,
        snapshot=context.snapshot_info,
        verdict=f"V4 fails: {failure.what}",
        covered=False,
        tier=None,
        steps=(Step("read", None, "read", State.FAILED, (), f"{failure.what}: {failure.remedy}"),),
        stages=(),
        hits=(),
        sections=(section,),
        scale=Scale(DECIMALS, max(profile.score.boost.values()), 1.0),
        notices=(f"every such query fails in V4 with “{failure.message}”; {failure.remedy}",),
        options=dict(query.options),
    )


def element_words(asked: TopicFilter) -> str:
    """The element filter as it would be written."""
    if not asked.tag:
        return ""
    return f'{asked.tag} {asked.attribute}="{asked.value}"' if asked.attribute and asked.value else asked.tag


def _in_order(answer: ScriptAnswer, spaces: Sequence[SpacePaths]) -> tuple[list[PlacedTopic], tuple[str, ...]]:
    """The topics of the answer and the first ones behind the limit, and the files of all that were found, by score."""
    most = len(answer.hits) + _MOST_NEAR_MISSES
    if len(spaces) == 1:
        (search,), (paths,) = answer.searches, spaces
        own = search.topics.paths
        files = tuple(map(paths.paths.get, own, own))
        return [PlacedTopic(topic, search, paths) for topic in search.topics[:most]], files
    made: dict[tuple[int, str], PlacedTopic] = {}
    for search, paths in zip(answer.searches, spaces, strict=True):
        for topic in search.topics:
            made[id(paths.space), topic.path] = PlacedTopic(topic, search, paths)
    first = [made.pop((id(hit.space), hit.topic.path)) for hit in answer.hits]
    found = first + sorted(made.values(), key=lambda one: -one.topic.score)
    return found[:most], tuple(one.file for one in found)


def _best_score(found: Sequence[PlacedTopic]) -> float:
    return max((one.topic.score for one in found if not math.isnan(one.topic.score)), default=0.0)


def _filtered(search: SpaceSearch, paths: SpacePaths) -> Iterator[str]:
    """The files of topics of which some term matched a document, and which the filter dropped as a whole."""
    index = search.index
    dropped = in_order_of_first(index.topic_of[search.filtered], len(index.paths))
    for number in dropped[~np.isin(dropped, search.topics.numbers)].tolist():
        path = index.paths[number]
        yield paths.paths.get(path, path)


def _described(
    found: Sequence[PlacedTopic], answer: ScriptAnswer, profile: V4Profile
) -> list[tuple[PlacedTopic, PrintedHit]]:
    """Each topic of ``found``, which begins with those of ``answer``, and as it is printed."""
    made = [(one, hit.printed) for one, hit in zip(found, answer.hits, strict=False)]
    for one in found[len(made) :]:
        (printed,) = printed_hits(one.search, [one.topic], one.paths.space.corpus, profile)
        made.append((one, printed))
    return made
