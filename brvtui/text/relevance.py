"""tantivy's own BM25 as an alternative relevance, over the words of a snapshot's notes as ByteRover splits them.

The scores must not depend on earlier snapshots, so each snapshot has an index of its own, in memory. ByteRover's own
ranking takes every number from the postings (``docs/architecture.md``, "Numbers and matches").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import tantivy
from numpy.typing import NDArray

from brvtui.text.analysis import encodable, from_utf16

FIELDS = ("title", "content", "path")
_KEY, _WORDS = "key", "words"
_TOKEN = r"[^\n\r\p{Z}\p{P}]+"
_WRITER_BYTES = 50_000_000


class RelevanceIndex:
    """The BM25 scores of terms, as arrays by document position."""

    def __init__(self, documents: Iterable[tuple[str, str, str]]) -> None:
        """An index of ``documents``, each with its title, content and path."""
        builder = tantivy.SchemaBuilder()
        for name in FIELDS:
            builder.add_text_field(name, stored=False, tokenizer_name=_WORDS, index_option="freq")
        builder.add_unsigned_field(_KEY, stored=False, fast=True)
        self._schema = builder.build()
        index = tantivy.Index(self._schema)
        index.config_reader("manual")  # else a thread looks for commits
        words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(_TOKEN)).filter(tantivy.Filter.lowercase()).build()
        index.register_tokenizer(_WORDS, words)
        writer = index.writer(_WRITER_BYTES, 1)
        self._count = 0
        for fields in documents:
            entry = tantivy.Document()
            for name, text in zip(FIELDS, fields, strict=True):
                entry.add_text(name, encodable(text))
            entry.add_unsigned(_KEY, self._count)
            writer.add_document(entry)
            self._count += 1
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self._searcher = index.searcher()

    def __len__(self) -> int:
        return self._count

    def term_scores(self, term: str, boosts: Mapping[str, float]) -> NDArray[np.float64]:
        """tantivy's BM25 of one term (UTF-16 form), summed over the fields with their boosts."""
        scores = np.zeros(len(self), dtype=np.float64)
        for name in FIELDS:
            scores += boosts[name] * self.field_scores(term, name)
        return scores

    def field_scores(self, term: str, field: str) -> NDArray[np.float64]:
        """tantivy's BM25 of one term in one field, for every document; 0 for documents without it."""
        scores = np.zeros(len(self), dtype=np.float64)
        query = tantivy.Query.term_query(self._schema, field, from_utf16(term), "freq")
        if len(self) and (hits := self._searcher.search(query, len(self), count=False).hits):
            keys = self._searcher.fast_field_values(_KEY, [address for _, address in hits])
            scores[np.asarray(keys, dtype=np.int64)] = [score for score, _ in hits]
        return scores
