"""Converts a V4 answer to a trace with steps, comparisons, stage counts, and parts of each score."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from brvtui.engines.better_match import better_match
from brvtui.engines.byterover_v4.corpus import TopicFilter
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
from brvtui.engines.byterover_v4.printed import LOW, PrintedHit, confidence, printed_hits
from brvtui.engines.byterover_v4.profile import NAME, V4Profile
from brvtui.engines.byterover_v4.scripts import RankedSpace, ScriptAnswer
from brvtui.engines.byterover_v4.search import SpaceSearch
from brvtui.engines.byterover_v4.sections import DECIMALS, SpaceAnswer, SpaceFailure
from brvtui.engines.contract import Context, Query
from brvtui.text.analysis import from_utf16
from brvtui.trace import SCHEMA, Check, Hit, Scale, Stage, State, Step, Trace
from brvtui.wording import counted

# Our own advice: whether ByteRover 3.14, which has gates that V4 lacks, would have considered a query covered. It does
# not affect an answer (``docs/reference/byterover-v4.md``, "Our advice").


COVERAGE = "coverage"
_RULE = "our-advice"


@dataclass(frozen=True, slots=True)
class Coverage:
    """The advice on one answer: the step and, if the query is not covered, the reason in a few words."""

    step: Step
    lacks: str


def coverage(hits: Sequence[Hit], absolutes: Sequence[float], words: Sequence[str], profile: V4Profile) -> Coverage:
    """The advice on an answer with ``hits``. ``absolutes`` contains the absolute relevance of each hit.

    ``words`` are the distinct terms of the query.
    """
    if not hits:
        return Coverage(Step(COVERAGE, None, "covered?", State.NOT_REACHED, (), ""), "")
    rules = profile.advice
    scores = sorted(
        (_score(hit, absolute, profile) for hit, absolute in zip(hits, absolutes, strict=True)), reverse=True
    )
    matched = {word.query for hit in hits[: rules.results] for word in hit.words}
    missed = [word for word in words if len(word) >= rules.word_length and word not in matched]
    lead = scores[0] - scores[1] if len(scores) > 1 else scores[0]
    escapes = scores[0] >= rules.escape
    checks = (
        _check("score with absolute relevance", scores[0], rules.floor, "advice.floor"),
        Check(
            "words of the query found", len(words) - len(missed), "≥", len(words), not missed or escapes,
            float(-len(missed)), "advice.word_length", _RULE,
            "not needed: the score is high enough" if missed and escapes else "",
        ),
        _check("sure top", scores[0], rules.sure_top, "advice.sure_top"),
        _check("direct top", scores[0], rules.direct_top, "advice.direct_top"),
        _check("lead over the next", lead, rules.lead, "advice.lead"),
    )  # fmt: skip
    if scores[0] < rules.floor:
        too_low = f"the best score, {scores[0]:.2f}, is below {rules.floor:g}"
        lacks = too_low if matched else "no topic is about your words"
    elif missed and not escapes:
        quoted = ", ".join(f"‘{word}’" for word in missed)
        where = f"none of the first {rules.results} results" if len(hits) > rules.results else "no result"
        lacks = f"{quoted} {'is' if len(missed) == 1 else 'are'} in {where}"
    else:
        lacks = ""
    if lacks:
        why = f"our estimate (V4 has no such gate): ByteRover 3.14 would say “not covered”, since {lacks}"
        return Coverage(Step(COVERAGE, None, "covered?", State.FAILED, checks, why), lacks)
    if scores[0] >= rules.sure_top or (scores[0] >= rules.direct_top and lead >= rules.lead):
        how = "answer it directly"
    else:
        lacks = "the lead is too small" if scores[0] >= rules.direct_top else "the best score is too low"
        how = f"ask a model: {lacks} for a direct answer"
    why = f"our estimate (V4 has no such gate): covered, and ByteRover 3.14 would {how}"
    return Coverage(Step(COVERAGE, None, "covered?", State.PASSED, checks, why), "")


def _score(hit: Hit, absolute: float, profile: V4Profile) -> float:
    """The score of ``hit`` as ByteRover 3.14 would compute it: with absolute relevance, a bonus and a cap."""
    rules, text = profile.advice, hit.text
    relative = text.relevance if text is not None else 0.0
    boost = next((part.factor for part in hit.parts if part.name == "maturity"), None) or 1.0
    more = profile.score.relevance * (absolute - relative) * boost
    return min(rules.cap, hit.score + more + rules.bonus)


def _check(name: str, value: float, threshold: float, constant: str) -> Check:
    return Check(name, value, "≥", threshold, value >= threshold, value - threshold, constant, _RULE)


# The steps and stages of a V4 answer, with their comparisons and counts.


def verdict_of(section: SpaceAnswer) -> str:
    """A phrase that says how many topics the agent receives, and how many of them V4 tells it to cite."""
    if not section.returned:
        return "nothing found"
    return f"{counted(section.returned, 'topic', 'topics')}, {len(section.cited) or 'none'} to be cited"


def steps_of(section: SpaceAnswer, best: float, matched: int, kept: int, profile: V4Profile) -> Iterator[Step]:
    """Yields the steps of an answer with the ``best`` score. ``kept`` of ``matched`` passed the filter."""
    text = f"searched: {section.cleaned}" if section.cleaned else "nothing is searched: no word is left"
    if section.dropped:
        text += f"; stop words left out: {', '.join(section.dropped)}"
    yield Step("query", None, "query", State.PASSED, (), text)
    if section.scope or section.element:
        limits = " and ".join(part for part in (section.scope, section.element) if part)
        state = State.PASSED if section.searched else State.MISSED
        left = f"{limits}: {section.searched} of {counted(section.documents, 'document', 'documents')} are searched"
        yield Step("scope", None, "scope", state, (), left)
    words = f"{matched} of {counted(section.searched, 'document', 'documents')} match a word exactly or nearly"
    yield Step("words", None, "words", State.PASSED if matched else State.MISSED, (), words)
    yield _filter_step(section, matched, kept)
    yield _cite_step(section, best, profile)


def _filter_step(section: SpaceAnswer, matched: int, kept: int) -> Step:
    if not matched:
        return Step("filter", None, "filter", State.NOT_REACHED, (), "")
    if not section.significant:
        text = "the query has no run of three ASCII letters or digits, so all are kept"
        return Step("filter", None, "filter", State.SKIPPED, (), text)
    words = ", ".join(section.significant)
    text = f"{kept} of {matched} contain one of: {words}"
    check = Check("documents that contain a significant word", kept, "≥", 1, bool(kept), kept - 1.0, "", "the-filter")
    return Step("filter", None, "filter", State.PASSED if kept else State.FAILED, (check,), text)


def _cite_step(section: SpaceAnswer, best: float, profile: V4Profile) -> Step:
    if not section.returned:
        return Step("cite", None, "cite", State.NOT_REACHED, (), "")
    rules = profile.results
    checks = [
        Check(
            f"{name} confidence",
            best,
            "≥",
            threshold,
            best >= threshold,
            best - threshold,
            f"results.{name}",
            "results",
        )
        for name, threshold in (("high", rules.high), ("medium", rules.medium))
    ]
    if section.should_cite:
        text = "V4 tells the agent to cite. The best match always has relevance 1, so every answer is cited."
        return Step("cite", None, "cite", State.TAKEN, tuple(checks), text)
    sure = confidence(best, rules) != LOW
    why = "the space's folder has no id" if sure else "no hit reaches medium confidence"
    return Step("cite", None, "cite", State.FAILED, tuple(checks), f"V4 does not tell the agent to cite: {why}")


def stages_of(section: SpaceAnswer, matched: int, kept: int) -> Iterator[Stage]:
    """Yields the stages with the numbers of documents (in later stages, topics) that enter and leave each stage."""
    yield _stage("scope and element", section.documents, section.searched, "a-search")
    yield _stage("words", section.searched, matched, "text-relevance")
    yield _stage("filter", matched, kept, "the-filter")
    yield _stage("best of each topic", kept, len(section.found), "results")
    yield _stage("limit", len(section.found), section.returned, "results")


def _stage(name: str, came_in: int, went_out: int, rule: str) -> Stage:
    return Stage(name, came_in, came_in - went_out, went_out, rule)


def notices_of(section: SpaceAnswer) -> Iterator[str]:
    """Yields a notice about each fault in the files of found topics, with a remedy."""
    for topic in section.topics:
        if topic.score is None:
            yield f"{topic.path}: its signals do not yield a number, so V4 prints no score; fix its signals file"
        if not topic.file:
            yield f"{topic.path}: because of the # in its name, V4 returns a path that does not exist; rename the topic"


_MOST_NEAR_MISSES = 10


def traced(
    context: Context[V4Profile],
    query: Query,
    text: str,
    topic_filter: TopicFilter,
    answer: ScriptAnswer,
    spaces: Sequence[SpacePaths],
) -> Trace:
    """The trace of ``answer`` to ``query`` from ``spaces``. ``text`` is the query's text on the command line."""
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
        topic_filter.scope,
        element_words(topic_filter),
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
        mode="run" if query.run else "preview",
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
        better_match=better_match(shown, enumerate(hits, 1)),
        total_found=len(files),
        matched=matched,
        sections=(replace(section, not_covered=advice.lacks),),
        scale=Scale(DECIMALS, max(profile.score.boost.values()), 1.0),
        notices=(*context.snapshot.limit_notices, *notices_of(section)),
        options=dict(query.options),
    )


