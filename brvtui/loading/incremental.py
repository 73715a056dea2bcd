"""Creates the next snapshot from the last one and the changed files.

The cost depends mainly on the number of changes. Only three steps take longer for a larger tree: copying lists, the
digest of the fingerprint, and the engine's running mean.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from brvtui.loading.assemble import Parts, assemble
from brvtui.loading.one_file import EditedFile, counted_size, is_same, read_file
from brvtui.snapshot import Parsed, Snapshot
from brvtui.snapshot.carry_over import Transition
from brvtui.snapshot.state import COVERED_COUNT, FINGERPRINT, ORDERS
from brvtui.text.segment import NoteTerms, passed_limit
from brvtui.tree.constants import TreeConstants
from brvtui.tree.reading.files import (
    CONTEXT_FILE,
    MS_PER_HOUR,
    NeedsFullWalk,
    TreeFile,
    document_order,
    folder_key,
    list_files,
    stat_file,
    walk_key,
)
from brvtui.tree.reading.fingerprint import of_lines
from brvtui.tree.reading.inside import is_in_place
from brvtui.tree.reading.orders import Orders
from brvtui.tree.reading.signals import SignalLayers, Source, defaults

_Item = TypeVar("_Item")
_NO_EDITS: Mapping[str, EditedFile | None] = {}
MOST_PLACES = 2_000
"""With at least this number of changed files, a full load is equally fast."""


@dataclass(frozen=True, slots=True)
class _Changes:
    """The files that were removed or read again since the last snapshot."""

    gone: frozenset[str]
    files: Mapping[str, TreeFile]
    parsed: Mapping[str, Parsed]
    terms: Mapping[str, NoteTerms]

    @property
    def paths(self) -> Iterator[str]:
        """The paths of the files that were removed or read again."""
        return chain(self.gone, self.files)


def update(
    previous: Snapshot,
    places: Iterable[str],
    constants: TreeConstants,
    now_ms: float,
    stored: SignalLayers,
    edits: Mapping[str, EditedFile | None] = _NO_EDITS,
) -> Snapshot | None:
    """Returns the snapshot after changes at ``places``, which are files and folders below the tree.

    The result equals the one of :func:`load`. ``edits`` replace the contents of their files among ``places``; None
    removes a file. Returns ``previous`` itself if nothing changed. Returns None if the whole tree must be loaded:
    because of symlinks and other unusual files, shared sources, more files than the engine reads, other constants for
    reading or default signals, or a clock that was set back.
    """
    orders = previous.orders
    if orders is None or not previous.reusable.is_read_with(constants):
        return None
    if now_ms < previous.loaded_ms or _needs_full_load(previous):
        return None
    if stored.broken != previous.stored.broken:
        return None
    assumed = next((one for one in previous.signals if one.source is Source.DEFAULT), None)
    if assumed is not None and assumed != defaults(constants.signals):
        return None
    try:
        changes = _changed_files(previous, places, constants, edits)
    except NeedsFullWalk:
        return None
    if changes is None or any(_changes_whole_tree(path) or path in stored.broken for path in changes.files):
        return None
    signals_changed = stored.changed_since(previous.stored)
    aged = [path for path in _aged(orders, _edge(constants, now_ms)) if path not in {*changes.paths}]
    if not changes.gone and not changes.files and not signals_changed and not aged:
        return previous
    arranged = _arranged(orders, previous, changes, aged, constants, now_ms)
    if arranged is None:
        return None
    orders = arranged.orders
    snapshot = assemble(
        Parts(
            project=previous.project,
            constants=constants,
            now_ms=now_ms,
            generation=previous.generation + 1,
            stored=stored,
            files=orders.walked.items,
            parsed=_parsed(previous, changes),
            note_paths=[*orders.recent.items, *orders.older.items],
            passed_over=[file for file in previous.unseen if file.path not in previous.parsed],
            unreadable=_unreadable(previous, changes, constants, now_ms),
            terms=changes.terms,
            ids=previous.postings.ids,
            postings=previous.postings,
            kept=arranged.kept,
        ),
        Transition(previous, arranged.kept, frozenset(changes.paths), frozenset(signals_changed), aged),
    )
    snapshot.derived.put(ORDERS, orders)
    snapshot.derived.put(FINGERPRINT, of_lines(orders.covered.items))
    snapshot.derived.put(COVERED_COUNT, len(orders.covered))
    return snapshot


def _needs_full_load(snapshot: Snapshot) -> bool:
    return bool(
        snapshot.project.link
        or not all(map(is_in_place, snapshot.project.trees))
        or snapshot.engine_failure
        or snapshot.notices != snapshot.project.notices
        or snapshot.edited
    )


def _changes_whole_tree(path: str) -> bool:
    """True if a file with this name requires a full load: the engine may fail, or ignore stored signals."""
    return ":" in path or "\\" in path or path == CONTEXT_FILE


def _changed_files(
    previous: Snapshot, places: Iterable[str], constants: TreeConstants, edits: Mapping[str, EditedFile | None]
) -> _Changes | None:
    tree = previous.project.tree
    wanted = _candidates(previous, places)
    unseen = {file.path for file in previous.unseen if file.path not in previous.parsed}
    if len(wanted) > MOST_PLACES or not unseen.isdisjoint(wanted):
        return None
    gone: set[str] = set()
    files: dict[str, TreeFile] = {}
    parsed: dict[str, Parsed] = {}
    terms: dict[str, NoteTerms] = {}
    ids, completed_by = previous.postings.ids, previous.frontmatter_defaults
    for path in sorted(wanted):
        known, instead = previous.parsed.get(path), edits.get(path)
        file = instead.file if instead else None if path in edits else stat_file(tree, path)
        if file is None:
            if known is not None:
                gone.add(path)
        elif known is None or not is_same(known, file):
            files[path] = file
            parsed[path], own = read_file(tree, "", file, constants.limits, ids, completed_by, instead)
            if own is not None:
                terms[path] = own
    entries = previous.postings.sizes.sum() + sum(len(own.rows) for own in terms.values())
    size = sum(counted_size(file, constants.limits) for file in (*previous.files, *files.values()))
    if passed_limit(len(ids), entries, size):
        return None
    limit = constants.limits.max_files
    if limit and len(previous.files) - len(gone) + len(files.keys() - previous.parsed.keys()) > limit:
        return None
    return _Changes(frozenset(gone), files, parsed, terms)


def _candidates(previous: Snapshot, places: Iterable[str]) -> set[str]:
    """Returns the files that may have changed: ``places``, and all files below the ones that are or were folders."""
    tree = previous.project.tree
    shut = {file.path for file in previous.unseen}
    wanted: set[str] = set()
    for place in places:
        if not place:
            raise NeedsFullWalk(place)
        if place.endswith("/"):
            if place[:-1] in shut or not os.access(tree / place, os.R_OK | os.X_OK):
                raise NeedsFullWalk(place)
        elif not any(part.startswith(".") for part in place.split("/")[:-1]):
            wanted.add(place)
            if place not in previous.parsed:
                prefix = f"{place}/"
                wanted.update(path for path in previous.parsed if path.startswith(prefix))
                wanted.update(_below(tree, place))
    return wanted


def _below(tree: Path, folder: str) -> Iterator[str]:
    """Yields every note below ``folder``, if it is a folder. Raises NeedsFullWalk if a subfolder cannot be entered."""

    place = tree / folder
    if place.is_symlink() or (place.is_dir() and place.name.startswith(".")):
        raise NeedsFullWalk(folder)
    if not place.is_dir():
        return
    listing = list_files(place)
    if listing.unseen:
        raise NeedsFullWalk(folder)
    yield from (f"{folder}/{file.path}" for file in listing.files)


@dataclass(frozen=True, slots=True)
class _Arranged:
    """The new orders, and each note's previous position in document order (-1 for notes that were read again)."""

    orders: Orders
    kept: NDArray[np.int64]


