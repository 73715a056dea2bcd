"""A text index like the one that MiniSearch builds for each query (``docs/reference/byterover-v4.md``)."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.byterover_v4.documents import TopicDocument, term, tokens
from brvtui.engines.byterover_v4.profile import FIELDS, TopicTextRules
from brvtui.ranking import bm25
from brvtui.text.vocabulary import KINDS, Expansion, JoinedLines, Vocabulary
from brvtui.trace import Contribution

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


_KEPT_MATCHES = 32


class DuplicateIds(ValueError):
    """Two documents have the same id, which makes every query fail. The message is V4's own."""

    def __init__(self, identity: str) -> None:
        super().__init__(f"MiniSearch: duplicate ID {identity}")
        self.id = identity


@dataclass(frozen=True, eq=False)
class TokenMatches:
    """The matches of one query token, with index terms in MiniSearch's order."""

    token: str
    expansion: Expansion
    documents: Ints
    """The documents that match the token, in the order of their first match."""
    sums: Floats
    """The sum of the token's contributions to each document."""
    terms: Sequence[str]
    """All terms of the index, keyed by id."""

    @cached_property
    def places(self) -> dict[str, int]:
        """The position of each term in ``expansion``."""
        return {self.terms[identity]: place for place, identity in enumerate(self.expansion.ids.tolist())}


@dataclass(frozen=True, slots=True, eq=False)
class RawSearch:
    """The documents that match any token, best first."""

    tokens: tuple[TokenMatches, ...]
    documents: Ints
    sums: Floats
    """The term sum of each document in ``documents``."""
    matched: Ints
    """The number of distinct tokens that match each document."""
    raw: Floats
    """The raw scores, highest first. Each is a term sum times the number of matched tokens."""


