"""The notes of a snapshot as the pipeline's index (``docs/jeffs_brain.md``, "The BM25 leg", "Trigrams", "Vectors")."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.jeffs_brain.chunks import COLUMNS, Chunk, chunk_of
from brvtui.engines.jeffs_brain.profile import HybridProfile
from brvtui.engines.jeffs_brain.protocols import RankedHit
from brvtui.engines.jeffs_brain.vectors import Embedded, Kept, VectorTable, embed_texts
from brvtui.ranking.intent import idle_rules
from brvtui.services.embedding import Embedder, Vector
from brvtui.services.failures import LegError
from brvtui.snapshot import Parsed as ParsedFile
from brvtui.snapshot import Snapshot
from brvtui.text.columns import ColumnPostings, Occurrences, Phrase, RowTerms, build_columns, row_terms
from brvtui.text.forward import TermIds
from brvtui.text.fts5 import PORTER
from brvtui.text.membership import Membership, Readings, Texts, membership_of
from brvtui.text.query_language import Parsed, Token, TokenKind, grouped
from brvtui.text.trigrams import TrigramIndex, grams, slug_text


@dataclass(frozen=True, slots=True)
class Row:
    """One chunk with its terms, and the file it was read from, if it was."""

    chunk: Chunk
    terms: RowTerms
    file: ParsedFile | None = None


@dataclass(frozen=True, eq=False)
class ChunkIndex:
    """One generation of the index: an implementation of :class:`brvtui.engines.jeffs_brain.protocols.Index`."""

    rows: tuple[Row, ...]
    postings: ColumnPostings
    profile: HybridProfile
    table: VectorTable | None = None
    """The notes' vectors, if they were made."""
    before: tuple[Membership, NDArray[np.int64]] | None = None
    """The membership of the index before, and the place there of each row that is the same; -1 for the others."""

    def with_vectors(self, table: VectorTable | None) -> ChunkIndex:
        """The same index with other vectors."""
        made = replace(self, table=table)
        for name in ("membership", "names", "idle_rules"):
            if name in self.__dict__:
                made.__dict__[name] = self.__dict__[name]
        return made

    @cached_property
    def membership(self) -> Membership:
        """tantivy's index of the rows; made on first use, from that of the index before where there is one."""
        if self.before is not None:
            membership, kept = self.before
            made = membership.after(kept, [self._texts(self.rows[place]) for place in np.flatnonzero(kept < 0)])
            if made is not None:
                return made
        return membership_of(len(COLUMNS), (self._texts(row) for row in self.rows))

    def _texts(self, row: Row) -> Texts:
        terms = self.postings.ids.terms
        columns = np.split(row.terms.tokens, row.terms.ends[:-1])
        return [[terms[identity] for identity in column.tolist()] for column in columns], grams(
            slug_text(row.chunk.path)
        )

    @cached_property
    def names(self) -> TrigramIndex:
        """The file names by their trigrams."""
        return TrigramIndex(((row.chunk.id, row.chunk.path) for row in self.rows), self.membership.sharing)

    @cached_property
    def idle_rules(self) -> tuple[str, ...]:
        """The rules of intent that no note of this index can meet."""
        return idle_rules([row.chunk.path for row in self.rows], self.profile.intent)

    def warm(self) -> None:
        """Computes now what the first query would otherwise wait for."""
        _ = self.names, self.postings.beginning(""), self.idle_rules

    def bm25(self, query: Parsed, limit: int) -> Sequence[RankedHit]:
        """The rows that ``query`` matches, by FTS5's closed form, equal scores in the rows' order."""
        rules = self.profile.bm25
        matched = np.zeros(len(self.rows), dtype=np.bool_)
        scores = np.zeros(len(self.rows), dtype=np.float64)
        for conjunctions in grouped(query):
            needed = [_phrase(tokens[0]) for tokens in conjunctions]
            found = [self.postings.occurrences(phrase, self.profile.columns.weights) for phrase in needed]
            here = self._matching(conjunctions, found)
            matched |= here
            for occurrences in found:
                addend = self.postings.score(occurrences, rules.k, rules.b, rules.least_idf)
                scores += np.where(here, addend, 0.0)
        positions = np.flatnonzero(matched)
        order = np.lexsort((positions, -scores[positions]))[: max(0, limit)]
        return [self._hit(int(position), float(scores[position])) for position in positions[order]]

    def _matching(self, conjunctions: list[list[Token]], found: list[Occurrences]) -> NDArray[np.bool_]:
        """The rows of one alternative; a single word needs no boolean engine."""
        if len(conjunctions) == 1 and len(conjunctions[0]) == 1 and len(_phrase(conjunctions[0][0]).terms) == 1:
            return found[0].rows
        try:
            return self.membership.matching(
                [[self._readings(_phrase(token)) for token in tokens] for tokens in conjunctions]
            )
        except ValueError as error:
            raise LegError(f"the index cannot read the query: {error}") from error

    def _readings(self, phrase: Phrase) -> Readings:
        if not phrase.terms or not phrase.is_prefix:
            return [phrase.terms] if phrase.terms else []
        *first, last = phrase.terms
        return [(*first, term) for term in self.postings.beginning(last)]

    def like_names(self, tokens: Sequence[str], limit: int) -> Sequence[RankedHit]:
        """The rows whose file name is like one of ``tokens``."""
        return [
            self._hit(found.position, found.similarity)
            for found in self.names.search(tokens, limit, self.profile.trigrams.least)
        ]

    def nearest(self, vector: Vector, limit: int) -> Sequence[RankedHit]:
        """The rows nearest to ``vector`` by cosine, equal ones in the rows' order.

        Raises :class:`brvtui.services.failures.LegError` without vectors, or when theirs have another length.
        """
        if self.table is None:
            raise LegError("the notes have no vectors yet")
        made = []
        for position, similarity in self.table.nearest(vector, limit):
            hit = self._hit(position, similarity)
            made.append(replace(hit, candidate=replace(hit.candidate, similarity=similarity)))
        return made

    def _hit(self, position: int, value: float) -> RankedHit:
        return RankedHit(self.rows[position].chunk.candidate, value)


