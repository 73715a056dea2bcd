"""Reads and opens notes for the editor, and stores their drafts.

Every function blocks, so call it in a worker thread.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from brvtui import faults
from brvtui.app.states import NO_SUCH_NOTE
from brvtui.app.workers import Refusal
from brvtui.timing import system_clock

if TYPE_CHECKING:
    from brvtui.session import Session
    from brvtui.store.drafts import Draft
    from brvtui.tree.editing.merging import Hunk
    from brvtui.tree.editing.note_text import EditableText
    from brvtui.tree.saving.file_version import FileVersion


@dataclass(frozen=True, slots=True)
class OnDisk:
    """A note's bytes and version on disk, both None if there is no file."""

    path: str
    data: bytes | None
    version: FileVersion | None
    read_ms: float = field(default_factory=system_clock, compare=False)
    """The time of reading, in milliseconds since 1970."""

    @property
    def sha256(self) -> str | None:
        """The SHA-256 hash of the bytes; None if there is no file."""
        return self.version.sha256 if self.version else None


def on_disk(session: Session, path: str) -> OnDisk:
    """Reads the note at ``path``. Raises :class:`brvtui.tree.saving.note_files.SaveError` if it cannot be edited."""
    from brvtui.tree.saving.note_files import SaveError, read_note_file

    session.notes.check_kind(path)
    entry = session.snapshot.parsed.get(path)
    if entry is not None and entry.alias:
        raise SaveError(f"{path} belongs to the shared source {entry.alias}: open that project to edit it")
    if not os.path.lexists(session.project.tree / path):
        return OnDisk(path, None, None)
    return OnDisk(path, *read_note_file(session.project.tree, path))


def read_again(session: Session, before: OnDisk) -> OnDisk:
    """Returns the current state of the note on disk, or ``before`` if the text is the same."""
    from brvtui.tree.saving.note_files import SaveError, is_unchanged

    if before.version is not None and is_unchanged(session.project.tree, before.path, before.version):
        return before
    try:
        now = on_disk(session, before.path)
    except SaveError:
        return before  # saving will report the problem
    return before if now.data == before.data else now


def where_moved(session: Session, path: str, sha256: str, inode: int, at_ms: float) -> OnDisk | None:
    """Reads the note that was at ``path`` at ``at_ms`` from its current path; None if that is unknown or ambiguous.

    ``at_ms`` is in milliseconds of the system clock. The journal records moves by this app. For other moves, a file
    matches if its hash is ``sha256`` and it has the same ``inode``, or was created or moved after ``at_ms``; older
    files with that hash are copies. If several files match, only one with the same inode is returned.
    """
    from brvtui.tree.saving.note_files import SaveError

    snapshot, now = session.snapshot, session.notes.journal.path_now(path, at_ms)
    paths = [now]
    if now == path:
        # Renaming a file changes its ctime, but renaming its folder does not; neither changes its inode.
        files = [(note.path, snapshot.parsed[note.path]) for note in snapshot.notes]
        paths = [at for at, file in files if file.inode == inode or file.ctime_ns >= at_ms * 1e6]
    candidates: list[OnDisk] = []
    for each in paths:
        with suppress(SaveError):
            candidates.append(on_disk(session, each))
    same = [disk for disk in candidates if disk.sha256 == sha256]
    return _only(same) or _only([disk for disk in same if disk.version and disk.version.inode == inode])


def _only(candidates: list[OnDisk]) -> OnDisk | None:
    """Returns the only entry, or None if there are none or several."""
    return candidates[0] if len(candidates) == 1 else None


# Opens notes for editing, and starts new ones.


MOST_CHARS = 200_000
"""The maximum length of a text in the editor; the checks after each key are too slow for longer texts."""


def text_to_edit(data: bytes, before: EditableText | None = None, replaced: str = "") -> EditableText:
    """Decodes ``data`` as a text for the editor.

    The arguments are the same as for :func:`brvtui.tree.editing.note_text.note_text`. Raises
    :class:`brvtui.tree.editing.note_text.NotText` if the text is unreadable or too long.
    """
    from brvtui.tree.editing.note_text import NotText, note_text

    text = note_text(data, before, replaced)
    if len(text.text) > MOST_CHARS:
        raise NotText(_too_many(text))
    return text


def _too_many(text: EditableText) -> str:
    return f"{len(text.text)} characters are too many to edit here"


@dataclass(frozen=True, slots=True)
class NoteOpened:
    """A note that was read for editing, and its draft, if any."""

    disk: OnDisk
    text: EditableText = field(repr=False)
    draft: FoundDraft | None


@dataclass(frozen=True, slots=True)
class NewNoteRequest:
    """The path, title and template of a note to create, as the user entered them."""

    path: str
    title: str
    template: str


