"""Full-text search by SQLite's own FTS5, in memory (https://sqlite.org/fts5.html).

Engines whose real programs use FTS5 use this module, so that words, matches and scores are SQLite's own.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import weakref
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from brvtui.text.analysis import encodable

Texts = Sequence[str]
"""The texts of one document, one per column."""

_STEP = 1 << 10
"""The gap between row ids, so that a document can be inserted between two others and ties keep their order."""
_TOGETHER = 64
"""The maximum number of alternatives per search, because FTS5's bm25() takes time quadratic in that number."""


class FullTextError(ValueError):
    """FTS5 cannot parse an expression, or SQLite has no FTS5. The message says which."""


@dataclass(frozen=True, slots=True)
class IndexLayout:
    """The columns of an index, and the tokenizer that splits text into words, in FTS5's notation."""

    columns: tuple[str, ...]
    tokenizer: str = "porter unicode61"


@dataclass(frozen=True, eq=False)
class FullText:
    """An immutable index of documents, numbered by position. Any thread may search it.

    Create one with :func:`full_text` or :meth:`after`.
    """

    layout: IndexLayout
    documents: tuple[Texts, ...]
    _rowids: NDArray[np.int64]
    _database: sqlite3.Connection
    _searching: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        weakref.finalize(self, self._database.close)

    def search(self, alternatives: Sequence[str], weights: Sequence[float], limit: int) -> list[tuple[int, float]]:
        """Positions and BM25 scores (above 0) of the documents that match one of ``alternatives``, best first.

        Each alternative is an FTS5 expression, built from :func:`phrase` and operators. A document's score is its BM25
        for all alternatives joined by OR, with ``weights`` by column. Equal scores are ordered by position. Raises
        :class:`FullTextError`.
        """
        if 0 < len(alternatives) <= _TOGETHER:
            rowids, scores = self._matches(alternatives, weights, max(0, limit))
            return list(zip(np.searchsorted(self._rowids, rowids).tolist(), scores, strict=True))
        total, matched = np.zeros(len(self.documents)), np.zeros(len(self.documents), dtype=np.bool_)
        by_count: dict[int, list[str]] = {}
        for alternative, count in Counter(alternatives).items():
            by_count.setdefault(count, []).append(alternative)
        for count, once in by_count.items():
            for start in range(0, len(once), _TOGETHER):
                rowids, scores = self._matches(once[start : start + _TOGETHER], weights, len(self.documents))
                here = np.searchsorted(self._rowids, rowids)
                total[here] += count * np.asarray(scores)
                matched[here] = True
        positions = np.flatnonzero(matched)
        best = positions[np.argsort(-total[positions], kind="stable")[: max(0, limit)]]
        return list(zip(best.tolist(), total[best].tolist(), strict=True))

    def words(self, text: str) -> tuple[str, ...]:
        """The words into which the index's tokenizer splits ``text``, in order, as the index stores them."""
        words = full_text(IndexLayout(("text",), self.layout.tokenizer), [(text,)])
        with words._database as database:
            database.execute("CREATE VIRTUAL TABLE words USING fts5vocab(documents, instance)")
            return tuple(term for (term,) in database.execute("SELECT term FROM words ORDER BY offset"))

    def holds(self, alternatives: Sequence[str]) -> bool:
        """True if any document matches one of ``alternatives``. Raises :class:`FullTextError`."""
        statement = "SELECT 1 FROM documents WHERE documents MATCH ? LIMIT 1"
        try:
            with self._searching:
                return self._database.execute(statement, (_joined(alternatives),)).fetchone() is not None
        except sqlite3.Error as error:
            raise FullTextError(str(error)) from error

    def _matches(
        self, alternatives: Sequence[str], weights: Sequence[float], limit: int
    ) -> tuple[list[int], list[float]]:
        marks = ", ?" * len(weights)
        statement = (
            f"SELECT rowid, -bm25(documents{marks}) AS score FROM documents WHERE documents MATCH ? "
            "ORDER BY score DESC, rowid LIMIT ?"
        )
        try:
            with self._searching:
                found = self._database.execute(statement, (*weights, _joined(alternatives), limit)).fetchall()
        except sqlite3.Error as error:
            raise FullTextError(str(error)) from error
        return [rowid for rowid, _ in found], [score for _, score in found]

    def holding(self, alternative: str, columns: Sequence[str], positions: Sequence[int]) -> set[int]:
        """The ``positions`` of documents that match ``alternative`` within one of ``columns``.

        Raises :class:`FullTextError`.
        """
        statement = "SELECT rowid FROM documents WHERE documents MATCH ? AND rowid IN (SELECT value FROM json_each(?))"
        position_of = {int(self._rowids[position]): position for position in positions}
        try:
            with self._searching:
                within = f"{{{' '.join(columns)}}} : ({encodable(alternative)})"
                found = self._database.execute(statement, (within, json.dumps([*position_of]))).fetchall()
        except sqlite3.Error as error:
            raise FullTextError(str(error)) from error
        return {position_of[rowid] for (rowid,) in found}

    def after(self, kept: NDArray[np.int64], documents: Sequence[Texts]) -> FullText:
        """The index of ``documents``. For each document, ``kept`` contains the position of an equal document in the
        current index, or -1.

        Equal documents are copied instead of being tokenized again.
        """
        is_kept = kept >= 0
        known = np.full(len(kept), -1, dtype=np.int64)
        known[is_kept] = self._rowids[kept[is_kept]]
        rowids = _rowids(known)
        if (np.diff(rowids, prepend=0) <= 0).any():  # no free number in between, or a changed order
            return full_text(self.layout, documents)
        index = FullText(self.layout, tuple(documents), rowids, _connected())
        with self._searching:
            self._database.backup(index._database)
        removed = np.setdiff1d(np.arange(len(self.documents)), kept)
        index._write(self._rows(removed), "'delete'")
        index._write(index._rows(np.flatnonzero(~is_kept)))
        return index

    def _rows(self, positions: Iterable[int]) -> Iterator[tuple[int | str, ...]]:
        return ((int(self._rowids[at]), *map(encodable, self.documents[at])) for at in positions)

    def _write(self, rows: Iterable[tuple[int | str, ...]], command: str = "") -> None:
        """Inserts ``rows`` or, if ``command`` is given, passes them to it. A contentless table needs a row's text to
        delete the row.
        """
        columns, marks = ", ".join(self.layout.columns), ", ?" * len(self.layout.columns)
        into, first = ("documents, rowid", f"{command}, ?") if command else ("rowid", "?")
        with self._database:
            self._database.executemany(f"INSERT INTO documents({into}, {columns}) VALUES ({first}{marks})", rows)


