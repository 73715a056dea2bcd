"""Text in one spelling, so that a word is found however it is written: in capitals, composed or not, in full width."""

from __future__ import annotations

import re
import unicodedata

from brvtui.text.analysis import raw_tokens

_ACCENTS = re.compile("[\u0300-\u036f\u00ad\u200b-\u200f\u2060\ufeff]+")
"""Accents once decomposed, and characters that nobody sees. Marks of other scripts make other letters, and stay."""
_BARRED = str.maketrans("ıđłø", "idlo")
_AROUND = "\"'`.,;:!?()[]{}<>*“”‘’«»。，、！？「」"
_PILED = re.compile(r"([^\w\s\x00-\x7f]{30})[^\w\s\x00-\x7f]+")
"""Marks beyond the thirtieth in a row: sorting them, as normalisation does, takes the square of their number."""


def fold(text: str) -> str:
    """``text`` in small letters without accents, each character in its plain form (NFKC); in linear time."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", _PILED.sub(r"\1", _ACCENTS.sub("", text)))
    small = unicodedata.normalize("NFKD", _ACCENTS.sub("", plain).casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", small).translate(_BARRED))


def typed_word(term: str, query: str) -> str:
    """The word of ``query`` that ``term`` was made of, without punctuation at its ends; empty if there is none.

    The word is ``term`` itself in any spelling, or else the first that contains its letters, in their order.
    """
    words = [*(piece.strip(_AROUND) or piece for piece in query.split()), *raw_tokens(query)]
    folded, wanted = [fold(word) for word in words], fold(term)
    if wanted in folded:
        return words[folded.index(wanted)]
    letters = [sign for sign in wanted if sign.isalnum()]
    rest = map(iter, folded if letters else ())
    return next((word for word, left in zip(words, rest, strict=False) if all(sign in left for sign in letters)), "")


def origin(term: str, query: str) -> str:
    """The typed word that ``term`` was made of, in quotes; empty if it is ``term`` itself in any spelling."""
    typed = typed_word(term, query)
    return "" if fold(typed) == fold(term) else f"‘{typed}’" if typed else "your words"
