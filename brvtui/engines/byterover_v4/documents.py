"""The documents that V4 ranks: one for each element with an id, or one for a whole topic.

See ``docs/reference/byterover-v4.md``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from brvtui.engines.byterover_v4.profile import FIELDS
from brvtui.text.analysis import raw_tokens, utf16
from brvtui.tree.spaces.topic_html import Topic

# Splitting text into terms (``docs/reference/byterover-v4.md``, "Text relevance").


_CJK = "\u4e00-\u9fff\u3040-\u309f\u30a0-\u30ff\uac00-\ud7af"
_RUNS = re.compile(f"[{_CJK}]+|[^{_CJK}]+")
_ANY_CJK = re.compile(f"[{_CJK}]")


def tokens(text: str) -> list[str]:
    """The tokens of ``text`` in order and in their original case: words, and pairs of adjacent characters in each run
    of CJK characters.
    """
    pieces = [piece for piece in raw_tokens(text) if piece]
    if not _ANY_CJK.search(text):
        return pieces
    result: list[str] = []
    for piece in pieces:
        for run in _RUNS.findall(piece):
            if len(run) > 1 and _ANY_CJK.match(run):
                result += [run[place : place + 2] for place in range(len(run) - 1)]
            else:
                result.append(run)
    return result


def term(token: str) -> str:
    """The index term for ``token``: lower case, with characters outside the BMP as surrogate pairs."""
    return utf16(token.lower())


def field_terms(text: str) -> tuple[int, dict[str, int]]:
    """The number of distinct tokens in a field's ``text``, and the count of each term, in order."""
    names = tokens(text)
    return len(set(names)), Counter(map(term, names))


@dataclass(frozen=True, slots=True, eq=False)
class TopicDocument:
    """One document of a topic. ``file`` is the topic's path, and snippets are parts of ``text``."""

    id: str
    file: str
    kind: str
    """The tag of the document's element; empty for a whole topic."""
    text: str
    fields: Mapping[str, str]
    """The text of each of the document's four fields."""
    lengths: tuple[int, ...]
    """The number of distinct tokens in each field."""
    terms: tuple[Mapping[str, int], ...]
    """The count of each term, by field."""

    @property
    def haystack(self) -> str:
        """The text of all four fields in lower case, which the filter searches for words of the query."""
        return " ".join(self.fields.values()).lower()

    @property
    def path(self) -> str:
        """The path in results: the id up to the first ``#``. As in V4, a file name with ``#`` is cut."""
        return self.id.partition("#")[0]

    @property
    def element(self) -> str:
        """The element's id, which is the rest of the document's id; empty for a whole topic."""
        return self.id.partition("#")[2]


def documents_of(path: str, topic: Topic) -> tuple[TopicDocument, ...]:
    """The documents of ``topic`` at ``path``: its searched elements in order or, without any, the topic."""
    shared = {name: topic.attribute(name) for name in FIELDS[:-1]}
    counted = [field_terms(text) for text in shared.values()]
    searched = [(f"{path}#{element.id}", element.tag, element.text) for element in topic.searched_elements]
    documents = []
    for identity, kind, text in searched or [(path, "", topic.body)]:
        body = f"{text} {topic.images}" if topic.images else text
        fields = {**shared, FIELDS[-1]: body}
        own = [*counted, field_terms(body)]
        lengths, terms = zip(*own, strict=True)
        documents.append(TopicDocument(identity, path, kind, text, fields, lengths, terms))
    return tuple(documents)