def full_text(layout: IndexLayout, documents: Sequence[Texts]) -> FullText:
    """The index of ``documents`` in their order. Raises :class:`FullTextError` if SQLite has no FTS5."""
    database = _connected()
    tokenizer = layout.tokenizer.replace("'", "''")
    try:
        columns = ", ".join(layout.columns)
        database.execute(f"CREATE VIRTUAL TABLE documents USING fts5({columns}, content='', tokenize='{tokenizer}')")
    except sqlite3.Error as error:
        database.close()
        raise FullTextError(str(error)) from error
    index = FullText(layout, tuple(documents), _rowids(np.full(len(documents), -1, dtype=np.int64)), database)
    index._write(index._rows(range(len(documents))))
    return index


def phrase(text: str, is_prefix: bool) -> str:
    """Quotes any ``text`` as an FTS5 phrase. If ``is_prefix``, the last word may be the beginning of a word."""
    return '"{}"{}'.format(encodable(text).replace("\0", " ").replace('"', '""'), "*" if is_prefix else "")


def _joined(alternatives: Sequence[str]) -> str:
    return encodable(" OR ".join(alternatives))


def _connected() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", check_same_thread=False)


def _rowids(known_ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """A row id for each document: the known one, or where ``known_ids`` contains -1, an id between those of the
    neighbours.
    """
    count, known_places = len(known_ids), np.flatnonzero(known_ids >= 0)
    before, last = (known_places[-1], known_ids[known_places[-1]]) if len(known_places) else (-1, 0)
    places, values = [-1, *known_places, count], [0, *known_ids[known_places], last + (count - before) * _STEP]
    rowids: NDArray[np.int64] = np.interp(np.arange(count), places, values).astype(np.int64)
    return rowids
