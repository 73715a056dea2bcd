"""The parts of one ranking that each member computes itself: the place that a query names, term counts, and scores.

One ranking is a ByteRover search that treats the notes of all members as a single tree, each at its own path
(:mod:`brvtui.engines.byterover.one_ranking`). Members send only the terms that match the query, counts, scores and
results, but not the text of notes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.byterover.profile import Context
from brvtui.engines.byterover.search import scope as scopes
from brvtui.engines.byterover.search.matched_words import hits_with_words, words_below
from brvtui.engines.byterover.search.matching import TermTable, match_terms
from brvtui.engines.byterover.search.scope import SearchOptions, SearchRequest
from brvtui.engines.byterover.search.scoring import propagate, rank, text_hits
from brvtui.engines.byterover.search.search import path_answer
from brvtui.engines.contract import EngineError
from brvtui.engines.together import FinishedPart, TermCounts
from brvtui.text.postings import Collection
from brvtui.text.segment import FIELDS
from brvtui.timing import Stopwatch
from brvtui.trace import Hit

_HOW = ("exact", "absolute", "relative", "simple", "substring")


def searchable(context: Context) -> Context:
    """``context`` if its notes can be searched. Raises :class:`brvtui.engines.contract.EngineError` if they cannot."""
    if context.snapshot.engine_failure and context.constants.limits.failures:
        raise EngineError(context.snapshot.engine_failure)
    return context


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A note or a folder of one member that a query names."""

    path: str
    is_folder: bool
    rank: int
    """The quality of the match: 0 for an exact path, more for a name, and most for a part of a name."""
    text: str
    """The rest of the query, which is searched for in the folder."""
    source: str


@dataclass(frozen=True, slots=True)
class NameRequest:
    """Requests the place that ``query`` names, as a path or as a scope. ``domains`` are the domains of all members."""

    query: str
    domains: tuple[str, ...]

    def of(self, context: Context) -> tuple[NamedPlace | None, NamedPlace | None]:
        """The place that the whole query names, and the scope named at its beginning. Each is None if there is none."""
        snapshot = searchable(context).snapshot
        looked = scopes.look_up_path(snapshot, self.query, self.domains)
        path = None
        if looked.match is not None:
            symbol = looked.match.symbol
            path = NamedPlace(symbol.path, symbol.is_folder, _HOW.index(looked.match.how), looked.text, "path")
        scope = scopes.parse_scope(snapshot, self.query, "")
        if not scope.path:
            return path, None
        fits = len(scope.text) if scope.source == "first_word" else _HOW.index(scope.match)
        return path, NamedPlace(scope.path, True, fits, scope.text, scope.source)


@dataclass(frozen=True, slots=True)
class PathAnswerOf:
    """Requests the answer to a query that names a note or a folder of the member."""

    query: str
    domains: tuple[str, ...]
    limit: int

    def of(self, context: Context) -> tuple[Hit, ...]:
        """The hit for the note, or the hits for the folder's summary and notes."""
        looked = scopes.look_up_path(searchable(context).snapshot, self.query, self.domains)
        assert looked.match is not None  # it is sent only to the member that found the path
        request = SearchRequest(context, self.query, SearchOptions(self.limit), Stopwatch())
        return path_answer(request, looked.match.symbol, looked).hits


@dataclass(frozen=True, slots=True)
class TermCountRequest:
    """Requests the :class:`TermCounts` of ``tokens``."""

    tokens: tuple[str, ...]
    scope: str

    def of(self, context: Context) -> TermCounts:
        """The member's counts for the tokens. Other members do not affect which notes match."""
        postings, text = searchable(context).snapshot.postings, context.constants.text
        frequencies: dict[str, tuple[int, ...]] = {}
        for token in dict.fromkeys(self.tokens):
            for identity in postings.expand(token, text).ids.tolist():
                frequencies[postings.ids.terms[identity]] = tuple(
                    postings.df(identity, field) for field in range(len(FIELDS))
                )
        table = match_terms(context.snapshot, list(self.tokens), text)
        inside = _inside(context, self.scope)
        lengths = tuple(int(row.sum()) for row in postings.lengths)
        some, every = table.any_word() & inside, table.every_word() & inside
        notes = len(context.snapshot.notes)
        return TermCounts(notes, int(inside.sum()), lengths, frequencies, int(some.sum()), int(every.sum()))