def _arranged(
    orders: Orders, previous: Snapshot, changes: _Changes, aged: Sequence[str], constants: TreeConstants, now_ms: float
) -> _Arranged | None:
    """Returns the new orders; None if they cannot be updated in part, or if two paths have equal sort keys."""
    if orders.only_ascii and not all(path.isascii() for path in changes.files):
        return None
    edge, old_edge = _edge(constants, now_ms), _edge(constants, previous.loaded_ms)
    before = [previous.placed(previous.parsed[path]) for path in changes.paths if path in previous.parsed]
    now = [previous.placed(entry) for entry in changes.parsed.values()]
    moving = [previous.placed(previous.parsed[path]) for path in aged]
    old_notes, new_notes = ([entry for entry in some if entry.is_note] for some in (before, now))
    key = orders.key
    try:
        walked = orders.walked.changed(
            [walk_key(entry.path) for entry in before], [(walk_key(path), file) for path, file in changes.files.items()]
        )
        recent = orders.recent.changed(
            [entry.recent_key for entry in (*old_notes, *moving) if entry.mtime_ms >= old_edge],
            [(entry.recent_key, entry.path) for entry in new_notes if entry.mtime_ms >= edge],
        )
        older = orders.older.changed(
            [key(entry.path) for entry in old_notes if entry.mtime_ms < old_edge],
            [(key(entry.path), entry.path) for entry in (*new_notes, *moving) if entry.mtime_ms < edge],
        )
        covered = orders.covered.changed(
            [key(entry.path) for entry in before if entry.line],
            [(key(entry.path), entry.line) for entry in now if entry.line],
        )
        listed = orders.listed.changed(
            [folder_key(entry.path) for entry in old_notes],
            [(folder_key(entry.path), entry.path) for entry in new_notes],
        )
    except (KeyError, ValueError):
        return None
    after = Orders(walked, recent, older, covered, listed, key, orders.only_ascii)
    left = [orders.position(note, old_edge) for note in old_notes]
    came = [after.position(note, edge) for note in new_notes]
    moved = [(orders.position(note, old_edge), after.position(note, edge)) for note in moving]
    return _Arranged(after, _kept(orders.note_count, after.note_count, left, came, moved))


