"""The notes of an open project as they were at one moment, so that what changed since can be undone in a what-if."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from brvtui.lab.whatif.variant import EarlierNotes
from brvtui.loading import EditedFile
from brvtui.loading.revised import Difference

if TYPE_CHECKING:
    from brvtui.snapshot import Parsed, Snapshot

MOST_BYTES = 64 * 1_048_576
"""Of a larger tree no texts are held."""
_QUICK = 1


@dataclass(frozen=True, slots=True)
class HeldFile:
    """A file at that moment."""

    entry: Parsed
    packed: bytes | None
    """Its bytes, compressed; None where they could not be read."""


@dataclass(frozen=True, slots=True)
class HeldNotes:
    """The texts of all notes at one moment; topics of a space are held as their snapshot, which has them all."""

    files: Mapping[str, HeldFile]
    snapshot: Snapshot | None = None

    def earlier(self, now: Snapshot) -> EarlierNotes | None:
        """What changes the notes of ``now`` back to what is held; None where nothing changed."""
        if self.snapshot is not None:
            before, after = self.snapshot.parsed, now.parsed
            changed = [path for path in {**before, **after} if before.get(path) != after.get(path)]
            return EarlierNotes(tuple(sorted(changed)), snapshot=self.snapshot) if changed else None
        own = {path: entry for path, entry in now.parsed.items() if not entry.alias}
        removed = frozenset(own.keys() - self.files.keys())
        edits: dict[str, EditedFile] = {}
        for path, held in self.files.items():
            entry = own.get(path)
            if held.packed is None or (entry is not None and _identity(entry) == _identity(held.entry)):
                continue
            data = zlib.decompress(held.packed)
            is_as_old = entry is not None and entry.mtime_ns == held.entry.mtime_ns
            if not (is_as_old and _bytes(now, path) == data):
                edits[path] = EditedFile(path, data, held.entry.mtime_ns)
        difference = Difference(edits, removed)
        return EarlierNotes(difference.paths, difference) if difference.paths else None


def hold(snapshot: Snapshot) -> HeldNotes | None:
    """Holds the notes of ``snapshot``; None where they are code, or larger together than :data:`MOST_BYTES`.

    Reads every file. One that changed since ``snapshot`` was made, or cannot be read, is taken as unchanged from now
    on.
    """
    if snapshot.is_code:
        return None
    if snapshot.spaces:
        return HeldNotes({}, snapshot)
    own = {path: entry for path, entry in snapshot.parsed.items() if not entry.alias}
    if sum(entry.size for entry in own.values()) > MOST_BYTES:
        return None
    return HeldNotes({path: HeldFile(each, _packed(snapshot, path)) for path, each in own.items()})


def _packed(snapshot: Snapshot, path: str) -> bytes | None:
    data = _bytes(snapshot, path)
    return zlib.compress(data, _QUICK) if data is not None and len(data) == snapshot.parsed[path].size else None


def _bytes(snapshot: Snapshot, path: str) -> bytes | None:
    try:
        return snapshot.read(path)
    except OSError:
        return None


def _identity(entry: Parsed) -> tuple[int, ...]:
    return entry.mtime_ns, entry.size, entry.inode, entry.ctime_ns
