"""A tantivy index in memory that follows its documents: one that changed costs what it holds, not what all do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import tantivy
from numpy.typing import NDArray

KEY = "key"
_WRITER_BYTES = 50_000_000
_ONE_IN = 20
"""When more than one in so many documents changed since the whole was written, that is done again."""


@dataclass(slots=True, eq=False)
class _Written:
    """What all generations of an index share."""

    schema: tantivy.Schema
    index: tantivy.Index
    keys: int = 0
    """How many documents were ever written; each has its number as key."""
    since: int = 0
    """How many were written or removed after the whole was written."""
    newest: Growing | None = None
    writing: threading.Lock = field(default_factory=threading.Lock)

    def write(self, new: Iterable[tantivy.Document]) -> tantivy.Searcher:
        """A searcher of all that was written, and ``new``."""
        writer = self.index.writer(_WRITER_BYTES, 1)
        for document in new:
            document.add_unsigned(KEY, self.keys)
            writer.add_document(document)
            self.keys += 1
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()
        return self.index.searcher()


class Growing:
    """One generation: documents, numbered by their position. What is asked of it stays the same when others follow."""

    def __init__(self, written: _Written, searcher: tantivy.Searcher, keys: NDArray[np.int64]) -> None:
        """``keys`` are those of the documents by position. Use :func:`written` and :meth:`after`."""
        self.schema = written.schema
        self.index = written.index
        self.searcher = searcher
        self._written = written
        self._keys = keys
        self._positions = np.full(written.keys, -1, dtype=np.int64)
        self._positions[keys] = np.arange(len(keys))

    def __len__(self) -> int:
        return len(self._keys)

    def scores(self, query: tantivy.Query) -> NDArray[np.float64]:
        """tantivy's score of every document for ``query``; 0 where it does not match."""
        scores = np.zeros(len(self), dtype=np.float64)
        if len(self):
            hits = self.searcher.search(query, len(self._positions), count=False).hits
            if hits:
                keys = self.searcher.fast_field_values(KEY, [address for _, address in hits])
                positions = self._positions[np.asarray(keys, dtype=np.int64)]
                here = positions >= 0
                scores[positions[here]] = np.asarray([score for score, _ in hits])[here]
        return scores

    def only(self, position: int) -> tantivy.Query:
        """What the document at ``position`` alone matches, with a score of 0."""
        own = tantivy.Query.term_query(self.schema, KEY, int(self._keys[position]))
        return tantivy.Query.const_score_query(own, 0.0)

    def after(self, kept: NDArray[np.int64], new: Sequence[tantivy.Document]) -> Growing | None:
        """The next generation: ``kept`` is its order, positions in this one, and -1 for each of ``new``.

        Documents that are gone stay in the index, and so in how many hold a term, until the whole is written again
        (those that are deleted make tantivy's *more like this* panic: it counts them in part). None when that is due,
        or when another generation followed this one already.
        """
        shared = self._written
        with shared.writing:
            gone = np.setdiff1d(self._keys, self._keys[kept[kept >= 0]])
            since = shared.since + max(len(new), len(gone))
            if shared.newest is not self or since * _ONE_IN > len(kept):
                return None
            shared.newest = None
            stays = kept >= 0
            keys = np.full(len(kept), -1, dtype=np.int64)
            keys[stays] = self._keys[kept[stays]]
            keys[~stays] = shared.keys + np.arange(len(new))
            searcher = shared.write(new)
            shared.since = since
            made = shared.newest = Growing(shared, searcher, keys)
            return made


def written(
    builder: tantivy.SchemaBuilder,
    analyzers: Callable[[tantivy.Index], None],
    documents: Iterable[tantivy.Document],
) -> Growing:
    """An index of ``documents`` in their order, with the fields of ``builder``; ``analyzers`` makes its tokenizers."""
    builder.add_unsigned_field(KEY, stored=False, indexed=True, fast=True)
    schema = builder.build()
    index = tantivy.Index(schema)
    analyzers(index)
    shared = _Written(schema, index)
    searcher = shared.write(documents)
    made = shared.newest = Growing(shared, searcher, np.arange(shared.keys, dtype=np.int64))
    return made
