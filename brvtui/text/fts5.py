"""The analyser of SQLite's FTS5 as ``porter unicode61`` (``docs/jeffs_brain.md``, "Words of the index").

Letters, numbers and private characters make words, everything else parts them; case is folded, a Latin letter loses
its one diacritic, and the word is stemmed.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter
from functools import lru_cache
from typing import Protocol, cast

import snowballstemmer

from brvtui.text.analysis import Analyzer

_SHORTEST = 3
_LONGEST_BYTES = 64
_REMEMBERED = 1 << 17
_BLANK = " "
# Combining marks that vanish inside a word; all others part words.
_VANISHING = re.compile("[\u0300-\u0304\u0306-\u030c\u030f\u0311\u031b\u0323-\u0328\u032d\u032e\u0330\u0331]")

_LOGY = re.compile(r"log(?:y|i|ies|is|ied|ying|iing)$")
_BLY = re.compile(r"bl(?:y|i|ies|is|ied|ying|iing)$")
_DOUBLED = re.compile(r"([^aeioulsz])\1(?:ed|ing)s?$")
_VOWELS = "aeiou"
_MEASURE = re.compile("v+c+")


class _Folds(dict[int, str]):
    """A translation table that folds case and diacritics and maps what parts words to a blank, filled in on demand."""

    def __missing__(self, code: int) -> str:
        self[code] = _folded(chr(code))
        return self[code]


def _folded(character: str) -> str:
    if _VANISHING.match(character):
        return ""
    category = unicodedata.category(character)
    if category[0] not in "LN" and category != "Co":
        return _BLANK
    folded = character.casefold()
    lower = folded if len(folded) == 1 else character.lower()
    parts = unicodedata.normalize("NFD", lower)
    if len(parts) == 2 and parts[0].isascii() and unicodedata.combining(parts[1]):
        return parts[0]
    return lower if len(lower) == 1 else character


_FOLDS = _Folds()


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the library's name


class _Stemmers(threading.local):
    """A stemmer for each thread: it keeps the word it works on."""

    def __init__(self) -> None:
        self.porter = cast("_Stemmer", snowballstemmer.stemmer("porter"))


_STEMMERS = _Stemmers()


def words(text: str) -> list[str]:
    """The words of ``text``, folded, in order, not stemmed."""
    return text.translate(_FOLDS).split()


def terms(text: str) -> list[str]:
    """The terms of ``text`` in order."""
    return [stem(word) for word in words(text)]


def counted(text: str) -> tuple[int, Counter[str]]:
    """How many words ``text`` has, and how often each of its terms occurs."""
    found = terms(text)
    return len(found), Counter(found)


@lru_cache(_REMEMBERED)
def stem(word: str) -> str:
    """The stem of a folded word as FTS5 makes it; very short and very long words are their own."""
    if len(word) < _SHORTEST and len(word.encode("utf-8", "surrogatepass")) < _SHORTEST:
        return word
    if len(word) * 4 > _LONGEST_BYTES and len(word.encode("utf-8", "surrogatepass")) > _LONGEST_BYTES:
        return word
    return _as_fts5(word, _STEMMERS.porter.stemWord(word))


def _as_fts5(word: str, stemmed: str) -> str:
    """Three rules in which FTS5's stemmer departs from the library's: -logi, -bli, and doubled rare consonants."""
    if stemmed.endswith("logi") and _LOGY.search(word) and _measure(stemmed[:-4]) > 0:
        return stemmed[:-1]
    if stemmed.endswith("bli") and _BLY.search(word) and _measure(stemmed[:-3]) > 0:
        root = stemmed[:-1]
        if root.endswith("ibl") and _measure(root[:-3]) > 1:
            return root[:-3]
        measure = _measure(root)
        return root if measure > 1 or (measure == 1 and not _ends_short(root)) else f"{root}e"
    if _DOUBLED.search(word) and len(stemmed) > 2 and stemmed[-1] == stemmed[-2]:
        return stemmed[:-1]
    return stemmed


def _form(word: str) -> str:
    form = ""
    for place, letter in enumerate(word):
        is_vowel = letter in _VOWELS or (letter == "y" and place > 0 and form[-1] == "c")
        form += "v" if is_vowel else "c"
    return form


def _measure(word: str) -> int:
    return len(_MEASURE.findall(_form(word)))


def _ends_short(word: str) -> bool:
    return _form(word)[-3:] == "cvc" and word[-1] not in "wxy"


PORTER = Analyzer("porter unicode61", terms, counted)
