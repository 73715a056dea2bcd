"""Jaccard similarity of sets, and similarity of names by their trigrams.

See ``docs/reference/jeffs-brain.md``, "Trigrams".
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from sys import intern

from brvtui.text.analysis import CharacterTable


def jaccard(left: Set[str], right: Set[str]) -> tuple[int, int, float]:
    """The number of shared tokens, the size of the union, and their ratio in 0..1 (0 for two empty sets)."""
    shared = len(left & right)
    return shared, len(left) + len(right) - shared, jaccard_of_counts(shared, len(left), len(right))


def jaccard_of_counts(shared: int, left: int, right: int) -> float:
    """The Jaccard similarity of two sets with ``left`` and ``right`` tokens that have ``shared`` tokens in common."""
    union = left + right - shared
    return shared / union if union else 0.0


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
    """The words in the last part of ``path``, in lower case and without a final ``.md``."""
    return " ".join(words_of(path.lower().rpartition("/")[2].removesuffix(_ENDING)))


def grams(text: str) -> Grams:
    """The trigrams of every word in ``text``. Each word is in lower case and enclosed in two ``$``."""
    found: set[str] = set()
    for word in words_of(text.lower()):
        padded = f"${word}$"
        found.update(intern(padded[start : start + _SIZE]) for start in range(len(padded) - _SIZE + 1))
    return frozenset(found)


@lru_cache(_REMEMBERED)
def name_grams(path: str) -> tuple[str, ...]:
    """The trigrams of the slug text of ``path``. Results are cached, because most paths occur again in the next
    snapshot, and are tuples, because sets need four times the memory.
    """
    return tuple(grams(slug_text(path)))


@dataclass(frozen=True, slots=True)
class Likeness:
    """A name that is similar to a token: the name's position, and its similarity to the most similar token."""

    position: int
    path: str
    similarity: float


class TrigramIndex:
    """An index of names by their trigrams. Entries with an empty or repeated id are left out."""

    def __init__(self, entries: Iterable[tuple[str, str]]) -> None:
        """Indexes ``entries``, pairs of id and path. Positions count all entries, including those left out."""
        self._names: dict[int, tuple[str, int]] = {}
        self._holders: dict[str, list[int]] = {}
        seen = {""}
        for position, (identity, path) in enumerate(entries):
            if identity not in seen:
                seen.add(identity)
                own = name_grams(path)
                self._names[position] = (path, len(own))
                for gram in own:
                    self._holders.setdefault(gram, []).append(position)

    def search(self, tokens: Sequence[str], limit: int, least: float) -> list[Likeness]:
        """The names whose similarity to any of ``tokens`` is at least ``least``, most similar first, then by path."""
        if limit <= 0:
            return []
        best: dict[int, float] = {}
        for wanted in map(grams, tokens):
            shared = Counter(chain.from_iterable(self._holders.get(gram, ()) for gram in wanted))
            for position, count in shared.items():
                similarity = jaccard_of_counts(count, len(wanted), self._names[position][1])
                if similarity >= least and similarity > best.get(position, 0.0):
                    best[position] = similarity
        found = [Likeness(position, self._names[position][0], similarity) for position, similarity in best.items()]
        return sorted(found, key=lambda likeness: (-likeness.similarity, likeness.path, likeness.position))[:limit]
