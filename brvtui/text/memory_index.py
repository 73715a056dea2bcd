"""An in-memory tantivy index: BM25 over a fixed set of documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import tantivy

_KEY, _WORDS, _WRITER_BYTES = "key", "words", 50_000_000


class MemoryMatch(NamedTuple):
    """The position of a matching document, tantivy's score, and the document's address in the index."""

    position: int
    score: float
    address: tantivy.DocAddress


class MemoryIndex:
    """An index of documents, numbered by position. All methods are thread-safe."""

    def __init__(
        self, fields: Sequence[str], analyzer: tantivy.TextAnalyzer, documents: Iterable[Sequence[str]]
    ) -> None:
        """Indexes ``documents``, each with one text (encodable in UTF-8) per field, split by ``analyzer``."""
        builder = tantivy.SchemaBuilder().add_unsigned_field(_KEY, fast=True)
        for name in fields:
            builder = builder.add_text_field(name, tokenizer_name=_WORDS, index_option="freq")
        self._schema = builder.build()
        index = tantivy.Index(self._schema)
        index.config_reader("manual")  # otherwise, a thread would poll for commits
        index.register_tokenizer(_WORDS, analyzer)
        writer = index.writer(_WRITER_BYTES, 1)
        for position, texts in enumerate(documents):
            values = {_KEY: position, **dict(zip(fields, texts, strict=True))}
            writer.add_document(tantivy.Document.from_dict(values, self._schema))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self.searcher = index.searcher()

    def __len__(self) -> int:
        return self.searcher.num_docs

    def query(self, words: Iterable[str], fields: Iterable[str]) -> tantivy.Query:
        """A query for documents with any of ``words`` in any of ``fields``. The words must be in the form that the
        analyzer returns.
        """
        terms = [tantivy.Query.term_query(self._schema, name, word, "freq") for word in words for name in fields]
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms])

    def matches(self, query: tantivy.Query) -> list[MemoryMatch]:
        """Every document that matches ``query``, best first; equal scores are ordered by position."""
        hits = self.searcher.search(query, max(len(self), 1), count=False).hits
        keys = self.searcher.fast_field_values(_KEY, [address for _, address in hits])
        found = (MemoryMatch(int(key or 0), *hit) for key, hit in zip(keys, hits, strict=True))
        return sorted(found, key=lambda match: (-match.score, match.position))
