"""The snapshot: notes in document order, their properties as arrays, postings, and the notes' files."""

from __future__ import annotations

import errno
import os
import shlex
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from brvtui.derived import Derived, Key
from brvtui.snapshot.records import FolderSummary, Note, NoteColumns, Parsed, Reusable
from brvtui.text.postings import Postings
from brvtui.tree.constants import ReadingLimits
from brvtui.tree.reading.contents import Unseen, read_bytes
from brvtui.tree.reading.files import HTML, SUMMARY_FILE, Role, TreeFile, UnseenFile, limit_notices, role_of
from brvtui.tree.reading.fingerprint import fingerprint, fingerprint_line, is_covered
from brvtui.tree.reading.hierarchy import Hierarchy, build_hierarchy
from brvtui.tree.reading.inside import read_inside
from brvtui.tree.reading.javascript import in_locale_order
from brvtui.tree.reading.kinds import ProjectKind
from brvtui.tree.reading.orders import OrderedFile, Orders, make_orders
from brvtui.tree.reading.project import FoundProject
from brvtui.tree.reading.signals import NO_LAYERS, NoteSignals, SignalLayers, Source
from brvtui.wording import counted

if TYPE_CHECKING:  # tantivy is rarely needed
    from brvtui.text.relevance import RelevanceIndex
    from brvtui.tree.spaces.contents import SpaceContents


ABSTRACTS: Key[Mapping[str, int]] = Key("abstracts")
SUMMARY_FILES: Key[frozenset[str]] = Key("summary files")
UNUSABLE_SIGNALS: Key[tuple[str, ...]] = Key("unusable signals")
CONFLICTS: Key[tuple[str, ...]] = Key("notes with a conflict")
HIERARCHY: Key[Hierarchy] = Key("hierarchy")
DOMAINS: Key[Mapping[str, str]] = Key("domains")
FINGERPRINT: Key[str] = Key("fingerprint")
COVERED_COUNT: Key[int] = Key("count of covered files")
COVERED_FILES: Key[tuple[tuple[str, str, int], ...]] = Key("covered files")
ORDERS: Key[Orders | None] = Key("orders")
INSIDE: Key[dict[str, NDArray[np.bool_]]] = Key("notes inside folders")
RELEVANCE: Key[RelevanceIndex] = Key("index for the alternative relevance")
_MOST_UNREAD = 3
_ABSTRACT = ".abstract.md"


