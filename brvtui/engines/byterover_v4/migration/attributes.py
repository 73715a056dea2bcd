"""The attributes of a migrated topic: what its note's frontmatter, heading and name give."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from brvtui.engines.byterover_v4.migration.markdown import title_of
from brvtui.engines.byterover_v4.migration.values import Moment, written, yaml_fields
from brvtui.tree.reading import frontmatter
from brvtui.tree.reading.whitespace import trim

_BLOCK = re.compile(r"\A---\r?\n(.*?)\r?\n---", re.DOTALL)
_NAME_BREAKS = re.compile(r"[-_]")
_NOTE, _TOPIC = ".md", ".html"
_TYPES = {"_index.md": "summary", "context.md": "context"}
_ORDINARY = "topic"


@dataclass(frozen=True, slots=True)
class NoteParts:
    """A note cut in two: the fields of its frontmatter, and its body."""

    fields: dict[str, Any]
    body: str
    problem: str = ""
    """Why its frontmatter was taken for text; empty when it was not."""


def note_parts(text: str) -> NoteParts:
    """The fields and the body of the note ``text``. A block that is no YAML stays in the body."""
    found = _BLOCK.match(text)
    if found is None:
        return NoteParts({}, text)
    try:
        fields = yaml_fields(f"{found[1]}\n")
    except frontmatter.BROKEN as error:
        said = str(error).splitlines()
        return NoteParts({}, text, said[0] if said else "not YAML")
    return NoteParts(fields, text[found.end() :])


def topic_path(note: str) -> str:
    """The path of the topic that the note at ``note`` becomes."""
    return f"{note.removesuffix(_NOTE)}{_TOPIC}"


def topic_attributes(path: str, parts: NoteParts, now: Moment) -> dict[str, str]:
    """The attributes of the topic that the note at ``path`` becomes at ``now``, in V4's order, empty ones left out."""
    fields, name = parts.fields, path.rpartition("/")[2]
    heading = title_of(parts.body)
    stem = _NAME_BREAKS.sub(" ", name.removesuffix(_NOTE))
    made = {
        "path": path.removesuffix(_NOTE),
        "title": _text(fields.get("title")) or (stem if heading is None else heading),
        "type": _text(fields.get("type")) or _TYPES.get(name, _ORDINARY),
        "summary": _text(fields.get("summary")) or _text(fields.get("short_description")),
        "tags": _listed(fields.get("tags")),
        "keywords": _listed(fields.get("keywords")),
        "related": _related(fields),
        "createdat": _moment(fields, ("createdAt", "createdat"), now),
        "updatedat": _moment(fields, ("updatedAt", "updatedat"), now),
    }
    return {name: value for name, value in made.items() if value}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _listed(value: Any) -> str:
    return ",".join(map(written, value)) if isinstance(value, list) else _text(value)


def _related(fields: Mapping[str, Any]) -> str:
    """The related topics; the first of the two fields that is a list or a text counts."""
    found = (fields.get(name) for name in ("related", "relateds"))
    value = next((value for value in found if isinstance(value, list) or _text(value)), "")
    items = value if isinstance(value, list) else str(value).split(",")
    paths = (trim(written(item)) for item in items)
    return ",".join(f"{path.removesuffix(_NOTE)}{_TOPIC}" if path.endswith(_NOTE) else path for path in paths if path)


def _moment(fields: Mapping[str, Any], names: Sequence[str], now: Moment) -> str:
    """The first of the fields called ``names`` that is a text or a date; ``now`` without one."""
    found = (fields.get(name) for name in names)
    texts = (value.iso if isinstance(value, Moment) else _text(value) for value in found)
    return next(filter(None, texts), now.iso)
