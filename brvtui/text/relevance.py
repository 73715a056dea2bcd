"""tantivy's BM25 as an alternative text relevance, over notes split into words by ByteRover's rules.

Each snapshot has its own index, so that scores do not depend on earlier snapshots. This relevance is not part of
ByteRover's own ranking, which uses only the postings (``docs/explanation/architecture.md``, "Numbers and matches").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import tantivy
from numpy.typing import NDArray

from brvtui.text.analysis import encodable, from_utf16
from brvtui.text.memory_index import MemoryIndex

FIELDS = ("title", "content", "path")
_TOKEN = r"[^\n\r\p{Z}\p{P}]+"


class RelevanceIndex:
    """Computes the BM25 of terms in documents, which are numbered by position."""

    def __init__(self, documents: Iterable[tuple[str, str, str]]) -> None:
        """Indexes ``documents``; each is a title, a content and a path."""
        words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(_TOKEN)).filter(tantivy.Filter.lowercase()).build()
        self._index = MemoryIndex(FIELDS, words, (tuple(map(encodable, texts)) for texts in documents))

    def __len__(self) -> int:
        return len(self._index)

    def term_scores(self, term: str, boosts: Mapping[str, float]) -> NDArray[np.float64]:
        """tantivy's BM25 of ``term`` (UTF-16 form) for every document, summed over the fields with ``boosts``."""
        scores = np.zeros(len(self), dtype=np.float64)
        for name in FIELDS:
            scores += boosts[name] * self.field_scores(term, name)
        return scores

    def field_scores(self, term: str, field: str) -> NDArray[np.float64]:
        """tantivy's BM25 of ``term`` in ``field`` for every document; 0 where the term does not occur."""
        scores = np.zeros(len(self), dtype=np.float64)
        for match in self._index.matches(self._index.query([from_utf16(term)], [field])):
            scores[match.position] = match.score
        return scores
