"""The answers of V4's scripts: ``query`` over one space or several, and ``recall``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from brvtui.engines.byterover_v4.ageing import after_access
from brvtui.engines.byterover_v4.command_line import CommandLine, first_ones, number_of
from brvtui.engines.byterover_v4.corpus import RankedTopic, SpaceCorpus, TopicFilter, corpus_of
from brvtui.engines.byterover_v4.documents import documents_of
from brvtui.engines.byterover_v4.printed import (
    CitedSpace,
    PrintedHit,
    citation_block,
    cited_hits,
    printed_hits,
    should_cite,
)
from brvtui.engines.byterover_v4.profile import V4Profile
from brvtui.engines.byterover_v4.search import UNCHANGED, FoundTopic, SpaceSearch, SpaceState, search
from brvtui.engines.contract import EngineError
from brvtui.text.segment import MOST_WORDS
from brvtui.tree.reading.javascript import sort_key
from brvtui.tree.spaces.contents import SpaceContents, TopicFile

_BETWEEN = "\n\n---\n\n"
MOST_SPACE_ENTRIES = 5_000_000
"""The maximum number of words in the documents of a space. Each word is counted once per document and field."""
_MOST_SPACE_WORDS = 2 * MOST_WORDS
"""The maximum number of distinct words, which is twice that for notes, because attributes and pairs of characters add
words.
"""


class TooManyWords(EngineError):
    """A space contains too many words to be searched. V4 itself has no such limit."""

    def __init__(self) -> None:
        super().__init__(
            f"the topics of this space contain more than {_MOST_SPACE_WORDS:,} distinct words, or"
            f" {MOST_SPACE_ENTRIES:,} words in all, which is too many for brv-tui: split the space"
        )


class LegacyMarkdown(ValueError):
    """The tree contains Markdown files, which make every query fail. The message is V4's own."""

    def __init__(self, files: Sequence[str]) -> None:
        super().__init__(
            f"This .brv tree has {len(files)} legacy markdown file(s) the HTML engine cannot read. Run `migrate` first."
        )
        self.files = tuple(files)


@dataclass(frozen=True, slots=True, eq=False)
class RankedSpace:
    """A space that can be searched."""

    contents: SpaceContents
    corpus: SpaceCorpus
    is_too_large: bool = False
    """True if the space's documents contain too many words to be searched; the topics then have no documents."""

    @property
    def cited(self) -> CitedSpace:
        """The values needed to cite this space."""
        folder = self.contents.folder
        return CitedSpace(folder.tree.parent.name if folder.has_id else "", self.contents.port)


@dataclass(frozen=True, slots=True, eq=False)
class FoundHit:
    """One hit: its printed form, its topic, and its space."""

    printed: PrintedHit
    topic: FoundTopic
    space: RankedSpace


@dataclass(frozen=True, slots=True, eq=False)
class ScriptAnswer:
    """An answer from ``query``: the search of each space, the hits, and the agent's instructions about citations."""

    searches: tuple[SpaceSearch, ...]
    hits: tuple[FoundHit, ...]
    limit: float
    should_cite: bool
    cited: tuple[PrintedHit, ...]
    """The hits named in the citation block."""
    citation_block: str

    def plain(self) -> dict[str, Any]:
        """The answer as data with V4's names."""
        hits = []
        for hit in self.hits:
            fields = hit.printed.plain()
            folder = hit.space.contents.folder
            if folder.team:
                fields |= {"space_id": folder.id, "space_name": folder.name, "team_id": folder.team}
            hits.append(fields)
        return {"citation_block": self.citation_block, "hits": hits, "should_cite": self.should_cite}


def ranked_space(contents: SpaceContents, before: RankedSpace | None = None) -> RankedSpace:
    """``contents`` as a space that can be searched. Topics unchanged since ``before`` are not tokenized again."""
    earlier = before.corpus.by_path if before is not None else {}
    topics, entries = [], 0
    for file in contents.topics:
        topics.append(_ranked(file, earlier.get(file.path)))
        entries += sum(len(terms) for document in topics[-1].documents for terms in document.terms)
        if entries > MOST_SPACE_ENTRIES:
            break
    if entries > MOST_SPACE_ENTRIES or (entries > _MOST_SPACE_WORDS and _distinct_words(topics) > _MOST_SPACE_WORDS):
        topics = [RankedTopic(file.path, file.topic, file.mtime_ms, ()) for file in contents.topics]
        return RankedSpace(contents, corpus_of(topics, contents.signals), is_too_large=True)
    return RankedSpace(contents, corpus_of(topics, contents.signals))


def _distinct_words(topics: Sequence[RankedTopic]) -> int:
    return len({word for topic in topics for document in topic.documents for terms in document.terms for word in terms})


def _ranked(file: TopicFile, before: RankedTopic | None) -> RankedTopic:
    if before is not None and before.topic is file.topic and before.mtime_ms == file.mtime_ms:
        return before
    return RankedTopic(file.path, file.topic, file.mtime_ms, documents_of(file.path, file.topic))


