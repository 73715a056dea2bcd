"""The index terms that match a query term: the term itself, longer terms that begin with it, and terms a few edits
away.

See ``docs/reference/byterover.md``, "Text relevance". Terms are in UTF-16 form (:func:`brvtui.text.analysis.utf16`).
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from brvtui.text.analysis import fold, from_utf16
from brvtui.text.constants import ExpansionRules
from brvtui.trace import MatchKind

# The order in which MiniSearch's radix tree lists terms. It decides ties and the last digits of sums. A node lists its
# branches in the order in which they took their present form: a term that ends or branches inside an edge splits it,
# and the split edge moves to the end. So a branch is as old as the node to which it leads, and two branches can be
# compared without building a tree.


AFTER_ANY_SUFFIX = "\U0010ffff"
_NEVER = np.iinfo(np.int64).max


def tree_order(terms: Sequence[str], inserted: NDArray[np.int64], some: Sequence[int]) -> list[int]:
    """Sorts positions of terms in the order of a walk over the tree. ``terms`` is sorted, and
    ``some`` contains ascending positions in it.

    ``inserted`` is the insertion time of each of ``terms``; the tree contains all of them.
    """
    met: list[int] = []
    pending = [(0, some)] if some else []
    while pending:
        shared, places = pending.pop()
        if len(places) == 1:
            met += places
            continue
        shared = _shared_length(terms[places[0]], terms[places[-1]], shared)
        branches: list[tuple[int, Sequence[int]]] = []
        while places:
            beginning = terms[places[0]][: shared + 1]
            if len(beginning) == shared:  # this is the term that ends at this node
                count, age = 1, int(inserted[places[0]])
            else:
                low = bisect_left(terms, beginning, 0, places[0] + 1)
                high = bisect_left(terms, beginning + AFTER_ANY_SUFFIX, low)
                count, age = bisect_left(places, high), _node_age(terms, inserted, low, high, shared + 1)
            branches.append((age, places[:count]))
            places = places[count:]
        branches.sort(key=lambda branch: -branch[0])
        pending += [(shared, branch) for _, branch in branches]
    return met


def _node_age(terms: Sequence[str], inserted: NDArray[np.int64], low: int, high: int, shared: int) -> int:
    """The time at which a node of the tree was created: the node below which are exactly ``terms[low:high]``, which
    share their first ``shared`` characters.

    A node is created by the first insertion of a term that ends at the node, or that branches off there from the oldest
    of the terms.
    """
    ages = inserted[low:high]
    oldest = int(ages.argmin())
    node = _shared_length(terms[low], terms[high - 1], shared)
    if len(terms[low + oldest]) == node:
        return int(ages[oldest])
    branch = terms[low + oldest][: node + 1]
    start = bisect_left(terms, branch, low, high) - low
    end = bisect_left(terms, branch + AFTER_ANY_SUFFIX, low, high) - low
    return int(min(ages[:start].min(initial=_NEVER), ages[end:].min(initial=_NEVER)))


def _shared_length(one: str, other: str, known: int) -> int:
    """The length of the common prefix of ``one`` and ``other``, which is at least ``known``."""
    longest = min(len(one), len(other))
    while known < longest:
        middle = (known + longest + 1) // 2
        alike = one[known:middle] == other[known:middle]
        known, longest = (middle, longest) if alike else (known, middle - 1)
    return known


_SHORTEST_STEM = 3
_MOST_FORMS = 3
_SHORT_STEM = 4
"""The maximum length of a short stem. Terms must begin with the whole of a short stem, except for
:data:`_LAST_LETTERS`, because without its last letter, a short stem would match too many terms.
"""
_LAST_LETTERS = {"i": "y", "e": "i"}
"""The last letter of a short stem, and the letter that a word may have in its place, as in body (stem bodi) and coding
(stem code).
"""
_LONGEST_ENDING = 6
"""The maximum number of letters after the stem. Longer terms are skipped, because stemming takes 30 µs per term."""
_BITS = 64
_Number = TypeVar("_Number", np.int64, np.uint64)
TermWithId = tuple[str, int]
"""A term and its id."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """The index terms that match one query term, as parallel arrays. The exact term, if any, comes first."""

    term: str
    ids: NDArray[np.int64]
    weights: NDArray[np.float64]
    distances: NDArray[np.int64]
    """The number of edits for a fuzzy match, or of missing characters for a prefix match; 0 for an exact match."""
    kinds: NDArray[np.int8]
    """The kinds of match, as positions in :data:`KINDS`."""


KINDS = (MatchKind.EXACT, MatchKind.PREFIX, MatchKind.FUZZY)
_PREFIX = KINDS.index(MatchKind.PREFIX)


class Vocabulary:
    """The terms that occur in at least one note, sorted, with their ids in the postings."""

    def __init__(self, terms: list[str], ids: NDArray[np.int64]) -> None:
        """Creates a vocabulary. ``terms`` are sorted; ``ids[i]`` is the id of ``terms[i]``."""
        self._terms = terms
        self.ids = ids
        self._by_length: dict[int, _Bucket] | None = None
        self._folded: str | None = None

    def __len__(self) -> int:
        return len(self._terms)

    def beginning_with(self, term: str) -> NDArray[np.int64]:
        """The ids of the terms that begin with ``term``."""
        start = bisect_left(self._terms, term)
        return self.ids[start : bisect_left(self._terms, term + AFTER_ANY_SUFFIX, start)]

    def expand(self, term: str, text: ExpansionRules) -> Expansion:
        """Every term that matches ``term``, weighted by the rules in ``text``. A prefix match is never also a fuzzy
        match.
        """
        length = len(term)
        start = bisect_left(self._terms, term)
        end = bisect_left(self._terms, term + AFTER_ANY_SUFFIX)
        has_exact = start < end and self._terms[start] == term
        found = self._terms[start:end]
        ids = self.ids[start:end]
        lengths = np.fromiter((len(t) for t in found), dtype=np.float64, count=len(found))
        missing = lengths - length
        weights = text.prefix_weight * lengths / np.maximum(lengths + text.prefix_slope * missing, 1)
        kinds = np.full(len(found), 1, dtype=np.int8)
        if has_exact:
            weights[0], kinds[0] = 1.0, 0
        fuzzy_ids, distances, fuzzy_lengths = self._fuzzy(term, text, set(ids.tolist()))
        fuzzy_weights = text.fuzzy_weight * fuzzy_lengths / np.maximum(fuzzy_lengths + distances, 1)
        return Expansion(
            term,
            np.concatenate([ids, fuzzy_ids]),
            np.concatenate([weights, fuzzy_weights]),
            np.concatenate([missing.astype(np.int64), distances]),
            np.concatenate([kinds, np.full(len(fuzzy_ids), 2, dtype=np.int8)]),
        )

    def in_tree_order(
        self, found: Expansion, names: Sequence[str], inserted: Callable[[], NDArray[np.int64]]
    ) -> Expansion:
        """``found`` in MiniSearch's order of terms: the exact match, then prefix matches in reverse tree order
        (:func:`tree_order`), then fuzzy matches in tree order.

        ``names`` are the terms, keyed by id. ``inserted`` returns the time at which each term of this vocabulary was
        added to the tree.
        """
        if np.bincount(found.kinds, minlength=len(KINDS))[1:].max() < 2:
            return found
        place_of = [bisect_left(self._terms, names[identity]) for identity in found.ids.tolist()]
        walk = dict(zip(tree_order(self._terms, inserted(), sorted(place_of)), range(len(place_of)), strict=True))
        met = np.asarray([walk[place] for place in place_of])
        order = np.lexsort((np.where(found.kinds == _PREFIX, -met, met), found.kinds))
        return Expansion(found.term, found.ids[order], found.weights[order], found.distances[order], found.kinds[order])

    def other_forms(self, term: str) -> list[str]:
        """Up to three terms with the same English stem (Snowball) as ``term``, the shortest first.

        An example is ``sharpen`` for ``sharpening``. Expansion does not find it, because it does not begin with
        ``sharpening`` and is more than a few edits away.
        """
        stem = _stem(term)
        if len(stem) < _SHORTEST_STEM:
            return []
        beginning = stem[:-1]
        start, end = bisect_left(self._terms, beginning), bisect_left(self._terms, beginning + AFTER_ANY_SUFFIX)
        likely: tuple[str, ...] = (beginning,)
        if len(stem) <= _SHORT_STEM:
            likely = (stem, beginning + _LAST_LETTERS.get(stem[-1], stem[-1]))
        near = (one for one in self._terms[start:end] if len(one) <= len(stem) + _LONGEST_ENDING)
        forms = [one for one in near if one.startswith(likely) and _stem(one) == stem]
        return sorted(forms, key=lambda other: (len(other), other))[:_MOST_FORMS]

    def containing(self, folded: str) -> dict[str, int]:
        """The terms whose folded form contains ``folded``, with their ids; empty if ``folded`` is empty."""
        if self._folded is None:
            self._folded = fold(from_utf16("\n".join([*self._terms, ""])))
        found, place, begin, at = {}, 0, 0, self._folded.find(folded) if folded else -1
        while at >= 0:
            place += self._folded.count("\n", begin, at)
            found[from_utf16(self._terms[place])] = int(self.ids[place])
            begin, at = at, self._folded.find(folded, self._folded.index("\n", at))
        return found

    def warm(self) -> None:
        """Sorts the terms into buckets by length, so that the first look-up is fast."""
        self._buckets()

    def changed(self, added: Sequence[TermWithId], removed: Sequence[TermWithId]) -> Vocabulary:
        """This vocabulary with the terms ``added`` and without the terms ``removed``, each given with its id."""
        if not added and not removed:
            return self
        terms, out, places = _spliced(self._terms, added, removed)
        ids = _replaced(self.ids, out, places, [identity for _, identity in sorted(added)])
        vocabulary = Vocabulary(terms, ids)
        if self._by_length is not None:
            vocabulary._by_length = dict(self._by_length)
            for length in {len(term) for term, _ in (*added, *removed)}:
                bucket = vocabulary._by_length.get(length, _Bucket([], self.ids[:0], np.zeros(0, dtype=np.uint64)))
                own = [[named for named in some if len(named[0]) == length] for some in (added, removed)]
                vocabulary._by_length[length] = bucket.changed(own[0], own[1])
        return vocabulary

    def only(self, term: str) -> Expansion:
        """The expansion of ``term`` that contains only the term itself; empty if no note contains ``term``."""
        place = bisect_left(self._terms, term)
        is_present = place < len(self._terms) and self._terms[place] == term
        count = int(is_present)
        return Expansion(
            term,
            self.ids[place : place + count],
            np.ones(count),
            np.zeros(count, dtype=np.int64),
            np.zeros(count, dtype=np.int8),
        )

    def _fuzzy(
        self, term: str, text: ExpansionRules, taken: set[int]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        farthest = min(text.fuzzy_max, math.floor(text.fuzzy_ratio * len(term) + 0.5))
        ids: list[int] = []
        distances: list[int] = []
        lengths: list[int] = []
        if farthest > 0:
            buckets = self._buckets()
            mask = _letters([term])[0]
            for length in range(max(1, len(term) - farthest), len(term) + farthest + 1):
                bucket = buckets.get(length)
                if bucket is None:
                    continue
                # An edit changes at most two bits, because it removes one letter and adds another.
                near = np.flatnonzero(np.bitwise_count(bucket.letters ^ mask) <= 2 * farthest)
                candidates = [bucket.terms[place] for place in near.tolist()]
                if not candidates:
                    continue
                edits = cdist([term], candidates, scorer=Levenshtein.distance, score_cutoff=farthest, dtype=np.uint8)[0]
                for position in np.flatnonzero(edits <= farthest).tolist():
                    identity = int(bucket.ids[near[position]])
                    if identity not in taken:
                        ids.append(identity)
                        distances.append(int(edits[position]))
                        lengths.append(length)
        return (
            np.asarray(ids, dtype=np.int64),
            np.asarray(distances, dtype=np.int64),
            np.asarray(lengths, dtype=np.float64),
        )

    def _buckets(self) -> dict[int, _Bucket]:
        if self._by_length is None:
            members: dict[int, tuple[list[str], list[int]]] = {}
            for term, identity in zip(self._terms, self.ids.tolist(), strict=True):
                terms, ids = members.setdefault(len(term), ([], []))
                terms.append(term)
                ids.append(identity)
            self._by_length = {
                length: _Bucket(terms, np.asarray(ids, dtype=np.int64), _letters(terms))
                for length, (terms, ids) in members.items()
            }
        return self._by_length


@dataclass(frozen=True, slots=True)
class _Bucket:
    """Terms of one length, their ids, and the set of letters in each term."""

    terms: list[str]
    ids: NDArray[np.int64]
    letters: NDArray[np.uint64]

    def changed(self, added: Sequence[TermWithId], removed: Sequence[TermWithId]) -> _Bucket:
        """This bucket with the terms ``added`` and without the terms ``removed``."""
        terms, out, places = _spliced(self.terms, added, removed)
        ordered = sorted(added)
        letters = _letters([term for term, _ in ordered]).tolist() if ordered else []
        ids = _replaced(self.ids, out, places, [identity for _, identity in ordered])
        return _Bucket(terms, ids, _replaced(self.letters, out, places, letters))


@lru_cache(4_096)
def _stem(term: str) -> str:
    """Returns the English stem of ``term``. Results are cached, because after a change to the tree, most terms are
    looked up again.
    """
    from snowballstemmer.english_stemmer import EnglishStemmer  # the import takes 30 ms, and few queries need it

    stem: str = EnglishStemmer().stemWord(term)
    return stem


def _spliced(
    terms: list[str], added: Sequence[TermWithId], removed: Sequence[TermWithId]
) -> tuple[list[str], list[int], list[int]]:
    """The sorted ``terms`` after a change, the positions of the removed terms, and the positions at which new ones are
    inserted.
    """
    out = [bisect_left(terms, term) for term, _ in sorted(removed)]
    result = list(terms)
    for place in reversed(out):
        del result[place]
    new = sorted(term for term, _ in added)
    places = [bisect_left(result, term) for term in new]
    for place, term in zip(reversed(places), reversed(new), strict=True):
        result.insert(place, term)
    return result, out, places


def _replaced(values: NDArray[_Number], out: list[int], places: list[int], new: list[int]) -> NDArray[_Number]:
    """``values`` without the entries at the indices ``out``. The ``new`` entries are inserted before the indices
    ``places`` of the remaining ones.
    """
    rest = np.delete(values, np.asarray(out, dtype=np.int64))
    return np.insert(rest, np.asarray(places, dtype=np.int64), np.asarray(new, dtype=values.dtype))


def _letters(terms: list[str]) -> NDArray[np.uint64]:
    """The set of letters in each of ``terms`` as a 64-bit mask. The terms must have the same length, which is not 0.
    Letters may share a bit.
    """
    units = np.frombuffer("".join(terms).encode("utf-16-le", "surrogatepass"), dtype=np.uint16)
    bits = np.left_shift(np.uint64(1), (units % _BITS).astype(np.uint64))
    letters: NDArray[np.uint64] = np.bitwise_or.reduce(bits.reshape(len(terms), -1), axis=1)
    return letters


class JoinedLines:
    """Many strings, joined as lines so that one pass finds every line that contains a text."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Joins ``lines``. A line break inside one of ``lines`` becomes a space."""
        texts = [line.replace("\n", " ") for line in lines]
        starts, start = [], 0
        for line in texts:
            starts.append(start)
            start += len(line) + 1
        self._starts, self._text = starts, "\n".join(texts)

    def containing(self, text: str, first: int = 0, after: int | None = None) -> Iterator[int]:
        """Yields the numbers of the lines that contain ``text``, in order; all lines if ``text`` is empty.

        Searches lines from ``first`` up to, but not including, ``after``.
        """
        end = len(self._text) if after is None or after >= len(self._starts) else self._starts[after] - 1
        at = self._starts[first] if first < len(self._starts) else end + 1
        while at <= end and (at := self._text.find(text, at, end)) >= 0:
            line = bisect_right(self._starts, at) - 1
            yield line
            if line + 1 == len(self._starts):
                return
            at = self._starts[line + 1]

    def matching(self, pattern: re.Pattern[str]) -> Iterator[int]:
        """Yields the numbers of the lines with a match of ``pattern``, in order. The pattern must not span lines."""
        at = 0
        while self._starts and (found := pattern.search(self._text, at)) is not None:
            line = bisect_right(self._starts, found.start()) - 1
            yield line
            if line + 1 == len(self._starts):
                return
            at = self._starts[line + 1]
