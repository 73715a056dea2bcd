"""Stores the index of one context tree on disk, so that the next process need not build it.

See ``docs/explanation/architecture.md``, "The saved index". The index is one file: consecutive ``.npy`` arrays,
followed by a checksum of all of them. The file is replaced in one step, so a reader always sees a single state. Nothing
is unpickled. The first process that wants to write the index holds a lock until the process ends; other processes
only read.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from brvtui import __version__, faults
from brvtui.disk import writing
from brvtui.disk.walking import walk
from brvtui.regular_files import MISSING, open_regular
from brvtui.snapshot import Parsed, Reusable, Snapshot
from brvtui.store.folders import tree_cache
from brvtui.store.writer_lock import WriterLock
from brvtui.text.postings import Postings, of_base
from brvtui.text.segment import FIELDS, Forward, Inverted, Segment, TermIds
from brvtui.tree.constants import TreeConstants
from brvtui.tree.reading.signals import NoteSignals, Source, frontmatter_defaults

FORMAT = 5
_FILE = "kept"
_FIELDS = tuple(field.name for field in fields(Parsed))
_CHUNK = 1 << 22
_SUM_BYTES = 4


class Unusable(Exception):
    """Raised if the stored index cannot be used. The message is the reason in a few words."""


@dataclass(frozen=True, slots=True)
class KeptInfo:
    """The size and contents of a stored index."""

    folder: Path
    bytes: int
    notes: int
    files: int
    terms: int
    problem: str
    """The reason why the index cannot be used; empty if it can be used or does not exist."""


class KeptIndex:
    """One tree's stored index, in the tool's cache folder. Creates nothing before the first write."""

    def __init__(self, tree: Path) -> None:
        """Manages the index of ``tree``. The file need not exist."""
        self.tree = tree
        self.folder = tree_cache(tree) / "index"
        self._file = self.folder / _FILE
        self._lock = WriterLock(self.folder)

    def read(self, constants: TreeConstants) -> Reusable | None:
        """Returns the index if it was built with the limits and signal rules of ``constants``; otherwise None.

        Raises :class:`Unusable` if the index is broken, unreadable, or was made by another version.
        """
        with self._opened() as file:
            state = self._state(file) if file else None
            if file is None or state is None or state["read_with"] != _read_with(constants):
                return None
            try:
                return _reusable(file, constants)
            except (OSError, ValueError, KeyError, TypeError, IndexError, EOFError) as error:
                raise Unusable(f"it is broken ({error})") from error

    def write(self, snapshot: Snapshot, constants: TreeConstants) -> bool:
        """Writes the index of ``snapshot``. Returns False if another process holds the lock.

        If it raises OSError, the previous index remains.
        """
        if not self._lock.take():
            return False
        for part in writing.abandoned_parts(self.folder):
            writing.remove(part)
        postings = snapshot.postings.folded() if len(snapshot.postings.delta.notes) else snapshot.postings
        terms = postings.ids.terms
        state = {
            "format": FORMAT,
            "version": __version__,
            "tree": os.fsencode(self.tree).hex(),
            "read_with": _read_with(constants),
            "notes": len(snapshot.notes),
            "files": len(snapshot.parsed),
            "terms": len(terms),
        }
        with writing.replacing(self._file, durable=False) as file:
            writer = _ChecksumWriter(file)
            for text in (json.dumps(state), json.dumps(_files(snapshot)), "\n".join(terms)):
                _save(writer, np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8))
            for values in _arrays(postings):
                _save(writer, values)
            file.write(writer.value.to_bytes(_SUM_BYTES, "big"))
        return True

    def info(self) -> KeptInfo:
        """Returns the size and contents of the index and, if it is unusable, the problem."""
        problem, state = "", None
        try:
            with self._opened() as file:
                state = self._state(file) if file else None
        except Unusable as error:
            problem = str(error)
        size = 0
        for entry, _ in walk(self.folder):
            with suppress(FileNotFoundError):  # another process may be replacing the file
                size += entry.stat().st_size
        numbers = [int(state[name]) if state else 0 for name in ("notes", "files", "terms")]
        return KeptInfo(self.folder, size, numbers[0], numbers[1], numbers[2], problem)

    def clear(self) -> int:
        """Removes the index and returns its size in bytes. Raises OSError if it cannot be removed."""
        size = self.info().bytes
        if self.folder.exists():
            writing.remove_folder(self.folder)
        return size

    def close(self) -> None:
        """Releases the lock, so that other processes can write."""
        self._lock.close()

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO | None]:
        """Yields the open index file; None if there is no file. Raises :class:`Unusable`."""
        try:
            file = os.fdopen(open_regular(self._file), "rb")
        except MISSING:
            yield None
            return
        except OSError as error:
            raise _unreadable(faults.reason(error)) from error
        with file:
            yield file

    def _state(self, file: BinaryIO) -> dict[str, Any]:
        """Returns the header of the index, which precedes the arrays in ``file``. Raises :class:`Unusable`."""
        try:
            if not _is_whole(file):
                raise Unusable("it is damaged")
            state = json.loads(_text(file))
        except (OSError, ValueError) as error:
            raise _unreadable(error) from error
        if (state["format"], state["version"]) != (FORMAT, __version__):
            raise Unusable("it was made by another version")
        if state["tree"] != os.fsencode(self.tree).hex():
            raise Unusable("it was made from another tree")
        header: dict[str, Any] = state
        return header


class _ChecksumWriter:
    """A file writer that computes the CRC-32 of the written data."""

    def __init__(self, file: BinaryIO) -> None:
        self.value = 0
        self._file = file

    def write(self, data: bytes) -> int:
        """Writes ``data``, and returns the number of bytes written."""
        self.value = zlib.crc32(data, self.value)
        return self._file.write(data)


def _is_whole(file: BinaryIO) -> bool:
    """True if the checksum at the end of ``file`` is correct. Leaves the position at the beginning of ``file``."""
    left, value = os.fstat(file.fileno()).st_size - _SUM_BYTES, 0
    while left > 0 and (chunk := file.read(min(_CHUNK, left))):
        value, left = zlib.crc32(chunk, value), left - len(chunk)
    found = file.read()
    file.seek(0)
    return found == value.to_bytes(_SUM_BYTES, "big")


def _save(file: _ChecksumWriter, values: NDArray[Any]) -> None:
    np.save(file, values, allow_pickle=False)


def _array(file: BinaryIO) -> NDArray[Any]:
    values: NDArray[Any] = np.load(file, allow_pickle=False)
    return values


def _text(file: BinaryIO) -> str:
    return _array(file).tobytes().decode("utf-8", "surrogatepass")


def _read_with(constants: TreeConstants) -> dict[str, Any]:
    """Returns the constants that affect how files are read, as plain data."""
    tables = {"limits": asdict(constants.limits), "signals": asdict(constants.signals)}
    plain: dict[str, Any] = json.loads(json.dumps(tables))
    return plain


def _arrays(postings: Postings) -> tuple[NDArray[Any], ...]:
    """Returns the arrays in the order that :func:`_reusable` expects."""
    notes, index = postings.base.notes, postings.base.index
    forward = (notes.offsets, notes.rows, notes.tf, notes.lengths)
    return (*forward, index.starts, index.documents, index.frequencies, postings.slots)


def _files(snapshot: Snapshot) -> dict[str, Any]:
    """Returns the fields of all entries, with one list per field, and the notes' paths in document order."""
    entries = list(snapshot.parsed.values())
    columns: dict[str, Any] = {name: [getattr(entry, name) for entry in entries] for name in _FIELDS}
    columns["frontmatter_signals"] = [signals and asdict(signals) for signals in columns["frontmatter_signals"]]
    return {"paths": list(snapshot.parsed), "notes": [note.path for note in snapshot.notes], "fields": columns}


