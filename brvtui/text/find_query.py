"""The query language of Find. Splits text into words, and queries into clauses (``docs/how-to/find-notes.md``)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import reduce
from typing import NamedTuple

from brvtui.text.analysis import CharacterTable, encodable, fold

FIELDS = ("title", "headings", "tags", "path", "text")
"""The fields that can match, in order of decreasing weight."""
BREAKS = CharacterTable(lambda char: char if unicodedata.category(char)[0] in "LMN" else "\n")
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u318f\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Scripts without spaces between words (Han, Kana, Thai …), and Hangul, which attaches particles to words."""
RUN = re.compile(f"[{UNSPACED}]+")
_WORD = re.compile(f"[{UNSPACED}]+|[^\n{UNSPACED}]+")


class Word(NamedTuple):
    """A lower-case word from a text, with the start and end of the word in that text."""

    text: str
    start: int
    end: int

    @property
    def is_unspaced(self) -> bool:
        """True if the word is in a script without spaces."""
        return bool(RUN.match(self.text))


def words_in(text: str) -> Iterator[Word]:
    """Yields the words of ``text`` in order: runs of letters, marks and numbers. Characters of scripts without spaces
    form separate runs.
    """
    for found in _WORD.finditer(text.translate(BREAKS)):
        yield Word(found[0].lower(), found.start(), found.end())


class Match(StrEnum):
    """The ways of comparing a query word with the words of documents."""

    WORD = "word"
    PREFIX = "prefix"
    FUZZY = "fuzzy"
    PHRASE = "phrase"
    GRAMS = "grams"


@dataclass(frozen=True, slots=True)
class QueryClause:
    """One condition of a query: ``words`` in ``field`` (empty for any field)."""

    match: Match
    words: tuple[str, ...]
    field: str = ""
    distance: int = 0
    excluded: bool = False


_Alternatives = list[list[QueryClause]]
_BARE = r'[^\s"()](?:[^\s"()]|\([^\s"()]*\)?)*'
_PIECE = re.compile(rf'(-?)(?:(title|headings?|tags?|path|text):)?(?:"([^"]*)"?|([()])|({_BARE}))', re.IGNORECASE)
_MARKS = re.compile(r"(?<=.)(\*|~[12]?)$")
MOST_WORDS = 50
"""The maximum number of words in a query, or of characters in scripts without spaces, because each word of a phrase
costs time.
"""
_MOST_ALTERNATIVES, _DEEPEST = 50, 20
_LONGEST_FUZZY = 64
"""The maximum length of a word that is matched fuzzily, because the automaton grows with the length."""


def parsed(query: str, is_typing: bool = False) -> _Alternatives:
    """The alternatives of ``query``, each a list of clauses that must all hold. Any text is a valid query.

    If ``is_typing``, the last word also matches longer words that begin with it. Only the first 50 words and the first
    50 alternatives of the query are used.
    """
    is_open = is_typing and query[-1:] not in (" ", '"', ")")
    return _QueryReader(query, True, is_open).alternatives() or _QueryReader(query, False, is_typing).alternatives()


def is_cut(query: str) -> bool:
    """True if ``query`` exceeds the limit on words or on alternatives."""
    readers = (_QueryReader(query, has_operators, False) for has_operators in (True, False))
    return next((reader.is_cut for reader in readers if reader.alternatives()), False)


