"""A segment of the postings, which contains the terms of each note (*forward*) and the notes of each term
(*inverted*).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from brvtui.text.analysis import counted

FIELDS = ("title", "content", "path")
MOST_WORDS = 2_000_000
"""The maximum number of distinct words in a project's notes. 50 MB of ordinary text contain fewer than 300,000."""
MOST_ENTRIES = 20_000_000
"""The maximum total number of words, where each distinct word is counted once per note and field."""
MOST_BYTES = 200_000_000
"""The maximum size of all notes together. Reading that much takes about ten seconds."""
TOO_LARGE = f"the files before it have {MOST_BYTES // 1_000_000} MB"
TOO_MANY_WORDS = f"the files before it have more than {MOST_WORDS:,} different words or {MOST_ENTRIES:,} in all"


def passed_limit(words: int, entries: int = 0, size: int = 0) -> str:
    """The reason why further files are left out after ``words`` distinct words, ``entries`` words in total, and
    ``size`` bytes: :data:`TOO_LARGE` or :data:`TOO_MANY_WORDS`; empty within the limits.
    """
    if size >= MOST_BYTES:
        return TOO_LARGE
    return TOO_MANY_WORDS if words > MOST_WORDS or entries > MOST_ENTRIES else ""


class TermIds(dict[str, int]):
    """The id of each term (UTF-16 form), assigned on first use and shared by the generations of one tree's postings."""

    def __init__(self, terms: Sequence[str] = ()) -> None:
        """Assigns ids to ``terms`` in their order."""
        super().__init__(zip(terms, range(len(terms)), strict=True))
        self.terms: list[str] = list(terms)
        """The terms, ordered by id."""

    def __missing__(self, term: str) -> int:
        self[term] = identity = len(self.terms)
        self.terms.append(term)
        return identity

    def detached(self) -> TermIds:
        """An independent copy of these ids. Terms that are added to one of the two are not added to the other."""
        copy = TermIds()
        copy.update(self)  # before the names: a term added in between then leaves an extra name, not a missing one
        copy.terms = list(self.terms)
        return copy


@dataclass(frozen=True, slots=True)
class NoteTerms:
    """The forward row of one note: the index rows of its terms (``term * FIELDS + field``), their frequencies ``tf``,
    and the field lengths.
    """

    rows: NDArray[np.uint32]
    tf: NDArray[np.uint32]
    lengths: tuple[int, int, int]


def note_terms(title: str, content: str, path: str, ids: TermIds) -> NoteTerms:
    """The terms of one note, and the length of each field as counted by :func:`brvtui.text.analysis.counted`."""
    rows: list[int] = []
    frequencies: list[int] = []
    lengths: list[int] = []
    fields = len(FIELDS)
    for field, text in enumerate((title, content, path)):
        length, counts = counted(text)
        lengths.append(length)
        rows += [ids[term] * fields + field for term in counts]
        frequencies += counts.values()
    return NoteTerms(
        np.asarray(rows, dtype=np.uint32),
        np.asarray(frequencies, dtype=np.uint32),
        (lengths[0], lengths[1], lengths[2]),
    )


@dataclass(frozen=True, eq=False)
class Forward:
    """The forward rows of many notes in flat arrays. A note's number is its *slot*."""

    offsets: NDArray[np.int64]
    """The position of the first row of each slot, followed by the end of the last slot."""
    rows: NDArray[np.uint32]
    tf: NDArray[np.uint32]
    lengths: NDArray[np.float64]
    """Field lengths, shape (FIELDS, slots)."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def note(self, slot: int) -> NoteTerms:
        """The forward row of one slot, as views into the arrays."""
        begin, end = int(self.offsets[slot]), int(self.offsets[slot + 1])
        title, content, path = (int(length) for length in self.lengths[:, slot])
        return NoteTerms(self.rows[begin:end], self.tf[begin:end], (title, content, path))


def flatten(notes: Sequence[NoteTerms]) -> Forward:
    """The forward rows of ``notes``. The slot of each note is its position."""
    rows, offsets = _flat([note.rows for note in notes])
    lengths = np.asarray([note.lengths for note in notes], dtype=np.float64).reshape(-1, len(FIELDS)).T
    return Forward(offsets, rows, _flat([note.tf for note in notes])[0], np.ascontiguousarray(lengths))


def _flat(parts: Sequence[NDArray[np.uint32]]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """``parts`` in one array, and the offset of each part, followed by the end of the last part."""
    offsets = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum(np.fromiter((len(part) for part in parts), dtype=np.int64, count=len(parts)), out=offsets[1:])
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint32), offsets


@dataclass(frozen=True, eq=False)
class Inverted:
    """The documents of each row ``term * FIELDS + field`` in ascending order, and their frequencies as a parallel
    array.
    """

    starts: NDArray[np.int64]
    documents: NDArray[np.uint32]
    frequencies: NDArray[np.uint32]

    @property
    def row_count(self) -> int:
        """The number of rows."""
        return len(self.starts) - 1

    def spans(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The start and the length of each of ``rows``. A row past the last one is empty."""
        first = np.minimum(rows, self.row_count)
        begin = self.starts[first]
        return begin, self.starts[np.minimum(rows + 1, self.row_count)] - begin


