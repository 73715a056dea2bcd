"""An answer of V4 as a trace: steps with their comparisons, conserved counts, parts that sum."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from brvtui.engines.byterover_v4.ageing import AgedTopic, aged_signals
from brvtui.engines.byterover_v4.corpus import TopicFilter
from brvtui.engines.byterover_v4.coverage import coverage
from brvtui.engines.byterover_v4.documents import TopicDocument
from brvtui.engines.byterover_v4.index import TokenMatches, in_order_of_first
from brvtui.engines.byterover_v4.outlook import ceilings_of
from brvtui.engines.byterover_v4.printed import LOW, PrintedHit, confidence, printed_hits
from brvtui.engines.byterover_v4.profile import FIELDS, NAME, V4Profile
from brvtui.engines.byterover_v4.scripts import RankedSpace, ScriptAnswer
from brvtui.engines.byterover_v4.search import FoundDocument, FoundTopic, SpaceSearch
from brvtui.engines.byterover_v4.sections import SpaceAnswer, SpaceFailure, TopicHit, WordPlace
from brvtui.engines.contract import Context, Query
from brvtui.ranking.bm25 import saturate
from brvtui.text.analysis import from_utf16
from brvtui.text.vocabulary import KINDS
from brvtui.trace import (
    SCHEMA,
    Check,
    Hit,
    Kind,
    MatchedWord,
    MatchKind,
    NearMiss,
    Origin,
    Part,
    Scale,
    Stage,
    State,
    Step,
    TextScore,
    Trace,
)
from brvtui.wording import counted

LIMIT, FILTERED = "behind the limit", "holds none of the significant words"
_DECIMALS = 3
_MOST_NEAR_MISSES = 10


@dataclass(frozen=True, slots=True)
class SpacePaths:
    """The paths of one space's topics in the snapshot, by V4's own."""

    space: RankedSpace
    paths: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _PlacedTopic:
    """A topic that was found, with its search."""

    topic: FoundTopic
    search: SpaceSearch
    paths: SpacePaths

    @property
    def file(self) -> str:
        """Its path in the snapshot; V4's own where that is no file."""
        return self.paths.paths.get(self.topic.path, self.topic.path)


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
        tuple(_topic_hit(one, printed) for one, printed in described),
        files,
        len(answer.hits),
        tuple(filtered),
        answer.should_cite,
        answer.citation_block,
        answer.plain(),
    )
    hits = tuple(_hit(one, printed, profile) for one, printed in described)
    shown = _with_ceilings(hits[: len(answer.hits)], found, context)
    terms = dict.fromkeys(from_utf16(token.token) for token in answer.searches[0].raw.tokens)
    advice = coverage(shown, [topic.absolute for topic in section.topics[: len(shown)]], tuple(terms), profile)
    behind = [
        _near_miss(hit, rank, rank - len(shown), LIMIT) for rank, hit in enumerate(hits[len(shown) :], len(shown) + 1)
    ]
    dropped = [_dropped(file, context) for file in section.filtered[: _MOST_NEAR_MISSES - len(behind)]]
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
        verdict=_verdict(section),
        covered=bool(shown),
        tier=None,
        steps=(*_steps(section, found, matched, kept, profile), advice.step),
        stages=tuple(_stages(section, matched, kept)),
        hits=shown,
        near_misses=tuple(behind + dropped),
        total_found=len(files),
        matched=matched,
        sections=(replace(section, not_covered=advice.lacks),),
        scale=Scale(_DECIMALS, max(profile.score.boost.values()), 1.0),
        notices=tuple(_notices(section)),
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
        scale=Scale(_DECIMALS, max(profile.score.boost.values()), 1.0),
        notices=(f"every such query fails in V4 with “{failure.message}”; {failure.remedy}",),
        options=dict(query.options),
    )


def space_name(space: RankedSpace) -> str:
    """The name of a space, or else of its folder."""
    folder = space.contents.folder
    return folder.name or folder.id or folder.tree.name


def element_words(asked: TopicFilter) -> str:
    """The element filter as it would be written."""
    if not asked.tag:
        return ""
    return f'{asked.tag} {asked.attribute}="{asked.value}"' if asked.attribute and asked.value else asked.tag


