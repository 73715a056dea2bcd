"""The notes of an open project at one moment or at a git revision, so that a what-if can undo later changes."""

from __future__ import annotations

import os
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from brvtui.lab.whatif.variant import EarlierNotes
from brvtui.loading import EditedFile
from brvtui.loading.revised import UNCHANGED, Difference, content_on_disk, difference_to, revision_of
from brvtui.store.edit_record import read_record, record_file, write_record
from brvtui.timing import system_clock
from brvtui.tree.history.git import RevisionError
from brvtui.tree.history.revision import Revision
from brvtui.tree.reading.signals import NoteSignals, Source

if TYPE_CHECKING:
    from brvtui.snapshot import Parsed, Snapshot

MOST_BYTES = 64 * 1_048_576
"""The size of a tree, in bytes, above which no note's text is stored."""
_QUICK = 1


@dataclass(frozen=True, slots=True)
class HeldFile:
    """A file as it was at the moment of :class:`HeldNotes`."""

    identity: tuple[int, ...]
    """The modification time, size, inode and change time (ns)."""
    packed: bytes
    """The file's compressed content."""

    @property
    def mtime_ns(self) -> int:
        """The file's modification time, in nanoseconds since 1970."""
        return self.identity[0]


@dataclass(frozen=True, slots=True)
class HeldNotes:
    """The texts and signals of all notes at one moment. For a space, the snapshot contains all topics."""

    files: Mapping[str, HeldFile | None]
    """Files keyed by path; None for a file that could not be read, which is treated as unchanged."""
    signals: Mapping[str, NoteSignals]
    """The signals of the notes, keyed by path."""
    at_ms: float
    """The time of the notes, in milliseconds since 1970."""
    snapshot: Snapshot | None = None

    def earlier(self, now: Snapshot) -> EarlierNotes | None:
        """The changes that restore these notes from the notes in ``now``; None if nothing changed."""
        if self.snapshot is not None:
            before, after = self.snapshot.parsed, now.parsed
            changed = [path for path in {**before, **after} if before.get(path) != after.get(path)]
            return EarlierNotes(tuple(sorted(changed)), snapshot=self.snapshot) if changed else None
        own = {path: entry for path, entry in now.parsed.items() if not entry.alias}
        removed = frozenset(own.keys() - self.files.keys())
        edits: dict[str, EditedFile] = {}
        for path, held in self.files.items():
            entry = own.get(path)
            if held is None or (entry is not None and _identity(entry) == held.identity):
                continue
            data = zlib.decompress(held.packed)
            is_as_old = entry is not None and entry.mtime_ns == held.mtime_ns
            if not (is_as_old and content_on_disk(now, path) == data):
                edits[path] = EditedFile(path, data, held.mtime_ns)
        difference = Difference(edits, removed, signals=dict(self._set_since(now)))
        gone = [(path, edit.data) for path, edit in sorted(edits.items()) if path not in own]
        paths_now = dict(_moves(gone, now, removed))
        return EarlierNotes(difference.paths, paths_now, difference) if difference.paths else None

    def recorded(self, now: Snapshot) -> EarlierNotes | None:
        """The changes like :meth:`earlier`. Records them, so that the next process and revisions know these notes."""
        earlier = self.earlier(now)
        if self.snapshot is None:
            difference = earlier.difference if earlier is not None else None
            with suppress(OSError):  # the data folder is not writable
                write_record(now.project.tree, difference or UNCHANGED, self.at_ms)
        return earlier

    def _set_since(self, now: Snapshot) -> Iterator[tuple[str, NoteSignals]]:
        """Yields the held signals of notes whose overlay signals were set later, except by recorded access hits."""
        for path, was in self.signals.items():
            place = now.by_path.get(path)
            signals = now.signals[place] if place is not None else was
            is_set = Source.OVERLAY in (was.source, signals.source) and was.access_count == signals.access_count
            if is_set and (was.importance, was.maturity) != (signals.importance, signals.maturity):
                yield path, replace(signals, importance=was.importance, maturity=was.maturity, source=Source.OVERLAY)


def _moves(gone: list[tuple[str, bytes]], now: Snapshot, new: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yields, for each ``gone`` file, its path and the path of a ``new`` file with the same text, each at most once."""
    left: dict[bytes, list[str]] = {}
    for path, text in gone:
        left.setdefault(text, []).append(path)
    for path in sorted(new) if gone else ():
        found = content_on_disk(now, path)
        if found is not None and (old := left.get(found)):
            name = path.rpartition("/")[2]
            same = next((place for place, one in enumerate(old) if one.rpartition("/")[2] == name), 0)
            yield old.pop(same), path


def hold(snapshot: Snapshot, recorded: tuple[Difference, float] | None = None) -> HeldNotes | None:
    """Stores the notes of ``snapshot``, or those before the ``recorded`` edits. None for code, and if the notes exceed
    :data:`MOST_BYTES` in total.

    Reads every file from disk. A file that cannot be read is treated as unchanged from then on.
    """
    if not snapshot.kind.has_files:
        return None
    before, at_ms = recorded or (UNCHANGED, system_clock())
    if snapshot.kind.is_html:
        return HeldNotes({}, {}, at_ms, snapshot)
    own = {path: entry for path, entry in snapshot.parsed.items() if not entry.alias}
    if sum(entry.size for entry in own.values()) > MOST_BYTES:
        return None
    signals = {note.path: snapshot.signals[place] for place, note in enumerate(snapshot.notes) if note.is_local}
    files = {path: _held(snapshot, path) for path in own if path not in before.removed}
    for path, edit in before.edits.items():
        files[path] = HeldFile((edit.mtime_ns,), zlib.compress(edit.data, _QUICK))
    return HeldNotes(files, {**signals, **before.signals}, at_ms)


def at_revision(snapshot: Snapshot, name: str, base: NoteSignals) -> tuple[Revision, Difference]:
    """The revision ``name`` of the tree of ``snapshot``, and the changes from ``snapshot`` to it.

    Every comparison with a revision uses this function. File times are those that the notes had, from the record of
    edits if possible. So are the signals, if the recorded notes are not older than the revision; otherwise, they are
    today's. ``base`` are the signals of new notes. Raises :class:`brvtui.tree.history.git.RevisionError`.
    """
    revision, tree = revision_of(snapshot, name), snapshot.project.tree
    try:
        recorded, at_ms = read_record(tree, base)
    except (OSError, ValueError) as error:
        unread = f"{record_file(tree)}: cannot be read, so the file times before edits are unknown; remove it"
        raise RevisionError(unread) from error
    difference = difference_to(snapshot, revision, recorded)
    is_older = bool(recorded.signals) and revision.last_change(".")[0] <= at_ms
    return revision, replace(difference, signals=recorded.signals) if is_older else difference


def _held(snapshot: Snapshot, path: str) -> HeldFile | None:
    try:
        found = os.lstat(snapshot.project.tree / path)
    except OSError:
        return None
    data = content_on_disk(snapshot, path)
    if data is None:
        return None
    return HeldFile((found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns), zlib.compress(data, _QUICK))


def _identity(entry: Parsed) -> tuple[int, ...]:
    return entry.mtime_ns, entry.size, entry.inode, entry.ctime_ns
