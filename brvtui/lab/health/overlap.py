"""The distinctive words that notes share, computed for all notes at once from the postings."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, triu

from brvtui.lab.health.statements import stem
from brvtui.text.analysis import STOP_WORDS
from brvtui.text.postings import Postings
from brvtui.text.segment import FIELDS, ranges

_TITLE, _CONTENT = FIELDS.index("title"), FIELDS.index("content")
_FEW, _RARE_SHARE, _MOST_RARE = 10, 0.04, 30
"""A word is rare if at most 10 notes contain it or, in a larger memory, 4 % of the notes, but never more than 30."""
_FEW_NOTES, _FEW_SHARE = 2, 0.01
_MOST_TITLES = 300
"""A word of a title connects notes only if at most this number of titles contain it."""
_MOST_PAIRS = 10_000_000
"""The maximum number of pairs of notes with a common word that are counted."""
_TITLE_BOOST = 3.0
_OWN_WORDS, _OWN_SHARE, _MOST_OWN = 12, 0.2, 100


class WordOverlap:
    """The words of all notes, as matrices of notes and stems. Stop words and words with digits are left out."""

    def __init__(self, postings: Postings) -> None:
        """Reads the words of all notes in ``postings``."""
        self._count = len(postings)
        ids: dict[str, int] = defaultdict(lambda: len(ids))
        self._names: dict[int, str] = {}
        names = postings.ids.terms
        of_term = np.full(len(names) + 1, -1)
        held = postings.frequencies.reshape(-1, len(FIELDS))[: len(names)].any(axis=1)
        for term in np.flatnonzero(held).tolist():
            if names[term].isalpha() and names[term] not in STOP_WORDS:
                of_term[term] = place = ids[stem(names[term])]
                self._names.setdefault(place, names[term])
        self._stems = len(ids)
        parts = postings.base.notes, postings.delta.notes
        starts = np.concatenate([parts[0].offsets[:-1], parts[1].offsets[:-1] + len(parts[0].rows)])[postings.slots]
        rows = np.concatenate([part.rows for part in parts])[ranges(starts, postings.sizes)].astype(np.int64)
        notes = np.repeat(np.arange(self._count), postings.sizes)
        words, fields = of_term[rows // len(FIELDS)], rows % len(FIELDS)
        self._words = self._matrix(notes, words, (words >= 0) & (fields == _CONTENT))
        self._titles = self._matrix(notes, words, (words >= 0) & (fields == _TITLE))
        self._frequencies = np.asarray(self._words.maximum(self._titles).sum(axis=0), dtype=np.int64).ravel()
        self._df = dict(zip(ids, self._frequencies.tolist(), strict=True))

    def _matrix(self, notes: NDArray[Any], words: NDArray[Any], chosen: NDArray[Any]) -> csr_matrix:
        shape = (self._count, self._stems)
        matrix = csr_matrix((np.ones(int(chosen.sum())), (notes[chosen], words[chosen])), shape=shape)
        matrix.data[:] = 1.0
        return matrix

    def frequency(self, word: str) -> int:
        """The number of notes that contain a stem."""
        return self._df.get(word, 0)

    def idf(self, word: str) -> float:
        """The idf of a stem."""
        return math.log1p(self._count / max(1, self.frequency(word)))

    def is_rare(self, word: str) -> bool:
        """True if few notes contain a stem."""
        return self.frequency(word) <= max(_FEW_NOTES, int(self._count * _FEW_SHARE))

    @cached_property
    def _rare(self) -> csr_matrix:
        """The rare words, weighted so that the product of two notes is the sum of the idf of their common words."""
        rare = self._frequencies <= max(_FEW, min(_MOST_RARE, int(self._count * _RARE_SHARE)))
        rare &= _within_limit(self._frequencies)
        weights = np.where(rare, np.sqrt(np.log1p(self._count / np.maximum(self._frequencies, 1))), 0)
        matrix = self._words.multiply(weights).tocsr()
        matrix.eliminate_zeros()
        return matrix

    def similar(self, least_words: float, least_title: float) -> dict[tuple[int, int], float]:
        """The pairs of notes, first below second, that may be about the same thing, with a measure from 0 to 2.

        They share at least ``least_words`` of the rare words in the note with fewer of them, or ``least_title`` of the
        words in the longer title, both by idf.
        """
        titled = np.asarray(self._titles.sum(axis=0)).ravel()
        weights = np.sqrt(np.log1p(self._count / np.maximum(titled, 1)))
        titles = self._titles.multiply(np.where((titled <= _MOST_TITLES) & _within_limit(titled), weights, 0)).tocsr()
        whole = np.asarray(self._titles.multiply(weights).power(2).sum(axis=1)).ravel()
        found: dict[tuple[int, int], float] = defaultdict(float)
        for matrix, sizes, choose, least in (
            (self._rare, _squares(self._rare), np.minimum, least_words),
            (titles, whole, np.maximum, least_title),
        ):
            both = triu(matrix @ matrix.T, 1).tocoo()
            share = both.data / np.maximum(choose(sizes[both.row], sizes[both.col]), 1e-9)
            near = share >= least
            for one, two, value in zip(both.row[near].tolist(), both.col[near].tolist(), share[near], strict=True):
                found[one, two] += float(value)
        return dict(found)

    @cached_property
    def _own(self) -> csr_matrix:
        """The words that distinguish each note best, preferably words of the title."""
        words, titles = self._words.tocoo(), self._titles.tocoo()
        df = self._frequencies[words.col]
        kept = df <= max(_FEW, min(_MOST_OWN, int(self._count * _OWN_SHARE)))
        notes, stems = words.row[kept].astype(np.int64), words.col[kept].astype(np.int64)
        in_title = np.isin(notes * self._stems + stems, titles.row.astype(np.int64) * self._stems + titles.col)
        weights = np.log1p(self._count / df[kept]) * np.where(in_title, _TITLE_BOOST, 1.0)
        order = np.lexsort((stems, -weights, notes))
        best = order[np.arange(len(order)) - np.searchsorted(notes[order], notes[order]) < _OWN_WORDS]
        return csr_matrix((weights[best], (notes[best], stems[best])), shape=words.shape)

    def own_words(self, note: int) -> list[str]:
        """Up to twelve words that best distinguish the note at position ``note``, best first."""
        own = self._own[note]
        return [self._names[word] for word in own.indices[np.argsort(-own.data, kind="stable")].tolist()]

    def containing(self, least: float) -> dict[int, set[int]]:
        """For each note, the other notes that contain at least ``least`` of its words, by weight, starting with the
        notes that have the rarest words.
        """
        both = (self._own @ self._words.T).tocoo()
        whole = np.asarray(self._own.sum(axis=1)).ravel()
        share = both.data / whole[both.row]
        near = np.flatnonzero((share >= least) & (both.row != both.col))
        found: dict[int, set[int]] = defaultdict(set)
        for place in near[np.argsort(-whole[both.row[near]], kind="stable")].tolist():
            found[int(both.row[place])].add(int(both.col[place]))
        return found


def _within_limit(counts: NDArray[Any]) -> NDArray[np.bool_]:
    """True for the rarest words, up to a limit on the pairs of notes that share them.

    ``counts`` is the number of notes per word.
    """
    order = np.argsort(counts, kind="stable")
    chosen = np.zeros(len(counts), dtype=bool)
    chosen[order[np.cumsum(np.square(counts[order].astype(np.int64))) <= _MOST_PAIRS]] = True
    return chosen


def _squares(matrix: csr_matrix) -> NDArray[np.float64]:
    """For each note, the sum of its squared weights."""
    squares: NDArray[np.float64] = np.asarray(matrix.power(2).sum(axis=1)).ravel()
    return squares