def failed(
    context: Context[V4Profile], query: Query, text: str, failure: SpaceFailure, spaces: Sequence[RankedSpace]
) -> Trace:
    """The trace of a query that makes V4 fail."""
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
        mode="run" if query.run else "preview",
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


def element_words(topic_filter: TopicFilter) -> str:
    """The element filter as text."""
    if not topic_filter.tag:
        return ""
    return (
        f'{topic_filter.tag} {topic_filter.attribute}="{topic_filter.value}"'
        if topic_filter.attribute and topic_filter.value
        else topic_filter.tag
    )


def _in_order(answer: ScriptAnswer, spaces: Sequence[SpacePaths]) -> tuple[list[PlacedTopic], tuple[str, ...]]:
    """The topics of the answer and the first ones past the limit, and the files of all found topics, by score."""
    limit = len(answer.hits) + _MOST_NEAR_MISSES
    if len(spaces) == 1:
        (search,), (paths,) = answer.searches, spaces
        own = search.topics.paths
        files = tuple(map(paths.paths.get, own, own))
        return [PlacedTopic(topic, search, paths) for topic in search.topics[:limit]], files
    others: dict[tuple[int, str], PlacedTopic] = {}
    for search, paths in zip(answer.searches, spaces, strict=True):
        for topic in search.topics:
            others[id(paths.space), topic.path] = PlacedTopic(topic, search, paths)
    first = [others.pop((id(hit.space), hit.topic.path)) for hit in answer.hits]
    found = first + sorted(others.values(), key=lambda one: -one.topic.score)
    return found[:limit], tuple(one.file for one in found)


def _best_score(found: Sequence[PlacedTopic]) -> float:
    return max((one.topic.score for one in found if not math.isnan(one.topic.score)), default=0.0)


def _filtered(search: SpaceSearch, paths: SpacePaths) -> Iterator[str]:
    """Yields the files of topics whose matching documents were all dropped by the filter."""
    index = search.index
    dropped = in_order_of_first(index.topic_of[search.filtered], len(index.paths))
    for number in dropped[~np.isin(dropped, search.topics.numbers)].tolist():
        path = index.paths[number]
        yield paths.paths.get(path, path)


def _described(
    found: Sequence[PlacedTopic], answer: ScriptAnswer, profile: V4Profile
) -> list[tuple[PlacedTopic, PrintedHit]]:
    """Each topic in ``found`` with its printed form. ``found`` begins with the topics of ``answer``."""
    described = [(one, hit.printed) for one, hit in zip(found, answer.hits, strict=False)]
    for one in found[len(described) :]:
        (printed,) = printed_hits(one.search, [one.topic], one.paths.space.corpus, profile)
        described.append((one, printed))
    return described
