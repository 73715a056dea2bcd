"""What header, tree and empty state show, computed from a snapshot in a worker."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Collection, Iterable
from itertools import compress, repeat
from operator import is_not
from typing import TYPE_CHECKING

from brvtui.app.branches import Branches, branches, branches_after, branches_of, counts_of, one_note
from brvtui.app.contents import Branch, NoteLine, Overview
from brvtui.engines.byterover.sections import FingerprintState
from brvtui.trace import Kind, Trace
from brvtui.tree.reading.files import Role

if TYPE_CHECKING:
    from brvtui.snapshot import Snapshot
    from brvtui.tree.reading.signals import NoteSignals

_MOST_IMPORTANT = 6


class OverviewBuilder:
    """Makes overviews, each from the last one and the changes since. Any thread may call it."""

    def __init__(self) -> None:
        """Starts without an overview, so the first is made in full."""
        self._last: tuple[Snapshot, Branches, Overview] | None = None
        self._building = threading.Lock()

    def build(self, snapshot: Snapshot) -> Overview:
        """Returns the overview of ``snapshot``."""
        with self._building:
            if self._last is None:
                made = branches(snapshot)
                important = _important(_lines(snapshot, range(len(snapshot.notes))))
            else:
                before, grown, overview = self._last
                changed = changed_between(before, snapshot)
                made = branches(snapshot) if changed is None else branches_after(grown, snapshot, changed)
                important = _important_after(overview.important, snapshot, changed)
            self._last = snapshot, made, _overview(snapshot, made, important)
            return self._last[2]


def changed_between(before: Snapshot, now: Snapshot) -> set[str] | None:
    """Returns the paths whose files or signals differ; None where others may look different, too."""
    most = now.limits.max_files
    if now.project.sources or (most and len(now.files) > most) or before.project.tree != now.project.tree:
        return None
    known = now.changed_since(before)
    if known is not None:
        return set(known)
    old, new = before.parsed, now.parsed
    changed = set(compress(new, map(is_not, new.values(), map(old.get, new))))
    added = sum(path not in old for path in changed)
    if len(old) + added != len(new):
        changed |= old.keys() - new.keys()
    if before.signals:
        places = map(before.by_path.get, now.by_path, repeat(0))  # a note that was not there is among the changed
        stored = map(before.signals.__getitem__, places)
        resigned = compress(now.by_path, map(is_not, stored, now.signals))
        changed |= {path for path in resigned if _signals(before, path) != _signals(now, path)}
    return changed


def _signals(snapshot: Snapshot, path: str) -> NoteSignals | None:
    position = snapshot.by_path.get(path)
    return None if position is None else snapshot.signals[position]


def _overview(snapshot: Snapshot, made: Branches, important: tuple[NoteLine, ...]) -> Overview:
    return Overview(
        project=snapshot.project.name,
        notes=len(snapshot.notes),
        counts=counts_of(made.roots),
        unseen=tuple((file.path, file.reason) for file in snapshot.unseen),
        roots=made.roots,
        important=() if snapshot.is_code else important,
        notices=snapshot.notices,
        branches=made.by_path,
        aside=made.aside,
        fingerprint=snapshot.fingerprint,
        generation=snapshot.generation,
        loaded_ms=snapshot.loaded_ms,
        is_code=snapshot.is_code,
        reads_frontmatter=snapshot.reads_frontmatter,
        to_mend=frozenset((*snapshot.unusable_signals, *snapshot.conflicts)),
    )


def _lines(snapshot: Snapshot, positions: Iterable[int]) -> Iterable[NoteLine]:
    """Returns the notes at ``positions`` that are neither summaries nor stubs."""
    for position in positions:
        note, signals = snapshot.notes[position], snapshot.signals[position]
        if note.role is Role.NOTE:
            yield NoteLine(note.path, note.title, signals.maturity, signals.importance)


def _rank(line: NoteLine) -> tuple[float, str]:
    return -line.importance, line.path


def _important(lines: Iterable[NoteLine]) -> tuple[NoteLine, ...]:
    return tuple(heapq.nsmallest(_MOST_IMPORTANT, lines, key=_rank))


def _important_after(
    before: tuple[NoteLine, ...], snapshot: Snapshot, changed: Collection[str] | None
) -> tuple[NoteLine, ...]:
    """Returns the most important notes after ``changed``; None if all notes must be looked at."""
    if changed is not None:
        positions = [snapshot.by_path[path] for path in changed if path in snapshot.by_path]
        kept = [line for line in before if line.path not in changed]
        made = _important([*kept, *_lines(snapshot, positions)])
        # A note that has fallen behind the last of them may have fallen behind others too.
        if len(before) < _MOST_IMPORTANT or (len(made) == len(before) and _rank(made[-1]) <= _rank(before[-1])):
            return made
    return _important(_lines(snapshot, range(len(snapshot.notes))))


def remembered(trace: Trace) -> Overview:
    """Returns the overview of a trace without its tree: its notes are the hits and near misses."""
    told, state = trace.snapshot, trace.find(FingerprintState)
    made = branches_of(_found(trace))
    return Overview(
        project=told.project,
        notes=told.notes,
        counts=counts_of(made.roots),
        unseen=(),
        roots=made.roots,
        important=(),
        notices=(),
        branches=made.by_path,
        aside=0,
        fingerprint=state.value if state is not None else "",
        generation=told.generation,
        loaded_ms=0.0,
    )


def _found(trace: Trace) -> dict[str, Branch]:
    found = {
        hit.file: _leaf(hit.file, hit.title, hit.kind, hit.signals.maturity if hit.signals else "")
        for hit in trace.hits
    }
    misses = {miss.file: _leaf(miss.file, miss.title, miss.kind, miss.maturity) for miss in trace.near_misses}
    return found | misses


def _leaf(path: str, title: str, kind: Kind, maturity: str) -> Branch:
    low = f"{title}\n{path}".lower()
    return Branch(path, title, False, kind.value, maturity, counts=one_note(maturity), low=low)