def _phrase(token: Token) -> Phrase:
    return Phrase(tuple(PORTER.terms(token.text)), token.kind is TokenKind.PREFIX)


def index_chunks(chunks: Sequence[Chunk], profile: HybridProfile) -> ChunkIndex:
    """The index of ``chunks`` in their order."""
    ids = TermIds()
    return _index([Row(chunk, row_terms(chunk.columns, ids, PORTER)) for chunk in chunks], ids, profile)


def index_snapshot(snapshot: Snapshot, profile: HybridProfile, previous: ChunkIndex | None = None) -> ChunkIndex:
    """The index of every note that ``snapshot`` searches, in document order.

    Notes whose files did not change since ``previous`` are not read again; it brings no vectors along. A note that
    can no longer be read keeps its path and title.
    """
    ids = previous.postings.ids if previous else TermIds()
    before = previous.rows if previous else ()
    places: Mapping[str, int] = {row.chunk.id: place for place, row in enumerate(before)}
    rows = []
    kept = np.full(len(snapshot.notes), -1, dtype=np.int64)
    for position, note in enumerate(snapshot.notes):
        file = None if note.path in snapshot.edited else snapshot.parsed.get(note.path)
        place = places.get(note.path, -1)
        if place >= 0 and file is not None and before[place].file is file:
            kept[position] = place
            rows.append(before[place])
        else:
            chunk = chunk_of(note.path, note.title, _text(snapshot, note.path))
            rows.append(Row(chunk, row_terms(chunk.columns, ids, PORTER), file))
    made = _index(rows, ids, profile)
    if previous is None or "membership" not in previous.__dict__:
        return made
    return replace(made, before=(previous.membership, kept))


def _index(rows: Sequence[Row], ids: TermIds, profile: HybridProfile) -> ChunkIndex:
    return ChunkIndex(tuple(rows), build_columns([row.terms for row in rows], ids, len(COLUMNS)), profile)


def _text(snapshot: Snapshot, path: str) -> str:
    try:
        return snapshot.text(path)
    except OSError:
        return ""


def embed_index(
    index: ChunkIndex,
    embedder: Embedder,
    kept: Kept,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[int, int], None] = lambda done, all_: None,
) -> tuple[ChunkIndex, Embedded]:
    """``index`` with a vector for each note that one could be had for, and what is missing and why.

    Only texts without a kept vector are sent. Nothing is raised.
    """
    most = index.profile.vectors.text_chars
    texts = [row.chunk.embedded(most) for row in index.rows]
    made = embed_texts(texts, embedder, kept, index.profile.service.batch, cancelled, progress)
    return index.with_vectors(made.table), made
