"""Finds, writes and removes drafts of notes. Every function blocks: call it in a worker thread."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from brvtui import faults
from brvtui.app.editing.note_on_disk import OnDisk, on_disk, where_moved
from brvtui.app.services import Refusal
from brvtui.timing import system_clock

if TYPE_CHECKING:
    from brvtui.session import Session
    from brvtui.store.drafts import Draft
    from brvtui.tree.editing.merging import Hunk
    from brvtui.tree.editing.note_text import EditableText
    from brvtui.tree.saving.file_version import FileVersion


@dataclass(frozen=True, slots=True)
class FoundDraft:
    """A draft of the note that is being opened, and how it differs from the text on disk."""

    text: EditableText = field(repr=False)
    base: EditableText = field(repr=False)
    """The text on disk: of a note that was moved that of where it is now."""
    age_s: float
    is_on_disk_text: bool
    """Whether the draft was begun from the text that is on disk now."""
    hunks: tuple[Hunk, ...] = field(repr=False)
    moved: OnDisk | None = None
    """The file that has the text that the draft was begun from, where the note is no longer at its path."""


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """The draft to write for the note at ``path``; without ``data``, its draft is to be removed."""

    path: str
    data: bytes | None = field(repr=False)
    base: FileVersion | None = None
    """The file that the draft was begun from."""
    is_set_aside: bool = False
    """Whether it is a text that could not be saved, and is kept beside the draft of the text that is being edited."""


def find_draft(session: Session, disk: OnDisk, text: EditableText) -> FoundDraft | None:
    """Returns the draft to offer: none that equals the text on disk, none that belongs to an editor still running."""
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
    hunks = difference(drafted.plain(drafted.text), text.plain(text.text))
    age_s = max(0.0, system_clock() - draft.at_ms) / 1000
    return FoundDraft(drafted, text, age_s, draft.is_on(disk.sha256), hunks, moved)


def write_draft(session: Session, request: DraftRequest) -> None:
    """Writes or removes a draft. Raises :class:`Refusal` when that fails."""
    from brvtui.disk.processes import own_identity
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
        raise Refusal(f"the draft of {request.path} cannot be kept: {faults.advice(error)}") from error


def notes_with_drafts(session: Session) -> tuple[str, ...]:
    """Returns the paths of notes with drafts that no running process works on, the newest draft first."""
    from brvtui.store.drafts import DraftStore

    left = (draft for draft in DraftStore(session.project.tree).all() if not draft.is_being_edited)
    return tuple(dict.fromkeys(draft.path for draft in left if _is_unsaved(session, draft)))


def _is_unsaved(session: Session, draft: Draft) -> bool:
    """Whether the note on disk is not the text of ``draft``; also when it cannot be read."""
    from brvtui.tree.saving.note_files import SaveError

    try:
        return on_disk(session, draft.path).data != draft.data
    except SaveError:
        return True
