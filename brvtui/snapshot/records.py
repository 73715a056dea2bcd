"""The entries of a snapshot (notes, folder summaries and parsed files), and the data that a later load can reuse."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from brvtui.ranking.maturity import LEVELS
from brvtui.text.postings import Postings
from brvtui.trace import Kind
from brvtui.tree.constants import ReadingLimits, TreeConstants
from brvtui.tree.reading.files import CONTEXT_FILE, Role, rounded_ms
from brvtui.tree.reading.signals import NoteSignals, Source, frontmatter_defaults


@dataclass(frozen=True, slots=True)
class Note:
    """A searchable file. ``path`` is unique in the snapshot. It is relative to the tree or, for a file in a shared
    source, has the form ``[alias]:path``.
    """

    path: str
    file: str
    """The path below the note's own tree."""
    alias: str
    """The shared source's alias; empty for a local note."""
    title: str
    role: Role
    size: int
    mtime_ms: int
    cut_lines: int
    cut_units: int
    chars: int
    """The text's length as the engine reads it, in UTF-16 units."""

    @property
    def is_local(self) -> bool:
        """True if the note belongs to the project itself."""
        return not self.alias

    @property
    def kind(self) -> Kind:
        """The kind of result that the note is in an answer."""
        if self.role is Role.STUB:
            return Kind.ARCHIVE_STUB
        return Kind.SUMMARY if self.role is Role.CONTEXT else Kind.CONTEXT

    @property
    def result_path(self) -> str:
        """The path in results; for a ``context.md``, the path of its folder."""
        return self.path.removesuffix(f"/{CONTEXT_FILE}") if self.role is Role.CONTEXT else self.path


@dataclass(frozen=True, slots=True)
class FolderSummary:
    """The file that represents a folder in results: a valid ``_index.md`` or, if there is none, a ``context.md``."""

    folder: str
    file: str
    mtime_ms: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """The data read from one file, kept until the file changes. ``unseen`` is the reason why it is not searched."""

    alias: str
    file: str
    mtime_ns: int
    size: int
    inode: int
    ctime_ns: int
    title: str = ""
    is_note: bool = False
    """True if the file is searched."""
    cut_lines: int = 0
    cut_units: int = 0
    frontmatter_signals: NoteSignals | None = None
    summary_order: int | None = None
    summary_tokens: int | None = None
    """The token count in a valid summary's frontmatter; None if it is not a number."""
    chars: int = 0
    updated_ms: float | None = None
    """The update time in the note's own text (:func:`brvtui.tree.reading.contents.updated_ms`)."""
    unseen: str = ""
    has_unusable_signals: bool = False
    """True if signals are read from the file's frontmatter, but the signals there are unusable."""
    has_conflict: bool = False
    """True if the file is a note whose text contains conflict markers."""

    @property
    def mtime_ms(self) -> int:
        """The modification time, rounded to whole milliseconds."""
        return rounded_ms(self.mtime_ns)

    @property
    def has_stored_signals(self) -> bool:
        """True if the engine looks up stored signals for this file."""
        return self.is_note or self.summary_order is not None


@dataclass(frozen=True, slots=True)
class Reusable:
    """Data from an earlier load that can be reused, and the constants with which the files were read."""

    limits: ReadingLimits
    frontmatter_defaults: NoteSignals | None
    """The signals that complete partial frontmatter; None if frontmatter is not read for signals."""
    parsed: Mapping[str, Parsed]
    by_path: Mapping[str, int]
    """The position of each note, keyed by its path."""
    postings: Postings

    def is_read_with(self, constants: TreeConstants) -> bool:
        """True if reading the same files with ``constants`` would give the same result."""
        now = (constants.limits, frontmatter_defaults(constants.signals))
        return now == (self.limits, self.frontmatter_defaults)


# Properties of all notes as arrays, for computing over all of them at once.


_LEVELS = {maturity: level for level, maturity in enumerate(LEVELS)}
_SOURCES = {source: place for place, source in enumerate(Source)}


@dataclass(frozen=True, slots=True, eq=False)
class NoteColumns:
    """One value per note of a snapshot, in document order."""

    importance: NDArray[np.float64]
    """The stored importance of each note, 0..100."""
    recency: NDArray[np.float64]
    """The stored recency of each note, 0..1."""
    maturity: NDArray[np.int8]
    """The maturity of each note, as an index into :data:`brvtui.ranking.maturity.LEVELS`."""
    source: NDArray[np.int8]
    """The source of each note's signals, as an index into the members of ``Source``."""
    is_local: NDArray[np.bool_]
    """False for notes of shared sources."""
    mtime_ms: NDArray[np.float64]
    updated_ms: NDArray[np.float64]
    """The update time in the note's own text: infinity if there is none, NaN if it is not a date."""
    chars: NDArray[np.int64]
    """The text's length as the engine reads it, in UTF-16 units."""

    def count_from(self, source: Source) -> int:
        """The number of notes with signals from ``source``."""
        return int((self.source == _SOURCES[source]).sum())

    def changed(self, kept: NDArray[np.int64], touched: Sequence[int], fresh: NoteColumns) -> NoteColumns:
        """Returns these columns in a new order. ``kept`` contains the current position of each note, or -1 for a new
        note.

        ``fresh`` contains the values of the notes at the positions ``touched``, which must include all new notes.
        """
        if len(touched) == len(kept):
            return fresh
        places = np.maximum(kept, 0)
        columns = {column.name: getattr(self, column.name)[places] for column in fields(NoteColumns)}
        for name, values in columns.items():
            values[touched] = getattr(fresh, name)
        return NoteColumns(**columns)


def columns_of(notes: Iterable[Note], signals: Sequence[NoteSignals], parsed: Mapping[str, Parsed]) -> NoteColumns:
    """The columns of ``notes`` with their stored ``signals`` and their ``parsed`` files."""
    listed = list(notes)
    updated = (parsed[note.path].updated_ms for note in listed)
    return NoteColumns(
        importance=np.asarray([entry.importance for entry in signals], dtype=np.float64),
        recency=np.asarray([entry.recency for entry in signals], dtype=np.float64),
        maturity=np.asarray([_LEVELS[entry.maturity] for entry in signals], dtype=np.int8),
        source=np.asarray([_SOURCES[entry.source] for entry in signals], dtype=np.int8),
        is_local=np.asarray([not note.alias for note in listed], dtype=np.bool_),
        mtime_ms=np.asarray([note.mtime_ms for note in listed], dtype=np.float64),
        updated_ms=np.asarray([math.inf if moment is None else moment for moment in updated], dtype=np.float64),
        chars=np.asarray([note.chars for note in listed], dtype=np.int64),
    )
