"""Reads notes from disk for the editor. Every function blocks: call it in a worker thread."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from brvtui.session import Session
    from brvtui.tree.saving.file_version import FileVersion


@dataclass(frozen=True, slots=True)
class OnDisk:
    """A note as it was on disk: its bytes and version; both are None when there was no file."""

    path: str
    data: bytes | None
    version: FileVersion | None

    @property
    def sha256(self) -> str | None:
        """The hash of its bytes; None when there was no file."""
        return self.version.sha256 if self.version else None


def on_disk(session: Session, path: str) -> OnDisk:
    """Reads the note at ``path``. Raises :class:`brvtui.tree.saving.note_files.SaveError`."""
    from brvtui.tree.saving.note_files import SaveError, read_note_file

    session.notes.check_kind(path)
    known = session.snapshot.parsed.get(path)
    if known is not None and known.alias:
        raise SaveError(f"{path}: belongs to the shared source {known.alias}; open that project to edit it")
    if not os.path.lexists(session.project.tree / path):
        return OnDisk(path, None, None)
    return OnDisk(path, *read_note_file(session.project.tree, path))


def read_again(session: Session, before: OnDisk) -> OnDisk:
    """Returns the note as it is on disk now; ``before`` itself when its text is the same."""
    from brvtui.tree.saving.note_files import SaveError, is_unchanged

    if before.version is not None and is_unchanged(session.project.tree, before.path, before.version):
        return before
    try:
        now = on_disk(session, before.path)
    except SaveError:
        return before  # saving will say what is wrong
    return before if now.data == before.data else now
