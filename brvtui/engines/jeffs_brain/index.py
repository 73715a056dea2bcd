"""The index of the notes in a snapshot, one chunk per note.

See ``docs/reference/jeffs-brain.md``, "Notes as chunks", "The BM25 leg", "Trigrams" and "Vectors".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.jeffs_brain.intent import idle_rules
from brvtui.engines.jeffs_brain.profile import HybridProfile
from brvtui.engines.text_vectors import Embedded, VectorTable, embed_texts
from brvtui.ranking.fusion import Candidate
from brvtui.services.legs import Embedder, LegError, Vector, VectorCache
from brvtui.snapshot import Parsed as ParsedFile
from brvtui.snapshot import Snapshot
from brvtui.text.fts import FullText, FullTextError, IndexLayout, full_text, phrase
from brvtui.text.query_language import Operator, ParsedQuery, Token, TokenKind, alternatives
from brvtui.text.trigrams import TrigramIndex
from brvtui.trace import MatchedWord, MatchKind
from brvtui.tree.reading.frontmatter import parse, text_of, texts_of


@dataclass(frozen=True, slots=True)
class Chunk:
    """The indexed fields of one note."""

    id: str
    path: str
    title: str
    summary: str
    tags: str
    content: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The texts for full-text search, in column order."""
        return (self.path, self.title, self.summary, self.tags, self.content)

    @property
    def candidate(self) -> Candidate:
        """The chunk as a candidate in a ranked list."""
        return Candidate(self.id, self.path, self.title, self.summary, self.content)

    def embedded(self, limit: int) -> str:
        """The text to embed, which consists of title, summary and content, up to ``limit`` characters."""
        return "\n".join(part for part in (self.title, self.summary, self.content) if part.strip())[:limit]


COLUMNS = ("path", "title", "summary", "tags", "content")
FIELDS: Mapping[str, Sequence[str]] = {"title": ("title",), "path": ("path",), "text": ("summary", "tags", "content")}
"""The columns that make up each field of a matched word."""


def chunk_of(path: str, title: str, text: str) -> Chunk:
    """The chunk of the note at ``path`` with the heading ``title``.

    The title, summary, tags and keywords come from the frontmatter if their values are text. The content is the text
    after the frontmatter.
    """
    front = parse(text)
    fields = front.fields
    listed = [*texts_of(fields.get("tags")), *texts_of(fields.get("keywords"))]
    return Chunk(
        id=path,
        path=path,
        title=text_of(fields.get("title")) or title,
        summary=text_of(fields.get("summary")),
        tags=" ".join(dict.fromkeys(listed)),
        content=text[front.body_start :].strip(),
    )


