"""What of a topic is searched, and what is not, and why (``docs/byterover_v4.md``, "Topics")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from brvtui.tree.spaces.topic_html import INDEXED, TOPIC, Topic, TopicElement, loose_text, parse_topic

SEARCHED_ATTRIBUTES = ("title", "summary", "keywords")
"""Of the topic: they are searched with each of its documents."""
_WHOLE = "searched with the whole topic: no element has a valid id"


@dataclass(frozen=True, slots=True)
class TopicPart:
    """An element of a topic, or its loose text (without a kind); whether it is searched, and why it is not."""

    kind: str
    id: str
    attributes: Mapping[str, str]
    text: str
    is_searched: bool
    why: str


@dataclass(frozen=True, slots=True)
class TopicParts:
    """All parts of a topic in document order, the loose text last, and its attributes that are not searched."""

    topic: Topic
    parts: tuple[TopicPart, ...]
    silent: Mapping[str, str]


def topic_parts(html: str) -> TopicParts:
    """The parts of the topic in ``html``. Raises :class:`brvtui.tree.spaces.topic_html.UnreadableTopic`."""
    topic = parse_topic(html)
    silent = {name: value for name, value in topic.attributes.items() if name not in SEARCHED_ATTRIBUTES}
    return TopicParts(topic, tuple(_parts(topic, loose_text(html))), silent)


def _parts(topic: Topic, loose: str) -> Iterator[TopicPart]:
    is_whole = not topic.searched_elements
    for element in topic.elements:
        if element.tag == TOPIC:
            continue
        searched = is_whole or element.is_document
        why = _WHOLE if is_whole else "" if element.is_document else _why_not(element)
        rest = {name: value for name, value in element.attributes.items() if name != "id"}
        yield TopicPart(element.tag.removeprefix("bv-"), element.id, rest, element.text, searched, why)
    if loose:
        yield TopicPart("", "", {}, loose, is_whole, _WHOLE if is_whole else "outside every element with an id")


def _why_not(element: TopicElement) -> str:
    if element.tag not in INDEXED:
        return "this kind never is, unless it stands inside an element that is"
    return f"its id {element.id} is not bve- and eight small letters or digits" if element.id else "it has no id"
