"""The notes that match a query, by AND or OR, and their text scores. All are arrays.

See ``docs/reference/byterover.md``, "The query".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from brvtui.derived import Key
from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.search import scope as scopes
from brvtui.engines.byterover.search.scope import SearchRequest
from brvtui.engines.byterover.sections import Attempt, Scope
from brvtui.ranking.bm25 import raw_score, saturate
from brvtui.snapshot import Snapshot
from brvtui.text.analysis import terms, utf16
from brvtui.text.constants import TextRules
from brvtui.text.postings import TermMatches
from brvtui.trace import Stage, State, TextScore
from brvtui.tree.reading.javascript import spaced_words
from brvtui.wording import counted

_NUMBER_BITS = 40
_KEPT: Key[_KeptTables] = Key("term tables")
_MOST_NUMBERS = 16_000_000
"""The maximum size of the cached tables: 128 MB."""


@dataclass(frozen=True, slots=True)
class TermTable:
    """The notes that match each distinct query term, and each note's sum of scores and number of matched terms."""

    positions: NDArray[np.int64]
    """The position of the note in each row, in document order. A table of all notes has them in rows of that number."""
    terms: tuple[TermMatches, ...]
    term_sum: NDArray[np.float64]
    matched_terms: NDArray[np.int64]
    tokens: tuple[str, ...]
    """The terms of the query in order, including repeated ones."""

    @property
    def raw(self) -> NDArray[np.float64]:
        """The raw text score of each note."""
        return raw_score(self.term_sum, self.matched_terms)

    def any_word(self) -> NDArray[np.bool_]:
        """A mask of the notes that match any term (OR)."""
        return self.matched_terms > 0

    def every_word(self) -> NDArray[np.bool_]:
        """A mask of the notes that match every term (AND). Without terms, no note matches."""
        return self.matched_terms == len(self.terms) if self.terms else self.any_word()

    def only_matching(self) -> TermTable:
        """The table of the notes that match any term."""
        rows = np.flatnonzero(self.any_word())
        found = tuple(replace(one, scores=one.scores[rows]) for one in self.terms)
        return TermTable(self.positions[rows], found, self.term_sum[rows], self.matched_terms[rows], self.tokens)

    def engine_order(self, snapshot: Snapshot, text: TextRules, needs_all: bool) -> NDArray[np.int64]:
        """A sort key for each note, which puts notes in the order in which the engine finds them; equal keys stay in
        document order.

        The engine finds notes query term by query term. If every term is needed, only the last one decides the order.
        """
        order = np.zeros(len(self.term_sum), dtype=np.int64)
        for number, one in reversed(list(enumerate(self.terms))):
            if not needs_all or one.term == self.tokens[-1]:
                first = snapshot.postings.first_matches(one.term, text)[self.positions]
                order = np.where(one.scores > 0, first + (number << _NUMBER_BITS), order)
        return order

    def text_scores(self, rows: Sequence[int] | NDArray[np.int64]) -> list[TextScore]:
        """The text score of the note in each of ``rows``."""
        places = np.asarray(rows, dtype=np.int64)
        return text_scores(self.term_sum[places], self.matched_terms[places])


