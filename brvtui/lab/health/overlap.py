"""The distinctive words that notes share, computed for all notes at once from the postings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brvtui.text.analysis import STOP_WORDS
from brvtui.text.postings import Postings
from brvtui.text.segment import FIELDS, ranges

_TITLE, _CONTENT = FIELDS.index("title"), FIELDS.index("content")
_TITLE_BOOST = 3.0
_K, _B = 1.2, 0.75
_FEW, _RARE_SHARE, _MOST_RARE = 10, 0.04, 30
"""A word is rare if at most 10 notes contain it or, in a larger memory, 4 % of the notes, but never more than 30."""
_TITLE_SHARE, _MOST_TITLES = 0.2, 300
"""A word of a title says what the note is about if at most this share, and this number, of the notes contains it."""
_MOST_PAIRS = 1_000_000
"""The maximum number of pairs of notes with a common word that are counted; the rarest words come first."""
OWN_WORDS = 6
"""The number of a note's own words: those that distinguish it best from other notes."""
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Overlap:
    """The distinctive words of all notes: one entry for each note and distinct word, sorted by note.

    Left out are stop words, words with digits, and words that are neither rare nor distinctive in a title.
    """

    notes: Ints
    terms: Ints
    weights: Floats
    """The BM25 weight of the word in the note; words of the title weigh more."""
    in_title: NDArray[np.bool_]
    idf: Floats
    """The idf of every term id; 0 for words that are left out."""
    df: Ints
    is_rare: NDArray[np.bool_]
    names: list[str]
    count: int
    """The number of notes."""

    @classmethod
    def of(cls, postings: Postings) -> Overlap:
        """The distinctive words of all notes in ``postings``."""
        count, names = len(postings), postings.ids.terms
        fields = len(FIELDS)
        by_field = np.zeros((len(names), fields), dtype=np.int64)
        by_field.ravel()[: len(postings.frequencies)] = postings.frequencies
        df, titled = by_field[:, : _CONTENT + 1].max(axis=1, initial=0), by_field[:, _TITLE] > 0
        is_rare = (df > 0) & (df <= max(_FEW, min(_MOST_RARE, int(count * _RARE_SHARE))))
        used = is_rare | (titled & (df <= max(_FEW, min(_MOST_TITLES, int(count * _TITLE_SHARE)))))
        for place in np.flatnonzero(used).tolist():
            used[place] = names[place].isalpha() and names[place] not in STOP_WORDS
        is_rare &= used
        idf = np.where(used, np.log1p(count / np.maximum(df, 1)), 0.0)
        parts = (postings.base.notes, postings.delta.notes)
        starts = np.concatenate([parts[0].offsets[:-1], parts[1].offsets[:-1] + len(parts[0].rows)])[postings.slots]
        places = ranges(starts, postings.sizes)
        rows = np.concatenate([part.rows for part in parts])[places]
        kept = np.flatnonzero(np.repeat(used, fields)[rows])
        rows, notes = rows[kept].astype(np.int64), np.repeat(np.arange(count), postings.sizes)[kept]
        terms, field = rows // fields, rows % fields
        tf = np.concatenate([part.tf for part in parts])[places[kept]].astype(np.float64)
        keys = notes * max(len(names), 1) + terms
        in_title = np.isin(keys, keys[field == _TITLE])
        lengths = postings.lengths[_CONTENT]
        norm = _K * (1 - _B + _B * lengths / max(float(lengths.mean()) if count else 1.0, 1.0))
        content = field == _CONTENT
        notes, terms, tf, in_title = notes[content], terms[content], tf[content], in_title[content]
        weights = idf[terms] * (tf * (_K + 1) / (tf + norm[notes])) * np.where(in_title, _TITLE_BOOST, 1.0)
        order = np.lexsort((terms, notes))
        sorted_entries = (notes[order], terms[order], weights[order], in_title[order])
        return cls(*sorted_entries, idf, df, is_rare, names, count)

    def shared(self, least_words: float, least_title: float) -> list[tuple[int, int, float, float]]:
        """The pairs of notes, first below second, that may be about the same thing, with two measures from 0 to 1.

        The first measure is the shared part, by idf, of the rare words in the note with fewer of them. The second is
        the part of each title, by idf, that occurs in the other note; of the two parts, the smaller one. A pair is
        returned if one of the measures reaches its minimum.
        """
        entries = np.flatnonzero(self.is_rare[self.terms] | self.in_title)
        entries = entries[self.df[self.terms[entries]] > 1]
        left, right = self._pairs(entries)
        if not len(left):
            return []
        keys, place = np.unique(self.notes[left] * self.count + self.notes[right], return_inverse=True)
        one, two = keys // self.count, keys % self.count
        rare = np.where(self.is_rare, self.idf, 0.0)
        totals = np.bincount(self.notes, weights=rare[self.terms], minlength=self.count)
        words = np.bincount(place, weights=rare[self.terms[left]], minlength=len(keys))
        words = words / np.maximum(np.minimum(totals[one], totals[two]), 1e-9)
        titles = self._titles(one, two)
        near = np.flatnonzero((words >= least_words) | (titles >= least_title))
        columns = (one[near], two[near], words[near], titles[near])
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def _pairs(self, entries: Ints) -> tuple[Ints, Ints]:
        """All pairs of ``entries`` with the same word, the rarest words first, up to a maximum."""
        terms = self.terms[entries]
        entries = entries[np.lexsort((self.notes[entries], terms, self.df[terms]))]
        terms = self.terms[entries]
        ends = np.flatnonzero(np.append(terms[1:] != terms[:-1], True)) + 1 if len(terms) else np.zeros(0, dtype=int)
        following = np.repeat(ends, np.diff(ends, prepend=0)) - np.arange(len(entries)) - 1
        allowed = int(np.searchsorted(np.cumsum(following), _MOST_PAIRS, side="right"))
        following = following[:allowed]
        return entries[np.repeat(np.arange(allowed), following)], entries[ranges(np.arange(allowed) + 1, following)]

    def _titles(self, one: Ints, two: Ints) -> Floats:
        """For each pair of notes, the part of each title that occurs in the other note; the smaller part of both."""
        titles = np.flatnonzero(self.in_title)
        starts = np.searchsorted(self.notes[titles], np.arange(self.count + 1))
        held = self.notes * len(self.names) + self.terms
        parts = []
        for source, target in ((one, two), (two, one)):
            counts = starts[source + 1] - starts[source]
            entries = titles[ranges(starts[source], counts)]
            pair = np.repeat(np.arange(len(source)), counts)
            wanted = target[pair] * len(self.names) + self.terms[entries]
            found = held[np.minimum(np.searchsorted(held, wanted), len(held) - 1)] == wanted
            weight = self.idf[self.terms[entries]]
            whole = np.bincount(pair, weights=weight, minlength=len(source))
            parts.append(np.bincount(pair, weights=weight * found, minlength=len(source)) / np.maximum(whole, 1e-9))
        smaller: Floats = np.minimum(*parts)
        return smaller

    def own_words(self) -> Ints:
        """The entries of each note's own words, by note, the best first."""
        order = np.lexsort((self.terms, -self.weights, self.notes))
        notes = self.notes[order]
        return order[np.arange(len(order)) - np.searchsorted(notes, notes) < OWN_WORDS]

    def stronger(self, least: float) -> list[tuple[int, int]]:
        """Pairs of a note and another in which at least ``least`` of the note's own words, by weight, weigh more."""
        own = self.own_words()
        wanted = np.zeros(len(self.names), dtype=bool)
        wanted[self.terms[own]] = self.is_rare[self.terms[own]]
        entries = np.flatnonzero(wanted[self.terms])
        left, right = self._pairs(entries)
        is_own = np.zeros(len(self.notes), dtype=bool)
        is_own[own] = True
        weaker, better = np.concatenate([left, right]), np.concatenate([right, left])
        chosen = is_own[weaker] & (self.weights[better] > self.weights[weaker])
        weaker, better = weaker[chosen], better[chosen]
        if not len(weaker):
            return []
        keys, place = np.unique(self.notes[weaker] * self.count + self.notes[better], return_inverse=True)
        part = np.bincount(place, weights=self.weights[weaker], minlength=len(keys))
        whole = np.bincount(self.notes[own], weights=self.weights[own], minlength=self.count)
        strong = keys[part >= least * whole[keys // self.count]]
        return [(int(key) // self.count, int(key) % self.count) for key in strong]
