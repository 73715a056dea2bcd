"""The query language of Jeffs Brain: words, phrases, prefixes, operators and aliases.

See ``docs/reference/jeffs-brain.md``, "The query language" and "Aliases".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from brvtui import faults
from brvtui.text.fts import phrase
from brvtui.text.trigrams import words_of
from brvtui.tree.reading.javascript import folded, spaced_words
from brvtui.tree.reading.json_file import read_json

_INVISIBLE = dict.fromkeys((0x200B, 0x200C, 0x200D, 0xFEFF))
_STRIPPED = str.maketrans("", "", "*():^+\"-?!.,;/\\[]{}<>|&'$#@%=~`")
_PIECE = re.compile(r'"([^"]*)"?|([^\s"]+)')
_FILLERS = ("and", "or", "not")


class TokenKind(StrEnum):
    """The kind of a token."""

    TERM = "term"
    PHRASE = "phrase"
    PREFIX = "prefix"


class Operator(StrEnum):
    """The ways of joining a token to the preceding one."""

    AND = "AND"
    OR = "OR"
    NOT = "NOT"


@dataclass(frozen=True, slots=True)
class Token:
    """One token. A token without an operator is joined by OR."""

    kind: TokenKind
    text: str
    operator: Operator | None = None


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A parsed query. ``raw`` is the text after normalisation."""

    raw: str
    tokens: tuple[Token, ...]
    has_operators: bool


def normalise(query: str) -> str:
    """``query`` in NFC, trimmed, without invisible joiners, and with each run of white space replaced by one space."""
    return folded(unicodedata.normalize("NFC", query).translate(_INVISIBLE))


def parse(query: str, stop_words: Set[str], word_length: int) -> ParsedQuery:
    """Parses ``query``. Any text is a valid query.

    If the query has no quotes or operators, ``stop_words`` and words shorter than ``word_length`` are dropped.
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
    """The query as a full-text expression; empty if it has no tokens.

    Tokens without an operator are joined by OR. NOT is written ``AND NOT``. The first token's operator is dropped.
    """
    text = ""
    for token in parsed.tokens:
        if text:
            operator = token.operator or Operator.OR
            text += f" AND {operator} " if operator is Operator.NOT else f" {operator} "
        text += _rendered(token)
    return text


def _rendered(token: Token) -> str:
    if token.kind is TokenKind.PHRASE:
        return f'"{token.text}"'
    return f"{token.text}*" if token.kind is TokenKind.PREFIX else token.text


def alternatives(parsed: ParsedQuery) -> list[str]:
    """The parts of the query that OR joins, each as an FTS5 expression. NOT binds most tightly, then AND, then OR.

    Every token becomes a phrase, so that a term must match with all its parts next to each other if the tokenizer
    splits it.
    """
    expressions: list[str] = []
    for token in parsed.tokens:
        text = phrase(token.text, token.kind is TokenKind.PREFIX)
        if expressions and token.operator not in (None, Operator.OR):
            expressions[-1] += f" {token.operator} {text}"
        else:
            expressions.append(text)
    return expressions


Aliases = Mapping[str, Sequence[str]]


class AliasError(ValueError):
    """An alias file cannot be used. The message names the file and the reason."""


def expand(parsed: ParsedQuery, aliases: Aliases) -> ParsedQuery:
    """Replaces each term of ``parsed`` that has ``aliases`` by its alternatives. Alternatives are not expanded again.

    The first alternative gets the operator of the term. If the alternatives contain no words, the term is kept.
    """
    tokens: list[Token] = []
    for token in parsed.tokens:
        alternatives = aliases.get(token.text, ()) if token.kind is TokenKind.TERM else ()
        replacements = list(dict.fromkeys(_token(words) for words in map(_words, alternatives) if words))
        tokens += [replace(replacements[0], operator=token.operator), *replacements[1:]] if replacements else [token]
    return replace(parsed, tokens=tuple(tokens))


def _words(alternative: str) -> list[str]:
    return words_of(alternative.lower())


def _token(words: list[str]) -> Token:
    return Token(TokenKind.TERM if len(words) == 1 else TokenKind.PHRASE, " ".join(words))


def read_aliases(file: Path) -> dict[str, list[str]]:
    """Reads aliases from a JSON file such as ``{"word": ["other", "two words"]}``. Keys are lower-cased.

    Raises :class:`AliasError` if the file cannot be read or has a different form.
    """
    try:
        value = read_json(file, follow_links=True)
    except (OSError, ValueError) as error:
        raise AliasError(
            f"{file}: cannot be read as aliases ({faults.reading_reason(error)}); "
            'give a JSON file such as {"deploy": ["release", "roll out"]}'
        ) from error
    return checked_aliases(value, str(file))


def checked_aliases(value: Any, origin: str) -> dict[str, list[str]]:
    """The aliases in ``value``, parsed JSON such as ``{"word": ["other", "two words"]}``. Raises :class:`AliasError`,
    whose message names ``origin``.
    """
    if not isinstance(value, dict):
        raise AliasError(f"{origin}: must be an object that maps words to lists of words")
    for word, others in value.items():
        if not isinstance(others, list) or not all(isinstance(other, str) for other in others):
            raise AliasError(f"{origin}: {word} must have a list of words")
    return {word.lower(): others for word, others in value.items()}
