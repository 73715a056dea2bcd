"""The texts of a snapshot's notes, as the text index stores them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from operator import attrgetter

from brvtui.derived import Key
from brvtui.snapshot.records import Parsed
from brvtui.snapshot.state import Snapshot
from brvtui.text.full_text import TextDocument
from brvtui.tree.reading.frontmatter import parse, texts_of
from brvtui.tree.spaces.contents import TopicFile

_TOPICS: Key[Mapping[tuple[str, str], TopicFile]] = Key("topics by alias and path")
_HEADING = re.compile(r"^ {0,3}(?:#{1,6}[ \t]+(.*)|(```|~~~))", re.MULTILINE)
_TAGS = ("tags", "keywords")
Stamp = tuple[int, int, int, int]
"""A file's modification time, size, inode and change time; times are in ns since 1970."""


stamp_of: Callable[[Parsed], Stamp] = attrgetter("mtime_ns", "size", "inode", "ctime_ns")
"""Returns the stamp of an entry. At least one of its values changes whenever the file changes."""


def text_document(snapshot: Snapshot, path: str) -> TextDocument:
    """The searchable text of the note or topic at ``path``: a note as the engine reads it, or a topic as a reader sees
    it.

    Raises OSError if the note's file was removed or cannot be read, and KeyError for an unknown path.
    """
    note = snapshot.notes[snapshot.by_path[path]]
    if snapshot.spaces:
        topic = snapshot.derived.of(_TOPICS, lambda: _topics(snapshot))[note.alias, note.file].topic
        tags = " ".join(map(topic.attribute, _TAGS))
        return TextDocument(path, note.title, "", tags, topic.body)
    text = snapshot.text(path)
    if not snapshot.kind.has_files:
        return TextDocument(path, note.title, "", "", text)
    front = parse(text)
    body = text[front.body_start :]
    title = "\n".join(dict.fromkeys((note.title, *texts_of(front.fields.get("title")))))
    tags = "\n".join(tag for name in _TAGS for tag in texts_of(front.fields.get(name)))
    return TextDocument(path, title, "\n".join(_headings(body)), tags, body, text.count("\n", 0, front.body_start) + 1)


def _headings(text: str) -> list[str]:
    """The headings of a Markdown text, except those in fenced code."""
    headings, in_fence = list[str](), False
    for found in _HEADING.finditer(text):
        if found[2]:
            in_fence = not in_fence
        elif not in_fence:
            headings.append(found[1])
    return headings


def _topics(snapshot: Snapshot) -> Mapping[tuple[str, str], TopicFile]:
    aliases = ["", *(source.alias for source in snapshot.project.sources)]
    spaces = zip(aliases, snapshot.spaces, strict=True)
    return {(alias, topic.path): topic for alias, space in spaces for topic in space.topics}
