"""Inverted rows in compressed form: which documents hold a term in a field, and how often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Inverted:
    """Row ``term * fields + field`` lists documents in ascending order, with frequencies beside them."""

    fields: int
    starts: NDArray[np.int64]
    documents: NDArray[np.uint32]
    frequencies: NDArray[np.uint32]

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return len(self.starts) - 1

    def df(self, term_id: int, field: int) -> int:
        """Documents that hold the term in the field."""
        row = term_id * self.fields + field
        return int(self.starts[row + 1] - self.starts[row])

    def spans(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where each of ``rows`` begins, and how long it is; a row past the last one is empty."""
        first = np.minimum(rows, self.row_count)
        begin = self.starts[first]
        return begin, self.starts[np.minimum(rows + 1, self.row_count)] - begin


def ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The integers of all ranges ``[start, start + length)``, one after another."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    offsets: NDArray[np.int64] = np.repeat(starts - (ends - lengths), lengths)
    return np.arange(total, dtype=np.int64) + offsets


def flat(parts: Sequence[NDArray[np.uint32]]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """``parts`` one after another, and where each begins, with the end."""
    offsets = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum(np.fromiter((len(part) for part in parts), dtype=np.int64, count=len(parts)), out=offsets[1:])
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint32), offsets


def invert(
    rows: NDArray[np.uint32],
    frequencies: NDArray[np.uint32],
    offsets: NDArray[np.int64],
    fields: int,
    terms: int,
) -> Inverted:
    """The rows of all documents: those of document i stand from ``offsets[i]`` to ``offsets[i + 1]``, each once."""
    row_count = terms * fields
    documents = np.repeat(np.arange(len(offsets) - 1, dtype=np.uint32), np.diff(offsets))
    order = np.argsort(rows, kind="stable")
    starts = np.zeros(row_count + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=row_count), out=starts[1:])
    return Inverted(fields, starts, documents[order], frequencies[order])
