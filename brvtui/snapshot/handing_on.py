"""What the next snapshot takes over of what was gathered of the last one: what is still true, or is soon made so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brvtui.snapshot.state import (
    ABSTRACTS,
    EARLIER_INDEX,
    HIERARCHY,
    INDEX,
    LIKENESS_INDEX,
    SUMMARY_FILES,
    Snapshot,
    abridged,
    is_own_summary,
)


@dataclass(frozen=True, slots=True, eq=False)
class Transition:
    """What happened between a snapshot and the next one."""

    previous: Snapshot
    kept: NDArray[np.int64]
    """The place in ``previous`` of each note; -1 for those that were read anew."""
    files: frozenset[str]
    """That were read anew, or are gone."""
    resigned: frozenset[str]
    """Paths whose stored signals changed."""
    aged: Sequence[str]
    """Notes that stand elsewhere because they are no longer recent."""


def hand_on(transition: Transition, made: Snapshot) -> None:
    """Gives ``made`` what was gathered of the snapshot before it. What nobody had asked for is not made now."""
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
    _hand_on_index(transition, made)
    _hand_on_hierarchy(transition, made)


def _hand_on_index(transition: Transition, made: Snapshot) -> None:
    """The newest index of texts that there is, for one of what is alike to be made from."""
    known, kept = transition.previous.derived, transition.kept
    index, earlier = known.known(LIKENESS_INDEX) or known.known(INDEX), known.known(EARLIER_INDEX)
    if index is not None:
        made.derived.put(EARLIER_INDEX, (index, kept))
    elif earlier is not None and len(transition.previous.notes):
        index, places = earlier
        made.derived.put(EARLIER_INDEX, (index, np.where(kept >= 0, places[kept], -1)))


def _hand_on_hierarchy(transition: Transition, made: Snapshot) -> None:
    """The hierarchy with only the changed folders made anew, where that is enough."""
    hierarchy = transition.previous.derived.known(HIERARCHY)
    if hierarchy is None:
        return
    before, now = transition.previous.by_path, made.by_path
    out = [path for path in transition.files if path in before and path not in now]
    again = [path for path in (*transition.files, *transition.aged) if path in now]
    changed = hierarchy.changed(out, [(path, made.notes[now[path]].title) for path in again], now.get)
    if changed is not None:
        made.derived.put(HIERARCHY, changed)
