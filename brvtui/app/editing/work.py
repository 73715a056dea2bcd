"""What editing blocks on. Every function is meant for a worker thread."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from brvtui import faults
from brvtui.app.editing.state import Begun, Clash, FoundDraft, NoteClashed, NoteOpened, NoteSaved, NotSaved, OnDisk
from brvtui.app.states import Effect, Looked
from brvtui.app.workers import Refusal

if TYPE_CHECKING:
    from brvtui.engines.byterover.preview import Preview
    from brvtui.session import Session
    from brvtui.snapshot import Snapshot
    from brvtui.tree.editing.note_text import EditableText
    from brvtui.tree.editing.problems import KnownFiles

MOST_CHARS = 200_000
"""Beyond this length, checking on every key is noticeably slow."""
SaveEnd = NoteSaved | NoteClashed | NotSaved
"""How saving a note ended."""


@dataclass(frozen=True, slots=True)
class Text:
    """A request to look at ``edited``, a text of ``note`` at ``path``, under a query."""

    path: str
    note: EditableText = field(repr=False)
    edited: str = field(repr=False)
    keep_mtime: bool
    query: str
    scope: str


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """The draft to keep of the note at ``path``, made from the text ``base``; none without ``data``."""

    path: str
    data: bytes | None = field(repr=False)
    base: str | None = None


def open_note(session: Session, path: str, outside: bool) -> NoteOpened:
    """The note at ``path`` as it is on disk, and its draft. To be edited ``outside``, it may be long.

    Raises :class:`Refusal` when it cannot be edited.
    """
    from brvtui.tree.editing.note_text import NotText, note_text
    from brvtui.tree.saving.note_files import SaveError

    try:
        disk = _on_disk(session, path)
        text = note_text(disk.data or b"")
    except SaveError as error:
        raise Refusal(str(error)) from error
    except NotText as error:
        raise Refusal(f"{path}: {error}") from error
    draft = _draft(session, disk, text)
    if disk.data is None and draft is None:
        raise Refusal(f"{path}: there is no such note (any more); a makes a new one")
    if not outside and len(text.text) > MOST_CHARS:
        raise Refusal(f"{path}: {len(text.text)} characters are too many to edit them here; E opens your own editor")
    return NoteOpened(disk, text, draft)


def begin_note(session: Session, begun: Begun, query: str) -> NoteOpened:
    """The text that a new note begins with; ``query`` is the question that it answers."""
    from brvtui.tree.editing.new_notes import NewNote, Template, keywords_of, text_of
    from brvtui.tree.editing.note_text import note_text

    keywords = keywords_of(query, session.profile.query.stop_words)
    note = NewNote(begun.title, session.clock(), query, keywords=keywords)
    disk = OnDisk(begun.path, None, None)
    text = note_text(text_of(Template(begun.template), note).encode())
    return NoteOpened(disk, text, _draft(session, disk, text))


def _on_disk(session: Session, path: str) -> OnDisk:
    """The note at ``path`` as it is on disk. Raises :class:`brvtui.tree.saving.note_files.SaveError`."""
    from brvtui.tree.saving.note_files import SaveError, read_note_file

    known = session.snapshot.parsed.get(path)
    if known is not None and known.alias:
        raise SaveError(f"{path}: belongs to the shared source {known.alias}; open that project to edit it")
    if not os.path.lexists(session.project.tree / path):
        return OnDisk(path, None, None)
    return OnDisk(path, *read_note_file(session.project.tree, path))


def _draft(session: Session, disk: OnDisk, text: EditableText) -> FoundDraft | None:
    """The draft of the note that is offered: not one of a text that is on disk, nor of an editor that still runs."""
    from brvtui.store.drafts import DraftStore
    from brvtui.tree.editing.merging import difference
    from brvtui.tree.editing.note_text import NotText, note_text

    draft = DraftStore(session.project.tree).read(disk.path)
    if draft is None or draft.data == disk.data or draft.is_being_edited:
        return None
    try:
        drafted = note_text(draft.data)
    except NotText:
        return None
    hunks = difference(text.plain(text.text), drafted.plain(drafted.text))
    age_s = max(0.0, session.clock() - draft.at_ms) / 1000
    return FoundDraft(drafted, age_s, draft.is_on(disk.sha256), hunks)


def look(session: Session, text: Text) -> Looked:
    """Problems of the text, and what saving it does to the note and to the current query."""
    from brvtui.tree.editing.problems import problems

    snapshot = session.snapshot
    found = problems(text.path, text.note, text.edited, _known_files(snapshot), snapshot.limits)
    data = text.note.encode(text.edited)
    rows = session.standings(text.path, data)
    both = (rows.now, rows.renewed, rows.kept)
    effects = [
        Effect("recency", *(row.recency if row else None for row in both)),
        Effect("ceiling", *(row.ceiling if row else None for row in both)),
    ]
    shown: Preview | None = None
    if text.query.strip():
        renewed, kept = (session.preview(text.query, text.path, data, keep, text.scope) for keep in (False, True))
        shown = kept if text.keep_mtime else renewed
        own = (shown.before.own, renewed.after.own, kept.after.own)
        effects.insert(0, Effect("score", *(hit.score if hit else None for hit in own)))
    return Looked(found, tuple(effects), shown)


@lru_cache(maxsize=1)
def _known_files(snapshot: Snapshot) -> KnownFiles:
    from brvtui.tree.editing.problems import KnownFiles
    from brvtui.tree.reading.links import Names

    return KnownFiles(Names(file.path for file in snapshot.files))


def save(session: Session, disk: OnDisk, data: bytes, keep_mtime: bool) -> SaveEnd:
    """Saves ``data`` over the version ``disk``."""
    from brvtui.tree.saving.note_files import Conflict, SaveError, Unconfirmed

    try:
        done = session.notes.save(disk.path, data, disk.version, keep_mtime)
    except Unconfirmed as error:
        return _unconfirmed(session, disk, data, str(error))
    except SaveError as error:
        return NotSaved(disk, data, str(error))
    if isinstance(done, Conflict):
        theirs = OnDisk(disk.path, done.theirs, done.version)
        return NoteClashed(disk, data, _clash(disk, data, theirs))
    said = [f"{disk.path}: its {lost} could not be carried over" for lost in done.lost]
    if done.kept:
        said.append(f"{disk.path}: another program has it open; what that writes is kept in {done.kept}")
    return NoteSaved(replace(disk, data=data, version=done.version), tuple(said))


def _unconfirmed(session: Session, disk: OnDisk, data: bytes, said: str) -> SaveEnd:
    """How a save ended that was done, though the disk did not confirm it; ``said`` tells that."""
    from brvtui.tree.saving.note_files import SaveError

    try:
        now = _on_disk(session, disk.path)
    except SaveError as error:
        return NotSaved(disk, data, f"{said}; and it cannot be read again: {error}")
    if now.data == data:
        return NoteSaved(now, (said,))
    return NoteClashed(disk, data, _clash(disk, data, now))


def _clash(disk: OnDisk, mine: bytes, theirs: OnDisk) -> Clash:
    """What differs between ``mine`` and ``theirs``, both made from what ``disk`` was."""
    from brvtui.tree.editing.merging import difference, merged
    from brvtui.tree.editing.note_text import NotText, note_text

    try:
        notes = [note_text(data) for data in (disk.data or b"", mine, theirs.data or b"")]
    except NotText:
        return Clash(theirs)
    own = notes[1]
    texts = [note.plain(note.text) for note in notes]
    if any("\r" in text for text in texts):
        # One of them mixes line ends: each line keeps the one that it has.
        texts = [text.replace("\n", note.newline) for text, note in zip(texts, notes, strict=True)]
        own = replace(own, newline="\n")
    both = merged(*texts)
    return Clash(theirs, difference(texts[1], texts[2]), own.encode_plain(both.text), both.conflicts)


def look_at_disk(session: Session, before: OnDisk) -> OnDisk:
    """The note as it is on disk now; ``before`` itself when nothing changed."""
    from brvtui.tree.saving.note_files import SaveError, is_unchanged

    if before.version is not None and is_unchanged(session.project.tree, before.path, before.version):
        return before
    try:
        now = _on_disk(session, before.path)
    except SaveError:
        return before  # saving will say what is wrong
    return before if now.data == before.data else now


def keep_draft(session: Session, asked: DraftRequest) -> str:
    """Writes or drops a draft; what is wrong, when that cannot be done."""
    from brvtui.store.drafts import DraftStore

    drafts = DraftStore(session.project.tree)
    try:
        if asked.data is None:
            drafts.drop(asked.path)
        else:
            drafts.keep(asked.path, asked.data, asked.base, session.clock())
    except OSError as error:
        return f"the draft of {asked.path} cannot be kept: {faults.advice(error)}"
    return ""


def drafts(session: Session) -> tuple[str, ...]:
    """The notes that have drafts which no other process is working on, the newest first."""
    from brvtui.store.drafts import DraftStore

    left = (draft.path for draft in DraftStore(session.project.tree).all() if not draft.is_being_edited)
    return tuple(dict.fromkeys(left))