class TopicIndex:
    """Postings of documents. All statistics (N, frequencies, mean lengths) count only these documents."""

    def __init__(self, documents: Sequence[TopicDocument]) -> None:
        """Counts the terms of ``documents``. Raises :class:`DuplicateIds`."""
        seen: set[str] = set()
        for document in documents:
            if document.id in seen:
                raise DuplicateIds(document.id)
            seen.add(document.id)
        self.documents = tuple(documents)
        self.numbers: dict[str, int] = {}
        """The index in ``paths`` of each path that results can show."""
        self.topic_of = np.asarray(
            [self.numbers.setdefault(one.path, len(self.numbers)) for one in self.documents], dtype=np.int64
        )
        """For each document, the index in ``paths`` of the document's path."""
        self.paths = tuple(self.numbers)
        ids: dict[str, int] = {}
        keys, holders, counts = array("q"), array("q"), array("q")
        width = len(FIELDS)
        for place, document in enumerate(self.documents):
            for field, terms in enumerate(document.terms):
                keys.extend([ids.setdefault(name, len(ids)) * width + field for name in terms])
                holders.extend([place] * len(terms))
                counts.extend(terms.values())
        self.terms = list(ids)
        """All terms, in order of first occurrence."""
        self.ids = ids
        rows = np.asarray(keys, dtype=np.int64)
        order = np.argsort(rows, kind="stable")
        self._holders = np.asarray(holders, dtype=np.int64)[order]
        self._counts = np.asarray(counts, dtype=np.int64)[order].astype(np.float64)
        self._starts = np.searchsorted(rows[order], np.arange(len(ids) * width + 1))
        lengths = [document.lengths for document in self.documents]
        self.lengths = np.asarray(lengths, dtype=np.float64).reshape(len(lengths), width).T
        self._matches: dict[str, tuple[TopicTextRules, TokenMatches]] = {}
        self._idfs: dict[int, float] = {}
        self._lengths_normed: tuple[tuple[float, float], Floats] | None = None
        self.averages = tuple(bm25.running_mean(column.tolist()) for column in self.lengths)

    def __len__(self) -> int:
        return len(self.documents)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The terms of the documents, for finding the matches of a token."""
        pairs = sorted(self.ids.items())
        return Vocabulary([name for name, _ in pairs], np.asarray([place for _, place in pairs], dtype=np.int64))

    def expand(self, token: str, rules: TopicTextRules) -> Expansion:
        """The terms that match ``token``, in MiniSearch's order."""
        ids = self.vocabulary.ids  # ids are numbers in order of first occurrence
        return self.vocabulary.in_tree_order(self.vocabulary.expand(token, rules), self.terms, lambda: ids)

    def _matched(self, token: str, rules: TopicTextRules) -> TokenMatches:
        """The result of :meth:`match`, cached for the most recent tokens, because typing changes only one word."""
        cached = self._matches.get(token)
        if cached is not None and cached[0] is rules:
            return cached[1]
        if len(self._matches) >= _KEPT_MATCHES:
            self._matches.clear()
        matches = self.match(token, rules)
        self._matches[token] = rules, matches
        return matches

    def match(self, token: str, rules: TopicTextRules) -> TokenMatches:
        """The documents that ``token`` matches, with the sum of the token's contributions to each document."""
        expansion = self.expand(token, rules)
        width = len(FIELDS)
        rows = (expansion.ids[:, None] * width + np.arange(width)).ravel()
        spans = self._starts[rows + 1] - self._starts[rows]
        filled = np.flatnonzero(spans)
        rows, spans = rows[filled], spans[filled]
        if not len(rows):
            return TokenMatches(token, expansion, np.zeros(0, dtype=np.int64), np.zeros(len(self)), self.terms)
        weights = (expansion.weights[:, None] * np.asarray([rules.boost[name] for name in FIELDS])).ravel()
        fields = rows % width
        entries = np.repeat(self._starts[rows] - np.cumsum(spans) + spans, spans) + np.arange(spans.sum())
        touched = self._holders[entries]
        idfs = np.asarray([self._idf(df) for df in spans.tolist()])
        norms = self._norms(rules)[np.repeat(fields, spans), touched]
        scores = bm25.term_score(np.repeat(idfs, spans), self._counts[entries], norms, rules.k, rules.d)
        values = np.repeat(weights[filled], spans) * scores
        # bincount adds from left to right, as MiniSearch does
        sums = np.bincount(touched, weights=values, minlength=len(self)).astype(np.float64, copy=False)
        return TokenMatches(token, expansion, in_order_of_first(touched, len(self)), sums, self.terms)

    def containing(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """A mask of the documents that contain any of ``words``, even inside a longer word. The words must consist of
        ASCII letters and digits.

        Such a word cannot extend over two terms, so it is enough to search the terms instead of the text.
        """
        mask = np.zeros(len(self), dtype=bool)
        width = len(FIELDS)
        for word in words:
            for identity in self._joined.containing(word):
                mask[self._holders[self._starts[identity * width] : self._starts[(identity + 1) * width]]] = True
        return mask

    @cached_property
    def _joined(self) -> JoinedLines:
        return JoinedLines(self.terms)

    def _idf(self, df: int) -> float:
        idf = self._idfs.get(df)
        if idf is None:
            idf = self._idfs[df] = bm25.idf(len(self), df)
        return idf

    def _norms(self, rules: TopicTextRules) -> Floats:
        """The part of each score's denominator that depends only on the field and the document."""
        key = rules.k, rules.b
        if self._lengths_normed is None or self._lengths_normed[0] != key:
            columns = [
                bm25.length_norm(lengths, average, rules.k, rules.b)
                for lengths, average in zip(self.lengths, self.averages, strict=True)
            ]
            self._lengths_normed = key, np.asarray(columns)
        return self._lengths_normed[1]

    def search(self, text: str, rules: TopicTextRules) -> RawSearch:
        """The documents that match any token of ``text``, best first. Documents with equal scores are in the order of
        their first match.
        """
        names = [term(token) for token in tokens(text)]
        by_name = {name: self._matched(name, rules) for name in dict.fromkeys(names)}
        matches = [by_name[name] for name in names]
        sums = np.zeros(len(self))
        for one in matches:
            sums += one.sums  # a token that occurs twice is added twice
        matched = np.zeros(len(self), dtype=np.int64)
        for one in by_name.values():
            matched[one.documents] += 1
        touched = [one.documents for one in by_name.values()]
        documents = in_order_of_first(np.concatenate(touched), len(self)) if touched else np.zeros(0, dtype=np.int64)
        raw = bm25.raw_score(sums[documents], matched[documents])
        order = np.argsort(-raw, kind="stable")
        documents = documents[order]
        return RawSearch(tuple(matches), documents, sums[documents], matched[documents], raw[order])

    def contributions(
        self, document: int, matches: Sequence[TokenMatches], rules: TopicTextRules
    ) -> list[Contribution]:
        """The contributions of each token, term and field to the term sum of ``document``, in order."""
        result = []
        for one in matches:
            steps = zip(one.expansion.ids.tolist(), one.expansion.weights.tolist(), one.expansion.kinds, strict=True)
            for identity, weight, kind in steps:
                for field, name in enumerate(FIELDS):
                    start, end = self._span(identity, field)
                    place = start + int(np.searchsorted(self._holders[start:end], document))
                    if place >= end or self._holders[place] != document:
                        continue
                    tf, length = float(self._counts[place]), float(self.lengths[field, document])
                    idf = bm25.idf(len(self), end - start)
                    norm = bm25.length_norm(np.asarray([length]), self.averages[field], rules.k, rules.b)
                    score = bm25.term_score(np.asarray([idf]), np.asarray([tf]), norm, rules.k, rules.d)
                    boost = rules.boost[name]
                    result.append(
                        Contribution(
                            one.token, self.terms[identity], KINDS[kind], name, int(tf), end - start, idf, int(length),
                            self.averages[field], weight, boost, float((weight * boost) * score[0]),
                        )
                    )  # fmt: skip
        return result

    def _span(self, identity: int, field: int) -> tuple[int, int]:
        row = identity * len(FIELDS) + field
        return int(self._starts[row]), int(self._starts[row + 1])


def in_order_of_first(places: Ints, size: int) -> Ints:
    """The distinct numbers in ``places``, all below ``size``, in order of first occurrence."""
    first = np.full(size, len(places), dtype=np.int64)
    first[places[::-1]] = np.arange(len(places) - 1, -1, -1)
    distinct = np.flatnonzero(first < len(places))
    return distinct[np.argsort(first[distinct])]
