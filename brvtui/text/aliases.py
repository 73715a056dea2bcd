"""Other words for a word of a query (``docs/jeffs_brain.md``, "Aliases")."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from brvtui.text.query_language import ParsedQuery, Token, TokenKind
from brvtui.text.trigrams import words_of

Aliases = Mapping[str, Sequence[str]]


class AliasError(ValueError):
    """An alias file that cannot be used; the message says which and why."""


def expand(parsed: ParsedQuery, aliases: Aliases) -> ParsedQuery:
    """``parsed`` with each term that ``aliases`` knows replaced by its alternatives, once.

    The first alternative takes the term's operator. A term whose alternatives hold no word stays.
    """
    tokens: list[Token] = []
    for token in parsed.tokens:
        alternatives = aliases.get(token.text, ()) if token.kind is TokenKind.TERM else ()
        made = list(dict.fromkeys(_token(words) for words in map(_words, alternatives) if words))
        tokens += [replace(made[0], operator=token.operator), *made[1:]] if made else [token]
    return replace(parsed, tokens=tuple(tokens))


def _words(alternative: str) -> list[str]:
    return words_of(alternative.lower())


def _token(words: list[str]) -> Token:
    return Token(TokenKind.TERM if len(words) == 1 else TokenKind.PHRASE, " ".join(words))


def read_aliases(file: Path) -> dict[str, list[str]]:
    """The aliases in a JSON file ``{"word": ["other", "two words"]}``, keys in lower case.

    Raises :class:`AliasError` when the file cannot be read or holds something else.
    """
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise AliasError(f"{file}: cannot be read as aliases ({error})") from error
    return checked_aliases(value, str(file))


def checked_aliases(value: Any, origin: str) -> dict[str, list[str]]:
    """The aliases in ``value``, plain data of the same form. Raises :class:`AliasError`, which names ``origin``."""
    if not isinstance(value, dict):
        raise AliasError(f"{origin}: must be an object of words and lists of words")
    for word, others in value.items():
        if not isinstance(others, list) or not all(isinstance(other, str) for other in others):
            raise AliasError(f"{origin}: {word} must have a list of words")
    return {word.lower(): others for word, others in value.items()}
