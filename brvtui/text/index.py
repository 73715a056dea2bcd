"""The tantivy index of a snapshot: which notes a phrase, a boolean query or a trigram reaches, and its own BM25.

It decides membership and likeness where language matters; every number of ByteRover's ranking comes from the postings
(``docs/architecture.md``, "Numbers and matches").
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tantivy
from numpy.typing import NDArray

from brvtui.text.analysis import from_utf16
from brvtui.text.growing import Growing, written

FIELDS = ("title", "content", "path")
_WORDS = "words"
_TRIGRAMS = "trigrams"
_TOKEN = r"[^\n\r\p{Z}\p{P}]+"


@dataclass(frozen=True, slots=True)
class Document:
    """What is indexed of one note."""

    path: str
    title: str
    content: str


class IndexQueryError(ValueError):
    """A query that the index cannot read; the message says where."""


class TextIndex:
    """An index in memory over documents that are numbered by their position."""

    def __init__(self, paths: Sequence[str], documents: Growing) -> None:
        """An index of ``documents``, which lie at ``paths``. Use :func:`index_of` and :meth:`after`."""
        self._paths = paths
        self._documents = documents
        self._schema = documents.schema

    def __len__(self) -> int:
        return len(self._paths)

    def after(self, kept: NDArray[np.int64], new: Sequence[Document]) -> TextIndex | None:
        """The index of the documents after a change, by :meth:`brvtui.text.growing.Growing.after`."""
        grown = self._documents.after(kept, [_indexed(document) for document in new])
        if grown is None:
            return None
        coming = iter(new)
        paths = [self._paths[place] if place >= 0 else next(coming).path for place in kept.tolist()]
        return TextIndex(paths, grown)

    def matching(self, query: str, boosts: Mapping[str, float] | None = None) -> NDArray[np.float64]:
        """tantivy's own scores of every document for ``query`` in its query language; 0 where it does not match.

        Words, ``"phrases"``, ``title:word``, ``AND``, ``OR``, ``NOT``. Raises :class:`IndexQueryError`.
        """
        try:
            parsed = self._documents.index.parse_query(query, list(FIELDS), dict(boosts or {}))
        except ValueError as error:
            raise IndexQueryError(f"{query}: {error}") from error
        return self._documents.scores(parsed)

    def term_scores(self, term: str, boosts: Mapping[str, float]) -> NDArray[np.float64]:
        """tantivy's BM25 of one term (UTF-16 form), summed over the fields with their boosts."""
        scores = np.zeros(len(self), dtype=np.float64)
        for name in FIELDS:
            scores += boosts[name] * self.field_scores(term, name)
        return scores

    def field_scores(self, term: str, field: str) -> NDArray[np.float64]:
        """tantivy's BM25 of one term in one field, for every document."""
        return self._documents.scores(tantivy.Query.term_query(self._schema, field, from_utf16(term), "freq"))

    def similar(self, document: Document, limit: int) -> list[tuple[int, float]]:
        """The positions of the documents most like ``document``, best first, with tantivy's score; itself left out."""
        fields = {"title": [_clean(document.title)], "content": [_clean(document.content)]}
        query = tantivy.Query.more_like_this_document_fields_query(
            self._schema, fields, min_doc_frequency=1, min_term_frequency=1
        )
        scores = self._documents.scores(query)
        scores[[place for place, path in enumerate(self._paths) if path == document.path]] = 0
        best = np.argsort(-scores, kind="stable")[:limit]
        return [(int(place), float(scores[place])) for place in best if scores[place] > 0]

    def sharing_trigrams(self, text: str) -> NDArray[np.bool_]:
        """Which documents share a trigram with ``text`` in their slug: candidates for a trigram search."""
        grams = dict.fromkeys(text[start : start + 3] for start in range(len(text) - 2))
        queries = [
            (tantivy.Occur.Should, tantivy.Query.term_query(self._schema, "slug", gram, "basic")) for gram in grams
        ]
        if not queries:
            return np.zeros(len(self), dtype=np.bool_)
        return self._documents.scores(tantivy.Query.boolean_query(queries)) > 0

    def explain(self, term: str, field: str, position: int) -> Any:
        """tantivy's explanation of one term's score in one field of one document, as plain data; None: no match."""
        query = tantivy.Query.term_query(self._schema, field, from_utf16(term), "freq")
        own = self._documents.only(position)
        both = tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Must, own)])
        searcher = self._documents.searcher
        hits = searcher.search(both, 1).hits
        return json.loads(query.explain(searcher, hits[0][1]).to_json()) if hits else None


def index_of(documents: Iterable[Document]) -> TextIndex:
    """The index of ``documents`` in their order."""
    builder = tantivy.SchemaBuilder()
    for name in FIELDS:
        builder.add_text_field(name, stored=False, tokenizer_name=_WORDS, index_option="position")
    builder.add_text_field("slug", stored=False, tokenizer_name=_TRIGRAMS, index_option="basic")
    builder.add_facet_field("folder")
    paths: list[str] = []

    def taken() -> Iterator[tantivy.Document]:
        for document in documents:
            paths.append(document.path)
            yield _indexed(document)

    return TextIndex(paths, written(builder, _register, taken()))


def _register(index: tantivy.Index) -> None:
    words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(_TOKEN)).filter(tantivy.Filter.lowercase()).build()
    index.register_tokenizer(_WORDS, words)
    index.register_tokenizer(_TRIGRAMS, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.ngram(3, 3, False)).build())


def _indexed(document: Document) -> tantivy.Document:
    made = tantivy.Document()
    made.add_text("title", _clean(document.title))
    made.add_text("content", _clean(document.content))
    made.add_text("path", _clean(document.path))
    made.add_text("slug", _clean(slug_text(document.path)))
    folder = document.path.rpartition("/")[0]
    made.add_facet("folder", tantivy.Facet.from_string(f"/{_clean(folder)}" if folder else "/"))
    return made


def slug_text(path: str) -> str:
    """The words of a note's file name, ``$``-padded for trigrams."""
    name = path.rpartition("/")[2].removesuffix(".md").lower()
    return f"$${name.replace('_', ' ').replace('-', ' ')}$"


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
