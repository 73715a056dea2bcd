"""The initial text of a new note, in the layout of the engine's own notes, and its path."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from brvtui.tree.editing.fields import Value, set_fields
from brvtui.tree.reading.files import ARCHIVE, Role, role_of
from brvtui.tree.reading.frontmatter import parse
from brvtui.tree.reading.inside import PathError, parts_of
from brvtui.tree.reading.javascript import folded, spaced_words
from brvtui.tree.reading.signals import NoteSignals

_LONGEST_SLUG = 80
_NO_WORD = re.compile(r"[\W_]+")
_EDGE_PUNCTUATION = re.compile(r"^\W+|(?<!\W)\W+$")


class Template(StrEnum):
    """Templates for new notes. Their sections contain only headings, because searches would match explanatory text."""

    BLANK = "blank"
    DECISION = "decision"
    RUNBOOK = "runbook"
    INCIDENT = "incident"


_CONCEPT = {
    Template.DECISION: ("Task", "Changes", "Files", "Flow"),
    Template.RUNBOOK: ("Task", "Flow"),
    Template.INCIDENT: ("Task", "Changes"),
}
_NARRATIVE = {
    Template.DECISION: ("Structure", "Highlights", "Rules"),
    Template.RUNBOOK: ("Examples", "Rules", "Highlights"),
    Template.INCIDENT: ("Structure", "Highlights", "Rules"),
}


@dataclass(frozen=True, slots=True)
class NewNote:
    """The content of a new note.

    ``now_ms`` is in milliseconds since 1970. ``query`` is the query that no note answers, if the note is written for
    one. It becomes the reason given in the note, and may provide the ``keywords``. ``signals``, if given, are written
    to the frontmatter; the engine stores its own signals outside the tree.
    """

    title: str
    now_ms: float
    query: str = ""
    summary: str = ""
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    signals: NoteSignals | None = None


def text_of(template: Template, note: NewNote) -> str:
    """The text of a new note: frontmatter, heading, and the template's sections. Lines end in ``\\n``."""
    title = folded(note.title)
    moment = datetime.fromtimestamp(note.now_ms / 1000, UTC)
    written = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    tags = note.tags if template is Template.BLANK else dict.fromkeys((*note.tags, template.value))
    fields: dict[str, Value] = {
        "title": title,
        "summary": folded(note.summary),
        "tags": list(tags),
        "related": list(note.related),
        "keywords": list(note.keywords),
        **(note.signals.to_mapping() if note.signals else {}),
        "createdAt": written,
        "updatedAt": written,
    }
    return set_fields("\n".join(_body(template, note, title, moment)), fields)


def first_place(text: str, is_new: bool) -> int:
    """Returns the line, from 0, where the user should start to write.

    In a new note, this is the first empty line of the first section, or 0 if there is none. In any other note, it is
    the first line of the body.
    """
    if not is_new:
        body = parse(text).body_start
        return text.count("\n", 0, body) + int(body > 0 and text.startswith("\n", body))
    lines = text.split("\n")
    section = next((number for number, line in enumerate(lines) if line.startswith("## ")), len(lines))
    return next((number for number in range(section, len(lines)) if not lines[number]), 0)


def keywords_of(query: str, stop_words: Collection[str]) -> tuple[str, ...]:
    """Returns the words of ``query`` in lower case, without stop words, surrounding punctuation and duplicates."""
    bare = (_EDGE_PUNCTUATION.sub("", word.lower()) for word in spaced_words(query))
    return tuple(dict.fromkeys(word for word in bare if word and word not in stop_words))


def slug_of(title: str) -> str:
    """Converts ``title`` to a file name without extension, which may be empty.

    The result is in lower case, without accents, and with words joined by ``_``.
    """
    apart = unicodedata.normalize("NFKD", title)
    bare = "".join(char for char in apart if not unicodedata.combining(char)).lower()
    return _NO_WORD.sub("_", bare)[:_LONGEST_SLUG].strip("_")


def new_path(folder: str, title: str, taken: Iterable[str]) -> str:
    """Returns the path of a new note called ``title`` in ``folder``, which is relative to the tree.

    An empty ``folder`` is the tree itself. The folder need not exist. Raises
    :class:`brvtui.tree.reading.inside.PathError` if the title yields no name, or if the path is outside the tree, is
    reserved for the engine, or is ``taken``. Case is ignored, because some file systems ignore it.
    """
    name = slug_of(title)
    if not name:
        raise PathError(f"{folded(title)!r}: this title does not yield a file name; choose one with letters or digits")
    path = f"{folder}/{name}.md" if folder else f"{name}.md"
    if parts_of(path)[0] == ARCHIVE or role_of(path) is not Role.NOTE:
        raise PathError(f"{path}: this name is reserved for the engine's own files; choose another title or folder")
    if path.casefold() in {other.casefold() for other in taken}:
        raise PathError(f"{path}: already exists; choose another title or folder")
    return path


def _body(template: Template, note: NewNote, title: str, moment: datetime) -> list[str]:
    lines = [f"# {title}", "", "## Reason"]
    if note.query:
        lines.append(f"Asked on {moment:%Y-%m-%d}, and no note covered it: {folded(note.query)}")
    if template is not Template.BLANK:
        lines += ["", "## Raw Concept"]
        for name in _CONCEPT[template]:
            lines += [f"**{name}:**", ""]
        lines += [f"**Timestamp:** {moment:%Y-%m-%d}", "", "**Author:**", "", "## Narrative"]
        for name in _NARRATIVE[template]:
            lines += [f"### {name}", ""]
        lines.append("## Facts")
    lines += ["", "## Relations", *(f"@{path}" for path in note.related), ""]
    return lines
