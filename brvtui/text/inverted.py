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

    def df(self, term_id: int, field: int) -> int:
        """Documents that hold the term in the field."""
        row = term_id * self.fields + field
        return int(self.starts[row + 1] - self.starts[row])


def ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The integers of all ranges ``[start, start + length)``, one after another."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    offsets: NDArray[np.int64] = np.repeat(starts - (ends - lengths), lengths)
    return np.arange(total, dtype=np.int64) + offsets


def invert(
    rows: Sequence[NDArray[np.uint32]], frequencies: Sequence[NDArray[np.uint32]], fields: int, terms: int
) -> Inverted:
    """The rows of all documents: ``rows[i]`` are those of document i, each once, with frequencies beside them."""
    row_count = terms * fields
    sizes = np.fromiter((len(row) for row in rows), dtype=np.int64, count=len(rows))
    total = int(sizes.sum())
    everything = np.concatenate(rows) if total else np.zeros(0, dtype=np.uint32)
    tf = np.concatenate(frequencies) if total else np.zeros(0, dtype=np.uint32)
    documents = np.repeat(np.arange(len(rows), dtype=np.uint32), sizes)
    order = np.argsort(everything, kind="stable")
    starts = np.zeros(row_count + 1, dtype=np.int64)
    np.cumsum(np.bincount(everything, minlength=row_count), out=starts[1:])
    return Inverted(fields, starts, documents[order], tf[order])