class _QueryReader:
    """Reads a query from left to right."""

    def __init__(self, query: str, has_operators: bool, is_open: bool) -> None:
        self._pieces = list(_PIECE.finditer(query))
        self._has_operators, self._is_open = has_operators, is_open
        self._next, self._left = 0, MOST_WORDS
        self.is_cut = False

    def alternatives(self, depth: int = 0, outer: str = "") -> _Alternatives:
        """Reads the alternatives up to the end of the current group, which is nested ``depth`` levels deep. ``outer``
        is the field to which the group is limited; empty if there is none.
        """
        found, current, excluded = _Alternatives(), _Alternatives([[]]), False
        while self._next < len(self._pieces):
            minus, name, phrase, parenthesis, word = self._pieces[self._next].groups()
            self._next += 1
            if parenthesis == ")" and depth:
                break
            if self._has_operators and word in ("AND", "OR", "NOT") and not minus and not name:
                if word == "OR" and any(current):
                    found, current = found + current, [[]]
                excluded = word == "NOT"
                continue
            field, without = _field(name) or outer, self._has_operators and (excluded or bool(minus))
            excluded = False
            if parenthesis == "(" and depth < _DEEPEST:
                group = self.alternatives(depth + 1, field)
                unlike = ([[replace(one, excluded=not one.excluded)] for one in clauses] for clauses in group)
                group = reduce(self._both, unlike, [[]]) if without else group
            else:
                group = [[replace(clause, excluded=without) for clause in self._clauses(phrase, word, field)]]
            current = self._both(current, group or [[]])
        different = dict.fromkeys(tuple(dict.fromkeys(clauses)) for clauses in found + current)
        return self._first([list(clauses) for clauses in different if clauses])

    def _clauses(self, phrase: str | None, word: str | None, field: str) -> Iterator[QueryClause]:
        for clause in _clauses(phrase, word, field, self._is_open and self._next == len(self._pieces)):
            if self._left > 0:
                yield _cut(clause, self._left)
            self._left -= len(clause.words[0]) if clause.match is Match.GRAMS else len(clause.words)
            self.is_cut |= self._left < 0

    def _both(self, one: _Alternatives, other: _Alternatives) -> _Alternatives:
        return self._first([[*left, *right] for left in one for right in other])

    def _first(self, alternatives: _Alternatives) -> _Alternatives:
        self.is_cut |= len(alternatives) > _MOST_ALTERNATIVES
        return alternatives[:_MOST_ALTERNATIVES]


def _cut(clause: QueryClause, size: int) -> QueryClause:
    """``clause`` cut to ``size`` words, or to ``size`` characters of a script without spaces."""
    words = (clause.words[0][:size],) if clause.match is Match.GRAMS else clause.words[:size]
    return replace(clause, words=words)


def _field(name: str | None) -> str:
    """The field whose name begins with ``name``; empty if there is no such field."""
    return next((field for field in FIELDS if name and field.startswith(name.lower())), "")


def _clauses(phrase: str | None, word: str | None, field: str, is_open: bool) -> list[QueryClause]:
    """The clauses of one piece of a query: a phrase or a word."""
    text = phrase if phrase is not None else word or ""
    mark = _MARKS.search(text) if phrase is None else None
    words = list(words_in(encodable(text[: mark.start()] if mark else text)))
    spaced = tuple(one.text for one in words if not one.is_unspaced)
    clauses = [QueryClause(Match.GRAMS, (fold(one.text),), field) for one in words if one.is_unspaced]
    distance = int(mark[0][1:] or 1) if mark and mark[0].startswith("~") else 0
    if distance:
        return [*clauses, *(_fuzzy(one, field, distance) for one in spaced)]
    if spaced and (mark or is_open):
        last = QueryClause(Match.PREFIX, spaced[-1:], field)
        return [*clauses, *([_exact(spaced[:-1], field)] if spaced[:-1] else []), last]
    return [*clauses, _exact(spaced, field)] if spaced else clauses


def _exact(words: tuple[str, ...], field: str) -> QueryClause:
    return QueryClause(Match.PHRASE if len(words) > 1 else Match.WORD, words, field)


def _fuzzy(word: str, field: str, distance: int) -> QueryClause:
    if len(word) > _LONGEST_FUZZY:
        return QueryClause(Match.WORD, (word,), field)
    return QueryClause(Match.FUZZY, (word,), field, distance)


def whole_phrase(clauses: Sequence[QueryClause]) -> QueryClause | None:
    """One phrase with the words of all ``clauses`` that are neither excluded nor limited to a field. None if there are
    fewer than two such words, or if one of them is not matched as a word or phrase.
    """
    plain = [clause for clause in clauses if not clause.excluded and not clause.field]
    words = tuple(word for clause in plain for word in clause.words)
    is_phrase = len(words) > 1 and all(clause.match in (Match.WORD, Match.PHRASE) for clause in plain)
    return QueryClause(Match.PHRASE, words) if is_phrase else None
