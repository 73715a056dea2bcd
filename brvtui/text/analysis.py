"""Splits text into terms (``docs/reference/byterover.md``, "Text relevance").

Text is split at runs of line breaks, separators (Unicode Z) and punctuation (Unicode P), but not at tabs, and the
pieces are lower-cased. Lengths and edit distances are counted in UTF-16 units, as in the engine.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import dropwhile

from brvtui.tree.reading.javascript import spaced_words, trim

_SURROGATES_NEEDED = re.compile("[\U00010000-\U0010ffff]")


class CharacterTable(dict[int, str]):
    """A table for :meth:`str.translate` that computes each character's replacement on first use."""

    def __init__(self, replaced: Callable[[str], str]) -> None:
        """Creates an empty table. ``replaced`` returns the replacement for a character."""
        super().__init__()
        self._replaced = replaced

    def __missing__(self, code: int) -> str:
        self[code] = self._replaced(chr(code))
        return self[code]


_BREAKS = CharacterTable(lambda char: "\n" if char in "\n\r" or unicodedata.category(char)[0] in "ZP" else char)
_ASCII_BREAKS = {code: _BREAKS[code] for code in range(128)}


def raw_tokens(text: str) -> list[str]:
    """The tokens of ``text`` in order and in their original case. If ``text`` begins or ends with a break, an empty
    token is at that end.
    """
    pieces = _broken(text).split("\n")
    kept = [piece for piece in pieces if piece]
    if pieces[0] == "" or pieces[-1] == "":
        kept.append("")
    return kept


def counted(text: str) -> tuple[int, Counter[str]]:
    """The number of distinct raw tokens in ``text``, and the number of occurrences of each term (lower case, UTF-16
    form).

    The result is the same as counting :func:`raw_tokens` and :func:`terms`, but takes only one pass over the text.
    """
    broken = _broken(text)
    pieces = broken.split("\n")
    distinct = set(pieces)
    distinct.discard("")
    length = len(distinct) + (pieces[0] == "" or pieces[-1] == "")
    counts = Counter(broken.lower().split("\n"))
    del counts[""]
    if not text.isascii():
        counts = Counter({utf16(term): tf for term, tf in counts.items()})
    return length, counts


def _broken(text: str) -> str:
    return text.translate(_ASCII_BREAKS if text.isascii() else _BREAKS)


def terms(text: str) -> list[str]:
    """The non-empty terms of ``text`` in order, in lower case and in UTF-16 form."""
    pieces = filter(None, _broken(text).lower().split("\n"))
    return list(pieces) if text.isascii() else list(map(utf16, pieces))


def utf16(text: str) -> str:
    """The UTF-16 form of ``text``, for which ``len`` returns the number of UTF-16 units. Astral characters become two
    surrogates.
    """
    if text.isascii() or not _SURROGATES_NEEDED.search(text):
        return text
    units = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(int.from_bytes(units[i : i + 2], "little")) for i in range(0, len(units), 2))


def encodable(text: str) -> str:
    """``text`` with each lone surrogate, which UTF-8 cannot encode, replaced by a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def from_utf16(text: str) -> str:
    """The inverse of :func:`utf16`, for display. A lone surrogate becomes U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


_STOPPED = """
    a an the and or but in on at to for of with by from as is was are were been be have has had do does did will would
    could should may might shall can need must it its this that these those i you he she we they me him her us them my
    your his our their what which who whom when where why how all each every both few more most other some such no not
    only same so than too very just because if then else about up out into
"""
STOP_WORDS = frozenset(_STOPPED.split())
"""English stop words, as listed by Soleri."""
_TYPED = re.compile(r"(?<![/\w'’<&.@#`])(?<!\d-)[^\W\d_]{2,64}(?![/\w]|[.@]\w|['’](?!s\b)\w|:/|-\d)")
_LEAST_TYPED = 3


def typed_words(text: str) -> list[str]:
    """The distinct words of ``text`` that a person would type to find it, in lower case and in order.

    Parts of paths, file names, identifiers, numbers and markup are left out, as are stop words and, in ASCII, words of
    two letters.
    """
    words = dict.fromkeys(_TYPED.findall(text.lower()))
    return [word for word in words if word not in STOP_WORDS and (len(word) >= _LEAST_TYPED or not word.isascii())]


def without_word(words: Sequence[str], place: int) -> list[str]:
    """``words`` without the one at ``place``.

    If only stop words precede it, they and the stop words after it are left out too: “how do I rotate the keys” without
    “rotate” is “keys”.
    """
    before, after = list(words[:place]), list(words[place + 1 :])
    if all(word.lower() in STOP_WORDS for word in before):
        return list(dropwhile(lambda word: word.lower() in STOP_WORDS, after)) or before + after
    return before + after


def without_stop_words(text: str, stop_words: frozenset[str]) -> str:
    """The words of ``text`` in lower case without stop words, joined by single spaces; ``text`` itself if no word would
    be left.

    If ``text`` contains only stop words and begins or ends with white space, the result is empty, because the engine
    then finds an empty word at that end.
    """
    words = spaced_words(text.lower())
    kept = [word for word in words if word not in stop_words]
    if kept:
        return " ".join(kept)
    return "" if words and text != trim(text) else text


# Folding: text is reduced to one spelling, so that a word is also found in capitals, in composed or decomposed form,
# and in full-width letters.


UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Matches an invisible character, which is default ignorable in Unicode or an interlinear annotation mark."""
_ACCENTS = re.compile(
    f"[{UNSEEN.pattern[1:-1]}\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)
"""Matches accents, Hebrew and Arabic vowel signs, and invisible characters. Marks in other scripts are parts of letters
and do not match.
"""
_BARRED = str.maketrans("ıđłø‘’ʼ", "idlo'''")
_AROUND = "\"'`.,;:!?()[]{}<>*“”‘’«»。，、！？「」"
_PILED = re.compile(r"([^\w\s\x00-\x7f]{30})[^\w\s\x00-\x7f]+")
"""Matches more than 30 marks in a row. The excess marks are removed, because normalisation takes quadratic time to sort
marks.
"""


def fold(text: str) -> str:
    """``text`` in lower case and in Unicode's compatibility form, without accents and other diacritics. Takes linear
    time.
    """
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", _PILED.sub(r"\1", _ACCENTS.sub("", text)))
    small = unicodedata.normalize("NFKD", _ACCENTS.sub("", plain).casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", small).translate(_BARRED))


@lru_cache(4)
def _typed_words(query: str) -> dict[str, str]:
    """Maps each folded form to the first word of ``query`` with that form, in order."""
    found: dict[str, str] = {}
    for word in (*(piece.strip(_AROUND) or piece for piece in query.split()), *raw_tokens(query)):
        found.setdefault(fold(word), word)
    return found


def typed_word(term: str, query: str) -> str:
    """The word of ``query`` from which ``term`` was derived, without punctuation at its ends; empty if there is none.

    The result is the word with the same folded form as ``term`` or, if there is none, the first word that contains the
    letters of ``term`` in order.
    """
    words, wanted = _typed_words(query), fold(term)
    if wanted in words:
        return words[wanted]
    letters = [sign for sign in wanted if sign.isalnum()]
    rest = ((one, iter(one)) for one in words if letters and letters[0] in one)
    return next((words[one] for one, left in rest if all(sign in left for sign in letters)), "")


def origin(term: str, query: str) -> str:
    """The word of ``query`` from which ``term`` was derived, in quotes; empty if the folded forms of both
    are the same.
    """
    typed = typed_word(term, query)
    return "" if fold(typed) == fold(term) else f"‘{typed}’" if typed else "your words"
