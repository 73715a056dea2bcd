"""The inverted index behind all text relevance.

A generation consists of a large *base* and a small *delta*. Both are immutable, and neighbouring generations share them
(:mod:`brvtui.text.segment`). Each note has a *slot*. The slots of the base come first, then those of the delta. A
changed note moves to a new slot in the delta, so that the cost of a change depends only on that note. A large delta is
folded into the base. Document frequencies are exact, because they count only notes that still exist.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from brvtui.derived import Derived, Key
from brvtui.ranking import bm25
from brvtui.text.analysis import from_utf16
from brvtui.text.constants import TextRules
from brvtui.text.segment import FIELDS, NoteTerms, Segment, TermIds, merged, ranges, renumbered, segment
from brvtui.text.vocabulary import KINDS, Expansion, Vocabulary
from brvtui.trace import TermExpansion, TermMatch

FOLD_FROM = 1_000
"""Folding is worth the cost once this many notes are in the delta or have been removed from the base."""
MANY_TERMS = 4_000
"""Unused terms are kept as long as there are at most this many terms."""
_CACHED_EXPANSIONS = 4_096
"""The maximum number of cached expansions. No query has that many terms, so its results can be explained from the
cache.
"""
_NOTES_AT_ONCE = 4_096
_DESCRIBED_MATCHES = 24


_Expansions = dict[tuple[str, int], Expansion]
_Descriptions = dict[tuple[str, int], TermExpansion]
_Norms = dict[tuple[float, float], NDArray[np.float64]]
_FREQUENCIES: Key[NDArray[np.int64]] = Key("frequencies")
_VOCABULARY: Key[Vocabulary] = Key("vocabulary")
_EXPANSIONS: Key[_Expansions] = Key("expansions")
_ORDERED: Key[_Expansions] = Key("expansions in the engine's order")
_INSERTED: Key[NDArray[np.int64]] = Key("the order in which terms were added to the engine's radix tree")
_DESCRIPTIONS: Key[_Descriptions] = Key("descriptions")
_NORMS: Key[_Norms] = Key("norms")
_IDF: Key[_Idf] = Key("idf")
_SLOT_LENGTHS: Key[NDArray[np.float64]] = Key("lengths by slot")
_REORDERED: Key[list[tuple[NDArray[np.int64], Postings]]] = Key("the last other order of the notes")


class _Idf(dict[int, float]):
    """A cache of the idf for each document frequency. A query needs hundreds of values, and most of them are equal."""

    def __init__(self, notes: int) -> None:
        super().__init__()
        self._notes = notes

    def __missing__(self, df: int) -> float:
        value = self[df] = bm25.idf(self._notes, df)
        return value


@dataclass(frozen=True, slots=True)
class TermMatches:
    """The score of one query term for every note, summed over matching index terms and fields; 0 for notes that do not
    match.
    """

    term: str
    expansion: Expansion
    scores: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Collection:
    """Statistics over all notes of several trees, for the requested terms."""

    notes: int
    averages: tuple[float, ...]
    """The mean length of each field."""
    frequencies: Mapping[str, tuple[int, ...]]
    """For each term (UTF-16 form), the number of notes that contain it in each field."""


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """One generation of the index. Notes are numbered in document order."""

    ids: TermIds
    base: Segment
    delta: Segment
    slots: NDArray[np.int64]
    """The slot of each note, in document order."""
    gone: NDArray[np.int64]
    """For each row, the number of notes that contain it but were removed from the base."""
    averages: tuple[float, ...]
    """The mean length of each field."""
    derived: Derived = field(default_factory=Derived)

    def __len__(self) -> int:
        return len(self.slots)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of distinct terms in each note, counted per field and summed over the fields."""
        return np.concatenate([np.diff(part.notes.offsets) for part in (self.base, self.delta)])[self.slots]

    @property
    def frequencies(self) -> NDArray[np.int64]:
        """The document frequency of each row."""
        return self.derived.of(_FREQUENCIES, self._frequencies)

    def _frequencies(self) -> NDArray[np.int64]:
        counts = -self.gone
        for part in (self.base, self.delta):
            counts[: part.index.row_count] += np.diff(part.index.starts)
        return counts

    @property
    def vocabulary(self) -> Vocabulary:
        """The terms that occur in at least one note."""
        return self.derived.of(_VOCABULARY, self._vocabulary)

    def _vocabulary(self) -> Vocabulary:
        alive = np.flatnonzero(_held(self.frequencies))
        names = self.ids.terms
        pairs = sorted((names[i], i) for i in alive.tolist())
        return Vocabulary([term for term, _ in pairs], np.asarray([i for _, i in pairs], dtype=np.int64))

    @property
    def _slot_lengths(self) -> NDArray[np.float64]:
        return self.derived.of(
            _SLOT_LENGTHS, lambda: np.concatenate([self.base.notes.lengths, self.delta.notes.lengths], axis=1)
        )

    @property
    def lengths(self) -> NDArray[np.float64]:
        """Field lengths in document order, shape (FIELDS, notes)."""
        return self._slot_lengths[:, self.slots]

    def note(self, position: int) -> NoteTerms:
        """The terms of the note at ``position``."""
        slot = int(self.slots[position])
        first = len(self.base.notes)
        return self.base.notes.note(slot) if slot < first else self.delta.notes.note(slot - first)

    def df(self, term_id: int, field: int) -> int:
        """The number of notes that contain the term in the field."""
        return int(self.frequencies[term_id * len(FIELDS) + field])

    def expand(self, term: str, text: TextRules) -> Expansion:
        """The expansion of ``term``. It is cached, because while a user types, the same terms are requested
        many times.
        """
        key, expansions = _expansion_key(term, text), self.derived.of(_EXPANSIONS, _Expansions)
        expansion = expansions.get(key)
        if expansion is None:
            if len(expansions) >= _CACHED_EXPANSIONS:
                expansions.clear()
            expansion = expansions[key] = self.vocabulary.expand(term, text)
        return expansion

    def in_engine_order(self, term: str, text: TextRules) -> Expansion:
        """The expansion of ``term``, with the terms in the engine's order. Cached."""
        key, ordered = _expansion_key(term, text), self.derived.of(_ORDERED, _Expansions)
        expansion = ordered.get(key)
        if expansion is None:
            if len(ordered) >= _CACHED_EXPANSIONS:
                ordered.clear()
            found = self.expand(term, text)
            expansion = ordered[key] = self.vocabulary.in_tree_order(found, self.ids.terms, self._inserted)
        return expansion

    def _inserted(self) -> NDArray[np.int64]:
        """The time at which each term is inserted in the engine's tree, which is filled note by note, field by field,
        word by word.
        """
        return self.derived.of(_INSERTED, lambda: self._first_places()[self.vocabulary.ids])

    def term_counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each term id, the number of notes that contain the term in any field, and the number of times that it
        occurs in them.
        """
        rows, starts, sizes = self._forward_rows()
        tf = np.concatenate([self.base.notes.tf, self.delta.notes.tf])
        terms = len(self.ids.terms)
        df, cf = np.zeros(terms, dtype=np.int64), np.zeros(terms, dtype=np.int64)
        for begin in range(0, len(self), _NOTES_AT_ONCE):
            chosen = slice(begin, begin + _NOTES_AT_ONCE)
            places = ranges(starts[chosen], sizes[chosen])
            found = rows[places].astype(np.int64) // len(FIELDS)
            notes = np.repeat(np.arange(len(sizes[chosen])), sizes[chosen])
            cf += np.bincount(found, weights=tf[places], minlength=terms).astype(np.int64)
            df += np.bincount(np.unique(notes * terms + found) % max(terms, 1), minlength=terms)
        return df, cf

    def _forward_rows(self) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]]:
        """The rows of both segments' notes, and the position of each note's first row and the number of its rows."""
        parts = self.base.notes, self.delta.notes
        rows = np.concatenate([part.rows for part in parts])
        starts = np.concatenate([parts[0].offsets[:-1], parts[1].offsets[:-1] + len(parts[0].rows)])[self.slots]
        return rows, starts, self.sizes

    def _first_places(self) -> NDArray[np.int64]:
        """For each term id, the term's first position in the sequence of all notes' terms."""
        rows, starts, sizes = self._forward_rows()
        first = np.zeros(len(self.ids.terms), dtype=np.int64)
        left = int(sizes.sum())
        for end in range(len(self), 0, -_NOTES_AT_ONCE):
            chosen = slice(max(0, end - _NOTES_AT_ONCE), end)
            terms = rows[ranges(starts[chosen], sizes[chosen])] // len(FIELDS)
            first[terms[::-1]] = np.arange(left - 1, left - 1 - len(terms), -1)  # the first position is written last
            left -= len(terms)
        return first

    def first_matches(self, term: str, text: TextRules) -> NDArray[np.int64]:
        """The first match of ``term`` in each note, as a position in the list of all pairs of index term and field, in
        the engine's order. For a note without a match, it is the number of pairs.
        """
        rows = (self.in_engine_order(term, text).ids[:, None] * len(FIELDS) + np.arange(len(FIELDS))).ravel()
        found = np.full(len(self.base.notes) + len(self.delta.notes), len(rows))
        first = 0
        for part in (self.base, self.delta):
            begin, counts = part.index.spans(rows)
            documents = part.index.documents[ranges(begin, counts)].astype(np.int64) + first
            found[documents[::-1]] = np.repeat(np.arange(len(rows)), counts)[::-1]
            first += len(part.notes)
        return found[self.slots]

    def warm(self) -> None:
        """Computes in advance everything that the first look-up needs."""
        self.vocabulary.warm()
        _ = self._slot_lengths

    def forget(self) -> None:
        """Clears the cached expansions, so that the next query computes everything again."""
        for key in (_EXPANSIONS, _ORDERED):
            self.derived.of(key, _Expansions).clear()
        self.derived.of(_DESCRIPTIONS, _Descriptions).clear()

    def exact(self, term: str) -> Expansion:
        """The expansion of ``term`` that contains only the term itself."""
        return self.vocabulary.only(term)

    def norms(self, text: TextRules) -> NDArray[np.float64]:
        """Length norms by slot, shape (FIELDS, slots)."""
        key, norms = (text.k, text.b), self.derived.of(_NORMS, _Norms)
        norm = norms.get(key)
        if norm is None:
            norm = norms[key] = np.stack(
                [
                    bm25.length_norm(self._slot_lengths[field], self.averages[field], text.k, text.b)
                    for field in range(len(FIELDS))
                ]
            )
        return norm

    def match(self, term: str, text: TextRules, in_order: bool = False) -> TermMatches:
        """The scores of one query term over all notes. With ``in_order``, contributions are added in the engine's
        order.

        The order affects only the last digits.
        """
        expansion = self.in_engine_order(term, text) if in_order else self.expand(term, text)
        fields = len(FIELDS)
        count = len(self)
        if not len(expansion.ids):
            return TermMatches(term, expansion, np.zeros(count))
        rows = (expansion.ids[:, None] * fields + np.arange(fields)).ravel()
        df = self.frequencies[rows]
        boosts = np.asarray([text.boost[name] for name in FIELDS])
        weights = np.repeat(expansion.weights, fields) * np.tile(boosts, len(expansion.ids))
        used = df > 0
        rows, df, weights = rows[used], df[used], weights[used]
        idf = self.derived.of(_IDF, lambda: _Idf(count))
        row_idf = np.asarray([idf[notes] for notes in df.tolist()], dtype=np.float64)
        sums = np.zeros(len(self.base.notes) + len(self.delta.notes))
        first = 0
        for part in (self.base, self.delta):
            if len(part.notes):
                norms = self.norms(text)[:, first : first + len(part.notes)]
                sums[first : first + len(part.notes)] = _sums(part, rows, row_idf, weights, norms, text)
            first += len(part.notes)
        return TermMatches(term, expansion, sums[self.slots])

    def describe(self, term: str, text: TextRules) -> TermExpansion:
        """The expansion of ``term`` for a trace: the heaviest matches with their frequencies, and the number of all
        matches.
        """
        key, descriptions = _expansion_key(term, text), self.derived.of(_DESCRIPTIONS, _Descriptions)
        description = descriptions.get(key)
        if description is None:
            if len(descriptions) >= _CACHED_EXPANSIONS:
                descriptions.clear()
            description = descriptions[key] = self._described(self.expand(term, text))
        return description

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
        near = () if matches else map(from_utf16, self.vocabulary.other_forms(expansion.term))
        return TermExpansion(
            from_utf16(expansion.term),
            tuple(matches),
            int(counts[0]),
            int(counts[1]),
            int(counts[2]),
            self.notes_with(expansion.ids),
            tuple(near),
        )

    def notes_with(self, term_ids: NDArray[np.int64]) -> int:
        """The number of notes that contain any of the terms, in any field."""
        return int(self.has_any(term_ids).sum()) if len(term_ids) else 0

    def has_any(self, term_ids: NDArray[np.int64] | list[int]) -> NDArray[np.bool_]:
        """A mask of the notes that contain any of the terms, in any field."""
        rows = (np.asarray(term_ids, dtype=np.int64)[:, None] * len(FIELDS) + np.arange(len(FIELDS))).ravel()
        seen = np.zeros(len(self.base.notes) + len(self.delta.notes), dtype=bool)
        first = 0
        for part in (self.base, self.delta):
            places = ranges(*part.index.spans(rows))
            seen[part.index.documents[places].astype(np.int64) + first] = True
            first += len(part.notes)
        return seen[self.slots]

    def among(self, collection: Collection) -> Postings:
        """The postings of the same notes, scored with the statistics of a single index over all notes of
        ``collection``.
        """
        counts = self.frequencies.copy()
        fields = len(FIELDS)
        for term, frequencies in collection.frequencies.items():
            identity = self.ids.get(term, -1)
            if 0 <= identity < len(counts) // fields:
                counts[identity * fields : (identity + 1) * fields] = frequencies
        postings = replace(self, averages=collection.averages, derived=Derived())
        postings.derived.put(_FREQUENCIES, counts)
        postings.derived.put(_IDF, _Idf(collection.notes))
        postings.derived.put(_VOCABULARY, self.vocabulary)
        postings.derived.put(_EXPANSIONS, self.derived.of(_EXPANSIONS, _Expansions))
        postings.derived.put(_SLOT_LENGTHS, self._slot_lengths)
        return postings

    def detached(self) -> Postings:
        """A copy with independent term ids, so that other generations can be built from it."""
        return replace(self, ids=self.ids.detached())

    def changed(self, kept: NDArray[np.int64], new: Sequence[NoteTerms]) -> Postings:
        """The next generation. ``kept`` is its document order: each note's position in the current generation, or -1
        for the next of the ``new`` notes.

        Without new notes, the last generation with the same order is reused, with everything derived from it.
        """
        if new:
            return self._changed(kept, new)
        for order, postings in ((np.arange(len(self)), self), *self.derived.of(_REORDERED, list)):
            if np.array_equal(kept, order):
                return postings
        postings = self._changed(kept, new)
        self.derived.put(_REORDERED, [(kept, postings)])
        return postings

    def _changed(self, kept: NDArray[np.int64], new: Sequence[NoteTerms]) -> Postings:
        first = len(self.base.notes)
        stays = kept >= 0
        slots = np.full(len(kept), -1, dtype=np.int64)
        slots[stays] = self.slots[kept[stays]]
        left = np.zeros(first + len(self.delta.notes), dtype=bool)
        left[self.slots] = True
        left[slots[stays]] = False
        in_delta = np.sort(slots[slots >= first])
        moved = np.zeros(len(self.delta.notes) + 1, dtype=np.int64)
        moved[in_delta - first] = np.arange(len(in_delta)) + first
        again = slots >= first
        slots[again] = moved[slots[again] - first]
        slots[~stays] = np.arange(len(new)) + first + len(in_delta)
        survivors = [self.delta.notes.note(int(slot) - first) for slot in in_delta]
        terms = len(self.ids.terms)
        gone = np.zeros(terms * len(FIELDS), dtype=np.int64)
        gone[: len(self.gone)] = self.gone
        for slot in np.flatnonzero(left[:first]).tolist():
            gone[self.base.notes.note(slot).rows] += 1
        postings = _generation(self.ids, self.base, segment([*survivors, *new], terms), slots, gone)
        vocabulary = self.derived.known(_VOCABULARY)
        if vocabulary is not None:
            postings.derived.put(_VOCABULARY, self._next_vocabulary(vocabulary, postings))
            if postings.vocabulary is vocabulary:
                expansions = self.derived.of(_EXPANSIONS, _Expansions)
                postings.derived.put(_EXPANSIONS, dict(expansions))
        return postings

    def _next_vocabulary(self, vocabulary: Vocabulary, following: Postings) -> Vocabulary:
        before = np.zeros(len(self.ids.terms), dtype=bool)
        present = _held(self.frequencies)
        before[: len(present)] = present
        after = _held(following.frequencies)
        names = self.ids.terms
        removed = [(names[place], place) for place in np.flatnonzero(before & ~after).tolist()]
        added = [(names[place], place) for place in np.flatnonzero(after & ~before).tolist()]
        return vocabulary.changed(added, removed)

    @property
    def wants_folding(self) -> bool:
        """True if folding is worth its cost: many notes are in the delta or removed, or many terms are unused."""
        alive = int((self.slots < len(self.base.notes)).sum())
        changed = max(len(self.delta.notes), len(self.base.notes) - alive)
        return changed >= FOLD_FROM or (changed > 0 and self._many_terms_are_gone)

    @property
    def _many_terms_are_gone(self) -> bool:
        return len(self.ids.terms) > MANY_TERMS and len(self.ids.terms) > 2 * len(self.vocabulary)

    def folded(self) -> Postings:
        """The same generation with everything in the base. Terms are renumbered if many are unused."""
        ids = self.ids
        base, slots = merged(self.base, self.delta, self.slots, len(ids.terms))
        few = self._many_terms_are_gone
        if few:
            present = _held(self.frequencies)
            base = renumbered(base, np.append(present, np.zeros(len(ids.terms) - len(present), dtype=bool)))
            ids = TermIds([ids.terms[place] for place in np.flatnonzero(present).tolist()])
        nothing = np.zeros(base.index.row_count, dtype=np.int64)
        postings = Postings(ids, base, segment((), len(ids.terms)), slots, nothing, self.averages)
        vocabulary = self.derived.known(_VOCABULARY)
        if vocabulary is not None and not few:
            postings.derived.put(_VOCABULARY, vocabulary)
        return postings


def _sums(
    part: Segment,
    rows: NDArray[np.int64],
    row_idf: NDArray[np.float64],
    weights: NDArray[np.float64],
    norms: NDArray[np.float64],
    text: TextRules,
) -> NDArray[np.float64]:
    """The sum of scores in ``rows`` for each slot, added in the order of ``rows``, which affects the last digits."""
    begin, counts = part.index.spans(rows)
    places = ranges(begin, counts)
    documents = part.index.documents[places]
    tf = part.index.frequencies[places].astype(np.float64)
    norm = norms[np.repeat(rows % len(FIELDS), counts), documents]
    scores = np.repeat(weights, counts) * bm25.term_score(np.repeat(row_idf, counts), tf, norm, text.k, text.d)
    return np.bincount(documents, weights=scores, minlength=len(part.notes)).astype(np.float64, copy=False)


def _held(frequencies: NDArray[np.int64]) -> NDArray[np.bool_]:
    """A mask of the terms that occur in any note. Works field by field, because reducing an array with rows of length
    three is slow.
    """
    by_term = frequencies.reshape(-1, len(FIELDS))
    present = by_term[:, 0] > 0
    for place in range(1, len(FIELDS)):
        present |= by_term[:, place] > 0
    return present


def _expansion_key(term: str, text: TextRules) -> tuple[str, int]:
    return term, hash((text.prefix_weight, text.prefix_slope, text.fuzzy_weight, text.fuzzy_ratio, text.fuzzy_max))


def build(notes: Sequence[NoteTerms], ids: TermIds) -> Postings:
    """The postings of ``notes``, which are in document order. All notes are in the base."""
    return of_base(segment(notes, len(ids.terms)), np.arange(len(notes)), ids)


def of_base(base: Segment, slots: NDArray[np.int64], ids: TermIds) -> Postings:
    """The postings of every note in ``base``; ``slots`` is the document order of the notes."""
    terms = len(ids.terms)
    return _generation(ids, base, segment((), terms), slots, np.zeros(terms * len(FIELDS), dtype=np.int64))


def _generation(
    ids: TermIds, base: Segment, delta: Segment, slots: NDArray[np.int64], gone: NDArray[np.int64]
) -> Postings:
    lengths = np.concatenate([base.notes.lengths, delta.notes.lengths], axis=1)
    averages = tuple(bm25.running_mean(row.tolist()) for row in lengths[:, slots])
    postings = Postings(ids, base, delta, slots, gone, averages)
    postings.derived.put(_SLOT_LENGTHS, lengths)
    return postings
