"""Which documents a phrase or a boolean expression of already analysed terms reaches, and which share a trigram: a
tantivy index in memory (``docs/jeffs_brain.md``, "The BM25 leg")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import tantivy
from numpy.typing import NDArray

from brvtui.text.growing import Growing, written

_WORDS = "words"
_SLUG = "slug"

Terms = tuple[str, ...]
Readings = Sequence[Terms]
"""The sequences of terms that a token stands for: any of them will do. None: nothing can match."""
Texts = tuple[Sequence[Sequence[str]], Iterable[str]]
"""A document: the terms of each column, and the trigrams."""
Expression = Sequence[Sequence[Readings]]
"""Conjunctions; in each, the first token must stand in a document and the others must not."""


class Membership:
    """Documents numbered by their position, each with columns of terms and a set of trigrams."""

    def __init__(self, columns: Sequence[str], documents: Growing) -> None:
        """An index of ``documents`` with these ``columns``. Use :func:`membership_of` and :meth:`after`."""
        self._columns = columns
        self._documents = documents
        self._schema = documents.schema

    def after(self, kept: NDArray[np.int64], new: Iterable[Texts]) -> Membership | None:
        """The index of the documents after a change, by :meth:`brvtui.text.growing.Growing.after`."""
        grown = self._documents.after(kept, [_indexed(self._columns, texts) for texts in new])
        return None if grown is None else Membership(self._columns, grown)

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
        return self._documents.scores(tantivy.Query.const_score_query(query, 1.0)) > 0


def membership_of(columns: int, documents: Iterable[Texts]) -> Membership:
    """The index of ``documents`` in their order."""
    names = [f"column_{number}" for number in range(columns)]
    builder = tantivy.SchemaBuilder()
    for name in names:
        builder.add_text_field(name, stored=False, tokenizer_name=_WORDS, index_option="position")
    builder.add_text_field(_SLUG, stored=False, tokenizer_name=_WORDS, index_option="basic")
    return Membership(names, written(builder, _register, (_indexed(names, texts) for texts in documents)))


def _register(index: tantivy.Index) -> None:
    index.register_tokenizer(_WORDS, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())


def _indexed(columns: Sequence[str], texts: Texts) -> tantivy.Document:
    made = tantivy.Document()
    for name, terms in zip(columns, texts[0], strict=True):
        made.add_text(name, " ".join(terms))
    made.add_text(_SLUG, " ".join(texts[1]))
    return made
