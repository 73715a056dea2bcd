"""The tantivy index of a snapshot, in memory: which notes are alike, and tantivy's own BM25 as another relevance.

Every number of ByteRover's own ranking comes from the postings (``docs/architecture.md``, "Numbers and matches").
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import tantivy
from numpy.typing import NDArray

from brvtui.text.analysis import encodable, from_utf16

FIELDS = ("title", "content", "path")
_KEY = "key"
_WORDS = "words"
_TOKEN = r"[^\n\r\p{Z}\p{P}]+"
_WRITER_BYTES = 50_000_000
_ONE_IN = 20
"""When more than one in so many documents changed since the whole was written, that is done again."""


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """The indexed fields of one note."""

    path: str
    title: str
    content: str


@dataclass(slots=True, eq=False)
class _SharedIndex:
    """The part of an index that all of its generations share."""

    schema: tantivy.Schema
    index: tantivy.Index
    keys: int = 0
    """How many documents were ever written; each has its number as key."""
    since: int = 0
    """How many were written or removed after the whole was written."""
    newest: TextIndex | None = None
    writing: threading.Lock = field(default_factory=threading.Lock)

    def write(self, new: Iterable[IndexedDocument]) -> tantivy.Searcher:
        """A searcher of all that was written, and ``new``."""
        writer = self.index.writer(_WRITER_BYTES, 1)
        for document in new:
            made = tantivy.Document()
            for name in FIELDS:
                made.add_text(name, encodable(getattr(document, name)))
            made.add_unsigned(_KEY, self.keys)
            writer.add_document(made)
            self.keys += 1
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()
        return self.index.searcher()


class TextIndex:
    """One generation: documents, numbered by their position. What is asked of it stays the same when others follow."""

    def __init__(
        self, paths: Sequence[str], written: _SharedIndex, searcher: tantivy.Searcher, keys: NDArray[np.int64]
    ) -> None:
        """``paths`` and ``keys`` are those of the documents by position. Use :func:`index_of` and :meth:`after`."""
        self._paths = paths
        self._written = written
        self._searcher = searcher
        self._keys = keys
        self._positions = np.full(written.keys, -1, dtype=np.int64)
        self._positions[keys] = np.arange(len(keys))

    def __len__(self) -> int:
        return len(self._paths)

    def after(self, kept: NDArray[np.int64], new: Sequence[IndexedDocument]) -> TextIndex | None:
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
            coming = iter(new)
            paths = [self._paths[place] if place >= 0 else next(coming).path for place in kept.tolist()]
            searcher = shared.write(new)
            shared.since = since
            made = shared.newest = TextIndex(paths, shared, searcher, keys)
            return made

    def term_scores(self, term: str, boosts: Mapping[str, float]) -> NDArray[np.float64]:
        """tantivy's BM25 of one term (UTF-16 form), summed over the fields with their boosts."""
        scores = np.zeros(len(self), dtype=np.float64)
        for name in FIELDS:
            scores += boosts[name] * self.field_scores(term, name)
        return scores

    def field_scores(self, term: str, field: str) -> NDArray[np.float64]:
        """tantivy's BM25 of one term in one field, for every document; 0 where the document does not hold it."""
        return self._scores(tantivy.Query.term_query(self._written.schema, field, from_utf16(term), "freq"))

    def similar(self, document: IndexedDocument, limit: int) -> list[tuple[int, float]]:
        """The positions of the documents most like ``document``, best first, with tantivy's score; itself left out."""
        fields = {"title": [encodable(document.title)], "content": [encodable(document.content)]}
        query = tantivy.Query.more_like_this_document_fields_query(
            self._written.schema, fields, min_doc_frequency=1, min_term_frequency=1
        )
        scores = self._scores(query)
        scores[[place for place, path in enumerate(self._paths) if path == document.path]] = 0
        best = np.argsort(-scores, kind="stable")[:limit]
        return [(int(place), float(scores[place])) for place in best if scores[place] > 0]

    def _scores(self, query: tantivy.Query) -> NDArray[np.float64]:
        scores = np.zeros(len(self), dtype=np.float64)
        if len(self):
            hits = self._searcher.search(query, len(self._positions), count=False).hits
            if hits:
                keys = self._searcher.fast_field_values(_KEY, [address for _, address in hits])
                positions = self._positions[np.asarray(keys, dtype=np.int64)]
                here = positions >= 0
                scores[positions[here]] = np.asarray([score for score, _ in hits])[here]
        return scores


def index_of(documents: Iterable[IndexedDocument]) -> TextIndex:
    """The index of ``documents`` in their order."""
    builder = tantivy.SchemaBuilder()
    for name in FIELDS:
        builder.add_text_field(name, stored=False, tokenizer_name=_WORDS, index_option="freq")
    builder.add_unsigned_field(_KEY, stored=False, indexed=True, fast=True)
    schema = builder.build()
    index = tantivy.Index(schema)
    words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(_TOKEN)).filter(tantivy.Filter.lowercase()).build()
    index.register_tokenizer(_WORDS, words)
    shared = _SharedIndex(schema, index)
    paths: list[str] = []

    def taken() -> Iterable[IndexedDocument]:
        for document in documents:
            paths.append(document.path)
            yield document

    searcher = shared.write(taken())
    made = shared.newest = TextIndex(paths, shared, searcher, np.arange(shared.keys, dtype=np.int64))
    return made
