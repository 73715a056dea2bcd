"""A note as the pipeline's chunk (``docs/jeffs_brain.md``, "Notes as chunks")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from brvtui.ranking.fusion import Candidate
from brvtui.tree.reading.frontmatter import parse


@dataclass(frozen=True, slots=True)
class Chunk:
    """What is indexed of one note."""

    id: str
    path: str
    title: str
    summary: str
    tags: str
    content: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The texts of the full-text index, in the order of its columns."""
        return (self.path, self.title, self.summary, self.tags, self.content)

    @property
    def candidate(self) -> Candidate:
        """The chunk as a ranked list holds it."""
        return Candidate(self.id, self.path, self.title, self.summary, self.content)

    def embedded(self, most: int) -> str:
        """The text that a vector stands for: title, summary and content, at most ``most`` characters."""
        return "\n".join(part for part in (self.title, self.summary, self.content) if part.strip())[:most]


COLUMNS = ("path", "title", "summary", "tags", "content")


def chunk_of(path: str, title: str, text: str) -> Chunk:
    """The chunk of the note at ``path`` with the heading ``title``.

    The frontmatter's title, summary, tags and keywords count when they are text; the content is what follows it.
    """
    front = parse(text)
    fields = front.fields
    listed = [*_texts(fields.get("tags")), *_texts(fields.get("keywords"))]
    return Chunk(
        id=path,
        path=path,
        title=_text(fields.get("title")) or title,
        summary=_text(fields.get("summary")),
        tags=" ".join(dict.fromkeys(listed)),
        content=text[front.body_start :].strip(),
    )


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [str(item).strip() for item in values if isinstance(item, (str, int, float)) and str(item).strip()]
