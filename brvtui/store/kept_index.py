"""What was read and counted of one context tree, kept for the next process (``docs/architecture.md``).

A generation is a folder of plain ``.npy`` and JSON files; ``state.json`` names it with the checksum of every file, and
is put into place last. Nothing is unpickled. The first process that wants to write holds a lock for as long as it
lives; others only read. Who reads a generation holds that one, and the writer leaves what is held to its next time.
"""

from __future__ import annotations

import fcntl
import json
import math
import os
import shutil
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brvtui import __version__
from brvtui.snapshot import Known, Parsed, Snapshot
from brvtui.store import atomic
from brvtui.store.folders import tree_cache
from brvtui.text.forward import FIELDS, Forward, TermIds
from brvtui.text.inverted import Inverted
from brvtui.text.postings import of_base
from brvtui.text.segment import Segment
from brvtui.tree.constants import ReadingLimits, TreeConstants
from brvtui.tree.reading.json_file import read_json
from brvtui.tree.reading.signals import NoteSignals, Source

FORMAT = 2
_STATE = "state.json"
_LOCK = "lock"
_ARRAYS = ("offsets", "rows", "tf", "lengths", "starts", "documents", "frequencies", "slots", "numbers")
_TEXTS = ("terms", "files")
_NUMBERS = ("mtime_ns", "size", "inode", "ctime_ns", "cut_lines", "cut_units", "chars")
_CHUNK = 1 << 22
_TRIES = 4
"""How often it is read again when another process put the next generation in its place meanwhile."""
_LARGEST = (1 << 63) - 1
"""File systems with larger inode numbers read their files anew each time."""


class Unusable(Exception):
    """A kept index that cannot be used; the message says why in a few words."""


@dataclass(frozen=True, slots=True)
class KeptInfo:
    """What is kept of one tree."""

    folder: Path
    bytes: int
    notes: int
    files: int
    terms: int
    problem: str
    """Why it cannot be used; empty when it can, or when nothing is kept."""


