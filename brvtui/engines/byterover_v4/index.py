"""The text index over some documents, as MiniSearch makes it anew for every query (``docs/byterover_v4.md``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.byterover_v4.documents import TopicDocument
from brvtui.engines.byterover_v4.profile import FIELDS, TopicTextRules
from brvtui.engines.byterover_v4.term_tree import visiting_order
from brvtui.engines.byterover_v4.tokens import term, tokens
from brvtui.ranking import bm25
from brvtui.text.vocabulary import KINDS, Expansion, Vocabulary
from brvtui.trace import Contribution, MatchKind

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class DuplicateIds(ValueError):
    """Two documents of one id, with which no query is answered. The message is V4's."""

    def __init__(self, identity: str) -> None:
        super().__init__(f"MiniSearch: duplicate ID {identity}")
        self.id = identity


@dataclass(frozen=True, slots=True, eq=False)
class TokenMatches:
    """What one query token met: the index terms that answer it, in the order in which MiniSearch takes them."""

    token: str
    expansion: Expansion
    documents: Ints
    """Those that it touched, in order of first touch."""
    sums: Floats
    """By document: the sum of its contributions."""
    names: tuple[str, ...]
    """The terms of ``expansion``."""


@dataclass(frozen=True, slots=True, eq=False)
class RawSearch:
    """Every document that any token touched, best first."""

    tokens: tuple[TokenMatches, ...]
    documents: Ints
    sums: Floats
    """The term sum of each of ``documents``."""
    matched: Ints
    """How many distinct tokens touched each."""
    raw: Floats
    """Sum times count, descending."""


class TopicIndex:
    """Postings of documents. All numbers count these alone: N, frequencies, mean lengths."""

    def __init__(self, documents: Sequence[TopicDocument]) -> None:
        """Counts the terms of ``documents``. Raises :class:`DuplicateIds`."""
        seen: set[str] = set()
        for document in documents:
            if document.id in seen:
                raise DuplicateIds(document.id)
            seen.add(document.id)
        self.documents = tuple(documents)
        ids: dict[str, int] = {}
        keys: list[int] = []
        holders: list[int] = []
        counts: list[int] = []
        width = len(FIELDS)
        for place, document in enumerate(self.documents):
            for field, terms in enumerate(document.terms):
                for name, tf in terms.items():
                    keys.append(ids.setdefault(name, len(ids)) * width + field)
                    holders.append(place)
                    counts.append(tf)
        self.terms = list(ids)
        """In order of first occurrence."""
        self.ids = ids
        rows = np.asarray(keys, dtype=np.int64)
        order = np.argsort(rows, kind="stable")
        self._holders = np.asarray(holders, dtype=np.int64)[order]
        self._counts = np.asarray(counts, dtype=np.float64)[order]
        self._starts = np.searchsorted(rows[order], np.arange(len(ids) * width + 1))
        lengths = [document.lengths for document in self.documents]
        self.lengths = np.asarray(lengths, dtype=np.float64).reshape(len(lengths), width).T
        self.averages = tuple(bm25.running_mean(column.tolist()) for column in self.lengths)

    def __len__(self) -> int:
        return len(self.documents)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The terms of the documents."""
        pairs = sorted(self.ids.items())
        return Vocabulary([name for name, _ in pairs], np.asarray([place for _, place in pairs], dtype=np.int64))

    @cached_property
    def _visits(self) -> Ints:
        """By term id, when a walk through the radix tree of terms meets it."""
        made = np.zeros(len(self.terms), dtype=np.int64)
        made[[self.ids[name] for name in visiting_order(self.terms)]] = np.arange(len(self.terms))
        return made

    def df(self, identity: int, field: int) -> int:
        """How many documents hold the term in the field."""
        row = identity * len(FIELDS) + field
        return int(self._starts[row + 1] - self._starts[row])

    def expand(self, token: str, rules: TopicTextRules) -> Expansion:
        """The terms that answer ``token`` in MiniSearch's order: exact, prefix last to first, fuzzy first to last."""
        found = self.vocabulary.expand(token, rules)
        visits = self._visits[found.ids]
        prefix = found.kinds == KINDS.index(MatchKind.PREFIX)
        order = np.lexsort((np.where(prefix, -visits, visits), found.kinds))
        return Expansion(token, found.ids[order], found.weights[order], found.distances[order], found.kinds[order])

    def match(self, token: str, rules: TopicTextRules) -> TokenMatches:
        """The documents that ``token`` touches, with the sum of its contributions to each."""
        expansion = self.expand(token, rules)
        documents: list[Ints] = []
        values: list[Floats] = []
        for identity, weight in zip(expansion.ids.tolist(), expansion.weights.tolist(), strict=True):
            for field, boost in enumerate(rules.boost[name] for name in FIELDS):
                start, end = self._span(identity, field)
                if start == end:
                    continue
                held = self._holders[start:end]
                idf = bm25.idf(len(self), end - start)
                norm = bm25.length_norm(self.lengths[field, held], self.averages[field], rules.k, rules.b)
                score = bm25.term_score(np.asarray(idf), self._counts[start:end], norm, rules.k, rules.d)
                documents.append(held)
                values.append((weight * boost) * score)
        names = tuple(self.terms[identity] for identity in expansion.ids.tolist())
        if not documents:
            return TokenMatches(token, expansion, np.zeros(0, dtype=np.int64), np.zeros(len(self)), names)
        touched = np.concatenate(documents)
        # bincount adds from left to right, as MiniSearch does
        sums = np.bincount(touched, weights=np.concatenate(values), minlength=len(self)).astype(np.float64, copy=False)
        return TokenMatches(token, expansion, in_order_of_first(touched), sums, names)

    def search(self, text: str, rules: TopicTextRules) -> RawSearch:
        """Every document that any token of ``text`` touches; equal scores keep the order of first touch."""
        names = [term(token) for token in tokens(text)]
        known = {name: self.match(name, rules) for name in dict.fromkeys(names)}
        found = [known[name] for name in names]
        sums = np.zeros(len(self))
        for one in found:
            sums += one.sums  # a token that occurs twice adds twice
        matched = np.zeros(len(self), dtype=np.int64)
        for one in known.values():
            matched[one.documents] += 1
        touched = [one.documents for one in known.values()]
        documents = in_order_of_first(np.concatenate(touched)) if touched else np.zeros(0, dtype=np.int64)
        raw = bm25.raw_score(sums[documents], matched[documents])
        order = np.argsort(-raw, kind="stable")
        documents = documents[order]
        return RawSearch(tuple(found), documents, sums[documents], matched[documents], raw[order])

    def contributions(self, document: int, found: Sequence[TokenMatches], rules: TopicTextRules) -> list[Contribution]:
        """What each token, index term and field adds to the term sum of ``document``, in the order of adding."""
        made = []
        for one in found:
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
                    made.append(
                        Contribution(
                            one.token, self.terms[identity], KINDS[kind], name, int(tf), end - start, idf, int(length),
                            self.averages[field], weight, boost, float((weight * boost) * score[0]),
                        )
                    )  # fmt: skip
        return made

    def _span(self, identity: int, field: int) -> tuple[int, int]:
        row = identity * len(FIELDS) + field
        return int(self._starts[row]), int(self._starts[row + 1])


def in_order_of_first(places: Ints) -> Ints:
    """The distinct ``places``, each where it first occurs."""
    distinct, first = np.unique(places, return_index=True)
    return distinct[np.argsort(first)]
