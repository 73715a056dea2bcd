"""Stores a project's full-text index on disk for the next process.

See ``docs/explanation/architecture.md``, "The text index". Each state of the index is a folder with tantivy's files,
and a state file with the folder's name, the checksum of each file and the documents. The state file is replaced in one
step after each commit. If the folder and the state file do not match, the index is rebuilt. The first process that
writes holds a lock until it ends. Other processes read its commits, and index later changes in memory.
"""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import stat
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import tantivy

from brvtui import __version__, faults
from brvtui.disk import writing
from brvtui.disk.sealing import read_sealed, sealed
from brvtui.disk.walking import walk
from brvtui.regular_files import MISSING, read_regular
from brvtui.snapshot import Snapshot
from brvtui.snapshot.texts import Stamp, stamp_of, text_document
from brvtui.store.folders import repository_cache, tree_cache
from brvtui.store.writer_lock import WriterLock
from brvtui.text.full_text import FullTextView, IndexedBatch, IndexPart, TextDocument, open_index, write
from brvtui.tree.constants import ReadingLimits

FORMAT = 3
WORTH_KEEPING = 200
"""The number of notes from which storing the index on disk saves time.

A smaller number of notes, unless they are long, is indexed in memory as fast as an index is opened.
"""
_FEW = 50
"""The maximum number of changed notes for which indexing in memory is faster than on disk, unless they are long."""
_LONG = 1_000_000
"""The total number of characters in all notes above which indexing takes longer than opening an index on disk."""
_STATE = "state"
_NO_FILE = (0, 0, 0, 0)
_LARGEST = 1 << 32
_LARGEST_STATE, _LARGEST_UNPACKED = 1 << 26, 1 << 29
_NAME = re.compile("[0-9a-f]{8}")
_META = "meta.json"
_SELF_CHECKED = ".managed.json"
"""The file in which tantivy lists files to remove later. tantivy itself refuses to read a damaged list."""
_LARGEST_UNCHECKED = 1 << 20
"""The maximum size in bytes of :data:`_SELF_CHECKED`, and of tantivy's lock files."""
_HEAP, _HEAP_FOR_FEW = 50_000_000, 15_000_000
_ATTEMPTS, _PAUSE_S = 10, 0.05
"""The number of attempts to read the index while another process replaces it, and the pause between them in seconds."""


class _Unusable(Exception):
    """Raised if an index cannot be used. The message is the reason in a few words."""


@dataclass(frozen=True, slots=True, eq=False)
class _WrittenIndex:
    """One state of an index: its documents, keyed by path, and the states of the notes' files."""

    index: tantivy.Index
    part: IndexPart
    stamps: Mapping[str, Stamp]
    next_key: int
    limits: ReadingLimits
    """The limits that applied when the notes were read."""
    name: str = ""
    """The name of the index's folder; empty for an index in memory."""
    files: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """The size and checksum of each index file."""
    identity: tuple[int, int] = (0, 0)
    """The state file's inode and modification time."""