class KeptIndex:
    """The kept index of one tree, in the tool's cache folder. Nothing is made until something is written."""

    def __init__(self, tree: Path) -> None:
        """The index of ``tree``; it need not be there."""
        self.tree = tree
        self.folder = tree_cache(tree) / "index"
        self._lock: int | None = None

    def read(self, constants: TreeConstants) -> Known | None:
        """What is kept for the limits and signals of ``constants``; None when nothing is.

        Raises :class:`Unusable` when it is of another version, broken, or cannot be read.
        """
        for _ in range(_TRIES):
            state = self._state()
            if state is None or state.get("read_with") != _read_with(constants):
                return None
            try:
                return self._read(state, constants.limits)
            except Unusable:
                if self._state() == state:
                    raise
        raise Unusable("other processes keep writing it")

    def _read(self, state: Mapping[str, Any], limits: ReadingLimits) -> Known:
        with _holding(self._generation(state)):
            self._check(state)
            try:
                return _known(self._generation(state), limits)
            except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
                raise Unusable(f"it is broken ({error})") from error

    def write(self, snapshot: Snapshot, constants: TreeConstants) -> bool:
        """Keeps ``snapshot``; False when another process does that.

        Raises OSError when it cannot be written; what was kept before is kept then, and nothing else.
        """
        if not self._locked():
            return False
        before = self._state_or_none()
        number = (int(before["generation"]) if before else 0) + 1
        place = self.folder / f"g{number}"
        try:
            self._write(snapshot, constants, place, number)
        except OSError as error:
            shutil.rmtree(place, ignore_errors=True)
            error.filename = error.filename or str(self.folder)
            raise
        for other in self.folder.glob("g*"):
            if other != place:
                _remove_unless_held(other)
        return True

    def _write(self, snapshot: Snapshot, constants: TreeConstants, place: Path, number: int) -> None:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        postings = snapshot.postings.folded() if len(snapshot.postings.delta.notes) else snapshot.postings
        for name, values in _arrays(snapshot, postings.base, postings.slots).items():
            with (place / f"{name}.npy").open("wb") as file:
                np.save(file, values, allow_pickle=False)
        (place / "terms").write_bytes("\n".join(postings.ids.terms).encode("utf-8", "surrogatepass"))
        (place / "files").write_text(json.dumps(_rows(snapshot)), encoding="ascii")
        state = {
            "format": FORMAT,
            "version": __version__,
            "tree": os.fsencode(self.tree).hex(),
            "generation": number,
            "read_with": _read_with(constants),
            "notes": len(snapshot.notes),
            "files": len(snapshot.parsed),
            "terms": len(postings.ids.terms),
            "checksums": {file.name: _checksum(file) for file in sorted(place.iterdir())},
        }
        atomic.write(self.folder / _STATE, json.dumps(state, indent=1))

    def info(self) -> KeptInfo:
        """What is kept, and whether it can be used."""
        problem, state = "", None
        try:
            state = self._state()
            if state is not None:
                with _holding(self._generation(state)):
                    self._check(state)
        except Unusable as error:
            problem = str(error)
        size = 0
        for above, _, names in os.walk(self.folder):
            for name in names:
                with suppress(FileNotFoundError):  # another process may be putting the next generation in its place
                    size += (Path(above) / name).stat().st_size
        numbers = [int(state[name]) if state else 0 for name in ("notes", "files", "terms")]
        return KeptInfo(self.folder, size, numbers[0], numbers[1], numbers[2], problem)

    def clear(self) -> int:
        """Removes what is kept; how many bytes that were. Raises OSError when it cannot be removed."""
        size = self.info().bytes
        if self.folder.exists():
            try:
                shutil.rmtree(self.folder)
            except OSError as error:  # it names what could not be removed by its name in the folder alone
                error.filename = str(self.folder)
                raise
        return size

    def close(self) -> None:
        """Lets another process write."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _locked(self) -> bool:
        if self._lock is not None and not self._is_in_place(self._lock):
            self.close()  # the folder was removed: whoever makes it anew takes the lock that lies there
        if self._lock is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                return False
            self._lock = descriptor
        return True

    def _is_in_place(self, lock: int) -> bool:
        try:
            return os.path.samestat(os.fstat(lock), (self.folder / _LOCK).stat())
        except OSError:
            return False

    def _state(self) -> dict[str, Any] | None:
        try:
            state = read_json(self.folder / _STATE)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise Unusable(f"{_STATE} cannot be read") from error
        if not isinstance(state, dict) or state.get("format") != FORMAT or state.get("version") != __version__:
            raise Unusable("it was made by another version")
        if state.get("tree") != os.fsencode(self.tree).hex():
            raise Unusable("it was made of another tree")
        return state

    def _state_or_none(self) -> dict[str, Any] | None:
        try:
            return self._state()
        except Unusable:
            return None

    def _generation(self, state: Mapping[str, Any]) -> Path:
        return self.folder / f"g{int(state['generation'])}"

    def _check(self, state: Mapping[str, Any]) -> None:
        try:
            place, checksums = self._generation(state), dict(state["checksums"])
            wanted = {*(f"{name}.npy" for name in _ARRAYS), *_TEXTS}
            if checksums.keys() != wanted:
                raise Unusable("files are missing")
            for name, checksum in checksums.items():
                if _checksum(place / name) != checksum:
                    raise Unusable(f"{name} is damaged")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise Unusable(f"it is broken ({error})") from error


@contextmanager
def _holding(place: Path) -> Iterator[None]:
    """Keeps the generation at ``place`` from being removed meanwhile; does nothing when it is gone already."""
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        yield
        return
    try:
        with suppress(OSError):  # a file system without locks: it may go, and is read again then
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


def _remove_unless_held(place: Path) -> None:
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        with suppress(OSError):  # a file system without locks: nobody can hold it
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
        shutil.rmtree(place, ignore_errors=True)
    finally:
        os.close(descriptor)


def _read_with(constants: TreeConstants) -> dict[str, Any]:
    """The constants that decide what is read from a file."""
    tables = {"limits": asdict(constants.limits), "signals": asdict(constants.signals)}
    made: dict[str, Any] = json.loads(json.dumps(tables))
    return made


def _checksum(path: Path) -> str:
    size = value = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            value = zlib.crc32(chunk, value)
            size += len(chunk)
    return f"{size}:{value:08x}"


def _arrays(snapshot: Snapshot, base: Segment, slots: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    numbers = [
        [
            *(entry.mtime_ns, entry.size, entry.inode & _LARGEST, entry.ctime_ns),
            *(entry.cut_lines, entry.cut_units, entry.chars),
        ]
        for entry in snapshot.parsed.values()
    ]
    return {
        "offsets": base.notes.offsets,
        "rows": base.notes.rows,
        "tf": base.notes.tf,
        "lengths": base.notes.lengths,
        "starts": base.index.starts,
        "documents": base.index.documents,
        "frequencies": base.index.frequencies,
        "slots": slots,
        "numbers": np.asarray(numbers, dtype=np.int64).reshape(-1, len(_NUMBERS)),
    }


def _rows(snapshot: Snapshot) -> dict[str, Any]:
    """What is kept of each file beside its numbers: columns for all, and what only few have by the file's place."""
    entries = list(snapshot.parsed.values())
    return {
        "paths": list(snapshot.parsed),
        "notes": [note.path for note in snapshot.notes],
        "titles": [entry.title for entry in entries],
        "is_note": "".join("1" if entry.is_note else "0" for entry in entries),
        "updated": [None if entry.updated_ms is None else repr(entry.updated_ms) for entry in entries],
        "rare": {str(place): rare for place, entry in enumerate(entries) if (rare := _rare(entry))},
    }


