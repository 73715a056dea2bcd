"""Reads notes from disk for the editor. Every function blocks: call it in a worker thread."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from brvtui.timing import system_clock

if TYPE_CHECKING:
    from brvtui.session import Session
    from brvtui.tree.saving.file_version import FileVersion


@dataclass(frozen=True, slots=True)
class OnDisk:
    """A note as it was on disk: its bytes and version; both are None when there was no file."""

    path: str
    data: bytes | None
    version: FileVersion | None
    read_ms: float = field(default_factory=system_clock, compare=False)
    """When it was read, in milliseconds since 1970."""

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


def where_moved(session: Session, path: str, sha256: str, inode: int, at_ms: float) -> OnDisk | None:
    """Returns the note that was at ``path`` at ``at_ms``, in a file of this text and inode, from where it is now.

    ``at_ms`` is of the system's clock. The journal knows moves that were made here. Of others the text tells, where one
    note alone has it that is the same file or whose file is newer: an older one with the same text stood beside the
    note. Of several the one that is the same file is meant. None where there is none.
    """
    from brvtui.tree.saving.note_files import SaveError

    snapshot, now = session.snapshot, session.notes.journal.path_now(path, at_ms)
    paths = [now]
    if now == path:
        # Renaming a file gives it a new ctime, renaming its folder does not; neither gives it another inode.
        files = [(note.path, snapshot.parsed[note.path]) for note in snapshot.notes]
        paths = [at for at, file in files if file.inode == inode or file.ctime_ns >= at_ms * 1e6]
    found: list[OnDisk] = []
    for each in paths:
        with suppress(SaveError):
            found.append(on_disk(session, each))
    same = [disk for disk in found if disk.sha256 == sha256]
    return _only(same) or _only([disk for disk in same if disk.version and disk.version.inode == inode])


def _only(found: list[OnDisk]) -> OnDisk | None:
    """The one that was found; None where there is none, or there are several."""
    return found[0] if len(found) == 1 else None
