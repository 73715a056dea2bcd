"""The FTS5 expression of a query (``docs/reference/soleri.md``, "The query")."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from brvtui.engines.soleri.profile import ProgramDeviations

_SEPARATORS = re.compile(r"[\s\-_./\\]+")
_LEAST = 2
_OR = " OR "
_SLOW_WORDS = 64
_WORD = re.compile(
    r"\^?(?:(?<![\w\x80-\U0010ffff])(?!(?:AND|OR|NOT|NEAR)(?:[ \t\n\r]|\Z))[\w\x80-\U0010ffff]++|"
    r'"[^"]*")\*?(?=[ \t\n\r]|\Z)',
    re.ASCII,
)
"""A word, phrase or prefix as FTS5 reads it. For FTS5, a no-break space is part of a word."""


def terms(query: str, as_run: ProgramDeviations) -> tuple[str, ...]:
    """The terms of ``query`` in order, including repetitions."""
    result = []
    for piece in _SEPARATORS.split(query.lower()):
        term = "".join(filter(_is_ascii_word if as_run.ascii_terms else _is_word, piece))
        measured = piece if as_run.length_before_stripping else term
        if term and len(measured) >= _LEAST:
            result.append(term)
    return tuple(result)


def alternatives(query: str, as_run: ProgramDeviations) -> Sequence[str]:
    """The expressions that are joined by OR. A query without terms is passed to FTS5 unchanged."""
    return terms(query, as_run) or (query,)


def many_bare_words(query: str, as_run: ProgramDeviations) -> Sequence[str]:
    """If ``query`` has no terms and so many words that FTS5 would need a long time, its words; otherwise empty.

    FTS5 joins such words by AND and adds up a score for each word, including repetitions, in time quadratic in the
    number of words.
    """
    words = _WORD.findall(query)
    is_long = len(words) > _SLOW_WORDS and not terms(query, as_run)
    return words if is_long and not _WORD.sub("", query).strip(" \t\n\r") else ()


def expression(query: str, as_run: ProgramDeviations) -> str:
    """The whole FTS5 expression for ``query``."""
    return _OR.join(alternatives(query, as_run))


def _is_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LN"


def _is_ascii_word(character: str) -> bool:
    return character.isascii() and character.isalnum()
