"""The origin of a note, as far as it is known: its frontmatter, the engine's log of curations, and git."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from brvtui.tree.engine_files.curate_log import Curation, read_curations
from brvtui.tree.engine_files.sidecar import project_data
from brvtui.tree.history.git import RevisionError, git
from brvtui.tree.reading.frontmatter import parse, texts_of

if TYPE_CHECKING:
    from brvtui.session.session import Session

_FIELDS = {
    "written by": ("author", "createdBy", "created_by", "updatedBy"), "from": ("source", "tool", "agent"),
    "session": ("session", "sessionId", "session_id"), "created": ("createdAt",), "updated": ("updatedAt",),
}  # fmt: skip
_AUTHOR = "**Author:**"


@dataclass(frozen=True, slots=True)
class NoteOrigin:
    """The known facts about the origin of the note at ``path``, each with its label."""

    path: str
    facts: tuple[tuple[str, str], ...]


def curations(session: Session) -> tuple[Curation, ...]:
    """The changes to the notes of ``session`` in the engine's log, newest first; empty for other memories."""
    project = session.project
    return read_curations(project_data(project.root), project.tree) if session.kind.can_vary else ()


def origin_of(session: Session, path: str) -> NoteOrigin:
    """The origin of the note at ``path``. Reads the note, the engine's log and git. Raises no errors."""
    text = session.about(path).text
    return NoteOrigin(path, (*_in_text(text), *_in_log(session, path), *_in_git(session, path)))


def _in_text(text: str) -> Iterator[tuple[str, str]]:
    fields = parse(text).fields
    for label, names in _FIELDS.items():
        values = [value for name in names for value in texts_of(fields.get(name))]
        if label == "written by":
            start = text.find(_AUTHOR) + len(_AUTHOR)
            values += [line for line in text[start:].split("\n")[:1] if start >= len(_AUTHOR) and line.strip()]
        if values:
            yield label, ", ".join(dict.fromkeys(value.strip() for value in values))


def _in_log(session: Session, path: str) -> Iterator[tuple[str, str]]:
    for each in curations(session):
        if each.path == path:
            day = datetime.fromtimestamp(each.at_ms / 1000, UTC).date()
            yield "curated", f"{each.operation} on {day}, task {each.task}{f': {each.reason}' if each.reason else ''}"
            yield "review", f"{each.review} in ByteRover" if each.review else "not requested"
            return


def _in_git(session: Session, path: str) -> Iterator[tuple[str, str]]:
    with suppress(RevisionError):
        arguments = ("log", "-1", "--format=%h by %an on %as: %s", "--", f":(literal){path}")
        commit = git(session.project.tree, *arguments, most=4096).decode("utf-8", "replace").strip()
        if commit:
            yield "last commit", commit
