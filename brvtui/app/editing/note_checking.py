"""Checks texts of notes, and what saving them changes. Every function blocks: call it in a worker thread."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from brvtui.app.contents import Effect, TextCheck

if TYPE_CHECKING:
    from brvtui.engines.byterover.preview import Preview
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

    if session.is_space:
        return _check_topic(session, request)
    snapshot = session.snapshot
    found = problems(request.path, request.note, request.edited, _known_files(snapshot), snapshot.limits)
    data = request.note.encode(request.edited)
    rows = session.standings(request.path, data)
    both = (rows.now, rows.renewed, rows.kept)
    effects = [
        Effect("recency", *(row.recency if row else None for row in both)),
        Effect("ceiling", *(row.ceiling if row else None for row in both)),
    ]
    preview: Preview | None = None
    if request.query.strip():
        query, path, scope = request.query, request.path, request.scope
        renewed, kept = (session.preview(query, path, data, keep, scope) for keep in (False, True))
        preview = kept if request.keep_mtime else renewed
        own = (preview.before.own, renewed.after.own, kept.after.own)
        listed = any(moved.file == path for moved in preview.results)
        name = "score" if listed or not preview.before.own else "no result, score"
        effects.insert(0, Effect(name, *(hit.score if hit else None for hit in own)))
    return TextCheck(found, tuple(effects), preview)


def _check_topic(session: Session, request: CheckRequest) -> TextCheck:
    from brvtui.notes.topic_problems import topic_problems
    from brvtui.tree.editing.problems import Problem, Severity
    from brvtui.tree.spaces.topic_files import unseen_name
    from brvtui.tree.spaces.topic_html import UnreadableTopic

    if why := unseen_name(request.path):
        return TextCheck((Problem(0, 0, f"V4 does not see the file, whatever it holds: {why}", Severity.ERROR),))
    html = request.note.plain(request.edited)
    found = topic_problems(html, session.snapshot.by_path)
    try:
        made = session.topic_preview(request.query, request.path, html, request.keep_mtime, request.scope)
    except UnreadableTopic:
        return TextCheck(found)
    states = (made.now, made.renewed, made.kept)
    effects = [
        Effect("recency", *(state.signals.recency if state.signals else None for state in states)),
        Effect("ceiling", *(state.ceiling.score if state.ceiling else None for state in states)),
    ]
    if request.query.strip():
        effects.insert(0, Effect("score", *(state.hit.score if state.hit else None for state in states)))
    return TextCheck(found, tuple(effects), topic_preview=made)


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
