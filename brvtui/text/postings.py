"""The inverted index that owns every number of text relevance.

The rows are those of :mod:`brvtui.text.inverted`. Term ids are never reused, so that the terms of an unchanged note
can be kept from one generation to the next; document frequencies are exact, because rows hold living notes only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from brvtui.profile import Text
from brvtui.rank import bm25
from brvtui.text.analysis import MINISEARCH, Analyzer, from_utf16
from brvtui.text.inverted import Inverted, invert, ranges
from brvtui.text.vocabulary import KINDS, Expansion, Vocabulary
from brvtui.trace import TermExpansion, TermMatch

FIELDS = ("title", "content", "path")
_CACHED_EXPANSIONS = 512
_DESCRIBED_MATCHES = 24


class TermIds(dict[str, int]):
    """The id of each term (UTF-16 form), given on first sight; shared by the generations of one tree's postings."""

    def __init__(self) -> None:
        super().__init__()
        self.terms: list[str] = []
        """The terms by their ids."""

    def __missing__(self, term: str) -> int:
        self[term] = identity = len(self.terms)
        self.terms.append(term)
        return identity


@dataclass(frozen=True, slots=True)
class NoteTerms:
    """The forward row of one note: ``rows`` (``term * FIELDS + field``), ``tf`` beside it, length of each field."""

    rows: NDArray[np.uint32]
    tf: NDArray[np.uint32]
    lengths: tuple[int, int, int]


def note_terms(title: str, content: str, path: str, ids: TermIds, analyzer: Analyzer = MINISEARCH) -> NoteTerms:
    """The terms of one note, and the length of each field as ``analyzer`` counts it."""
    rows: list[int] = []
    frequencies: list[int] = []
    lengths: list[int] = []
    fields = len(FIELDS)
    for field, text in enumerate((title, content, path)):
        length, counts = analyzer.counted(text)
        lengths.append(length)
        rows += [ids[term] * fields + field for term in counts]
        frequencies += counts.values()
    return NoteTerms(
        np.asarray(rows, dtype=np.uint32),
        np.asarray(frequencies, dtype=np.uint32),
        (lengths[0], lengths[1], lengths[2]),
    )


