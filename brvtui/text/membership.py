"""Which documents a phrase or a boolean expression of already analysed terms reaches, and which share a trigram: a
tantivy index in memory (``docs/jeffs_brain.md``, "The BM25 leg")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import tantivy
from numpy.typing import NDArray

_WORDS = "words"
_SLUG = "slug"
_POSITION = "position"
_WRITER_BYTES = 50_000_000

Terms = tuple[str, ...]
Readings = Sequence[Terms]
"""The sequences of terms that a token stands for: any of them will do. None: nothing can match."""
Expression = Sequence[Sequence[Readings]]
"""Conjunctions; in each, the first token must stand in a document and the others must not."""


class Membership:
    """Documents numbered by their position, each with columns of terms and a set of trigrams."""

    def __init__(self, columns: int, documents: Iterable[tuple[Sequence[Sequence[str]], Iterable[str]]]) -> None:
        """Indexes ``documents`` in their order: the terms of each column, and the trigrams."""
        self._columns = [f"column_{number}" for number in range(columns)]
        builder = tantivy.SchemaBuilder()
        builder.add_unsigned_field(_POSITION, stored=False, indexed=False, fast=True)
        for name in self._columns:
            builder.add_text_field(name, stored=False, tokenizer_name=_WORDS, index_option="position")
        builder.add_text_field(_SLUG, stored=False, tokenizer_name=_WORDS, index_option="basic")
        self._schema = builder.build()
        index = tantivy.Index(self._schema)
        index.register_tokenizer(_WORDS, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
        writer = index.writer(_WRITER_BYTES, 1)
        self._count = 0
        for texts, grams in documents:
            made = tantivy.Document()
            made.add_unsigned(_POSITION, self._count)
            for name, terms in zip(self._columns, texts, strict=True):
                made.add_text(name, " ".join(terms))
            made.add_text(_SLUG, " ".join(grams))
            writer.add_document(made)
            self._count += 1
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self._searcher = index.searcher()

    def matching(self, expression: Expression) -> NDArray[np.bool_]:
        """The documents that meet every conjunction of ``expression``; none for an empty one."""
        parts = [(tantivy.Occur.Must, self._conjunction(tokens)) for tokens in expression]
        return self._found(tantivy.Query.boolean_query(parts) if parts else tantivy.Query.empty_query())

    def sharing(self, grams: Iterable[str]) -> list[int]:
        """The positions of the documents that have one of ``grams``."""
        wanted = list(grams)
        if not wanted:
            return []
        found: list[int] = np.flatnonzero(
            self._found(tantivy.Query.term_set_query(self._schema, _SLUG, wanted))
        ).tolist()
        return found

    def _conjunction(self, tokens: Sequence[Readings]) -> tantivy.Query:
        must = (tantivy.Occur.Must, self._token(tokens[0]))
        return tantivy.Query.boolean_query(
            [must, *((tantivy.Occur.MustNot, self._token(readings)) for readings in tokens[1:])]
        )

    def _token(self, readings: Readings) -> tantivy.Query:
        single = [reading[0] for reading in readings if len(reading) == 1]
        queries = []
        for name in self._columns:
            if single:
                queries.append(tantivy.Query.term_set_query(self._schema, name, single))
            queries += [
                tantivy.Query.phrase_query(self._schema, name, list(reading))
                for reading in readings
                if len(reading) > 1
            ]
        if not queries:
            return tantivy.Query.empty_query()
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in queries])

    def _found(self, query: tantivy.Query) -> NDArray[np.bool_]:
        found = np.zeros(self._count, dtype=np.bool_)
        if self._count:
            constant = tantivy.Query.const_score_query(query, 1.0)
            hits = self._searcher.search(constant, self._count, count=False).hits
            if hits:
                addresses = [address for _, address in hits]
                found[np.asarray(self._searcher.fast_field_values(_POSITION, addresses), dtype=np.int64)] = True
        return found
