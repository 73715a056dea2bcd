"""The closed list of reasons why a note is not in an answer, in the order in which the engine can lose it.

``docs/engine.md``, "Why a note is not there".
"""

from __future__ import annotations

from enum import StrEnum


class Loss(StrEnum):
    """Why a named note is not among the results. The order of the members is the order of the engine."""

    NOT_IN_TREE = "not in the tree"
    DERIVED = "a derived file, or past the files that the engine reads"
    ARCHIVED = "archived: only its stub is searchable"
    UNREADABLE = "unreadable to the engine"
    CUT_OFF = "its words stand where the engine does not read"
    ENGINE_FAILS = "every search of the engine fails on this tree"
    INDEX_OLDER = "the index is older than the file"
    CACHED = "an earlier answer came from the cache"
    PATH = "the query was taken as a path"
    SCOPE = "the query was taken as a scope, and the note is outside"
    NO_WORDS = "every query word is a stop word or too short"
    NO_TERM = "no term of the query matches it"
    AND = "other notes had all the words"
    FLOOR = "below the out-of-domain floor"
    UNMATCHED_WORD = "the unmatched-word rule emptied the answer"
    GAP = "below 0.7 × top"
    LIMIT = "past the limit"
    TRIMMED = "trimmed after propagation"

    @property
    def number(self) -> int:
        """The place in the closed list of 15; what makes a file unreadable shares the third."""
        return _NUMBERS[self]


_THIRD = (Loss.ARCHIVED, Loss.UNREADABLE, Loss.CUT_OFF, Loss.ENGINE_FAILS)
_NUMBERS = {
    reason: place
    for place, reasons in enumerate(
        [
            (Loss.NOT_IN_TREE,),
            (Loss.DERIVED,),
            _THIRD,
            (Loss.INDEX_OLDER,),
            (Loss.CACHED,),
            (Loss.PATH,),
            (Loss.SCOPE,),
            (Loss.NO_WORDS,),
            (Loss.NO_TERM,),
            (Loss.AND,),
            (Loss.FLOOR,),
            (Loss.UNMATCHED_WORD,),
            (Loss.GAP,),
            (Loss.LIMIT,),
            (Loss.TRIMMED,),
        ],
        start=1,
    )
    for reason in reasons
}
