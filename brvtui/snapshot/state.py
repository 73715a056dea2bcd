"""The state: notes in document order, arrays beside them, postings, and what is gathered of them on demand."""

from __future__ import annotations

import errno
import math
import os
import weakref
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from brvtui.ranking.maturity import LEVELS
from brvtui.snapshot.records import FolderSummary, Known, Note, Parsed
from brvtui.text.postings import Postings
from brvtui.tree.constants import ReadingLimits
from brvtui.tree.reading.collation import in_locale_order
from brvtui.tree.reading.contents import Unseen, check_readable, cut
from brvtui.tree.reading.files import SUMMARY_FILE, Role, TreeFile, UnseenFile, role_of
from brvtui.tree.reading.fingerprint import fingerprint, fingerprint_line, is_covered
from brvtui.tree.reading.hierarchy import Hierarchy, build_hierarchy
from brvtui.tree.reading.inside import read_inside
from brvtui.tree.reading.orders import Orders, Placed, make_orders
from brvtui.tree.reading.project import Project
from brvtui.tree.reading.signals import NO_LAYERS, NoteSignals, SignalLayers, Source

if TYPE_CHECKING:  # few questions need tantivy
    from brvtui.text.index import Document, TextIndex


_ABSTRACT = ".abstract.md"
_SOURCES = {source: place for place, source in enumerate(Source)}


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Notes in document order, their signals as arrays beside them, the postings, and the files they came from."""

    project: Project
    generation: int
    loaded_ms: float
    limits: ReadingLimits
    notes: tuple[Note, ...]
    postings: Postings
    signals: tuple[NoteSignals, ...]
    summary_signals: Mapping[str, NoteSignals]
    """Stored signals of summary files, by path."""
    summaries: Mapping[str, FolderSummary]
    """By the folder's shown path."""
    files: tuple[TreeFile, ...]
    """Every markdown file of the project's own tree, derived ones too."""
    unseen: tuple[UnseenFile, ...]
    notices: tuple[str, ...]
    parsed: Mapping[str, Parsed]
    edited: Mapping[str, str]
    """Texts that stand in for files, for what-if."""
    stored: SignalLayers = NO_LAYERS
    """Where stored signals were looked up."""
    frontmatter_defaults: NoteSignals | None = None
    """What completes the signals in a note's frontmatter; None where none are read there."""
    engine_failure: str = ""
    """Why every search of the real engine fails on this tree, and what to do; empty when it does not."""

    @property
    def known(self) -> Known:
        """What the next reading need not read again."""
        return Known(self.limits, self.frontmatter_defaults, self.parsed, self.by_path, self.postings)

    @cached_property
    def by_path(self) -> dict[str, int]:
        """Position of each note by its path."""
        return {note.path: position for position, note in enumerate(self.notes)}

    @property
    def recorded(self) -> int:
        """How many notes have signals from the tool's own overlay."""
        return int((self.sources == _SOURCES[Source.OVERLAY]).sum())

    @property
    def reads_frontmatter(self) -> bool:
        """Whether a note's frontmatter may hold its signals, which ByteRover 3 itself does not read."""
        return self.frontmatter_defaults is not None

    @property
    def from_frontmatter(self) -> int:
        """How many notes have signals from their frontmatter."""
        return int((self.sources == _SOURCES[Source.FRONTMATTER]).sum())

    @cached_property
    def abstracts(self) -> dict[str, int]:
        """The length of each note's abstract, in UTF-16 units, by the path of the note that it abridges."""
        found: dict[str, int] = {}
        for path in self.parsed:
            if path.endswith(_ABSTRACT):
                found |= self._abstract(path)
        return found

    def _abstract(self, path: str) -> dict[str, int]:
        entry, note = self.parsed.get(path), _note_of_abstract(path)
        return {note: entry.chars} if entry is not None else {}

    @cached_property
    def summary_files(self) -> frozenset[str]:
        """The project's own ``_index.md`` files."""
        return frozenset(path for path in self.parsed if _is_summary(path))

    @cached_property
    def chars(self) -> NDArray[np.int64]:
        """The length of each note as the engine reads it, in UTF-16 units."""
        return np.asarray([note.chars for note in self.notes], dtype=np.int64)

    @cached_property
    def sources(self) -> NDArray[np.int8]:
        """Where each note's signals were found, as the place among the kinds of sources."""
        return np.asarray([_SOURCES[entry.source] for entry in self.signals], dtype=np.int8)

    @cached_property
    def importance(self) -> NDArray[np.float64]:
        """Stored importance, 0..100, by position."""
        return np.asarray([entry.importance for entry in self.signals], dtype=np.float64)

    @cached_property
    def recency(self) -> NDArray[np.float64]:
        """Stored recency, 0..1, by position."""
        return np.asarray([entry.recency for entry in self.signals], dtype=np.float64)

    @cached_property
    def maturity(self) -> NDArray[np.int8]:
        """Position in :data:`brvtui.ranking.maturity.LEVELS`, by position."""
        return np.asarray([LEVELS.index(entry.maturity) for entry in self.signals], dtype=np.int8)

    @cached_property
    def mtime_ms(self) -> NDArray[np.float64]:
        """Modification times in ms, by position."""
        return np.asarray([note.mtime_ms for note in self.notes], dtype=np.float64)

    @cached_property
    def updated_ms(self) -> NDArray[np.float64]:
        """When notes say they were updated, in ms, by position: infinite where they do not, NaN where it is unclear."""
        return np.asarray([_said(self.parsed[note.path].updated_ms) for note in self.notes], dtype=np.float64)

    @cached_property
    def is_local(self) -> NDArray[np.bool_]:
        """Whether each note is the project's own, by position."""
        return np.asarray([note.is_local for note in self.notes], dtype=np.bool_)

    @cached_property
    def index(self) -> TextIndex:
        """The tantivy index of the notes' texts; made on first use, which reads every note again."""
        from brvtui.text.index import index_of

        return index_of(self._document(position) for position in range(len(self.notes)))

    @cached_property
    def likeness_index(self) -> TextIndex:
        """Such an index made from that of an earlier snapshot, if there was one: only what changed is read and written.

        Its BM25 still counts notes that are gone, which is good enough for telling what is alike.
        """
        before = self._index_before
        if "index" not in self.__dict__ and before is not None:
            index, kept = before
            made = index.after(kept, [self._document(place) for place in np.flatnonzero(kept < 0).tolist()])
            if made is not None:
                return made
        return self.index

    @cached_property
    def _index_before(self) -> tuple[TextIndex, NDArray[np.int64]] | None:
        """The index of an earlier snapshot, and the place there of each note that is the same; -1 for the others."""
        return None

    def _document(self, position: int) -> Document:
        from brvtui.text.index import Document

        note = self.notes[position]
        return Document(note.file, note.title, self._readable(note.path))

    def _readable(self, path: str) -> str:
        try:
            return self.text(path)
        except OSError:
            return ""

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """Folders and notes as the symbols that a query can name."""
        return build_hierarchy((note.path, note.title) for note in self.notes)

    @cached_property
    def domains(self) -> dict[str, str]:
        """Folders at depth 1 by their lower-case name, the first in locale order where two differ in case only.

        Those of shared sources begin with ``[alias]:``.
        """
        if "hierarchy" in self.__dict__:
            names = [symbol.path for symbol in self.hierarchy.domains]
        else:
            folders = {note.path.split("/", 1)[0] for note in self.notes if "/" in note.path}
            names = in_locale_order(sorted(folders), str)
        found: dict[str, str] = {}
        for name in names:
            found.setdefault(name.lower(), name)
        return found

    @cached_property
    def fingerprint(self) -> str:
        """The tree's fingerprint at this snapshot."""
        return fingerprint((place, mtime) for _, place, mtime in self.covered_files)

    @cached_property
    def covered_count(self) -> int:
        """How many files the fingerprint covers."""
        return len(self.covered_files)

    @cached_property
    def covered_files(self) -> tuple[tuple[str, str, int], ...]:
        """Path, absolute path and mtime (ms) of every file that the fingerprint covers, shared sources included."""
        folders = self._folders
        return tuple(
            [
                (path, f"{folders[entry.alias]}{entry.file}", entry.mtime_ms)
                for path, entry in self.parsed.items()
                if entry.is_note or is_covered(role_of(entry.file))
            ]
        )

    @cached_property
    def _folders(self) -> dict[str, str]:
        """What the absolute paths of a tree's files begin with, by the tree's alias: text, since files are many."""
        trees = {"": self.project.tree, **{source.alias: source.tree for source in self.project.sources}}
        return {alias: f"{tree}{os.sep}" for alias, tree in trees.items()}

    def fingerprint_with(self, touched: Mapping[str, int]) -> str:
        """The fingerprint if the files in ``touched`` had those mtimes (ms)."""
        if not touched:
            return self.fingerprint
        return fingerprint((place, touched.get(path, mtime)) for path, place, mtime in self.covered_files)

    def placed(self, entry: Parsed) -> Placed:
        """What decides where a file of the project's own tree stands."""
        covered = is_covered(role_of(entry.file))
        line = fingerprint_line(f"{self._folders['']}{entry.file}", entry.mtime_ms) if covered else ""
        return Placed(entry.file, entry.mtime_ms, entry.is_note, line)

    @cached_property
    def orders(self) -> Orders | None:
        """The orders that the next snapshot can be made from in part; None where a whole one must be made."""
        most = self.limits.max_files
        if self.project.sources or (most and len(self.files) > most):
            return None
        placed = (self.placed(entry) for entry in self.parsed.values())
        return make_orders(self.files, placed, self.loaded_ms, self.limits.recent_hours)

    @cached_property
    def _inside(self) -> dict[str, NDArray[np.bool_]]:
        return {}

    def inside(self, folder: str) -> NDArray[np.bool_]:
        """Which notes a search inside ``folder`` may find: those below it, ``context.md`` files never."""
        known = self._inside.get(folder)
        if known is None:
            prefix = f"{folder}/"
            known = np.asarray(
                [note.role is not Role.CONTEXT and note.path.startswith(prefix) for note in self.notes],
                dtype=np.bool_,
            )
            self._inside[folder] = known
        return known

    def inherit(
        self, previous: Snapshot, kept: NDArray[np.int64], touched: Sequence[int], files: Collection[str]
    ) -> None:
        """Takes over what ``previous`` has gathered about notes: ``kept`` gives the place there of each note.

        Only the values of the positions in ``touched`` are made anew; these hold all that are not in ``previous``.
        ``files`` are those that changed.
        """
        if "abstracts" in previous.__dict__:
            abstracts = dict(previous.abstracts)
            for path in files:
                note = _note_of_abstract(path)
                if note:
                    abstracts.pop(note, None)
                    abstracts |= self._abstract(path)
            self.__dict__["abstracts"] = abstracts
        if "summary_files" in previous.__dict__:
            changed = {path for path in files if _is_summary(path)}
            here = {path for path in changed if path in self.parsed}
            self.__dict__["summary_files"] = (previous.summary_files - changed) | here
        if not len(previous.notes):
            return
        index = previous.__dict__.get("likeness_index", previous.__dict__.get("index"))
        if index is not None:
            self.__dict__["_index_before"] = index, kept
        elif previous._index_before is not None:
            index, places = previous._index_before
            self.__dict__["_index_before"] = index, np.where(kept >= 0, places[kept], -1)
        for name, value_of in _VALUES.items():
            if name in previous.__dict__:
                values = previous.__dict__[name][np.maximum(kept, 0)]
                for position in touched:
                    values[position] = value_of(self, position)
                self.__dict__[name] = values

    @cached_property
    def _changed(self) -> tuple[weakref.ref[Snapshot], frozenset[str]] | None:
        """The snapshot that this one was made from, and the paths of which files or stored signals changed since."""
        return None

    def came_from(self, previous: Snapshot, changed: Iterable[str]) -> None:
        """Says that all is as in ``previous``, but for the files, or a note's stored signals, at ``changed`` paths."""
        self.__dict__["_changed"] = weakref.ref(previous), frozenset(changed)

    def changed_since(self, before: Snapshot) -> frozenset[str] | None:
        """The paths of which files, or a note's stored signals, may differ from ``before``; None when not known."""
        if self._changed is None or self._changed[0]() is not before:
            return None
        return self._changed[1]

    def adopt(self, other: Snapshot) -> None:
        """Takes over everything that ``other``, of the same notes, has computed already."""
        self.__dict__.update({name: value for name, value in other.__dict__.items() if name not in self.__dict__})

    def warm(self) -> None:
        """Computes now what the first query would otherwise wait for."""
        self.postings.warm()
        _ = self.sources, self.importance, self.recency, self.maturity, self.mtime_ms, self.is_local
        _ = self.domains, self.by_path, self.fingerprint

    def location(self, path: str) -> Path:
        """Where the note (or other tree file) at ``path`` lies on disk.

        Raises OSError when the path leads out of its tree.
        """
        known = self.parsed.get(path)
        if known and known.alias:
            tree = next(source.tree for source in self.project.sources if source.alias == known.alias)
            return tree / known.file
        if path.startswith("/") or ".." in path.split("/") or "\0" in path:
            raise OSError(errno.EACCES, "leads out of the tree", path)
        return self.project.tree / path

    def read(self, path: str) -> bytes:
        """The bytes of the note (or other tree file) at ``path`` as they are on disk now.

        Raises OSError when the file is gone, cannot be read or is too large, and when a link is on the way to it.
        """
        known = self.parsed.get(path)
        if known and known.alias:
            tree = next(source.tree for source in self.project.sources if source.alias == known.alias)
            return read_inside(tree, known.file, self.limits.max_file_bytes)
        return read_inside(self.project.tree, path, self.limits.max_file_bytes)

    def text(self, path: str) -> str:
        """The text of the file at ``path`` as the engine reads it; edited text first.

        Raises OSError when the file is gone or cannot be read.
        """
        if path in self.edited:
            return self.edited[path]
        data = self.read(path)
        try:
            check_readable(data, self.limits)
        except Unseen as reason:
            raise OSError(str(reason)) from None
        return cut(data.decode("utf-8", "replace"), self.limits).text


