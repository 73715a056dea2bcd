"""The shorter texts that a failed query is tried as (``docs/jeffs_brain.md``, "The retry ladder")."""

from __future__ import annotations

import unicodedata
from collections.abc import Set

from brvtui.tree.reading.whitespace import folded, spaced_words


class _Marks(dict[int, str]):
    """A translation table that maps punctuation and symbols to a blank, filled in as characters are met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = " " if unicodedata.category(character)[0] in "PS" else character
        return self[code]


_MARKS = _Marks()


def sanitised(query: str) -> str:
    """``query`` with each run of punctuation and symbols as a blank, white space in single blanks; case is kept."""
    return folded(query.translate(_MARKS))


def query_tokens(query: str, stop_words: Set[str], word_length: int) -> list[str]:
    """The words of ``query`` that say something, in lower case, each once: long enough and no stop word."""
    words = spaced_words(sanitised(query).lower())
    return list(dict.fromkeys(word for word in words if len(word) >= word_length and word not in stop_words))


def strongest_term(query: str, stop_words: Set[str], word_length: int) -> str:
    """The longest of the words that say something, the first of equals; empty when there is none."""
    return max(query_tokens(query, stop_words, word_length), key=len, default="")
