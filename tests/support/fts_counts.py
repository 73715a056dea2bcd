"""FTS5's counts for a phrase and a document, and its BM25 in closed form (``docs/reference/jeffs-brain.md``)."""

from __future__ import annotations

import math
import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from brvtui.text.fts import FullText, IndexLayout, phrase

K, B, LEAST_IDF = 1.2, 0.75, 1e-6
"""Constants that are compiled into SQLite."""
_AVERAGES = 1
"""The row of FTS5's data table that contains the number of documents and the tokens per column."""
_LAST = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class PhraseCounts:
    """The inputs of BM25 for one phrase and one document."""

    documents: int
    holders: int
    """The number of documents with the phrase."""
    frequencies: tuple[int, ...]
    """The number of times the document contains it, by column."""
    length: int
    """The number of tokens of the document, over all columns."""
    average: float
    """The mean length of a document, in tokens."""


def idf(documents: int, holders: int) -> float:
    """``ln((N - n + 0.5) / (n + 0.5))``, or :data:`LEAST_IDF` where that is not positive (n of half or more)."""
    value = math.log((documents - holders + 0.5) / (holders + 0.5))
    return value if value > 0 else LEAST_IDF


def score(idf_value: float, frequency: float, length: int, average: float) -> float:
    """``idf f (k + 1) / (f + k (1 - b + b D / average))``: f is the column-weighted frequency, and D is the length."""
    norm = K * (1 - B + B * length / average)
    return idf_value * (frequency * (K + 1) / (frequency + norm))


class Counting:
    """The documents of an index in a separate table, whose contents FTS5 makes readable."""

    def __init__(self, index: FullText) -> None:
        self._layout = index.layout
        self._database = sqlite3.connect(":memory:")
        _table(self._database, "documents", index.layout, index.documents)

    def counts(self, text: str, is_prefix: bool, position: int) -> PhraseCounts:
        """The count of the phrase ``text`` in the document at ``position``, and the values with which BM25 compares
        it.
        """
        ask, words = self._database.execute, words_of(self._layout, text)
        starts: set[tuple[str, int]] | None = None
        for place, word in enumerate(words):
            last = word + _LAST if is_prefix and place == len(words) - 1 else word
            instances = ask(
                "SELECT col, offset FROM documents_instances WHERE term BETWEEN ? AND ? AND doc = ?",
                (word, last, position),
            )
            here = {(column, offset - place) for column, offset in instances}
            starts = here if starts is None else starts & here
        matched = "SELECT count(*) FROM documents WHERE documents MATCH ?"
        (holders,) = ask(matched, (phrase(text, is_prefix),)).fetchone()
        (sizes,) = ask("SELECT sz FROM documents_docsize WHERE id = ?", (position,)).fetchone()
        (averages,) = ask("SELECT block FROM documents_data WHERE id = ?", (_AVERAGES,)).fetchone()
        documents, *tokens = _varints(averages)
        held = Counter(column for column, _ in starts or ())
        frequencies = tuple(held[column] for column in self._layout.columns)
        return PhraseCounts(documents, holders, frequencies, sum(_varints(sizes)), sum(tokens) / documents)


def words_of(layout: IndexLayout, text: str) -> list[str]:
    """The words that the tokenizer of ``layout`` finds in ``text``, in order."""
    database = sqlite3.connect(":memory:")
    _table(database, "words", IndexLayout(("text",), layout.tokenizer), [(text,)])
    found = database.execute("SELECT term FROM words_instances ORDER BY offset").fetchall()
    database.close()
    return [word for (word,) in found]


def _table(database: sqlite3.Connection, name: str, layout: IndexLayout, documents: Sequence[Sequence[str]]) -> None:
    columns, marks = ", ".join(layout.columns), ", ?" * len(layout.columns)
    tokenizer = layout.tokenizer.replace("'", "''")
    database.execute(f"CREATE VIRTUAL TABLE {name} USING fts5({columns}, content='', tokenize='{tokenizer}')")
    database.execute(f"CREATE VIRTUAL TABLE {name}_instances USING fts5vocab({name}, instance)")
    rows = (
        (place, *(text.encode("utf-8", "replace").decode("utf-8") for text in texts))
        for place, texts in enumerate(documents)
    )
    database.executemany(f"INSERT INTO {name}(rowid, {columns}) VALUES (?{marks})", rows)


def _varints(blob: bytes) -> list[int]:
    """The integers in ``blob`` in SQLite's format: seven bits per byte, high bits first, no mark in the last byte."""
    result, value = [], 0
    for byte in blob:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            result.append(value)
            value = 0
    return result