@dataclass(frozen=True, slots=True)
class RankedRow:
    """A match, with the values that determine its place in the merged order."""

    path: str
    score: float
    """The unrounded score."""
    raw: float
    """The raw text score."""
    mtime_ns: int
    tokens: tuple[str, ...]
    """The query tokens that the note matches."""


@dataclass(frozen=True, slots=True)
class TogetherQuery:
    """The tokens of a query, the scope of its search, and the statistics of all members."""

    tokens: tuple[str, ...]
    scope: str
    needs_all: bool
    """True if a note must match every token (AND)."""
    collection: Collection

    def searched(self, context: Context) -> tuple[Context, TermTable]:
        """The member's context and term table, with scores for the collection of all members."""
        postings = searchable(context).snapshot.postings.among(self.collection)
        context = replace(context, snapshot=replace(context.snapshot, postings=postings))
        return context, match_terms(context.snapshot, list(self.tokens), context.constants.text)


@dataclass(frozen=True, slots=True)
class TopMatchesRequest:
    """Requests the best ``keep`` matches of a member, with scores for the collection of all members."""

    query: TogetherQuery
    keep: int

    def of(self, context: Context) -> tuple[RankedRow, ...]:
        """The member's best matches, in its own order."""
        context, table = self.query.searched(context)
        snapshot = context.snapshot
        matching = table.every_word() if self.query.needs_all else table.any_word()
        ranking = rank(context, table, matching & _inside(context, self.query.scope), self.keep, self.query.needs_all)
        raw = table.raw
        rows = []
        for position, score in zip(ranking.positions.tolist(), ranking.scores.tolist(), strict=True):
            path = snapshot.notes[position].path
            tokens = tuple(term.term for term in table.terms if term.scores[position] > 0)
            mtime_ns = snapshot.parsed[path].mtime_ns
            rows.append(RankedRow(path, score, float(raw[position]), mtime_ns, tokens))
        return tuple(rows)


@dataclass(frozen=True, slots=True)
class ResultDetailsRequest:
    """Requests the details of results at ``paths``, of folders they lift, and of near misses at ``misses``."""

    query: TogetherQuery
    filtered: str
    paths: tuple[str, ...]
    misses: tuple[str, ...]
    floor: float

    def of(self, context: Context) -> FinishedPart:
        """The member's part of the answer."""
        context, table = self.query.searched(context)
        snapshot = context.snapshot
        positions = [snapshot.by_path[path] for path in self.paths]
        hits: Sequence[Hit] = text_hits(context, positions, table.text_scores(positions))
        hits = hits_with_words(context, self.filtered, hits)
        lifts, summaries = propagate(context, hits, self.floor)
        below = words_below(lifts, {hit.path: hit.words for hit in hits})
        summaries = tuple(replace(one, words=below.get(one.path, ())) for one in summaries)
        near = [snapshot.by_path[path] for path in self.misses]
        misses = [
            (snapshot.notes[at].title, snapshot.notes[at].kind.value, snapshot.signals[at].maturity) for at in near
        ]
        return FinishedPart(hits_with_words(context, self.filtered, hits), summaries, tuple(misses))


def _inside(context: Context, scope: str) -> NDArray[np.bool_]:
    """A mask of the notes in ``scope``; all notes if ``scope`` is empty."""
    if not scope:
        return np.ones(len(context.snapshot.notes), dtype=np.bool_)
    return scopes.members(context.snapshot, scope)