class KeptTextIndex:
    """One project's text index. Creates nothing before the first write. Methods are thread-safe."""

    def __init__(self, project: Path, folder: Path) -> None:
        """Manages the index of the notes in ``project``, stored in ``folder``, which need not exist."""
        self.folder = folder
        self.problem = ""
        """The reason why the index on disk was rebuilt or cannot be written; empty if there is no problem."""
        self._project = os.fsencode(project).hex()
        self._working, self._writing = threading.Lock(), threading.Lock()
        self._lock = WriterLock(folder)
        self._can_write = True
        self._is_shared = False
        """True if another process held the lock when this process last tried to acquire it."""
        self._state: _WrittenIndex | None = None
        self._shown: tuple[Snapshot, FullTextView] | None = None

    @property
    def place(self) -> str:
        """The place of the index: ``in memory``, ``on disk``, or ``read-only`` if this process cannot write it."""
        if self._state is None or not self._state.name:
            return "in memory"
        return "read-only" if self._is_shared or not self._can_write else "on disk"

    def full_text(self, snapshot: Snapshot) -> FullTextView:
        """Returns a searchable view of the documents in ``snapshot``.

        Reads the notes that changed since the index was written. If many notes changed, writes the index again.
        """
        with self._working:
            if self._shown is None or self._shown[0] is not snapshot:
                self._shown = (snapshot, self._updated(snapshot))
            return self._shown[1]

    def keep(self, snapshot: Snapshot) -> bool:
        """Writes the changes in ``snapshot`` for the next process. Returns True if they were written.

        If writing fails, :attr:`problem` contains the reason.
        """
        if not is_worth_keeping(snapshot):
            return False
        with self._working:
            changes = self._changes(snapshot)
        return bool(changes) and self._write(changes)

    def bytes(self) -> int:
        """Returns the size of the index on disk in bytes."""
        size = 0
        for entry, _ in walk(self.folder):
            with suppress(FileNotFoundError):
                size += entry.stat().st_size
        return size

    def clear(self) -> int:
        """Removes the index from disk and returns its size in bytes. Raises OSError if it cannot be removed."""
        size = self.bytes()
        if self.folder.exists():
            writing.remove_folder(self.folder)
        return size

    def close(self) -> None:
        """Allows other processes to write the index."""
        with self._writing:
            self._lock.close()

    def _updated(self, snapshot: Snapshot) -> FullTextView:
        changes = self._changes(snapshot)
        kept = changes.before
        if kept is not None and not changes:
            return FullTextView(kept.part)
        is_kept = kept is not None and bool(kept.name)
        if is_worth_keeping(snapshot) and not (is_kept and changes.are_few) and self._write(changes):
            assert self._state is not None
            return FullTextView(self._state.part)
        if kept is None or not is_kept:
            self._state = changes.written(None)
            return FullTextView(self._state.part)
        return FullTextView(kept.part, changes.newer(), frozenset((*changes.changed, *changes.gone)))

    def _changes(self, snapshot: Snapshot) -> _IndexChanges:
        """Returns the difference between ``snapshot`` and the newest index."""
        stamps = {note.path: stamp_of(snapshot.parsed[note.path]) for note in snapshot.notes}
        kept = self._newest() if is_worth_keeping(snapshot) else None
        if kept is None and self._state is not None and not self._state.name:
            kept = self._state
        return _IndexChanges(snapshot, stamps, kept if kept is not None and kept.limits == snapshot.limits else None)

    # Reading and writing.

    def _newest(self) -> _WrittenIndex | None:
        """Returns the current index on disk; None if there is no usable one."""
        for attempt in range(_ATTEMPTS):
            try:
                found = (self.folder / _STATE).stat()
                if self._state is None or self._state.identity != (found.st_ino, found.st_mtime_ns):
                    self._state = self._read()
                return self._state
            except MISSING:
                return None
            except (OSError, _Unusable) as error:
                if self._locked():  # no other process is writing it
                    self.problem = f"the text index is rebuilt: {faults.reason(error)}"
                if not self._is_shared:
                    return None
            if attempt:
                time.sleep(_PAUSE_S)
        return None

    def _read(self) -> _WrittenIndex:
        """Reads the index from disk and checks every byte. Raises :class:`_Unusable`."""
        try:
            found = (self.folder / _STATE).stat()
            data = json.loads(_unpacked(read_sealed(self.folder / _STATE, _LARGEST_STATE)))
            if (data["format"], data["version"], data["project"]) != (FORMAT, __version__, self._project):
                raise _Unusable("it was made by another version, or for another project")
            name, files = data["name"], {name: (size, checksum) for name, size, checksum in data["files"]}
            folder = self.folder / name
            if not _NAME.fullmatch(name) or not files.keys() <= _names(folder):
                raise _Unusable("it is damaged")
            if any(_facts(folder / each, of[0]) != of for each, of in files.items()):
                raise _Unusable("it is damaged")
            next_key = int(data["next"])
            if next_key > 2 * len(data["paths"]) + _FEW or not all(0 <= key < next_key for key in data["keys"]):
                raise _Unusable("it is damaged")
            with _panics_reported():
                index = open_index(folder)
            part = IndexPart(index, dict(zip(data["paths"], data["keys"], strict=True)))
            if _facts(folder / _META, _LARGEST) != files[_META]:
                raise _Unusable("it changed while it was being read")
            stamps = dict(zip(data["paths"], zip(*data["stamps"], strict=True), strict=True))
            limits = ReadingLimits(**data["limits"])
        except (OSError, ValueError, LookupError, TypeError, ArithmeticError, zlib.error, RecursionError) as error:
            where = f"{error.filename}: " if isinstance(error, OSError) and error.filename else ""
            raise _Unusable(f"{where}it cannot be read ({faults.reason(error)})") from error
        identity = (found.st_ino, found.st_mtime_ns)
        return _WrittenIndex(index, part, stamps, next_key, limits, name, files, identity)

    def _write(self, changes: _IndexChanges) -> bool:
        """Applies ``changes`` to the index and writes it. Returns False if another process is the writer."""
        with self._writing:
            if (changes.is_kept and changes.before is not self._state) or not self._locked():
                return False
            try:
                self._state = self._written(changes)
            except (OSError, ValueError, RuntimeError) as error:
                self._refuse(error)
            return self._can_write

    def _refuse(self, error: Exception) -> None:
        """Stops writing to disk. The index that was already read remains valid."""
        self._can_write = False
        why = faults.error_line(error, self.folder) if isinstance(error, OSError) else faults.reason(error)
        self.problem = f"the text index cannot be written: {why}"

    def _written(self, changes: _IndexChanges) -> _WrittenIndex:
        """Applies ``changes``, writes the index and returns it. Raises OSError, and tantivy's exceptions."""
        before = changes.before if changes.fit_in and changes.is_kept else None
        name = before.name if before is not None else secrets.token_hex(4)
        folder = self.folder / name
        writing.make_folder(folder)
        if before is not None:  # tantivy refuses to overwrite files of a killed writer
            for left in _names(folder) - before.files.keys():
                writing.remove(folder / left)
        try:
            with _panics_reported():
                state = changes.written(folder)
            writing.close_to_others(folder)
            writing.remove_unless_file(self.folder / _STATE)
            state = replace(state, name=name, files=_checksums(folder, before.files if before is not None else {}))
            with writing.replacing(self.folder / _STATE, durable=False) as file:
                file.write(sealed(zlib.compress(json.dumps(self._plain(state), separators=(",", ":")).encode(), 1)))
        except BaseException:
            if before is None:
                with suppress(OSError):
                    writing.remove_folder(folder)
            raise
        if before is None:
            self._remove_others(name)
        found = (self.folder / _STATE).stat()
        return replace(state, identity=(found.st_ino, found.st_mtime_ns))

    def _plain(self, state: _WrittenIndex) -> dict[str, Any]:
        paths = list(state.stamps)
        return {
            "format": FORMAT,
            "version": __version__,
            "project": self._project,
            "name": state.name,
            "files": [(name, *facts) for name, facts in state.files.items()],
            "limits": asdict(state.limits),
            "next": state.next_key,
            "paths": paths,
            "keys": [state.part.keys[path] for path in paths],
            "stamps": list(zip(*state.stamps.values(), strict=True)),
        }

    def _remove_others(self, name: str) -> None:
        """Removes everything that earlier writers left behind, but keeps the folder ``name``."""
        with suppress(OSError):
            for entry in os.scandir(self.folder):
                if _NAME.fullmatch(entry.name) and entry.name != name:
                    writing.remove_folder(Path(entry.path))
            for part in writing.abandoned_parts(self.folder):
                writing.remove(part)

    def _locked(self) -> bool:
        """True if this process may write the index. It then holds the lock until it ends."""
        try:
            self._is_shared = self._can_write and not self._lock.take()
            return self._can_write and not self._is_shared
        except OSError as error:
            self._refuse(error)
            return False


