"""Compares texts by their word triples: exact similarity, MinHash signatures, and pairs that may be similar."""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from brvtui.text.analysis import terms
from brvtui.tree.reading.frontmatter import block_span

SHINGLE = 3
"""The number of words in a shingle, which is a sequence of consecutive words."""
PERMUTATIONS = 64
_ROWS = 4
"""The number of equal values, at the same places of two signatures, that make their texts a candidate pair.

With 16 such bands, 89 % of the pairs with a similarity of 0.6 are found, and practically all with 0.8.
"""
_MOST_SHINGLES = 20_000
"""The maximum number of shingles per text. Of a longer text, only the beginning is compared."""
_MOST_COMPARED = 50
"""The maximum number of earlier texts in the same band that a text is paired with."""
_MIXERS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53))
_SHIFT = np.uint64(32)
_SEEDS = np.random.RandomState(46).randint(0, 2**32, (2, PERMUTATIONS, 2), dtype=np.uint64)
_FACTORS = (_SEEDS[0, :, 0] << _SHIFT) | _SEEDS[0, :, 1] | np.uint64(1)
_OFFSETS = (_SEEDS[1, :, 0] << _SHIFT) | _SEEDS[1, :, 1]
Hashes = NDArray[np.uint64]


@lru_cache(100_000)
def _code(word: str) -> int:
    return zlib.crc32(word.encode("utf-8", "surrogatepass"))


def distinct(codes: NDArray[Any]) -> NDArray[Any]:
    """The distinct ``codes``, sorted. This is much faster than ``np.unique``."""
    ordered = np.sort(codes)
    found: NDArray[Any] = ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]
    return found


def shingle_hashes(text: str) -> Hashes:
    """The sorted distinct hashes of the word triples in ``text``; for a shorter text, the hash of all its words."""
    words = terms(text)[: _MOST_SHINGLES + SHINGLE - 1]
    if not words:
        return np.zeros(0, dtype=np.uint64)
    codes = np.fromiter(map(_code, words), np.uint64, len(words))
    size = min(SHINGLE, len(words))
    count = len(words) - size + 1
    mixed = np.zeros(count, dtype=np.uint64)
    for place in range(size):
        mixed = (mixed ^ codes[place : place + count]) * _MIXERS[0]
        mixed ^= mixed >> _SHIFT
    return distinct(mixed * _MIXERS[1])


def signature(hashes: Hashes) -> NDArray[np.uint32]:
    """The MinHash signature of a text with the given shingle ``hashes``; all ones for an empty text."""
    if not len(hashes):
        return np.full(PERMUTATIONS, np.iinfo(np.uint32).max, dtype=np.uint32)
    permuted = hashes[None, :] * _FACTORS[:, None] + _OFFSETS[:, None]
    lowest: NDArray[np.uint32] = (permuted.min(axis=1) >> _SHIFT).astype(np.uint32)
    return lowest


def likeness(first: Hashes, second: Hashes) -> float:
    """Returns the Jaccard similarity of two sorted sets of hashes, from 0 to 1; 0 if both are empty."""
    both = len(np.intersect1d(first, second, assume_unique=True))
    either = len(first) + len(second) - both
    return both / either if either else 0.0


def near_pairs(signatures: NDArray[np.uint32], minimum: float) -> list[tuple[int, int]]:
    """The pairs of positions whose ``signatures`` (one per row) estimate a similarity of at least ``minimum``, sorted.

    Empty texts have no pairs. A text is compared with at most 50 earlier ones per band, so if there are very many
    copies, not every pair is returned.
    """
    filled = (
        np.flatnonzero((signatures != np.iinfo(np.uint32).max).any(axis=1)) if len(signatures) else np.zeros(0, int)
    )
    found: list[NDArray[np.int64]] = []
    for start in range(0, PERMUTATIONS if len(filled) > 1 else 0, _ROWS):
        keys = np.zeros(len(filled), dtype=np.uint64)
        for row in range(start, start + _ROWS):
            keys = (keys ^ signatures[filled, row]) * _MIXERS[0]
            keys ^= keys >> _SHIFT
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        for distance in range(1, min(_MOST_COMPARED, len(filled) - 1) + 1):
            same = np.flatnonzero(ordered[distance:] == ordered[:-distance])
            if not len(same):
                break
            found.append(filled[order[same]] * len(signatures) + filled[order[same + distance]])
    if not found:
        return []
    pairs = distinct(np.concatenate(found))
    first, second = pairs // len(signatures), pairs % len(signatures)
    near = (signatures[first] == signatures[second]).mean(axis=1) >= minimum
    return list(zip(first[near].tolist(), second[near].tolist(), strict=True))


def body(text: str) -> str:
    """Returns ``text`` without its frontmatter, so that dates and counts do not affect comparisons."""
    span = block_span(text)
    return text[span[1] :] if span else text