def _reusable(file: BinaryIO, constants: TreeConstants) -> Reusable:
    rows, text = json.loads(_text(file)), _text(file)
    notes = Forward(*(_array(file) for _ in range(4)))
    index = Inverted(*(_array(file) for _ in range(3)))
    slots = _array(file)
    by_path = {path: position for position, path in enumerate(rows["notes"])}
    if len(by_path) != len(slots) or notes.lengths.shape != (len(FIELDS), len(notes)):
        raise ValueError("its parts do not belong together")
    ids = TermIds(text.split("\n") if text else [])
    parsed, postings = _parsed(rows["paths"], rows["fields"]), of_base(Segment(notes, index), slots, ids)
    return Reusable(constants.limits, frontmatter_defaults(constants.signals), parsed, by_path, postings)


def _parsed(paths: list[str], columns: dict[str, list[Any]]) -> dict[str, Parsed]:
    columns["file"] = [path if file == path else file for path, file in zip(paths, columns["file"], strict=True)]
    columns["frontmatter_signals"] = [signals and _signals(signals) for signals in columns["frontmatter_signals"]]
    return dict(zip(paths, map(Parsed, *(columns[name] for name in _FIELDS)), strict=True))


def _signals(value: Mapping[str, Any]) -> NoteSignals:
    return NoteSignals(**{**value, "source": Source(value["source"])})


def _unreadable(why: object) -> Unusable:
    return Unusable(f"it cannot be read ({why})")
