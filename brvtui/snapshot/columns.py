"""What computing over all notes reads of them, as arrays."""

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
    """Values of every note of a snapshot, in document order."""

    importance: NDArray[np.float64]
    """As stored, 0..100."""
    recency: NDArray[np.float64]
    """As stored, 0..1."""
    maturity: NDArray[np.int8]
    """The position in :data:`brvtui.ranking.maturity.LEVELS`."""
    source: NDArray[np.int8]
    """Where the signals were found: the place among the members of ``Source``."""
    is_local: NDArray[np.bool_]
    """Whether the note is the project's own."""
    mtime_ms: NDArray[np.float64]
    updated_ms: NDArray[np.float64]
    """When the note says it was updated: infinite where it does not, NaN where that is no date."""
    chars: NDArray[np.int64]
    """The length of the text as the engine reads it, in UTF-16 units."""

    def count_from(self, source: Source) -> int:
        """How many notes have their signals from ``source``."""
        return int((self.source == _SOURCES[source]).sum())

    def changed(self, kept: NDArray[np.int64], touched: Sequence[int], anew: NoteColumns) -> NoteColumns:
        """These columns in another order: ``kept`` gives the place here of each note, ``anew`` the values of
        ``touched``, which hold all notes that have no place here.
        """
        if len(touched) == len(kept):
            return anew
        places = np.maximum(kept, 0)
        made = {column.name: getattr(self, column.name)[places] for column in fields(NoteColumns)}
        for name, values in made.items():
            values[touched] = getattr(anew, name)
        return NoteColumns(**made)


def columns_of(notes: Iterable[Note], signals: Sequence[NoteSignals], parsed: Mapping[str, Parsed]) -> NoteColumns:
    """The columns of ``notes`` that have these stored signals."""
    held = list(notes)
    updated = (parsed[note.path].updated_ms for note in held)
    return NoteColumns(
        importance=np.asarray([entry.importance for entry in signals], dtype=np.float64),
        recency=np.asarray([entry.recency for entry in signals], dtype=np.float64),
        maturity=np.asarray([_LEVELS[entry.maturity] for entry in signals], dtype=np.int8),
        source=np.asarray([_SOURCES[entry.source] for entry in signals], dtype=np.int8),
        is_local=np.asarray([not note.alias for note in held], dtype=np.bool_),
        mtime_ms=np.asarray([note.mtime_ms for note in held], dtype=np.float64),
        updated_ms=np.asarray([math.inf if moment is None else moment for moment in updated], dtype=np.float64),
        chars=np.asarray([note.chars for note in held], dtype=np.int64),
    )
