"""Opens notes for editing, and begins new ones. Every function blocks: call it in a worker thread."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from brvtui.app.editing.note_drafts import FoundDraft, find_draft
from brvtui.app.editing.note_on_disk import OnDisk, on_disk
from brvtui.app.services import Refusal
from brvtui.app.states import NO_SUCH_NOTE

if TYPE_CHECKING:
    from brvtui.session import Session
    from brvtui.tree.editing.note_text import EditableText

MOST_CHARS = 200_000
"""The longest text that the editor opens: beyond it, checking on every key is noticeably slow."""


@dataclass(frozen=True, slots=True)
class NoteOpened:
    """A note that was read for editing, and its draft, if there is one."""

    disk: OnDisk
    text: EditableText = field(repr=False)
    draft: FoundDraft | None


@dataclass(frozen=True, slots=True)
class NewNoteRequest:
    """A note to begin: its path, title and template, as the user entered them."""

    path: str
    title: str
    template: str


def open_note(session: Session, path: str, outside: bool, outside_key: str) -> NoteOpened:
    """Reads the note at ``path`` and its draft. For an editor ``outside`` the app, the text may be of any length.

    ``outside_key`` opens that editor.

    Raises :class:`Refusal` when the note cannot be edited.
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
        said = f"{len(text.text)} characters are too many to edit them here"
        raise Refusal(f"{path}: {said}; {outside_key} opens your own editor")
    return NoteOpened(disk, text, draft)


def begin_note(session: Session, request: NewNoteRequest, query: str) -> NoteOpened:
    """Returns the text that a new note begins with; ``query`` is the question that it answers."""
    from brvtui.tree.editing.new_notes import NewNote, Template, keywords_of, text_of
    from brvtui.tree.editing.note_text import note_text

    keywords = keywords_of(query, session.profile.query.stop_words)
    note = NewNote(request.title, session.clock(), query, keywords=keywords)
    disk = OnDisk(request.path, None, None)
    text = note_text(text_of(Template(request.template), note).encode())
    return NoteOpened(disk, text, find_draft(session, disk, text))
