"""Renders a topic of a space for reading: its elements, and what of it is searched and what is not."""

from __future__ import annotations

from brvtui.app.notes.markdown import Typesetter, fields, labelled_rule
from brvtui.lab.about import About
from brvtui.paint.flow import Piece, Row, flow
from brvtui.text.visible import visible
from brvtui.tree.reading.links import LinkKind
from brvtui.tree.spaces.topic_html import UnreadableTopic
from brvtui.tree.spaces.topic_parts import SEARCHED_ATTRIBUTES, TopicPart, topic_parts

_DASH = "┄"
_RELATED = "related"


def put_topic(page: About, typesetter: Typesetter) -> None:
    """Adds the attributes of the topic of ``page``, then each of its elements, then its loose text."""
    try:
        found = topic_parts(page.text)
    except UnreadableTopic as error:
        _put(typesetter, f"not read: {error}", "warn")
        return
    is_whole = not found.topic.searched_elements
    label = "searched as a whole: no element has a valid id" if is_whole else "searched with each element"
    labelled_rule(typesetter, label, _DASH)
    searched = [(name, [Piece(visible(found.topic.attribute(name)) or "–", "text")]) for name in SEARCHED_ATTRIBUTES]
    fields(searched, typesetter)
    for part in found.parts:
        _put_part(part, typesetter)
    if found.silent:
        labelled_rule(typesetter, "not searched: other attributes, and the path", _DASH)
        fields([(name, _value(name, value, typesetter)) for name, value in found.silent.items()], typesetter)


def _put_part(part: TopicPart, typesetter: Typesetter) -> None:
    named = " ".join(word for word in (part.kind or "loose text", part.id if part.is_searched else "") if word)
    labelled_rule(typesetter, visible(f"{named} · {'searched' if part.is_searched else 'not searched'}"), _DASH)
    if part.why and not part.is_searched:
        _put(typesetter, f"not searched: {part.why}", "warn")
    _put(typesetter, part.text or "–", "text" if part.is_searched else "muted")
    if part.attributes:
        _put(
            typesetter,
            f"attributes, not searched: {', '.join(f'{n} {v}' for n, v in part.attributes.items())}",
            "muted",
        )


def _put(typesetter: Typesetter, text: str, role: str) -> None:
    for row in flow([Piece(visible(text), role)], typesetter.width - 1):
        typesetter.put(row)


def _value(name: str, value: str, typesetter: Typesetter) -> Row:
    if name != _RELATED:
        return [Piece(visible(value) or "–", "muted")]
    row: Row = []
    for entry in filter(None, (one.strip() for one in value.split(","))):
        row += [Piece("\n")] if row else []
        row += typesetter.linked(visible(entry), LinkKind.RELATED, entry.lstrip("@"))
    return row or [Piece("–", "muted")]