def _in_order(answer: ScriptAnswer, spaces: Sequence[SpacePaths]) -> tuple[list[_PlacedTopic], tuple[str, ...]]:
    """The topics of the answer and the first ones behind the limit, and the files of all that were found, by score."""
    most = len(answer.hits) + _MOST_NEAR_MISSES
    if len(spaces) == 1:
        (search,), (paths,) = answer.searches, spaces
        own = search.topics.paths
        files = tuple(map(paths.paths.get, own, own))
        return [_PlacedTopic(topic, search, paths) for topic in search.topics[:most]], files
    made: dict[tuple[int, str], _PlacedTopic] = {}
    for search, paths in zip(answer.searches, spaces, strict=True):
        for topic in search.topics:
            made[id(paths.space), topic.path] = _PlacedTopic(topic, search, paths)
    first = [made.pop((id(hit.space), hit.topic.path)) for hit in answer.hits]
    found = first + sorted(made.values(), key=lambda one: -one.topic.score)
    return found[:most], tuple(one.file for one in found)


def _filtered(search: SpaceSearch, paths: SpacePaths) -> Iterator[str]:
    """The files of topics of which some term matched a document, and which the filter dropped as a whole."""
    index = search.index
    dropped = in_order_of_first(index.topic_of[search.filtered], len(index.paths))
    for number in dropped[~np.isin(dropped, search.topics.numbers)].tolist():
        path = index.paths[number]
        yield paths.paths.get(path, path)


def _described(
    found: Sequence[_PlacedTopic], answer: ScriptAnswer, profile: V4Profile
) -> list[tuple[_PlacedTopic, PrintedHit]]:
    """Each topic of ``found``, which begins with those of ``answer``, and as it is printed."""
    made = [(one, hit.printed) for one, hit in zip(found, answer.hits, strict=False)]
    for one in found[len(made) :]:
        (printed,) = printed_hits(one.search, [one.topic], one.paths.space.corpus, profile)
        made.append((one, printed))
    return made


def _topic_hit(found: _PlacedTopic, printed: PrintedHit) -> TopicHit:
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
    """Where ``document`` contains each of the words ``held``: as a term of its own if anywhere, else inside one."""
    fields = tuple(zip(FIELDS, document.terms, strict=True))
    for word in held:
        alone = next((name for name, terms in fields if word in terms), None)
        if alone is not None:
            yield WordPlace(word, alone, word)
            continue
        around = ((name, term) for name, terms in fields for term in terms if word in term)
        name, inside = next(around, (FIELDS[-1], ""))
        yield WordPlace(word, name, from_utf16(inside))


def _hit(found: _PlacedTopic, printed: PrintedHit, profile: V4Profile) -> Hit:
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
        parts=tuple(_parts(best, topic.signals, profile)) if is_number else (),
        text=TextScore(best.term_sum, best.matched, best.raw, best.relevance),
        signals=aged_signals(topic.signals, profile),
        shared_source=alias[1:].partition("]")[0] if alias.startswith("[") else "",
        words=tuple(_words(best, found.search)),
    )


def _with_ceilings(hits: Sequence[Hit], found: Sequence[_PlacedTopic], context: Context[V4Profile]) -> tuple[Hit, ...]:
    """``hits``, which ``found`` begins with, each with the best score that any query can give its topic."""
    made = []
    corpora = {id(one.paths): one.paths.space.corpus for one in found[: len(hits)]}
    for key, corpus in corpora.items():
        own = [place for place in range(len(hits)) if id(found[place].paths) == key]
        paths = [found[place].topic.path for place in own]
        made += list(zip(own, ceilings_of(corpus, paths, context.now_ms, context.constants), strict=True))
    return tuple(replace(hits[place], ceiling=ceiling) for place, ceiling in sorted(made, key=lambda one: one[0]))


def _parts(best: FoundDocument, signals: AgedTopic, profile: V4Profile) -> Iterator[Part]:
    made, rules = best.score, profile.score
    yield Part("relevance", made.by_relevance, best.relevance, rules.relevance, "raw ÷ best raw")
    yield Part("importance", made.by_importance, signals.importance, rules.importance)
    yield Part("recency", made.by_recency, signals.recency, rules.recency)
    yield Part("maturity", made.value - made.base, made.base, made.boost, signals.stored.maturity)


def _words(best: FoundDocument, search: SpaceSearch) -> Iterator[MatchedWord]:
    """The words of the query that a document answers, each with its heaviest term there."""
    for one in dict.fromkeys(search.raw.tokens):
        found = _heaviest(one, best)
        if found is not None:
            term, kind, distance, fields = found
            yield MatchedWord(from_utf16(one.token), from_utf16(term), kind, distance, fields)