@dataclass(frozen=True, slots=True)
class Predecessor:
    """An earlier snapshot from which another was made, and the paths of files and stored signals that have changed
    since.
    """

    snapshot: weakref.ref[Snapshot]
    changed: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Snapshot:
    """One state of a project. It is immutable; :attr:`derived` caches data that is computed on demand."""

    project: FoundProject
    generation: int
    loaded_ms: float
    limits: ReadingLimits
    notes: tuple[Note, ...]
    """The notes, in document order."""
    by_path: Mapping[str, int]
    """The position of each note, keyed by its path."""
    signals: tuple[NoteSignals, ...]
    """The stored signals of each note."""
    columns: NoteColumns
    postings: Postings
    files: tuple[TreeFile, ...]
    """Every Markdown file in the project's own tree, including summaries and abstracts."""
    unseen: tuple[UnseenFile, ...]
    notices: tuple[str, ...]
    parsed: Mapping[str, Parsed]
    summary_signals: Mapping[str, NoteSignals] = field(default_factory=dict)
    """The stored signals of summary files, keyed by path."""
    summaries: Mapping[str, FolderSummary] = field(default_factory=dict)
    """The folder summaries, keyed by the folder's path in results."""
    edited: Mapping[str, str] = field(default_factory=dict)
    """The edited texts of a what-if, which replace the texts of files, keyed by path."""
    stored: SignalLayers = NO_LAYERS
    """The layers that were searched for stored signals."""
    frontmatter_defaults: NoteSignals | None = None
    """The signals that complete partial frontmatter; None if frontmatter is not read for signals."""
    engine_failure: str = ""
    """The reason why all searches of the real engine fail on this tree, with the remedy; empty if they do not fail."""
    predecessor: Predecessor | None = None
    """The snapshot from which this one was updated; None after a full load."""
    spaces: tuple[SpaceContents, ...] = ()
    """The ByteRover V4 spaces whose topics are the notes; empty for a context tree."""
    derived: Derived = field(default_factory=Derived)

    @property
    def kind(self) -> ProjectKind:
        """The kind of the project."""
        return self.project.kind

    @property
    def reusable(self) -> Reusable:
        """The data that the next load can reuse."""
        return Reusable(self.limits, self.frontmatter_defaults, self.parsed, self.by_path, self.postings)

    @property
    def overlay_count(self) -> int:
        """The number of notes with signals from the tool's own overlay."""
        return self.columns.count_from(Source.OVERLAY)

    @property
    def reads_frontmatter(self) -> bool:
        """True if signals are read from frontmatter, which ByteRover 3 itself does not do."""
        return self.frontmatter_defaults is not None

    @property
    def frontmatter_count(self) -> int:
        """The number of notes with signals from their frontmatter."""
        return self.columns.count_from(Source.FRONTMATTER)

    @property
    def unusable_signals(self) -> tuple[str, ...]:
        """The paths of notes that have no signals except unusable ones in their frontmatter."""

        def found() -> tuple[str, ...]:
            entries = ((path, entry) for path, entry in self.parsed.items() if entry.has_unusable_signals)
            return tuple(sorted(path for path, entry in entries if self.stored.get(entry.file) is None))

        return self.derived.of(UNUSABLE_SIGNALS, found)

    @property
    def limit_notices(self) -> tuple[str, ...]:
        """A one-line notice about files left out because of this program's limits; empty if there are none."""
        unseen = [file for space in self.spaces for file in space.unseen] if self.spaces else self.unseen
        return tuple(limit_notices(unseen))

    @property
    def unread(self) -> tuple[str, ...]:
        """The files in the tree that are not read, with reasons, in up to two lines; empty if there are none."""
        html = sum(file.reason == HTML for file in self.unseen)
        left = (file for file in self.unseen if file.reason != HTML and not file.is_past_limit)
        others = [f"{file.path} ({file.reason})" for file in left]
        here = counted(html, "HTML topic is", "HTML topics are")
        more = f", and {len(others) - _MOST_UNREAD} more" if len(others) > _MOST_UNREAD else ""
        where = "in a tree without Markdown, open" if self.notes else "open"
        how = f"{where} them with --engine byterover_v4 --root {shlex.quote(str(self.project.tree))}"
        topics = f"{here} here, which only ByteRover V4 reads: {how}"
        named = f"not read: {'; '.join(others[:_MOST_UNREAD])}{more}" if others else ""
        return tuple(filter(None, (topics if html else "", named)))

    def search_notices(self, has_results: bool) -> tuple[str, ...]:
        """The notices to show with a search. If the search found nothing, they list the files that are not read."""
        return tuple(dict.fromkeys((*self.limit_notices, *self.notices, *(() if has_results else self.unread))))

    @property
    def conflicts(self) -> tuple[str, ...]:
        """The paths of the notes whose text contains conflict markers."""
        return self.derived.of(
            CONFLICTS, lambda: tuple(sorted(path for path, entry in self.parsed.items() if entry.has_conflict))
        )

    @property
    def abstracts(self) -> Mapping[str, int]:
        """The length of each note's abstract in UTF-16 units, keyed by the note's path."""
        return self.derived.of(
            ABSTRACTS, lambda: {note: entry.chars for path, entry in self.parsed.items() if (note := abridged(path))}
        )

    @property
    def summary_files(self) -> frozenset[str]:
        """The project's own ``_index.md`` files."""
        return self.derived.of(SUMMARY_FILES, lambda: frozenset(filter(is_own_summary, self.parsed)))

    @property
    def relevance_index(self) -> RelevanceIndex:
        """The index for tantivy's own BM25. It is built on first use, which reads every note again."""
        from brvtui.text.relevance import RelevanceIndex

        texts = ((note.title, self.readable(note.path), note.file) for note in self.notes)
        return self.derived.of(RELEVANCE, lambda: RelevanceIndex(texts))

    def readable(self, path: str) -> str:
        """The text of the note at ``path``; empty if its file cannot be read."""
        try:
            return self.text(path)
        except OSError:
            return ""

    @property
    def hierarchy(self) -> Hierarchy:
        """The folders and notes that a query can name."""
        return self.derived.of(HIERARCHY, lambda: build_hierarchy((note.path, note.title) for note in self.notes))

    @property
    def domains(self) -> Mapping[str, str]:
        """The top-level folders, keyed by lower-case name. If two names differ only in case, the first in locale order
        wins.

        Names of folders in shared sources begin with ``[alias]:``.
        """
        return self.derived.of(DOMAINS, self._domains)

    def _domains(self) -> dict[str, str]:
        hierarchy = self.derived.known(HIERARCHY)
        if hierarchy is not None:
            names = [symbol.path for symbol in hierarchy.domains]
        else:
            folders = {note.path.split("/", 1)[0] for note in self.notes if "/" in note.path}
            names = in_locale_order(sorted(folders), str)
        found: dict[str, str] = {}
        for name in names:
            found.setdefault(name.lower(), name)
        return found

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the tree as it is in this snapshot."""
        return self.derived.of(
            FINGERPRINT, lambda: fingerprint((place, mtime) for _, place, mtime in self.covered_files)
        )

    @property
    def covered_count(self) -> int:
        """The number of files that the fingerprint covers."""
        return self.derived.of(COVERED_COUNT, lambda: len(self.covered_files))

    @property
    def covered_files(self) -> tuple[tuple[str, str, int], ...]:
        """The path, absolute path and mtime (ms) of each file that the fingerprint covers, shared sources included."""
        return self.derived.of(COVERED_FILES, self._covered_files)

    def _covered_files(self) -> tuple[tuple[str, str, int], ...]:
        trees = {"": self.project.tree, **{source.alias: source.tree for source in self.project.sources}}
        begins = {alias: f"{tree}{os.sep}" for alias, tree in trees.items()}  # plain text, because there are many files
        return tuple(
            [
                (path, f"{begins[entry.alias]}{entry.file}", entry.mtime_ms)
                for path, entry in self.parsed.items()
                if entry.is_note or is_covered(role_of(entry.file), self.limits.fingerprint_derived)
            ]
        )

    def fingerprint_with(self, touched: Mapping[str, int]) -> str:
        """The fingerprint that the tree would have if its files had the mtimes in ``touched``, given in ms by path."""
        if not touched:
            return self.fingerprint
        return fingerprint((place, touched.get(path, mtime)) for path, place, mtime in self.covered_files)

    def placed(self, entry: Parsed) -> OrderedFile:
        """The sort keys of a file in the project's own tree."""
        covered = is_covered(role_of(entry.file), self.limits.fingerprint_derived)
        line = fingerprint_line(f"{self.project.tree}{os.sep}{entry.file}", entry.mtime_ms) if covered else ""
        return OrderedFile(entry.file, entry.mtime_ms, entry.is_note, line)

    @property
    def orders(self) -> Orders | None:
        """The orders of files from which the next snapshot can be derived; None if only a full load can create it."""
        return self.derived.of(ORDERS, self._orders)

    def _orders(self) -> Orders | None:
        limit = self.limits.max_files
        if self.project.sources or (limit and len(self.files) > limit):
            return None
        placed = (self.placed(entry) for entry in self.parsed.values())
        return make_orders(self.files, placed, self.loaded_ms, self.limits.recent_hours)

    def inside(self, folder: str) -> NDArray[np.bool_]:
        """A mask of the notes that a search in ``folder`` can find: all notes below it except ``context.md`` files."""
        folders = self.derived.of(INSIDE, dict)
        mask = folders.get(folder)
        if mask is None:
            prefix = f"{folder}/"
            mask = np.asarray(
                [note.role is not Role.CONTEXT and note.path.startswith(prefix) for note in self.notes], dtype=np.bool_
            )
            folders[folder] = mask
        return mask

    def changed_since(self, before: Snapshot) -> frozenset[str] | None:
        """The paths of files whose content or stored signals may differ from ``before``; None if they are unknown."""
        if self.predecessor is None or self.predecessor.snapshot() is not before:
            return None
        return self.predecessor.changed

    def warm(self) -> None:
        """Computes in advance everything that would otherwise delay the first query."""
        self.postings.warm()
        _ = self.domains, self.fingerprint

    def location(self, path: str) -> Path:
        """The location on disk of the note (or other tree file) at ``path``.

        Raises OSError if the file is outside its tree.
        """
        tree, file = self._tree_and_file(path)
        if file.startswith("/") or ".." in file.split("/") or "\0" in file:
            raise OSError(errno.EACCES, "points outside the tree", path)
        return tree / file

    def read(self, path: str) -> bytes:
        """The current bytes on disk of the note (or other tree file) at ``path``.

        Raises OSError if the file was removed, cannot be read or is too large, or if its path contains a symlink.
        """
        return read_inside(*self._tree_and_file(path), self.limits.max_file_bytes)

    def _tree_and_file(self, path: str) -> tuple[Path, str]:
        entry = self.parsed.get(path)
        if entry and entry.alias:
            return next(source.tree for source in self.project.sources if source.alias == entry.alias), entry.file
        return self.project.tree, path

    def text(self, path: str) -> str:
        """The text of the file at ``path`` as the engine reads it; for a file that is edited in a what-if, its edited
        text.

        Raises OSError if the file was removed or cannot be read.
        """
        if path in self.edited:
            return self.edited[path]
        if self.spaces:
            return self.read(path).decode("utf-8", "replace")
        try:
            return read_bytes(self.read(path), self.limits).text
        except Unseen as reason:
            raise OSError(str(reason)) from None


def abridged(path: str) -> str:
    """The path of the note whose abstract is the file at ``path``; empty if the file is not an abstract."""
    return f"{path.removesuffix(_ABSTRACT)}.md" if path.endswith(_ABSTRACT) else ""


def is_own_summary(path: str) -> bool:
    """True if ``path`` is a folder's summary in the project's own tree."""
    return not path.startswith("[") and path.rpartition("/")[2] == SUMMARY_FILE