_VALUES: Mapping[str, Callable[[Snapshot, int], float]] = {
    "importance": lambda snapshot, position: snapshot.signals[position].importance,
    "recency": lambda snapshot, position: snapshot.signals[position].recency,
    "maturity": lambda snapshot, position: LEVELS.index(snapshot.signals[position].maturity),
    "chars": lambda snapshot, position: snapshot.notes[position].chars,
    "sources": lambda snapshot, position: _SOURCES[snapshot.signals[position].source],
    "mtime_ms": lambda snapshot, position: snapshot.notes[position].mtime_ms,
    "is_local": lambda snapshot, position: snapshot.notes[position].is_local,
    "updated_ms": lambda snapshot, position: _said(snapshot.parsed[snapshot.notes[position].path].updated_ms),
}
"""The value of each array that a snapshot keeps beside its notes, at one position."""


def _note_of_abstract(path: str) -> str:
    """The note that the file at ``path`` abridges; empty for any other file."""
    return f"{path.removesuffix(_ABSTRACT)}.md" if path.endswith(_ABSTRACT) else ""


def _is_summary(path: str) -> bool:
    return not path.startswith("[") and path.rpartition("/")[2] == SUMMARY_FILE


def _said(moment: float | None) -> float:
    """A moment that a note claims, in ms; infinite where it claims none."""
    return math.inf if moment is None else moment
