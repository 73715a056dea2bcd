"""Postings over columns of text whose words have places, for phrases and for FTS5's closed form of BM25
(``docs/jeffs_brain.md``, "The BM25 leg")."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from brvtui.ranking import bm25
from brvtui.text.analysis import Analyzer
from brvtui.text.forward import TermIds
from brvtui.text.inverted import Inverted, flat, invert, ranges

_AFTER_ANY_SUFFIX = "\U0010ffff"
_BREAK = np.iinfo(np.uint32).max
"""Stands after each column, so that no phrase reaches into the next."""

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Phrase:
    """Terms that follow one another; the last one may be the beginning of a term."""

    terms: tuple[str, ...]
    is_prefix: bool = False


@dataclass(frozen=True, slots=True)
class RowTerms:
    """The forward row of one document: the ids of its terms in order, and where each column ends."""

    tokens: NDArray[np.uint32]
    ends: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Where a phrase stands: how often in each row, weighted by column, and which rows hold it at all."""

    frequency: Floats
    rows: Mask

    @property
    def hits(self) -> int:
        """How many rows hold it."""
        return int(self.rows.sum())


def row_terms(texts: Iterable[str], ids: TermIds, analyzer: Analyzer) -> RowTerms:
    """The terms of one document's columns."""
    tokens: list[int] = []
    ends: list[int] = []
    for text in texts:
        tokens += [ids[term] for term in analyzer.terms(text)]
        ends.append(len(tokens))
    return RowTerms(np.asarray(tokens, dtype=np.uint32), tuple(ends))


@dataclass(frozen=True, eq=False)
class ColumnPostings(Inverted):
    """One generation of the index. Rows are numbered in the documents' order."""

    ids: TermIds
    rows: tuple[RowTerms, ...]
    tokens: NDArray[np.uint32]
    """Every row's columns one after another, each followed by a break."""
    cells: NDArray[np.int64]
    """Where each column of each row begins in ``tokens``, and the end."""
    lengths: Floats
    """Tokens of each row, over all columns."""

    @property
    def average(self) -> float:
        """The mean length of a row; 0 without rows."""
        return float(self.lengths.sum() / len(self.lengths)) if len(self.lengths) else 0.0

    @cached_property
    def _sorted_terms(self) -> list[str]:
        held = (self.starts[self.fields :: self.fields] - self.starts[: -self.fields : self.fields]) > 0
        return sorted(self.ids.terms[place] for place in np.flatnonzero(held).tolist())

    def beginning(self, prefix: str) -> list[str]:
        """The terms of the index that begin with ``prefix``, sorted."""
        terms = self._sorted_terms
        return terms[bisect_left(terms, prefix) : bisect_left(terms, prefix + _AFTER_ANY_SUFFIX)]

    def occurrences(self, phrase: Phrase, weights: Sequence[float]) -> Occurrences:
        """Where ``phrase`` stands. A phrase without terms stands nowhere."""
        count = len(self.rows)
        nowhere = Occurrences(np.zeros(count), np.zeros(count, dtype=np.bool_))
        if not phrase.terms:
            return nowhere
        steps = [self._known([term]) for term in phrase.terms[:-1]]
        last = phrase.terms[-1]
        steps.append(self._known(self.beginning(last) if phrase.is_prefix else [last]))
        if any(not len(step) for step in steps):
            return nowhere
        rows, columns, times = self._single(steps[0]) if len(steps) == 1 else self._following(steps)
        weighted = np.asarray(weights, dtype=np.float64)[columns] * times
        frequency = np.bincount(rows, weights=weighted, minlength=count).astype(np.float64, copy=False)
        held = np.zeros(count, dtype=np.bool_)
        held[rows] = True
        return Occurrences(frequency, held)

    def score(self, found: Occurrences, k: float, b: float, least_idf: float) -> Floats:
        """What a phrase adds to each row's score."""
        idf = bm25.fts5_idf(len(self.rows), found.hits, least_idf)
        return bm25.fts5_score(idf, found.frequency, self.lengths, self.average, k, b)

    def _known(self, terms: Sequence[str]) -> NDArray[np.int64]:
        known = (self.ids.get(term, -1) for term in terms)
        inside = (len(self.starts) - 1) // self.fields
        return np.asarray([identity for identity in known if 0 <= identity < inside], dtype=np.int64)

    def _single(self, identities: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
        """Row, column and count of each place of a term, or of any of several."""
        rows = (identities[:, None] * self.fields + np.arange(self.fields)).ravel()
        df = self.starts[rows + 1] - self.starts[rows]
        places = ranges(self.starts[rows], df)
        columns = np.repeat(rows % self.fields, df)
        return self.documents[places].astype(np.int64), columns, self.frequencies[places].astype(np.float64)

    def _following(self, steps: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
        """Row and column of each place where the steps follow one another; only rows with the rarest are looked at."""
        holders = min((np.unique(self._single(step)[0]) for step in steps), key=len)
        begin, end = self.cells[holders * self.fields], self.cells[(holders + 1) * self.fields]
        places = ranges(begin, end - begin)
        for offset, step in enumerate(steps):
            inside = places[places + offset < len(self.tokens)]
            at = self.tokens[inside + offset]
            places = inside[at == step[0] if len(step) == 1 else np.isin(at, step)]
        cells = np.searchsorted(self.cells, places, side="right") - 1
        return cells // self.fields, cells % self.fields, np.ones(len(places))


def build_columns(rows: Sequence[RowTerms], ids: TermIds, fields: int) -> ColumnPostings:
    """Postings of ``rows``, each with ``fields`` columns."""
    keys: list[NDArray[np.uint32]] = []
    counts: list[NDArray[np.uint32]] = []
    pieces: list[NDArray[np.uint32]] = []
    sizes: list[int] = []
    gap = np.asarray([_BREAK], dtype=np.uint32)
    for row in rows:
        begin = 0
        columns = np.repeat(np.arange(fields, dtype=np.uint32), np.diff((0, *row.ends)))
        found, times = np.unique(row.tokens * np.uint32(fields) + columns, return_counts=True)
        keys.append(found)
        counts.append(times.astype(np.uint32))
        for end in row.ends:
            pieces += (row.tokens[begin:end], gap)
            sizes.append(end - begin + 1)
            begin = end
    held, offsets = flat(keys)
    made = invert(held, flat(counts)[0], offsets, fields, len(ids.terms))
    cells = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=cells[1:])
    return ColumnPostings(
        fields,
        made.starts,
        made.documents,
        made.frequencies,
        ids,
        tuple(rows),
        np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.uint32),
        cells,
        np.asarray([len(row.tokens) for row in rows], dtype=np.float64),
    )
