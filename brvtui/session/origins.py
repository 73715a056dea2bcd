"""The origin of a note, as far as it is known: its frontmatter, the engine's log of curations, and git."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from brvtui.tree.engine_files.curate_log import Curation, read_curations
from brvtui.tree.engine_files.sidecar import project_data
from brvtui.tree.history.git import RevisionError, git
from brvtui.tree.reading.frontmatter import parse, texts_of

if TYPE_CHECKING:
    from brvtui.session.session import Session

_FIELDS = (
    "author", "createdBy", "created_by", "updatedBy", "source", "tool", "agent",
    "session", "sessionId", "session_id", "createdAt", "updatedAt",
)  # fmt: skip
_AUTHOR = re.compile(r"^\*\*Author:\*\*[ \t]*(\S.*)$", re.MULTILINE)
NoteOrigin = tuple[tuple[str, str], ...]
"""The known facts about the origin of a note, each with its label."""


def curations(session: Session) -> tuple[Curation, ...]:
    """The changes to the notes of ``session`` in the engine's log, newest first; empty for other memories."""
    project = session.project
    return read_curations(project_data(project.root), project.tree) if session.kind.can_vary else ()


def origins_of(session: Session, paths: Sequence[str]) -> dict[str, NoteOrigin]:
    """The origins of the notes at ``paths``, by path. Reads the notes, the engine's log and git. Raises no errors."""
    log, texts = curations(session), {path: session.about(path).text for path in paths}
    return {path: (*_in_text(texts[path]), *_in_log(log, path), *_in_git(session, path)) for path in paths}


def _in_text(text: str) -> Iterator[tuple[str, str]]:
    fields = parse(text).fields
    yield from ((name, ", ".join(values)) for name in _FIELDS if (values := texts_of(fields.get(name))))
    yield from (("author", found[1]) for found in (_AUTHOR.search(text),) if found)


def _in_log(log: Sequence[Curation], path: str) -> Iterator[tuple[str, str]]:
    for each in log:
        if path in each.notes:
            yield "curated", f"{each.operation} on {each.day}, task {each.task}: {each.reason}".removesuffix(": ")
            yield "review", f"{each.review} in ByteRover" if each.review else "not requested"
            return


def _in_git(session: Session, path: str) -> Iterator[tuple[str, str]]:
    with suppress(RevisionError):
        arguments = ("log", "-1", "--format=%h by %an on %as: %s", "--", f":(literal){path}")
        commit = git(session.project.tree, *arguments, most=4096).decode("utf-8", "replace").strip()
        if commit:
            yield "last commit", commit
