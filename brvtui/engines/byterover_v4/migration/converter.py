"""Makes the topic that V4's migration makes of a note of ByteRover 3 (``docs/byterover_v4.md``, "From 3 to 4")."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.engines.byterover_v4.migration.attributes import note_parts, topic_attributes, topic_path
from brvtui.engines.byterover_v4.migration.body import elements_of
from brvtui.engines.byterover_v4.migration.html import written
from brvtui.engines.byterover_v4.migration.values import Moment
from brvtui.tree.spaces.topic_html import TOPIC


@dataclass(frozen=True, slots=True)
class ConvertedNote:
    """The topic that a note becomes."""

    note: str
    topic: str
    """Its path below the tree."""
    html: str
    body: str
    """The note without its frontmatter."""
    has_title: bool
    """Whether it has one; the migration leaves out a note whose heading is blank."""
    problem: str
    """Why the note's frontmatter becomes text; empty when it does not."""


def convert(path: str, text: str, now_ms: float) -> ConvertedNote:
    """The topic that V4's migration would make at ``now_ms`` of the note ``text`` at ``path``."""
    parts = note_parts(text)
    attributes = topic_attributes(path, parts, Moment(int(now_ms)))
    html = f"<{TOPIC}{written(attributes)}>{elements_of(parts.body)}</{TOPIC}>"
    return ConvertedNote(path, topic_path(path), html, parts.body, "title" in attributes, parts.problem)