class _IndexChanges:
    """The difference between a snapshot, whose notes have ``stamps``, and the index ``before``."""

    def __init__(self, snapshot: Snapshot, stamps: Mapping[str, Stamp], before: _WrittenIndex | None) -> None:
        self.before = before
        self._snapshot = snapshot
        self._stamps = stamps
        old_stamps = before.stamps if before is not None else {}
        self.changed = [path for path, stamp in stamps.items() if old_stamps.get(path) != stamp]
        self.gone = [path for path in old_stamps if path not in stamps]

    def __bool__(self) -> bool:
        return bool(self.changed or self.gone)

    @property
    def is_kept(self) -> bool:
        """True if the previous index is on disk and not in memory."""
        return self.before is not None and bool(self.before.name)

    @property
    def are_few(self) -> bool:
        """True if so few notes changed that indexing them in memory is faster than writing them to disk."""
        return len(self.changed) <= _FEW and sum(self._snapshot.parsed[path].chars for path in self.changed) <= _LONG

    @property
    def fit_in(self) -> bool:
        """True if the changes can be added to the previous index without leaving too many removed documents in it."""
        before = self.before
        return before is not None and before.next_key + len(self.changed) <= 2 * len(self._stamps) + _FEW

    def newer(self) -> IndexPart | None:
        """Indexes the changed documents in memory. Returns None if there are none."""
        index = open_index()
        keys = {path: key for key, path in enumerate(self.changed)}
        write(index, IndexedBatch(((key, self._read(path)[0]) for path, key in keys.items())), _HEAP_FOR_FEW)
        return IndexPart(index, keys) if keys else None

    def written(self, folder: Path | None) -> _WrittenIndex:
        """Returns the index after the changes, in ``folder`` or in memory. Extends the previous index if possible."""
        before = self.before
        if before is None or not self.fit_in or self.is_kept != (folder is not None):
            before = _WrittenIndex(index := open_index(folder), IndexPart(index, {}), {}, 0, self._snapshot.limits)
            paths: Sequence[str] = list(self._stamps)
        else:
            paths = self.changed
        stamps, keys = dict(before.stamps), dict(before.part.keys)
        removed = [path for path in (*self.changed, *self.gone) if path in keys]
        out = [keys.pop(path) for path in removed]
        for path in removed:
            del stamps[path]

        def documents() -> Iterator[tuple[int, TextDocument]]:
            for key, path in enumerate(paths, before.next_key):
                keys[path] = key
                document, stamps[path] = self._read(path)
                yield key, document

        write(before.index, IndexedBatch(documents(), out), _HEAP_FOR_FEW if len(paths) <= _FEW else _HEAP)
        part = IndexPart(before.index, keys)
        return _WrittenIndex(before.index, part, stamps, before.next_key + len(paths), self._snapshot.limits)

    def _read(self, path: str) -> tuple[TextDocument, Stamp]:
        """Reads the document at ``path`` and its file's state.

        Returns an empty document and state if the file is gone. The next snapshot will not contain that note.
        """
        try:
            return text_document(self._snapshot, path), self._stamps[path]
        except OSError:
            return TextDocument(path, "", "", "", ""), _NO_FILE


