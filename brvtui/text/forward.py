"""Forward rows: which terms one note holds in each field, and how often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brvtui.text.analysis import counted

FIELDS = ("title", "content", "path")


class TermIds(dict[str, int]):
    """The id of each term (UTF-16 form), given on first sight; shared by the generations of one tree's postings."""

    def __init__(self, terms: Sequence[str] = ()) -> None:
        """Ids for ``terms``, in their order."""
        super().__init__(zip(terms, range(len(terms)), strict=True))
        self.terms: list[str] = list(terms)
        """The terms by their ids."""

    def __missing__(self, term: str) -> int:
        self[term] = identity = len(self.terms)
        self.terms.append(term)
        return identity

    def apart(self) -> TermIds:
        """These ids, to be continued apart: what is given there is not given here."""
        made = TermIds()
        made.update(self)  # before the names: a term that comes in meanwhile has a name more, never one less
        made.terms = list(self.terms)
        return made


@dataclass(frozen=True, slots=True)
class NoteTerms:
    """The forward row of one note: ``rows`` (``term * FIELDS + field``), ``tf`` beside it, length of each field."""

    rows: NDArray[np.uint32]
    tf: NDArray[np.uint32]
    lengths: tuple[int, int, int]


def note_terms(title: str, content: str, path: str, ids: TermIds) -> NoteTerms:
    """The terms of one note, and the length of each field as :func:`brvtui.text.analysis.counted` counts it."""
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
    """The forward rows of many notes in flat arrays; a note's number is its *slot*."""

    offsets: NDArray[np.int64]
    """Where each slot's rows begin, and the end."""
    rows: NDArray[np.uint32]
    tf: NDArray[np.uint32]
    lengths: NDArray[np.float64]
    """Field lengths, shape (FIELDS, slots)."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def note(self, slot: int) -> NoteTerms:
        """The forward row of one slot, as views."""
        begin, end = int(self.offsets[slot]), int(self.offsets[slot + 1])
        title, content, path = (int(length) for length in self.lengths[:, slot])
        return NoteTerms(self.rows[begin:end], self.tf[begin:end], (title, content, path))


def flatten(notes: Sequence[NoteTerms]) -> Forward:
    """The forward rows of ``notes``; their slots are their places."""
    rows, offsets = _flat([note.rows for note in notes])
    lengths = np.asarray([note.lengths for note in notes], dtype=np.float64).reshape(-1, len(FIELDS)).T
    return Forward(offsets, rows, _flat([note.tf for note in notes])[0], np.ascontiguousarray(lengths))


def _flat(parts: Sequence[NDArray[np.uint32]]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """``parts`` one after another, and where each begins, with the end."""
    offsets = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum(np.fromiter((len(part) for part in parts), dtype=np.int64, count=len(parts)), out=offsets[1:])
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint32), offsets