def filter_of(line: CommandLine) -> TopicFilter:
    """The filter given by the flags of ``line``."""
    names = ("scope", "element-tag", "element-attr", "element-value")
    return TopicFilter(*(line.text(name) for name in names))


def query_space(
    space: RankedSpace, line: CommandLine, now_ms: float, profile: V4Profile, state: SpaceState = UNCHANGED
) -> ScriptAnswer:
    """The answer of V4's script ``query`` for one space.

    Raises :class:`TooManyWords`, :class:`LegacyMarkdown`, :class:`brvtui.engines.byterover_v4.corpus.FilterError`,
    :class:`brvtui.engines.byterover_v4.index.DuplicateIds` and
    :class:`brvtui.engines.byterover_v4.search.SignalsUnreadable`.
    """
    if space.contents.markdown:
        raise LegacyMarkdown(space.contents.markdown)
    limit = _limit(line, profile.results.limit)
    found, hits = _hits(space, line.query, filter_of(line), limit, now_ms, profile, state)
    return _answer((found,), hits, limit, now_ms, profile)


def query_spaces(spaces: Sequence[RankedSpace], line: CommandLine, now_ms: float, profile: V4Profile) -> ScriptAnswer:
    """The answer of V4's script ``query`` for several spaces, searched one by one. Raises the same errors as
    :func:`query_space`.
    """
    limit = _limit(line, profile.results.limit)
    each = max(limit, profile.results.least_limit_of_several)
    searched = [_hits(space, line.query, filter_of(line), each, now_ms, profile) for space in spaces]
    hits = [hit for _, found in searched for hit in found]
    names = [name for hit in hits for name in _names(hit)]
    key = sort_key(names)
    hits.sort(key=lambda hit: (-hit.printed.score, *(key(name) for name in _names(hit))))
    return _answer(tuple(found for found, _ in searched), first_ones(hits, limit), limit, now_ms, profile)


def recall(space: RankedSpace, line: CommandLine, now_ms: float, profile: V4Profile) -> dict[str, Any]:
    """The answer of V4's script ``recall``, as data with V4's names. It contains whole files, and uses no filters. No
    access hits are recorded.

    Raises the same exceptions as :func:`query_space`, except :class:`LegacyMarkdown`, because ``recall`` does not check
    for Markdown.
    """
    limit = _limit(line, profile.results.recall_limit)
    _, hits = _hits(space, line.query, TopicFilter(), limit, now_ms, profile)
    sources = {file.path: file.source for file in space.contents.topics}
    texts = [sources[hit.printed.path] for hit in hits if hit.printed.path in sources]
    matched = [
        {name: value for name, value in hit.printed.plain().items() if name in ("path", "title", "score", "snippet")}
        for hit in hits
    ]
    return {"content": _BETWEEN.join(texts), "matchedDocs": matched}


def state_after(answer: ScriptAnswer, state: SpaceState, profile: V4Profile) -> SpaceState:
    """The state after ``answer``: ``state`` with one more access hit for each hit."""
    changed = {hit.topic.path: after_access(hit.topic.signals.stored, profile.signals) for hit in answer.hits}
    return replace(state, signals={**state.signals, **changed})


def _names(hit: FoundHit) -> tuple[str, str, str]:
    folder = hit.space.contents.folder
    return folder.name, folder.id, hit.printed.path


def _limit(line: CommandLine, default: int) -> float:
    value = line.flags.get("limit")
    return number_of(value) if isinstance(value, str) else float(default) if value is None else math.nan


def _hits(
    space: RankedSpace,
    query: str,
    topic_filter: TopicFilter,
    limit: float,
    now_ms: float,
    profile: V4Profile,
    state: SpaceState = UNCHANGED,
) -> tuple[SpaceSearch, list[FoundHit]]:
    if space.is_too_large:
        raise TooManyWords
    found = search(space.corpus, query, topic_filter, now_ms, profile, state)
    topics = first_ones(found.topics, limit)
    printed = printed_hits(found, topics, space.corpus, profile)
    return found, [FoundHit(one, topic, space) for one, topic in zip(printed, topics, strict=True)]


def _answer(
    searches: tuple[SpaceSearch, ...], hits: Sequence[FoundHit], limit: float, now_ms: float, profile: V4Profile
) -> ScriptAnswer:
    """The answer that contains ``hits``. Only hits in the same space as the first one are cited."""
    if not hits:
        return ScriptAnswer(searches, (), limit, False, (), "")
    first, rules = hits[0].space, profile.citation
    own = [hit.printed for hit in hits if hit.space is first]
    cited = cited_hits(own, first.cited, rules)
    block = citation_block(cited, first.cited, now_ms, rules)
    return ScriptAnswer(searches, tuple(hits), limit, should_cite(own, first.cited), cited, block)