def _heaviest(one: TokenMatches, best: FoundDocument) -> tuple[str, MatchKind, int, tuple[str, ...]] | None:
    if not one.sums[best.place]:
        return None
    known, expansion, terms = one.places, one.expansion, best.document.terms
    held = {known[name] for own in terms for name in own if name in known}
    if not held:
        return None
    place = min(held, key=lambda place: (-expansion.weights[place], place))
    name = one.terms[expansion.ids[place]]
    fields = tuple(field for field, own in zip(FIELDS, terms, strict=True) if name in own)
    return name, KINDS[expansion.kinds[place]], int(expansion.distances[place]), fields


def _near_miss(hit: Hit, rank: int, short: float, reason: str) -> NearMiss:
    maturity = hit.signals.maturity if hit.signals else ""
    return NearMiss(hit.path, hit.file, hit.title, hit.kind, maturity, rank, hit.score, reason, short, hit.words)


def _dropped(file: str, context: Context[V4Profile]) -> NearMiss:
    place = context.snapshot.by_path.get(file)
    title = context.snapshot.notes[place].title if place is not None else file
    return NearMiss(file, file, title, Kind.CONTEXT, "", 0, 0.0, FILTERED, 0.0)


def _verdict(section: SpaceAnswer) -> str:
    if not section.returned:
        return "nothing found"
    cited = "to be cited" if section.should_cite else "not to be cited"
    return f"{counted(section.returned, 'topic', 'topics')}, {cited}"


def _steps(
    section: SpaceAnswer, found: Sequence[_PlacedTopic], matched: int, kept: int, profile: V4Profile
) -> Iterator[Step]:
    said = f"searched: {section.cleaned}"
    if section.dropped:
        said += f"; stop words left out: {', '.join(section.dropped)}"
    yield Step("query", None, "query", State.PASSED, (), said)
    if section.scope or section.element:
        limits = " and ".join(part for part in (section.scope, section.element) if part)
        state = State.PASSED if section.searched else State.MISSED
        left = f"{limits}: {section.searched} of {counted(section.documents, 'document', 'documents')} are searched"
        yield Step("scope", None, "scope", state, (), left)
    words = f"{matched} of {counted(section.searched, 'document', 'documents')} match a word, or nearly"
    yield Step("words", None, "words", State.PASSED if matched else State.MISSED, (), words)
    yield _filter_step(section, matched, kept)
    yield _cite_step(section, found, profile)


def _filter_step(section: SpaceAnswer, matched: int, kept: int) -> Step:
    if not matched:
        return Step("filter", None, "filter", State.NOT_REACHED, (), "")
    if not section.significant:
        said = "no run of three ASCII letters or digits in the query: all stay"
        return Step("filter", None, "filter", State.SKIPPED, (), said)
    words = ", ".join(section.significant)
    said = f"{kept} of {matched} hold one of: {words}"
    check = Check("documents that hold a significant word", kept, "≥", 1, bool(kept), kept - 1.0, "", "the-filter")
    return Step("filter", None, "filter", State.PASSED if kept else State.FAILED, (check,), said)


def _cite_step(section: SpaceAnswer, found: Sequence[_PlacedTopic], profile: V4Profile) -> Step:
    if not section.returned:
        return Step("cite", None, "cite", State.NOT_REACHED, (), "")
    rules = profile.results
    scores = [one.topic.score for one in found[: section.returned] if not math.isnan(one.topic.score)]
    best = max(scores, default=0.0)
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
        said = "the agent is told to cite; the best match has relevance 1 whatever it is, so any answer is cited"
        return Step("cite", None, "cite", State.TAKEN, tuple(checks), said)
    sure = confidence(best, rules) != LOW
    why = "the space's folder has no id" if sure else "no hit is of medium confidence"
    return Step("cite", None, "cite", State.FAILED, tuple(checks), f"the agent is not told to cite: {why}")


def _stages(section: SpaceAnswer, matched: int, kept: int) -> Iterator[Stage]:
    yield _stage("scope and element", section.documents, section.searched, "a-search")
    yield _stage("words", section.searched, matched, "text-relevance")
    yield _stage("filter", matched, kept, "the-filter")
    yield _stage("best of each topic", kept, len(section.found), "results")
    yield _stage("limit", len(section.found), section.returned, "results")


def _stage(name: str, came_in: int, went_out: int, rule: str) -> Stage:
    return Stage(name, came_in, came_in - went_out, went_out, rule)


def _notices(section: SpaceAnswer) -> Iterator[str]:
    for topic in section.topics:
        if topic.score is None:
            yield f"{topic.path}: its signals make no number, so V4 prints no score; fix its file of signals"
        if not topic.file:
            yield f"{topic.path}: a file name with # gives a path that is no file; rename the topic"
