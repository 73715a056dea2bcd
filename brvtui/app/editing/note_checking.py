"""Checks texts of notes, and what saving them changes. Every function blocks: call it in a worker thread."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from brvtui.app.contents import Effect, TextCheck

if TYPE_CHECKING:
    from brvtui.session import Session
    from brvtui.snapshot import Snapshot
    from brvtui.tree.editing.note_text import EditableText
    from brvtui.tree.editing.problems import KnownFiles

_MOST_ERRORS = 2
"""Errors that are named after a save."""


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """A text to check: ``edited``, which the editor made of ``note``, and the query to rank it under."""

    path: str
    note: EditableText = field(repr=False)
    edited: str = field(repr=False)
    keep_mtime: bool
    query: str
    scope: str


def check(session: Session, request: CheckRequest) -> TextCheck:
    """Returns the problems of a text, and how saving it changes the note's scores and the answer to the query."""
    from brvtui.tree.editing.problems import problems
    from brvtui.tree.spaces.topic_html import UnreadableTopic

    path, query, keep, scope = request.path, request.query, request.keep_mtime, request.scope
    if session.is_space:
        from brvtui.notes.topic_problems import topic_problems

        if refusal := _refused_name(path):
            return refusal
        html = request.note.plain(request.edited)
        found = topic_problems(html, session.snapshot.by_path)
        try:
            preview = session.topic_preview(query, path, html, keep, scope)
        except UnreadableTopic:
            return TextCheck(found)
    else:
        snapshot = session.snapshot
        found = problems(path, request.note, request.edited, _known_files(snapshot), snapshot.limits)
        preview = session.preview(query, path, request.note.encode(request.edited), keep, scope)
    states = (preview.now, preview.renewed, preview.kept)
    effects = [
        Effect("recency", *(state.recency for state in states)),
        Effect("ceiling", *(state.ceiling for state in states)),
    ]
    if query.strip():
        listed = any(moved.file == path for moved in preview.results)
        name = "score" if listed or not preview.now.own else "no result, score"
        effects.insert(0, Effect(name, *(state.own.score if state.own else None for state in states)))
    return TextCheck(found, tuple(effects), preview if query.strip() or session.is_space else None)


def _refused_name(path: str) -> TextCheck | None:
    from brvtui.tree.editing.problems import Problem, Severity
    from brvtui.tree.spaces.topic_files import unseen_name

    why = unseen_name(path)
    text = f"V4 does not see the file, whatever it holds: {why}"
    return TextCheck((Problem(0, 0, text, Severity.ERROR),)) if why else None


def first_errors(session: Session, path: str, data: bytes, before: bytes) -> str:
    """Returns what the first errors in a note's whole text are, with their lines; nothing for a text without errors.

    ``before`` is what stood on disk: frontmatter that is no more, because a line was put before it, is an error.
    """
    from brvtui.tree.editing.note_text import NotText, note_text
    from brvtui.tree.editing.problems import Severity, problems

    try:
        note = was = note_text(data)
    except NotText:
        return ""
    with suppress(NotText):
        was = note_text(before)
    if session.is_space:
        from brvtui.notes.topic_problems import topic_problems

        found = topic_problems(note.plain(note.text), session.snapshot.by_path)
    else:
        of_before = replace(note, text=was.text)
        found = problems(path, of_before, note.text, _known_files(session.snapshot), session.snapshot.limits)
    errors = [problem for problem in found if problem.severity is Severity.ERROR]
    said = [f"line {error.line + 1}: {error.message}" for error in errors[:_MOST_ERRORS]]
    return "; ".join(said) + (f" (and {len(errors) - len(said)} more)" if len(errors) > len(said) else "")


@lru_cache(maxsize=1)
def _known_files(snapshot: Snapshot) -> KnownFiles:
    from brvtui.tree.editing.problems import KnownFiles
    from brvtui.tree.reading.links import Names

    return KnownFiles(Names(file.path for file in snapshot.files), snapshot.reads_frontmatter)
