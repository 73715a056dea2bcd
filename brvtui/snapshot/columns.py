"""Properties of all notes as arrays, for computing over all of them at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from brvtui.ranking.maturity import LEVELS
from brvtui.snapshot.records import Note, Parsed
from brvtui.tree.reading.signals import NoteSignals, Source

_LEVELS = {maturity: level for level, maturity in enumerate(LEVELS)}
_SOURCES = {source: place for place, source in enumerate(Source)}


@dataclass(frozen=True, slots=True, eq=False)
class NoteColumns:
    """One value for each note of a snapshot, in document order."""

    importance: NDArray[np.float64]
    """As stored, 0..100."""
    recency: NDArray[np.float64]
    """As stored, 0..1."""
    maturity: NDArray[np.int8]
    """Index into :data:`brvtui.ranking.maturity.LEVELS`."""
    source: NDArray[np.int8]
    """Where the signals were found: the position among the members of ``Source``."""
    is_local: NDArray[np.bool_]
    """False for notes of shared sources."""
    mtime_ms: NDArray[np.float64]
    updated_ms: NDArray[np.float64]
    """When the note says it was updated: infinity where it does not say, NaN where that is not a date."""
    chars: NDArray[np.int64]
    """The length of the text as the engine reads it, in UTF-16 units."""

    def count_from(self, source: Source) -> int:
        """The number of notes with signals from ``source``."""
        return int((self.source == _SOURCES[source]).sum())

    def changed(self, kept: NDArray[np.int64], touched: Sequence[int], anew: NoteColumns) -> NoteColumns:
        """These columns reordered: ``kept`` gives the position here of each note, -1 for a new one.

        ``anew`` has the values of the notes at ``touched``, which must include all new ones.
        """
        if len(touched) == len(kept):
            return anew
        places = np.maximum(kept, 0)
        made = {column.name: getattr(self, column.name)[places] for column in fields(NoteColumns)}
        for name, values in made.items():
            values[touched] = getattr(anew, name)
        return NoteColumns(**made)


def columns_of(notes: Iterable[Note], signals: Sequence[NoteSignals], parsed: Mapping[str, Parsed]) -> NoteColumns:
    """The columns of ``notes`` with these stored signals."""
    listed = list(notes)
    updated = (parsed[note.path].updated_ms for note in listed)
    return NoteColumns(
        importance=np.asarray([entry.importance for entry in signals], dtype=np.float64),
        recency=np.asarray([entry.recency for entry in signals], dtype=np.float64),
        maturity=np.asarray([_LEVELS[entry.maturity] for entry in signals], dtype=np.int8),
        source=np.asarray([_SOURCES[entry.source] for entry in signals], dtype=np.int8),
        is_local=np.asarray([not note.alias for note in listed], dtype=np.bool_),
        mtime_ms=np.asarray([note.mtime_ms for note in listed], dtype=np.float64),
        updated_ms=np.asarray([math.inf if moment is None else moment for moment in updated], dtype=np.float64),
        chars=np.asarray([note.chars for note in listed], dtype=np.int64),
    )
