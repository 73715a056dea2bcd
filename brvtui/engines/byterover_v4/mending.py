"""Copies of a space in memory, each with a single fix, to find out whether it helps."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from brvtui.engines.byterover_v4.corpus import RankedTopic, corpus_of
from brvtui.engines.byterover_v4.documents import documents_of, term, tokens
from brvtui.engines.byterover_v4.profile import FIELDS
from brvtui.engines.byterover_v4.scripts import RankedSpace
from brvtui.tree.spaces.contents import BrokenSignals, code_units, topic_source, unseen_name
from brvtui.tree.spaces.topic_html import INDEXED, TOPIC, Topic, TopicElement, UnreadableTopic, parse_topic

_NEW_ID = "bve-{:08x}"
_FACT = INDEXED[0]
_DERIVED = re.compile(r"\.(abstract|full|overview)(?=\.html\Z)", re.IGNORECASE)


def without_failure(space: RankedSpace) -> RankedSpace:
    """``space`` without the faults that make V4 fail, which are Markdown files, repeated ids and broken signals."""
    signals = {path: stored for path, stored in space.corpus.signals.items() if not isinstance(stored, BrokenSignals)}
    topics = [_ranked(topic, _with_distinct_ids(topic.topic)) for topic in space.corpus.topics]
    return RankedSpace(replace(space.contents, markdown=(), signals=signals), corpus_of(topics, signals))


def with_file_seen(space: RankedSpace, file: str, now_ms: float) -> tuple[RankedSpace, str] | None:
    """``space`` after the unseen ``file`` is renamed so that V4 sees it and modified now, and the new name; None if
    this is impossible.
    """
    name = _DERIVED.sub(r"_\1", re.sub(r"\.html\Z", ".html", file, flags=re.IGNORECASE))
    name = "index_page.html" if name == "index.html" else name
    if unseen_name(name) or name in space.corpus.by_path:
        return None
    try:
        topic = parse_topic(topic_source(space.contents.folder.tree, file))
    except (OSError, UnreadableTopic):
        return None
    return with_topic(space, name, topic, now_ms), name


def with_topic(space: RankedSpace, path: str, topic: Topic, mtime_ms: float) -> RankedSpace:
    """``space`` with ``topic`` saved at ``path`` at the time ``mtime_ms``. The topic may be new."""
    ranked = RankedTopic(path, topic, mtime_ms, documents_of(path, topic))
    others = [one for one in space.corpus.topics if one.path != path]
    topics = sorted((*others, ranked), key=lambda one: code_units(one.path))
    return RankedSpace(space.contents, corpus_of(topics, space.corpus.signals))


def with_words_searched(
    space: RankedSpace, path: str, words: Sequence[str], mtime_ms: float
) -> tuple[RankedSpace, str] | None:
    """``space``, with the topic at ``path`` changed so that V4 searches it for ``words``, which are terms of the query.

    The topic is saved at ``mtime_ms``. The second value describes the change. The result is None if the topic contains
    none of the words.
    """
    ranked = space.corpus.by_path.get(path)
    if ranked is None:
        return None
    changed, how = _searched(ranked.topic, path, set(words))
    return None if changed is None else (with_topic(space, path, changed, mtime_ms), how)


def with_attribute(topic: Topic, name: str, value: str) -> Topic:
    """``topic`` with the attribute ``name`` of its first ``bv-topic`` set to ``value``."""
    first = next((element for element in topic.elements if element.tag == TOPIC), None)
    attributes = {**topic.attributes, name: value}
    elements = [replace(one, attributes=attributes) if one is first else one for one in topic.elements]
    return replace(topic, attributes=attributes, elements=tuple(elements))


def _searched(topic: Topic, path: str, words: set[str]) -> tuple[Topic | None, str]:
    for place, element in enumerate(topic.elements):
        if not element.is_document and element.tag != TOPIC and words & _terms(element.text):
            new = {**element.attributes, "id": _NEW_ID.format(place)}
            tag = element.tag if element.tag in INDEXED else _FACT
            how = (
                f"give {_named(element)} an id"
                if tag == element.tag
                else f"turn {_named(element)} into a {_FACT} with an id"
            )
            elements = [TopicElement(tag, new, one.text) if one is element else one for one in topic.elements]
            return replace(topic, elements=tuple(elements)), f"{how}: bve- followed by eight letters or digits"
    if words & _terms(topic.body):
        loose = TopicElement(_FACT, {"id": _NEW_ID.format(len(topic.elements))}, topic.body)
        changed = replace(topic, elements=(*topic.elements, loose))
        return changed, f"put the loose text into a {_FACT} with an id: bve- followed by eight letters or digits"
    elsewhere = " ".join((path, *(value for one in topic.elements for value in one.attributes.values())))
    own_words = [word for word in words if word in _terms(elsewhere)]
    if not own_words:
        return None, ""
    keywords = FIELDS[2]
    changed = with_attribute(topic, keywords, f"{topic.attribute(keywords)},{','.join(own_words)}")
    return changed, f"add {', '.join(own_words)} to the topic's {keywords}"


def _named(element: TopicElement) -> str:
    return f"the element {element.tag}"


def _terms(text: str) -> set[str]:
    return {term(token) for token in tokens(text)}


def _with_distinct_ids(topic: Topic) -> Topic:
    seen: set[str] = set()
    elements = []
    for place, element in enumerate(topic.elements):
        if element.is_document and element.id in seen:
            attributes: Mapping[str, str] = {**element.attributes, "id": _NEW_ID.format(place)}
            element = replace(element, attributes=attributes)
        seen.add(element.id)
        elements.append(element)
    return topic if elements == list(topic.elements) else replace(topic, elements=tuple(elements))


def _ranked(before: RankedTopic, topic: Topic) -> RankedTopic:
    if topic is before.topic:
        return before
    return RankedTopic(before.path, topic, before.mtime_ms, documents_of(before.path, topic))