def open_note(session: Session, path: str, outside: bool, outside_key: str) -> NoteOpened:
    """Reads the note at ``path`` and its draft. Raises :class:`Refusal` if the note cannot be edited.

    If ``outside``, for an external editor, the text may have any length. ``outside_key`` is the key that opens that
    editor.
    """
    from brvtui.tree.editing.note_text import NotText, note_text
    from brvtui.tree.saving.note_files import SaveError

    try:
        disk = on_disk(session, path)
        text = note_text(disk.data or b"")
    except SaveError as error:
        raise Refusal(str(error)) from error
    except NotText as error:
        raise Refusal(f"{path}: {error}") from error
    draft = find_draft(session, disk, text)
    if disk.data is None and draft is None:
        raise Refusal(f"{path}: {NO_SUCH_NOTE}")
    if not outside and len(text.text) > MOST_CHARS:
        raise Refusal(f"{path}: {_too_many(text)}; {outside_key} opens it in your own editor")
    return NoteOpened(disk, text, draft)


def begin_note(session: Session, request: NewNoteRequest, query: str) -> NoteOpened:
    """Returns a new note with its initial text; ``query`` is the question that the note answers."""
    from brvtui.tree.editing.new_notes import NewNote, Template, keywords_of, text_of
    from brvtui.tree.editing.note_text import note_text

    keywords = keywords_of(query, session.profile.stop_words)
    note = NewNote(request.title, session.clock(), query, keywords=keywords)
    disk = OnDisk(request.path, None, None)
    text = note_text(text_of(Template(request.template), note).encode())
    return NoteOpened(disk, text, find_draft(session, disk, text))


# Finds, writes and removes drafts of notes.


@dataclass(frozen=True, slots=True)
class FoundDraft:
    """A draft of the note to open, and its differences from the text on disk."""

    text: EditableText = field(repr=False)
    base: EditableText = field(repr=False)
    """The text on disk; if the note was moved, the text at the new path."""
    age_s: float
    is_on_disk_text: bool
    """True if the text on disk is still the one that the draft is based on."""
    hunks: tuple[Hunk, ...] | None = field(repr=False)
    """The differences from ``base``; None if either text is too long for the editor."""
    moved: OnDisk | None = None
    """If the note was moved, the file that now contains the text that the draft is based on."""


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """A request to write a draft of the note at ``path``, or to remove it if ``data`` is None."""

    path: str
    data: bytes | None = field(repr=False)
    base: FileVersion | None = None
    """The version of the file that the draft is based on."""
    is_set_aside: bool = False
    """True for text that could not be saved; it is kept in addition to the draft of the edited text."""


def find_draft(session: Session, disk: OnDisk, text: EditableText) -> FoundDraft | None:
    """Returns the draft to offer, or None if there is none, it equals the text on disk, or a running editor uses it."""
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
    moved = None
    if disk.data is None and draft.base is not None:
        moved = where_moved(session, disk.path, draft.base, draft.inode, draft.at_ms)
    if moved is not None:
        with suppress(NotText):
            text = note_text(moved.data or b"")
    is_long = max(len(drafted.text), len(text.text)) > MOST_CHARS
    hunks = None if is_long else difference(drafted.plain(drafted.text), text.plain(text.text))
    age_s = max(0.0, system_clock() - draft.at_ms) / 1000
    return FoundDraft(drafted, text, age_s, draft.is_on(disk.sha256), hunks, moved)


def write_draft(session: Session, request: DraftRequest) -> None:
    """Writes or removes a draft. Raises :class:`Refusal` if that fails."""
    from brvtui.disk.locks import own_identity
    from brvtui.store.drafts import Draft, DraftStore

    drafts = DraftStore(session.project.tree)
    base, inode = (request.base.sha256, request.base.inode) if request.base else (None, 0)
    try:
        if request.data is None:
            drafts.drop(request.path)
        elif request.is_set_aside:
            own = (system_clock(), os.getpid(), own_identity())
            drafts.add(Draft(request.path, request.data, base, *own, inode))
        else:
            drafts.keep(request.path, request.data, base, system_clock(), inode)
    except OSError as error:
        raise Refusal(f"the draft of {request.path} cannot be saved: {faults.advice(error)}") from error


def notes_with_drafts(session: Session) -> tuple[str, ...]:
    """Returns the paths of notes with drafts that no running process edits, the newest draft first."""
    from brvtui.store.drafts import DraftStore

    left = (draft for draft in DraftStore(session.project.tree).all() if not draft.is_being_edited)
    return tuple(dict.fromkeys(draft.path for draft in left if _is_unsaved(session, draft)))


def _is_unsaved(session: Session, draft: Draft) -> bool:
    """True if ``draft`` differs from the note on disk, or if the note cannot be read."""
    from brvtui.tree.saving.note_files import SaveError

    try:
        return on_disk(session, draft.path).data != draft.data
    except SaveError:
        return True