@dataclass(frozen=True, slots=True)
class RankedHit:
    """An element of a leg with the value that determines its rank: BM25, similarity of names, or cosine."""

    candidate: Candidate
    value: float


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk, and the parsed file behind it, if there is one."""

    chunk: Chunk
    file: ParsedFile | None = None


@dataclass(frozen=True, eq=False)
class ChunkIndex:
    """An immutable index. Ranked lists are best first, with at most ``limit`` elements.

    The methods raise only :class:`brvtui.services.legs.LegError`.
    """

    rows: tuple[ChunkRow, ...]
    profile: HybridProfile
    text: FullText
    """The full-text index of the rows' columns. Its documents have the positions of the rows."""
    names: TrigramIndex
    """The trigram index of the file names."""
    idle_rules: tuple[str, ...]
    """The intent rules that no note in this index can match."""
    table: VectorTable | None = None
    """The vectors of the notes, if they have been computed."""

    def bm25(self, query: ParsedQuery, limit: int) -> Sequence[RankedHit]:
        """The rows that match ``query``, best first by FTS5's BM25. Rows with equal scores keep their order."""
        try:
            results = self.text.search(alternatives(query), self.profile.columns.weights, limit)
        except FullTextError as error:
            raise _unreadable(error) from error
        return [self._hit(position, score) for position, score in results]

    def answered(self, query: ParsedQuery, ids: Sequence[str]) -> dict[str, tuple[MatchedWord, ...]]:
        """The words of ``query`` that match each row in ``ids``, each word with the matching fields.

        Raises :class:`brvtui.services.legs.LegError`.
        """
        places = {row.chunk.id: at for at, row in enumerate(self.rows)}
        wanted = {id_: places[id_] for id_ in ids if id_ in places}
        matches: dict[str, list[MatchedWord]] = {id_: [] for id_ in wanted}
        rows_of: dict[str, dict[str, set[int]]] = {}
        for token in query.tokens if wanted else ():
            if token.operator is Operator.NOT:
                continue
            expression = phrase(token.text, token.kind is TokenKind.PREFIX)
            try:
                if expression not in rows_of:
                    among = [*wanted.values()]
                    rows_of[expression] = {
                        name: self.text.holding(expression, columns, among) for name, columns in FIELDS.items()
                    }
            except FullTextError as error:
                raise _unreadable(error) from error
            for id_, place in wanted.items():
                fields = tuple(name for name, rows in rows_of[expression].items() if place in rows)
                if fields:
                    matches[id_].append(
                        MatchedWord(token.text, token.text, self._kind(token, place, fields), 0, fields)
                    )
        return {id_: tuple(words) for id_, words in matches.items()}

    def _kind(self, token: Token, place: int, fields: Sequence[str]) -> MatchKind:
        """The kind of a token's match: PREFIX for a prefix, EXACT if the first of ``fields`` contains the token as
        written, and otherwise STEM.
        """
        if token.kind is TokenKind.PREFIX:
            return MatchKind.PREFIX
        texts = dict(zip(COLUMNS, self.rows[place].chunk.columns, strict=True))
        text = " ".join(texts[column] for column in FIELDS[fields[0]]).lower()
        whole = rf"(?<![^\W_]){re.escape(token.text)}(?![^\W_])"
        return MatchKind.EXACT if token.text in text and re.search(whole, text) else MatchKind.STEM

    def like_names(self, tokens: Sequence[str], limit: int) -> Sequence[RankedHit]:
        """The rows whose file names are similar to any of ``tokens``."""
        return [
            self._hit(match.position, match.similarity)
            for match in self.names.search(tokens, limit, self.profile.trigrams.least)
        ]

    def nearest(self, vector: Vector, limit: int) -> Sequence[RankedHit]:
        """The rows nearest to ``vector`` by cosine. Rows with equal values keep their order.

        Raises :class:`brvtui.services.legs.LegError` if there are no vectors, or if ``vector`` has a different number
        of dimensions.
        """
        if self.table is None:
            raise LegError("the notes have no vectors yet")
        hits = []
        for position, similarity in self.table.nearest(vector, limit):
            hit = self._hit(position, similarity)
            hits.append(replace(hit, candidate=replace(hit.candidate, similarity=similarity)))
        return hits

    def _hit(self, position: int, value: float) -> RankedHit:
        return RankedHit(self.rows[position].chunk.candidate, value)


def index_snapshot(snapshot: Snapshot, profile: HybridProfile, previous: ChunkIndex | None = None) -> ChunkIndex:
    """The index of every searchable note in ``snapshot``, in document order.

    Notes whose files have not changed since ``previous`` are not read again. The vectors of ``previous`` are not
    reused. A note that can no longer be read keeps its path and title.
    """
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
            rows.append(ChunkRow(chunk_of(note.path, note.title, snapshot.readable(note.path)), file))
    return index_rows(rows, profile, (previous.text, kept) if previous else None)


def index_rows(
    rows: Sequence[ChunkRow], profile: HybridProfile, before: tuple[FullText, NDArray[np.int64]] | None = None
) -> ChunkIndex:
    """The index of ``rows``. ``before`` contains the full-text index of the previous index, and the position of each
    row there.
    """
    columns, paths = [row.chunk.columns for row in rows], [row.chunk.path for row in rows]
    text = before[0].after(before[1], columns) if before else full_text(IndexLayout(COLUMNS), columns)
    names = TrigramIndex((row.chunk.id, row.chunk.path) for row in rows)
    return ChunkIndex(tuple(rows), profile, text, names, idle_rules(paths, profile.intent))


def embed_index(
    index: ChunkIndex,
    embedder: Embedder,
    kept: VectorCache,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[int, int], None] = lambda done, all_: None,
) -> tuple[ChunkIndex, Embedded]:
    """``index`` with a vector for each note, if possible, and a report on missing vectors.

    Only texts without a stored vector are sent to the embedder. Raises no errors.
    """
    limit = index.profile.vectors.text_chars
    texts = [row.chunk.embedded(limit) for row in index.rows]
    report = embed_texts(texts, embedder, kept, index.profile.vectors.batch, cancelled, progress)
    return replace(index, table=report.table), report


def _unreadable(error: FullTextError) -> LegError:
    return LegError(f"the index cannot read the query: {error}")