def _rare(entry: Parsed) -> dict[str, Any]:
    found: dict[str, Any] = {
        "alias": entry.alias,
        "summary_order": entry.summary_order,
        "summary_tokens": entry.summary_tokens,
        "unseen": entry.unseen,
    }
    if entry.legacy_signals is not None:
        found["legacy"] = asdict(entry.legacy_signals)
    return {name: value for name, value in found.items() if value not in ("", None)}


def _known(place: Path, limits: ReadingLimits) -> Known:
    held = {name: np.load(place / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in _ARRAYS}
    text = (place / "terms").read_bytes().decode("utf-8", "surrogatepass")
    ids = TermIds(text.split("\n") if text else [])
    notes = Forward(held["offsets"], held["rows"], held["tf"], held["lengths"])
    index = Inverted(len(FIELDS), held["starts"], held["documents"], held["frequencies"])
    rows = json.loads((place / "files").read_text(encoding="ascii"))
    parsed = _parsed(rows, held["numbers"].tolist())
    by_path = {path: position for position, path in enumerate(rows["notes"])}
    if len(by_path) != len(held["slots"]) or held["lengths"].shape != (len(FIELDS), len(notes)):
        raise ValueError("its parts do not belong together")
    return Known(limits, parsed, by_path, of_base(Segment(notes, index), np.asarray(held["slots"]), ids))


def _parsed(rows: Mapping[str, Any], numbers: list[list[int]]) -> dict[str, Parsed]:
    rare = rows["rare"]
    made: dict[str, Parsed] = {}
    columns = zip(rows["paths"], rows["titles"], rows["is_note"], rows["updated"], numbers, strict=True)
    for place, (path, title, is_note, updated, (mtime_ns, size, inode, ctime_ns, lines, units, chars)) in enumerate(
        columns
    ):
        own = rare.get(str(place), {}) if rare else {}
        alias = own.get("alias", "")
        made[path] = Parsed(
            alias,
            path.removeprefix(f"[{alias}]:") if alias else path,
            mtime_ns,
            size,
            inode,
            ctime_ns,
            title,
            is_note == "1",
            lines,
            units,
            _legacy(own.get("legacy")),
            own.get("summary_order"),
            own.get("summary_tokens"),
            chars,
            None if updated is None else float(updated),
            own.get("unseen", ""),
        )
    return made


def _legacy(value: Mapping[str, Any] | None) -> NoteSignals | None:
    if value is None:
        return None
    made = NoteSignals(**{**value, "source": Source(value["source"])})
    if not math.isfinite(made.importance):
        raise ValueError("signals that are no numbers")
    return made
