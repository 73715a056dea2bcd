"""The distinctive words that notes share, computed for all notes at once from the postings."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brvtui.lab.health.likeness import distinct
from brvtui.lab.health.statements import Weight, stem
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
_FIRST_SHARE, _ROUNDING = 0.4, 1e-9
Integers = NDArray[np.int64]
Reals = NDArray[np.float64]


class WordOverlap:
    """The words of all notes, as sorted codes of notes and stems. Stop words and words with digits are left
    out.
    """

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
        self._stems = max(1, len(ids))
        parts = postings.base.notes, postings.delta.notes
        starts = np.concatenate([parts[0].offsets[:-1], parts[1].offsets[:-1] + len(parts[0].rows)])[postings.slots]
        rows = np.concatenate([part.rows for part in parts])[ranges(starts, postings.sizes)].astype(np.int64)
        words, fields = of_term[rows // len(FIELDS)], rows % len(FIELDS)
        codes = np.repeat(np.arange(self._count), postings.sizes) * self._stems + words
        self._words = distinct(codes[(words >= 0) & (fields == _CONTENT)])
        self._titles = distinct(codes[(words >= 0) & (fields == _TITLE)])
        both = np.concatenate([self._words, self._titles[~is_in(self._titles, self._words)]])
        self._frequencies = np.bincount(both % self._stems, minlength=self._stems)
        self._df: dict[str, int] = dict(zip(ids, self._frequencies.tolist(), strict=False))
        self.idf: Weight = cache(lambda word: math.log1p(self._count / max(1, self.frequency(word))))
        """Returns the idf of a stem."""

    def frequency(self, word: str) -> int:
        """The number of notes that contain a stem."""
        return self._df.get(word, 0)

    def is_rare(self, word: str) -> bool:
        """True if few notes contain a stem."""
        return self.frequency(word) <= max(_FEW_NOTES, int(self._count * _FEW_SHARE))

    def similar(self, least_words: float, least_title: float) -> tuple[Integers, Integers, Reals]:
        """The pairs of notes, first below second, that may be about the same thing, with a measure from 0 to 2: three
        arrays, sorted by pair.

        They share at least ``least_words`` of the rare words in the note with fewer of them, or ``least_title`` of the
        words in the longer title, both by idf.
        """
        titled = np.bincount(self._titles % self._stems, minlength=self._stems)
        is_rare = self._frequencies <= max(_FEW, min(_MOST_RARE, int(self._count * _RARE_SHARE)))
        is_rare &= _within_limit(self._frequencies)
        words, idf = self._words[is_rare[self._words % self._stems]], self._idf(self._frequencies)
        sizes = _sums(words // self._stems, idf[words % self._stems], self._count)
        found = self._common(words, idf, lambda one, two: np.minimum(sizes[one], sizes[two]), least_words)
        titles, idf = self._titles, self._idf(titled)
        whole = np.bincount(titles // self._stems, idf[titles % self._stems], self._count)
        titles = titles[((titled <= _MOST_TITLES) & _within_limit(titled))[titles % self._stems]]
        others = self._common(titles, idf, lambda one, two: np.maximum(whole[one], whole[two]), least_title)
        pairs, shares = (np.concatenate(both) for both in zip(found, others, strict=True))
        pairs, measures = _totals(pairs, np.arange(len(pairs)), shares)
        return *np.divmod(pairs, max(1, self._count)), measures

    def _idf(self, frequencies: Integers) -> Reals:
        return np.square(np.sqrt(np.log1p(self._count / np.maximum(frequencies, 1))))

    def _common(
        self, codes: Integers, idf: Reals, size: Callable[[Integers, Integers], Reals], least: float
    ) -> tuple[Integers, Reals]:
        """The pairs of notes, as codes, whose common words in ``codes`` have at least the part ``least`` of their
        ``size``, by ``idf``, and these parts.
        """
        notes, words = np.divmod(codes, self._stems)
        order = np.argsort(words, kind="stable")
        places = np.empty(len(codes), dtype=np.int64)
        places[order] = np.arange(1, len(codes) + 1)
        later = np.cumsum(np.bincount(words, minlength=self._stems))[words] - places
        """The number of later notes with the same word."""
        pairs = np.repeat(notes, later) * self._count + notes[order[ranges(places, later)]]
        pairs, both = _totals(pairs, np.repeat(np.arange(len(codes)), later), idf[words])
        shares = both / np.maximum(size(*np.divmod(pairs, max(1, self._count))), 1e-9)
        return pairs[shares >= least], shares[shares >= least]

    @cached_property
    def _own(self) -> tuple[Integers, Reals, NDArray[np.intp]]:
        """The words that distinguish each note best, preferably words of the title: codes, weights, and their order,
        the best first.
        """
        df = self._frequencies[self._words % self._stems]
        codes = self._words[df <= max(_FEW, min(_MOST_OWN, int(self._count * _OWN_SHARE)))]
        notes, words = np.divmod(codes, self._stems)
        boosts = np.where(is_in(codes, self._titles), _TITLE_BOOST, 1.0)
        weights = np.log1p(self._count / self._frequencies[words]) * boosts
        order = np.lexsort((words, -weights, notes))
        best = order[np.arange(len(order)) - np.searchsorted(notes, notes) < _OWN_WORDS]
        chosen = np.sort(best)
        return codes[chosen], weights[chosen], np.searchsorted(chosen, best)

    def own_words(self, note: int) -> list[str]:
        """Up to twelve words that best distinguish the note at position ``note``, best first."""
        codes, _, order = self._own
        best = order[slice(*np.searchsorted(codes, (note * self._stems, (note + 1) * self._stems)))]
        return [self._names[code % self._stems] for code in codes[best].tolist()]

    def containing(self, least: float) -> dict[int, set[int]]:
        """For each note, the other notes that contain at least ``least`` of its words, by weight, starting with the
        notes that have the rarest words.
        """
        codes, weights, _ = self._own
        owners, words = np.divmod(codes, self._stems)
        whole = _sums(owners, weights, self._count)
        notes, words_of = np.divmod(self._words, self._stems)
        counts = np.bincount(words_of, minlength=self._stems)
        # The words that few notes contain leave few candidates. The other words are counted only for these.
        order = np.lexsort((counts[words], owners))
        before = np.cumsum(weights[order]) - weights[order]
        before -= before[np.searchsorted(owners, owners)]
        first = order[before < _FIRST_SHARE * whole[owners]]
        needed = np.bincount(owners[first], weights[first], self._count) - (1 - least + _ROUNDING) * whole
        places = ranges((np.cumsum(counts) - counts)[words[first]], counts[words[first]])
        holders = (np.sort(words_of * self._count + notes) % max(1, self._count))[places]
        entries = np.repeat(first, counts[words[first]])
        pairs, both = _totals(owners[entries] * self._count + holders, entries, weights)
        one, two = np.divmod(pairs[both >= needed[pairs // max(1, self._count)]], max(1, self._count))
        one, two = one[one != two], two[one != two]
        starts = np.searchsorted(owners, np.arange(self._count + 1))
        sizes = np.diff(starts)[one]
        entries, places = ranges(starts[one], sizes), np.repeat(np.arange(len(one)), sizes)
        has_word = is_in(two[places] * self._stems + words[entries], self._words)
        own = np.bincount(places, np.where(has_word, weights[entries], 0), len(one))
        near = np.flatnonzero(own / whole[one] >= least)
        found: dict[int, set[int]] = defaultdict(set)
        for place in near[np.argsort(-whole[one[near]], kind="stable")].tolist():
            found[int(one[place])].add(int(two[place]))
        return found


def _totals(codes: Integers, places: Integers, values: Reals) -> tuple[Integers, Reals]:
    """The distinct ``codes``, sorted, and for each of them the sum of the ``values`` at its ``places``, in order."""
    ordered, places = np.divmod(np.sort(codes * len(values) + places), max(1, len(values)))
    is_first = np.diff(ordered, prepend=-1) > 0
    sums: Reals = np.bincount(np.cumsum(is_first) - 1, values[places], int(is_first.sum())).astype(np.float64)
    return ordered[is_first], sums


def _sums(rows: Integers, values: Reals, count: int) -> Reals:
    """The sum of the ``values`` of each of ``count`` rows. ``rows`` is sorted."""
    starts, sums = np.flatnonzero(np.diff(rows, prepend=-1)), np.zeros(count)
    sums[rows[starts]] = np.add.reduceat(values, starts) if len(starts) else 0
    return sums


def is_in(codes: Integers, known: Integers) -> NDArray[np.bool_]:
    """True for each of ``codes`` that is in ``known``, which is sorted."""
    found: NDArray[np.bool_] = np.append(known, -1)[np.searchsorted(known, codes)] == codes
    return found


def _within_limit(counts: NDArray[Any]) -> NDArray[np.bool_]:
    """True for the rarest words, up to a limit on the pairs of notes that share them.

    ``counts`` is the number of notes per word.
    """
    order = np.argsort(counts, kind="stable")
    chosen = np.zeros(len(counts), dtype=bool)
    chosen[order[np.cumsum(np.square(counts[order].astype(np.int64))) <= _MOST_PAIRS]] = True
    return chosen
