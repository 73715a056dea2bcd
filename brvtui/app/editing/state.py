"""A note that is open to be edited: what was read of it, and what the screens show of the edit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from brvtui.tree.editing.merging import Hunk
    from brvtui.tree.editing.note_text import EditableText
    from brvtui.tree.saving.file_version import FileVersion


@dataclass(frozen=True, slots=True)
class OnDisk:
    """A note as it was on disk: its bytes and its version; None and None when there was none."""

    path: str
    data: bytes | None
    version: FileVersion | None

    @property
    def sha256(self) -> str | None:
        """Of its bytes; None when there was none."""
        return self.version.sha256 if self.version else None


@dataclass(frozen=True, slots=True)
class FoundDraft:
    """A draft of the note that is being opened, and how it differs from what is on disk."""

    text: EditableText = field(repr=False)
    age_s: float
    is_on_disk_text: bool
    """Whether it was made from the text that is on disk now."""
    hunks: tuple[Hunk, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class NoteOpened:
    """A note that was read to be edited, as it is on disk, and its draft."""

    disk: OnDisk
    text: EditableText = field(repr=False)
    draft: FoundDraft | None


@dataclass(frozen=True, slots=True)
class Clash:
    """The note is not what it was when it was read: ``theirs`` is on disk; what differs, and both merged."""

    theirs: OnDisk
    hunks: tuple[Hunk, ...] = field(default=(), repr=False)
    merged: bytes | None = field(default=None, repr=False)
    """None when one of them is no text, so that they can be neither compared nor merged."""
    undecided: int = 0
    """Places in ``merged`` where both changed the same lines."""


@dataclass(frozen=True, slots=True)
class NoteSaved:
    """A note that holds the text now; ``said`` is what the user should know of how that went, in lines."""

    disk: OnDisk
    said: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoteClashed:
    """``data`` was not saved over ``disk``, because that is not what is on disk now."""

    disk: OnDisk
    data: bytes = field(repr=False)
    clash: Clash


@dataclass(frozen=True, slots=True)
class NotSaved:
    """``data`` was not saved over ``disk``; ``what`` says why, with the note's path."""

    disk: OnDisk
    data: bytes = field(repr=False)
    what: str


@dataclass(frozen=True, slots=True)
class Begun:
    """A note that does not exist yet: its path, title, and the template of its text."""

    path: str
    title: str
    template: str
