"""Carries a snapshot's derived data over to the next snapshot. Data that is still valid is reused; the rest is updated
in part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brvtui.snapshot.state import ABSTRACTS, HIERARCHY, SUMMARY_FILES, Snapshot, abridged, is_own_summary


@dataclass(frozen=True, slots=True, eq=False)
class Transition:
    """The changes between a snapshot and the next one."""

    previous: Snapshot
    kept: NDArray[np.int64]
    """The position of each note in ``previous``; -1 for notes that were read again."""
    files: frozenset[str]
    """The paths of files that were re-read or removed."""
    signals_changed: frozenset[str]
    """The paths whose stored signals changed."""
    aged: Sequence[str]
    """The notes that moved in document order because they are no longer recent."""


def carry_over(transition: Transition, made: Snapshot) -> None:
    """Carries the previous snapshot's derived data over to ``made``. Data that the previous snapshot never computed is
    left out.
    """
    known = transition.previous.derived
    abstracts = known.known(ABSTRACTS)
    if abstracts is not None:
        left = dict(abstracts)
        for path in transition.files:
            entry, note = made.parsed.get(path), abridged(path)
            left.pop(note, None)
            if note and entry is not None:
                left[note] = entry.chars
        made.derived.put(ABSTRACTS, left)
    summary_files = known.known(SUMMARY_FILES)
    if summary_files is not None:
        changed = frozenset(filter(is_own_summary, transition.files))
        made.derived.put(SUMMARY_FILES, (summary_files - changed) | (changed & made.parsed.keys()))
    _hand_on_hierarchy(transition, made)


def _hand_on_hierarchy(transition: Transition, made: Snapshot) -> None:
    """Carries the hierarchy over, and rebuilds only the changed folders if that is enough."""
    hierarchy = transition.previous.derived.known(HIERARCHY)
    if hierarchy is None:
        return
    before, now = transition.previous.by_path, made.by_path
    out = [path for path in transition.files if path in before and path not in now]
    again = [path for path in (*transition.files, *transition.aged) if path in now]
    changed = hierarchy.changed(out, [(path, made.notes[now[path]].title) for path in again], now.get)
    if changed is not None:
        made.derived.put(HIERARCHY, changed)