@dataclass(frozen=True, eq=False)
class Segment:
    """The forward rows of notes, by slot, and the inverted rows, which contain slots as documents."""

    notes: Forward
    index: Inverted


def segment(notes: Sequence[NoteTerms], terms: int) -> Segment:
    """A segment of ``notes`` in their order, with ``terms`` term ids."""
    forward = flatten(notes)
    documents = np.repeat(np.arange(len(notes), dtype=np.uint32), np.diff(forward.offsets))
    order = np.argsort(forward.rows, kind="stable")
    starts = np.zeros(terms * len(FIELDS) + 1, dtype=np.int64)
    np.cumsum(np.bincount(forward.rows, minlength=terms * len(FIELDS)), out=starts[1:])
    return Segment(forward, Inverted(starts, documents[order], forward.tf[order]))


def merged(base: Segment, delta: Segment, slots: NDArray[np.int64], terms: int) -> tuple[Segment, NDArray[np.int64]]:
    """One segment that contains only the notes in ``slots``, and the new slots of these notes. In ``slots``, the slots
    of ``base`` come first, then those of ``delta``.

    Rows are merged without sorting, because notes keep the order of their slots: in each row, the slots of the base
    come first.
    """
    alive = np.zeros(len(base.notes) + len(delta.notes), dtype=bool)
    alive[slots] = True
    place = np.cumsum(alive) - 1
    first = len(base.notes)
    parts = ((base, alive[:first], place[:first]), (delta, alive[first:], place[first:]))
    living_rows = [_kept(part.index, living, terms * len(FIELDS)) for part, living, _ in parts]
    starts = np.zeros(terms * len(FIELDS) + 1, dtype=np.int64)
    np.cumsum(living_rows[0][0] + living_rows[1][0], out=starts[1:])
    documents = np.empty(int(starts[-1]), dtype=np.uint32)
    frequencies = np.empty(int(starts[-1]), dtype=np.uint32)
    begin = starts[:-1]
    for (counts, which), (part, _, places) in zip(living_rows, parts, strict=True):
        target = ranges(begin, counts)
        documents[target] = places[part.index.documents[which]]
        frequencies[target] = part.index.frequencies[which]
        begin = begin + counts
    notes = _joined([(part.notes, living) for part, living, _ in parts])
    return Segment(notes, Inverted(starts, documents, frequencies)), place[slots]


def renumbered(part: Segment, held: NDArray[np.bool_]) -> Segment:
    """``part`` with new ids, given only to the terms that are ``held``. The notes must not contain other terms."""
    place = np.cumsum(held) - 1
    fields = len(FIELDS)
    rows = place[part.notes.rows // fields] * fields + part.notes.rows % fields
    starts = np.append(part.index.starts[:-1][np.repeat(held, fields)], part.index.starts[-1])
    return Segment(replace(part.notes, rows=rows.astype(np.uint32)), replace(part.index, starts=starts))


def ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The integers of all ranges ``[start, start + length)`` in sequence."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    offsets: NDArray[np.int64] = np.repeat(starts - (ends - lengths), lengths)
    return np.arange(total, dtype=np.int64) + offsets


def _kept(index: Inverted, alive: NDArray[np.bool_], row_count: int) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """The number of remaining documents in each row, and the positions of all remaining documents."""
    which = np.flatnonzero(alive[index.documents])
    rows = np.repeat(np.arange(index.row_count), np.diff(index.starts))[which]
    return np.bincount(rows, minlength=row_count), which


def _joined(parts: Sequence[tuple[Forward, NDArray[np.bool_]]]) -> Forward:
    rows, tf, sizes, lengths = [], [], [], []
    for notes, alive in parts:
        sizes_here = np.diff(notes.offsets)
        which = np.repeat(alive, sizes_here)
        rows.append(notes.rows[which])
        tf.append(notes.tf[which])
        sizes.append(sizes_here[alive])
        lengths.append(notes.lengths[:, alive])
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.concatenate(sizes))])
    return Forward(offsets, np.concatenate(rows), np.concatenate(tf), np.concatenate(lengths, axis=1))
