"""Likeness of names by their trigrams (``docs/jeffs_brain.md``, "Trigrams")."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from brvtui.ranking.similarity import jaccard
from brvtui.text.analysis import CharacterTable

_SIZE = 3
_REMEMBERED = 1 << 17
_ENDING = ".md"


_OTHERS = CharacterTable(lambda char: char if unicodedata.category(char)[0] in "LN" else " ")
_BLANKS = re.compile(" +")

Grams = frozenset[str]


def words_of(text: str) -> list[str]:
    """The runs of letters and numbers in ``text``."""
    return [word for word in _BLANKS.split(text.translate(_OTHERS)) if word]


def slug_text(path: str) -> str:
    """The words of a path's last part, in lower case, without one ending ``.md``."""
    return " ".join(words_of(path.lower().rpartition("/")[2].removesuffix(_ENDING)))


def grams(text: str) -> Grams:
    """The trigrams of every word of ``text``, each word in lower case between two ``$``."""
    found: set[str] = set()
    for word in words_of(text.lower()):
        padded = f"${word}$"
        found.update(padded[start : start + _SIZE] for start in range(len(padded) - _SIZE + 1))
    return frozenset(found)


@lru_cache(_REMEMBERED)
def name_grams(path: str) -> Grams:
    """The trigrams of a path's slug text; remembered, as most paths are there again in the next snapshot."""
    return grams(slug_text(path))


@dataclass(frozen=True, slots=True)
class Likeness:
    """A name that is like a token: its position, and the likeness to the most like token."""

    position: int
    path: str
    similarity: float


class TrigramIndex:
    """Names by their trigrams. Entries with an empty id, and repeated ids, are left out."""

    def __init__(self, entries: Iterable[tuple[str, str]]) -> None:
        """``entries`` are ids and paths; positions count all of them."""
        self._names: dict[int, tuple[str, Grams]] = {}
        self._holders: dict[str, list[int]] = {}
        seen = {""}
        for position, (identity, path) in enumerate(entries):
            if identity not in seen:
                seen.add(identity)
                own = name_grams(path)
                self._names[position] = (path, own)
                for gram in own:
                    self._holders.setdefault(gram, []).append(position)

    def search(self, tokens: Sequence[str], limit: int, least: float) -> list[Likeness]:
        """The names with a likeness of ``least`` or more to some token, most like first, then by path."""
        asked = [made for made in map(grams, tokens) if made]
        if limit <= 0 or not asked:
            return []
        sharing = {position for gram in frozenset().union(*asked) for position in self._holders.get(gram, ())}
        found = []
        for position in sharing:
            path, own = self._names[position]
            similarity = max(jaccard(token, own)[2] for token in asked)
            if similarity >= least and similarity > 0:
                found.append(Likeness(position, path, similarity))
        return sorted(found, key=lambda likeness: (-likeness.similarity, likeness.path, likeness.position))[:limit]
