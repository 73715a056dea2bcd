"""Entries of a snapshot: notes, summaries of folders, parsed files; and what a later load can reuse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from brvtui.text.postings import Postings
from brvtui.trace import Kind
from brvtui.tree.constants import ReadingLimits, TreeConstants
from brvtui.tree.reading.files import CONTEXT_FILE, Role, rounded_ms
from brvtui.tree.reading.signals import NoteSignals, frontmatter_defaults


@dataclass(frozen=True, slots=True)
class Note:
    """A searchable file. ``path`` is unique in the snapshot: below the tree, or ``[alias]:path`` of a shared source."""

    path: str
    file: str
    """The path below its own tree."""
    alias: str
    """The shared source's alias; empty for a local note."""
    title: str
    role: Role
    size: int
    mtime_ms: int
    cut_lines: int
    cut_units: int
    chars: int
    """UTF-16 units of the text as the engine reads it."""

    @property
    def is_local(self) -> bool:
        """Whether the note belongs to the project itself."""
        return not self.alias

    @property
    def kind(self) -> Kind:
        """The kind of result that the note is."""
        if self.role is Role.STUB:
            return Kind.ARCHIVE_STUB
        return Kind.SUMMARY if self.role is Role.CONTEXT else Kind.CONTEXT

    @property
    def result_path(self) -> str:
        """The path that results show: for a ``context.md``, its folder."""
        return self.path.removesuffix(f"/{CONTEXT_FILE}") if self.role is Role.CONTEXT else self.path


@dataclass(frozen=True, slots=True)
class FolderSummary:
    """The file that makes a folder a possible result: a valid ``_index.md``, or else a ``context.md``."""

    folder: str
    file: str
    mtime_ms: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """The data read from one file, kept until the file changes. ``unseen`` says why it is not searched."""

    alias: str
    file: str
    mtime_ns: int
    size: int
    inode: int
    ctime_ns: int
    title: str = ""
    is_note: bool = False
    """Whether it is searched."""
    cut_lines: int = 0
    cut_units: int = 0
    frontmatter_signals: NoteSignals | None = None
    summary_order: int | None = None
    summary_tokens: int | None = None
    """The number that the frontmatter of a valid summary states; None when it is not a number."""
    chars: int = 0
    updated_ms: float | None = None
    """When the note says it was updated (:func:`brvtui.tree.reading.updated_at.updated_ms`)."""
    unseen: str = ""
    has_unusable_signals: bool = False
    """Whether its frontmatter names signals that cannot be used, where signals are read there."""
    has_conflict: bool = False
    """Whether it is a note with the marks of a conflict in its text."""

    @property
    def mtime_ms(self) -> int:
        """Modification time in whole milliseconds, rounded."""
        return rounded_ms(self.mtime_ns)

    @property
    def has_stored_signals(self) -> bool:
        """Whether the engine looks up stored signals of it."""
        return self.is_note or self.summary_order is not None


@dataclass(frozen=True, slots=True)
class Reusable:
    """What a load can reuse of an earlier one, and the constants with which that one read the files."""

    limits: ReadingLimits
    frontmatter_defaults: NoteSignals | None
    """The signals that completed those in frontmatter; None where none were read there."""
    parsed: Mapping[str, Parsed]
    by_path: Mapping[str, int]
    """Position of each note by its path."""
    postings: Postings

    def is_read_with(self, constants: TreeConstants) -> bool:
        """Whether reading the same files with ``constants`` would give the same."""
        now = (constants.limits, frontmatter_defaults(constants.signals))
        return now == (self.limits, self.frontmatter_defaults)
