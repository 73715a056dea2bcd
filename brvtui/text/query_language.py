"""Words, phrases, prefixes and operators of a query (``docs/jeffs_brain.md``, "The query language")."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Set
from dataclasses import dataclass
from enum import StrEnum

from brvtui.text.fts import phrase
from brvtui.tree.reading.whitespace import folded, spaced_words

_INVISIBLE = dict.fromkeys((0x200B, 0x200C, 0x200D, 0xFEFF))
_STRIPPED = str.maketrans("", "", "*():^+\"-?!.,;/\\[]{}<>|&'$#@%=~`")
_PIECE = re.compile(r'"([^"]*)"?|([^\s"]+)')
_FILLERS = ("and", "or", "not")


class TokenKind(StrEnum):
    """What a token of a query is."""

    TERM = "term"
    PHRASE = "phrase"
    PREFIX = "prefix"


class Operator(StrEnum):
    """How a token is joined to what stands before it."""

    AND = "AND"
    OR = "OR"
    NOT = "NOT"


@dataclass(frozen=True, slots=True)
class Token:
    """One token; without an operator it is joined by OR."""

    kind: TokenKind
    text: str
    operator: Operator | None = None


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query as it is read. ``raw`` is the text after normalisation."""

    raw: str
    tokens: tuple[Token, ...]
    has_operators: bool


def normalise(query: str) -> str:
    """``query`` composed (NFC), without invisible joiners, white space in single blanks, nothing at its ends."""
    return folded(unicodedata.normalize("NFC", query).translate(_INVISIBLE))


def parse(query: str, stop_words: Set[str], word_length: int) -> ParsedQuery:
    """The tokens of ``query``; any text can be read.

    In a query without quotes and operators, words shorter than ``word_length`` and ``stop_words`` are dropped.
    """
    raw = normalise(query)
    operators = set(Operator)
    has_operators = '"' in raw or any(word in operators for word in spaced_words(raw))
    tokens: list[Token] = []
    pending: Operator | None = None
    for piece in _PIECE.finditer(raw):
        phrase, word = piece.group(1), piece.group(2)
        if phrase is not None:
            text = phrase.strip().lower()
            if text:
                tokens.append(Token(TokenKind.PHRASE, text, pending))
                pending = None
            continue
        if word in operators:
            pending = Operator(word)
            continue
        kind = TokenKind.PREFIX if word.endswith("*") else TokenKind.TERM
        text = word.translate(_STRIPPED).lower()
        stopped = text in stop_words or text in _FILLERS or len(text) < word_length
        if text and (has_operators or not stopped):
            tokens.append(Token(kind, text, pending))
        pending = None
    return ParsedQuery(raw, tuple(tokens), has_operators)


def compile_fts(parsed: ParsedQuery) -> str:
    """The query as text of a full-text engine; empty when it has no token.

    Tokens are joined by OR unless one says otherwise; NOT is written ``AND NOT``; the first one's operator is dropped.
    """
    made = ""
    for token in parsed.tokens:
        if made:
            operator = token.operator or Operator.OR
            made += f" AND {operator} " if operator is Operator.NOT else f" {operator} "
        made += _rendered(token)
    return made


def _rendered(token: Token) -> str:
    if token.kind is TokenKind.PHRASE:
        return f'"{token.text}"'
    return f"{token.text}*" if token.kind is TokenKind.PREFIX else token.text


def alternatives(parsed: ParsedQuery) -> list[str]:
    """What OR joins in the query, each as an expression of SQLite's FTS5; there NOT binds closest, and AND before OR.

    Every token is a phrase there: a term that the tokenizer splits is found in one piece.
    """
    made: list[str] = []
    for token in parsed.tokens:
        text = phrase(token.text, token.kind is TokenKind.PREFIX)
        if made and token.operator not in (None, Operator.OR):
            made[-1] += f" {token.operator} {text}"
        else:
            made.append(text)
    return made