@dataclass(frozen=True, slots=True)
class TermMatches:
    """What one query term does to every note: ``scores`` summed over matched terms and fields (0: no match)."""

    term: str
    expansion: Expansion
    scores: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Postings(Inverted):
    """One generation of the index. Documents are numbered in document order."""

    ids: TermIds
    notes: tuple[NoteTerms, ...]
    lengths: NDArray[np.float64]
    """Field lengths, shape (FIELDS, notes)."""
    averages: tuple[float, ...]

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The terms that some note holds."""
        fields = len(FIELDS)
        held = (self.starts[fields::fields] - self.starts[:-fields:fields]) > 0
        alive = np.flatnonzero(held)
        names = self.ids.terms
        pairs = sorted((names[i], i) for i in alive.tolist())
        return Vocabulary([term for term, _ in pairs], np.asarray([i for _, i in pairs], dtype=np.int64))

    @cached_property
    def _expansions(self) -> dict[tuple[str, int], Expansion]:
        return {}

    @cached_property
    def _descriptions(self) -> dict[tuple[str, int], TermExpansion]:
        return {}

    @cached_property
    def _norms(self) -> dict[tuple[float, float], NDArray[np.float64]]:
        return {}

    def expand(self, term: str, text: Text) -> Expansion:
        """The expansion of ``term``; remembered, since typing asks for the same terms again and again."""
        key = _expansion_key(term, text)
        known = self._expansions.get(key)
        if known is None:
            if len(self._expansions) >= _CACHED_EXPANSIONS:
                self._expansions.clear()
            known = self._expansions[key] = self.vocabulary.expand(term, text)
        return known

    def warm(self) -> None:
        """Computes now what the first look-up would otherwise wait for."""
        self.vocabulary.warm()

    def forget(self) -> None:
        """Drops remembered expansions, so that the next query does all of its work."""
        self._expansions.clear()
        self._descriptions.clear()

    def exact(self, term: str) -> Expansion:
        """The expansion of ``term`` to itself alone."""
        return self.vocabulary.only(term)

    def norms(self, text: Text) -> NDArray[np.float64]:
        """Length norms, shape (FIELDS, notes)."""
        key = (text.k, text.b)
        known = self._norms.get(key)
        if known is None:
            known = self._norms[key] = np.stack(
                [
                    bm25.length_norm(self.lengths[field], self.averages[field], text.k, text.b)
                    for field in range(len(FIELDS))
                ]
            )
        return known

    def match(self, term: str, text: Text) -> TermMatches:
        """The scores of one query term over all notes."""
        expansion = self.expand(term, text)
        fields = len(FIELDS)
        count = len(self.notes)
        if not len(expansion.ids):
            return TermMatches(term, expansion, np.zeros(count))
        rows = (expansion.ids[:, None] * fields + np.arange(fields)).ravel()
        df = self.starts[rows + 1] - self.starts[rows]
        boosts = np.asarray([text.boost[name] for name in FIELDS])
        weights = np.repeat(expansion.weights, fields) * np.tile(boosts, len(expansion.ids))
        used = df > 0
        rows, df, weights = rows[used], df[used], weights[used]
        positions = ranges(self.starts[rows], df)
        documents = self.documents[positions]
        tf = self.frequencies[positions].astype(np.float64)
        norm = self.norms(text)[np.repeat(rows % fields, df), documents]
        row_idf = np.asarray([bm25.idf(count, notes) for notes in df.tolist()], dtype=np.float64)
        scores = np.repeat(weights, df) * bm25.term_score(np.repeat(row_idf, df), tf, norm, text.k, text.d)
        sums = np.bincount(documents, weights=scores, minlength=count).astype(np.float64, copy=False)
        return TermMatches(term, expansion, sums)

    def describe(self, term: str, text: Text) -> TermExpansion:
        """What answers ``term``, for a trace: the heaviest matches with their document frequencies, and counts."""
        key = _expansion_key(term, text)
        known = self._descriptions.get(key)
        if known is None:
            if len(self._descriptions) >= _CACHED_EXPANSIONS:
                self._descriptions.clear()
            known = self._descriptions[key] = self._described(self.expand(term, text))
        return known

    def _described(self, expansion: Expansion) -> TermExpansion:
        heaviest = np.argsort(-expansion.weights, kind="stable")[:_DESCRIBED_MATCHES].tolist()
        counts = np.bincount(expansion.kinds, minlength=len(KINDS))
        matches = []
        for position in heaviest:
            identity = int(expansion.ids[position])
            matches.append(
                TermMatch(
                    from_utf16(self.ids.terms[identity]),
                    KINDS[expansion.kinds[position]],
                    float(expansion.weights[position]),
                    int(expansion.distances[position]),
                    {name: self.df(identity, field) for field, name in enumerate(FIELDS)},
                )
            )
        return TermExpansion(
            from_utf16(expansion.term),
            tuple(matches),
            int(counts[0]),
            int(counts[1]),
            int(counts[2]),
            self.notes_with(expansion.ids),
        )

    def notes_with(self, term_ids: NDArray[np.int64]) -> int:
        """How many notes hold any of the terms, in any field."""
        if not len(term_ids):
            return 0
        fields = len(FIELDS)
        begin, end = self.starts[term_ids * fields], self.starts[term_ids * fields + fields]
        seen = np.zeros(len(self.notes), dtype=bool)
        seen[self.documents[ranges(begin, end - begin)]] = True
        return int(seen.sum())


def _expansion_key(term: str, text: Text) -> tuple[str, int]:
    return term, hash((text.prefix_weight, text.prefix_slope, text.fuzzy_weight, text.fuzzy_ratio, text.fuzzy_max))


def build(notes: Sequence[NoteTerms], ids: TermIds) -> Postings:
    """Postings of ``notes`` in document order; rows keep that order."""
    fields = len(FIELDS)
    rows = invert([note.rows for note in notes], [note.tf for note in notes], fields, len(ids.terms))
    lengths = np.asarray([note.lengths for note in notes], dtype=np.float64).reshape(-1, fields).T
    averages = tuple(bm25.running_mean([note.lengths[field] for note in notes]) for field in range(fields))
    return Postings(
        rows.fields,
        rows.starts,
        rows.documents,
        rows.frequencies,
        ids,
        tuple(notes),
        np.ascontiguousarray(lengths),
        averages,
    )
