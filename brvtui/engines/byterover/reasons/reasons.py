"""The closed list of reasons why a note is not in an answer, in the order in which the engine can lose it.

``docs/engine.md``, "Why a note is not there".
"""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
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


_THIRD = (Reason.ARCHIVED, Reason.UNREADABLE, Reason.CUT_OFF, Reason.ENGINE_FAILS)
_NUMBERS = {
    reason: place
    for place, reasons in enumerate(
        [
            (Reason.NOT_IN_TREE,),
            (Reason.DERIVED,),
            _THIRD,
            (Reason.INDEX_OLDER,),
            (Reason.CACHED,),
            (Reason.PATH,),
            (Reason.SCOPE,),
            (Reason.NO_WORDS,),
            (Reason.NO_TERM,),
            (Reason.AND,),
            (Reason.FLOOR,),
            (Reason.UNMATCHED_WORD,),
            (Reason.GAP,),
            (Reason.LIMIT,),
            (Reason.TRIMMED,),
        ],
        start=1,
    )
    for reason in reasons
}