def _kept(
    before: int, now: int, left: Sequence[int], came: Sequence[int], moved: Sequence[tuple[int, int]]
) -> NDArray[np.int64]:
    """Returns the previous position (among ``before`` notes) of each of the ``now`` notes; -1 for new notes."""
    sources, targets = [*left, *(source for source, _ in moved)], [*came, *(target for _, target in moved)]
    stays = np.ones(now, dtype=np.bool_)
    stays[targets] = False
    kept = np.full(now, -1, dtype=np.int64)
    kept[stays] = np.delete(np.arange(before), sources)
    for source, target in moved:
        kept[target] = source
    return kept


def _edge(constants: TreeConstants, now_ms: float) -> float:
    """Returns the time in ms since which a changed note is recent for the engine."""
    return now_ms - constants.limits.recent_hours * MS_PER_HOUR


def _aged(orders: Orders, edge: float) -> Iterator[str]:
    """Yields the notes that are no longer recent."""
    for key, path in zip(reversed(orders.recent.keys), reversed(orders.recent.items), strict=True):
        if -key[0] >= edge:
            return
        yield path


def _parsed(previous: Snapshot, changes: _Changes) -> dict[str, Parsed]:
    parsed = dict(previous.parsed)
    for path in changes.gone:
        del parsed[path]
    parsed.update(changes.parsed)
    return parsed


def _unreadable(previous: Snapshot, changes: _Changes, constants: TreeConstants, now_ms: float) -> list[str]:
    """Returns the files that could not be read, in document order."""
    touched = set(changes.paths)
    entries = [previous.parsed[file.path] for file in previous.unseen if file.path in previous.parsed]
    entries = [entry for entry in entries if entry.file not in touched]
    entries += [entry for entry in changes.parsed.values() if entry.unseen]
    files = sorted(
        (TreeFile(entry.file, entry.size, entry.mtime_ns, entry.inode, entry.ctime_ns) for entry in entries),
        key=lambda file: walk_key(file.path),
    )
    return [file.path for file in document_order(files, now_ms, constants.limits.recent_hours)]
