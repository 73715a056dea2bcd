"""A question as an expression of FTS5 (``docs/soleri.md``, "The query")."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from brvtui.engines.soleri.profile import AsRun

_SEPARATORS = re.compile(r"[\s\-_./\\]+")
_LEAST = 2
_OR = " OR "
_SLOW_WORDS = 64
_WORD = re.compile(
    r'\^?(?:(?!(?:AND|OR|NOT|NEAR)(?:[ \t\n\r]|\Z))[\w\x80-\U0010ffff]+|"[^"]*")\*?(?=[ \t\n\r]|\Z)', re.ASCII
)
"""A word or phrase, or the beginning of one, as FTS5 reads them: a no-break space is part of a word."""


def terms(query: str, as_run: AsRun) -> tuple[str, ...]:
    """The terms of ``query`` in their order; a term that stands twice counts twice."""
    made = []
    for piece in _SEPARATORS.split(query.lower()):
        term = "".join(filter(_is_ascii_word if as_run.ascii_terms else _is_word, piece))
        measured = piece if as_run.length_before_stripping else term
        if term and len(measured) >= _LEAST:
            made.append(term)
    return tuple(made)


def alternatives(query: str, as_run: AsRun) -> Sequence[str]:
    """The expressions that are joined by OR; a query without a term goes to FTS5 as it is."""
    return terms(query, as_run) or (query,)


def many_bare_words(query: str, as_run: AsRun) -> Sequence[str]:
    """Returns the words of a query without terms that FTS5 would need much time for; empty for any other query.

    FTS5 joins them by AND and adds up a score for each, repeats included, in a time that grows with their square.
    """
    words = _WORD.findall(query)
    is_long = len(words) > _SLOW_WORDS and not terms(query, as_run)
    return words if is_long and not _WORD.sub("", query).strip(" \t\n\r") else ()


def expression(query: str, as_run: AsRun) -> str:
    """The whole FTS5 expression."""
    return _OR.join(alternatives(query, as_run))


def _is_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LN"


def _is_ascii_word(character: str) -> bool:
    return character.isascii() and character.isalnum()
