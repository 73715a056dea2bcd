"""The documents that V4 ranks: one for each element with an id, or one for a topic (``docs/byterover_v4.md``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from brvtui.engines.byterover_v4.profile import FIELDS
from brvtui.engines.byterover_v4.tokens import field_terms
from brvtui.tree.spaces.topic_html import Topic


@dataclass(frozen=True, slots=True, eq=False)
class TopicDocument:
    """One document of a topic. ``file`` is the topic's path; ``text`` is what snippets are cut from."""

    id: str
    file: str
    kind: str
    """The tag of its element; empty for a whole topic."""
    text: str
    fields: Mapping[str, str]
    """The text of each of its four fields."""
    haystack: str
    """All four, in lower case: where the filter looks for the query's words."""
    lengths: tuple[int, ...]
    """Distinct tokens of each field."""
    terms: tuple[Mapping[str, int], ...]
    """How often each term occurs, of each field."""

    @property
    def path(self) -> str:
        """The path that results show: its id up to the first ``#``, which is not the topic's for a name with one."""
        return self.id.partition("#")[0]

    @property
    def element(self) -> str:
        """The rest of its id: the element's; empty for a whole topic."""
        return self.id.partition("#")[2]


def documents_of(path: str, topic: Topic) -> tuple[TopicDocument, ...]:
    """The documents of ``topic`` at ``path``: each searched element in document order, or else the topic as a whole."""
    shared = {name: topic.attribute(name) for name in FIELDS[:-1]}
    counted = [field_terms(text) for text in shared.values()]
    found = [(f"{path}#{element.id}", element.tag, element.text) for element in topic.searched_elements]
    made = []
    for identity, kind, text in found or [(path, "", topic.body)]:
        body = f"{text} {topic.images}" if topic.images else text
        fields = {**shared, FIELDS[-1]: body}
        own = [*counted, field_terms(body)]
        lengths, terms = zip(*own, strict=True)
        made.append(
            TopicDocument(identity, path, kind, text, fields, " ".join(fields.values()).lower(), lengths, terms)
        )
    return tuple(made)
