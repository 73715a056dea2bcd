"""Removes words from the texts of notes and topics."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from brvtui.tree.editing.fields import set_fields
from brvtui.tree.reading.frontmatter import parse

_WORD = re.compile(r"(?<![/\w])[^\W_]{1,64}(?![/\w]|\.\w)")
"""A word that is not part of a path, a file name or an identifier, which would break if the word were removed."""
_TAG = re.compile(r"(<[^>]*>)")
_SEARCHED_ATTRIBUTE = re.compile(r"""(\b(?:title|summary|keywords)=)("[^"]*"|'[^']*')""")
_SEARCHED_FIELDS = ("title", "summary", "description", "tags", "keywords")


def words_of(text: str) -> list[str]:
    """The distinct words in ``text`` that :func:`without_words` can remove, in lower case and in order."""
    return list(dict.fromkeys(word.lower() for word in _WORD.findall(text)))


def without_words(text: str, words: Sequence[str]) -> str:
    """``text`` without ``words``, which are in lower case."""
    found = re.compile(rf"({_WORD.pattern})[ \t]?")
    return found.sub(lambda match: "" if match[1].lower() in words else match[0], text)


def note_without(text: str, words: Sequence[str]) -> str:
    """The note ``text`` without ``words`` in its body and in the frontmatter fields that engines search.

    Raises :class:`brvtui.tree.editing.fields.FieldsError` if the frontmatter cannot be changed.
    """
    read = parse(text)
    changes: dict[str, Any] = {}
    for name in _SEARCHED_FIELDS:
        value = read.fields.get(name)
        items = [value] if isinstance(value, str) else value
        if isinstance(items, list) and all(isinstance(item, str) for item in items):
            kept = [without_words(item, words).strip() for item in items]
            if kept != items:
                changes[name] = kept[0] if isinstance(value, str) else list(filter(None, kept))
    head, body = text[: read.body_start], text[read.body_start :]
    return (set_fields(head, changes) if changes else head) + without_words(body, words)


def topic_without(html: str, words: Sequence[str]) -> str:
    """The topic ``html`` without ``words`` in its texts, title, summary and keywords."""
    end = html.rfind(">") + 1  # a search for tags behind the last one would take quadratic time
    *pieces, last = _TAG.split(html[:end])
    pieces.append(last + html[end:])
    for place, piece in enumerate(pieces):
        pieces[place] = (
            _SEARCHED_ATTRIBUTE.sub(lambda match: match[1] + without_words(match[2], words), piece)
            if place % 2
            else without_words(piece, words)
        )
    return "".join(pieces)