def text_scores(term_sum: NDArray[np.float64], matched_terms: NDArray[np.int64]) -> list[TextScore]:
    """The text scores of notes, computed from their term sums and their numbers of distinct matching terms."""
    raw = raw_score(term_sum, matched_terms)
    columns = (term_sum, matched_terms, raw, saturate(raw))
    return [TextScore(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def match_terms(snapshot: Snapshot, tokens: Sequence[str], text: TextRules, in_order: bool = False) -> TermTable:
    """The matches of a query's terms in all notes. A repeated token adds its scores again, but is counted as one term.

    Scores are added in the order of the query, as in the engine, because a different order can change the last digit.
    """
    count = len(snapshot.notes)
    term_sum = np.zeros(count)
    matched = np.zeros(count, dtype=np.int64)
    matches: dict[str, TermMatches] = {}
    for token in tokens:
        if token not in matches:
            matches[token] = _term(snapshot, token, text, in_order)
            matched += matches[token].scores > 0
        term_sum += matches[token].scores
    return TermTable(np.arange(count), tuple(matches.values()), term_sum, matched, tuple(tokens))


class _KeptTables(dict[tuple[tuple[str, ...], bool], TermTable]):
    """The tables of earlier searches, which depend only on the postings and the constants of text relevance."""

    def __init__(self, text: TextRules) -> None:
        super().__init__()
        self.text, self.numbers = text, 0


def matching_notes(
    snapshot: Snapshot, tokens: Sequence[str], text: TextRules, is_kept: bool, in_order: bool = False
) -> TermTable:
    """The table of :func:`match_terms` for only the matching notes. It is cached if ``is_kept``."""
    if not is_kept or text.relevance == "tantivy":  # which depends on more than the postings
        return match_terms(snapshot, tokens, text, in_order).only_matching()
    kept, key = snapshot.postings.derived.known(_KEPT), (tuple(tokens), in_order)
    if kept is None or kept.text != text:
        kept = _KeptTables(text)
        snapshot.postings.derived.put(_KEPT, kept)
    found = kept.get(key) or match_terms(snapshot, tokens, text, in_order).only_matching()
    if key not in kept and kept.numbers < _MOST_NUMBERS:  # no other table is dropped: each is needed equally often
        kept[key], kept.numbers = found, kept.numbers + len(found.positions) * (len(found.terms) + 3)
    return found


def _term(snapshot: Snapshot, token: str, text: TextRules, in_order: bool) -> TermMatches:
    if text.relevance == "tantivy":
        return TermMatches(
            token, snapshot.postings.exact(token), snapshot.relevance_index.term_scores(token, text.boost)
        )
    return snapshot.postings.match(token, text, in_order)


@dataclass(frozen=True, slots=True)
class Matched:
    """The notes that match a text, by AND or OR."""

    table: TermTable
    matching: NDArray[np.bool_]
    combine: str
    combine_why: str
    and_failed: bool
    stages: tuple[Stage, ...]
    attempts: tuple[Attempt, ...]


def time_of(scope: Scope) -> str:
    """The key under which the duration of a search in ``scope`` is recorded."""
    return f"search.{_place(scope).replace(' ', '_')}"


def combine(request: SearchRequest, filtered: str, scope: Scope) -> Matched:
    """The notes in ``scope`` that match every token of the filtered query (AND) or, if AND is not used or finds none,
    any of them (OR).
    """
    snapshot, profile = request.context.snapshot, request.context.constants
    tokens = terms(filtered)
    table = matching_notes(snapshot, tokens, profile.text, request.options.is_brief)
    everything = len(snapshot.notes)
    stages: list[Stage] = []
    any_word = table.any_word()
    every_word = table.every_word()
    came_in = everything
    if scope.restricts:
        inside = scopes.members(snapshot, scope.path)[table.positions]
        any_word, every_word = any_word & inside, every_word & inside
        came_in = scope.notes
        stages.append(Stage("scope", everything, everything - came_in, came_in, "paths-and-scopes", scope.path))
    some, all_ = int(any_word.sum()), int(every_word.sum())
    words = and_words(filtered, profile)
    wants_and = len(words) >= profile.query.and_min_words
    place, timed_by = _place(scope), time_of(scope)
    stages.append(Stage("any term", came_in, came_in - some, some, "text-relevance"))
    count = f"{counted(len(words), 'word', 'words')} of {profile.query.and_word_length} letters or more"
    if not wants_and:
        why = f"OR: {count}; AND needs at least {profile.query.and_min_words}"
        tried = Attempt(f"{place} AND", filtered, scope.path, "AND", State.SKIPPED, came_in, 0, why)
        used = Attempt(
            f"{place} OR", filtered, scope.path, "OR", _state_of(some), came_in, some, why, timed_by=timed_by
        )
        return Matched(table, any_word, "OR", why, False, tuple(stages), (tried, used))
    if all_:
        why = f"AND: {count}, and {counted(all_, 'note matches', 'notes match')} every word"
        stages.append(Stage("every term (AND)", some, some - all_, all_, "the-query"))
        used = Attempt(f"{place} AND", filtered, scope.path, "AND", State.HIT, came_in, all_, why, timed_by=timed_by)
        skipped = Attempt(f"{place} OR", filtered, scope.path, "OR", State.NOT_REACHED, came_in, 0, "AND found notes")
        return Matched(table, every_word, "AND", why, False, tuple(stages), (used, skipped))
    why = f"OR: no note matches every word ({count})"
    tried = Attempt(f"{place} AND", filtered, scope.path, "AND", State.MISSED, came_in, 0, "no note matches every word")
    used = Attempt(f"{place} OR", filtered, scope.path, "OR", _state_of(some), came_in, some, why, timed_by=timed_by)
    return Matched(table, any_word, "OR", why, True, tuple(stages), (tried, used))


def and_words(filtered: str, profile: Profile) -> list[str]:
    """The words in the filtered query that are long enough to count towards the minimum for AND."""
    return [word for word in spaced_words(filtered.lower()) if len(utf16(word)) >= profile.query.and_word_length]


def _place(scope: Scope) -> str:
    return "scoped" if scope.restricts else "whole tree"


def _state_of(count: int) -> State:
    return State.HIT if count else State.MISSED