def is_worth_keeping(snapshot: Snapshot) -> bool:
    """True if indexing the notes of ``snapshot`` takes longer than opening an index on disk."""
    return len(snapshot.notes) >= WORTH_KEEPING or int(snapshot.columns.chars.sum()) > _LONG


def text_index(project: Path, has_files: bool = True) -> KeptTextIndex:
    """Returns the text index of the tree ``project`` or, if ``has_files`` is False, of the code in that repository."""
    cache = tree_cache(project) if has_files else repository_cache(project)
    return KeptTextIndex(project, cache / "text")


def _checksums(folder: Path, known: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """The size and checksum of each file in ``folder``. Reuses ``known`` ones, because segment files never change."""
    names = _names(folder)
    old = {name: known[name] for name in names & known.keys() - {_META}}
    return old | {name: _facts(folder / name, _LARGEST) for name in names - old.keys()}


def _names(folder: Path) -> set[str]:
    """Returns the names of the index files in ``folder``. Raises OSError unless tantivy can safely open all of them."""
    names = set[str]()
    _check_kind(folder, stat.S_ISDIR)
    for name in os.listdir(folder):
        size = _check_kind(folder / name, stat.S_ISREG)
        if name != _SELF_CHECKED and not name.endswith(".lock"):
            names.add(name)
        elif size > _LARGEST_UNCHECKED:
            raise OSError(errno.EFBIG, "a lock or list of tantivy's is too large", str(folder / name))
    return names


def _check_kind(place: Path, is_right: Callable[[int], bool]) -> int:
    """Returns the size of the file or folder at ``place``. Raises OSError if it is a link or of another kind."""
    found = place.lstat()
    if not is_right(found.st_mode):
        raise OSError(errno.EINVAL, "a link or another kind of file", str(place))
    return found.st_size


def _unpacked(data: bytes) -> bytes:
    """Decompresses ``data``. A result that is too long is cut and is then not valid JSON."""
    return zlib.decompressobj().decompress(data, _LARGEST_UNPACKED)


def _facts(file: Path, limit: int) -> tuple[int, int]:
    """Returns the size and checksum of ``file``. Raises OSError, including when it has more than ``limit`` bytes."""
    content = read_regular(file, limit)
    return len(content), zlib.crc32(content)


@contextmanager
def _panics_reported() -> Iterator[None]:
    """Converts tantivy's exception for a panic to ValueError, because ``except Exception`` would not catch it."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise ValueError(f"tantivy failed: {error}") from error
