"""The order in which MiniSearch's radix tree lists terms; it decides ties, and the last digits of sums.

A node lists its branches in the order in which they took their present form: a term that ends or turns off inside an
edge splits it, and the split edge moves to the end. So a branch is as old as the node that it leads to, and no tree
needs to be built to compare two of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

AFTER_ANY_SUFFIX = "\U0010ffff"
_NEVER = np.iinfo(np.int64).max


def tree_order(terms: Sequence[str], inserted: NDArray[np.int64], some: Sequence[int]) -> list[int]:
    """The places ``some`` (ascending) of ``terms`` (sorted), in the order in which a walk meets them.

    ``inserted`` says when each of ``terms`` was inserted; the tree holds all of them.
    """
    met: list[int] = []
    pending = [(0, some)] if some else []
    while pending:
        shared, places = pending.pop()
        if len(places) == 1:
            met += places
            continue
        shared = _shared_length(terms[places[0]], terms[places[-1]], shared)
        branches: list[tuple[int, Sequence[int]]] = []
        while places:
            beginning = terms[places[0]][: shared + 1]
            if len(beginning) == shared:  # the term that ends at this node
                count, age = 1, int(inserted[places[0]])
            else:
                low = bisect_left(terms, beginning, 0, places[0] + 1)
                high = bisect_left(terms, beginning + AFTER_ANY_SUFFIX, low)
                count, age = bisect_left(places, high), _node_age(terms, inserted, low, high, shared + 1)
            branches.append((age, places[:count]))
            places = places[count:]
        branches.sort(key=lambda branch: -branch[0])
        pending += [(shared, branch) for _, branch in branches]
    return met


def _node_age(terms: Sequence[str], inserted: NDArray[np.int64], low: int, high: int, shared: int) -> int:
    """When the tree got the node above exactly ``terms[low:high]``, which begin with ``shared`` equal characters.

    That is when the first term went in that does not follow the oldest of them beyond the node, or ends there.
    """
    ages = inserted[low:high]
    oldest = int(ages.argmin())
    node = _shared_length(terms[low], terms[high - 1], shared)
    if len(terms[low + oldest]) == node:
        return int(ages[oldest])
    branch = terms[low + oldest][: node + 1]
    start = bisect_left(terms, branch, low, high) - low
    end = bisect_left(terms, branch + AFTER_ANY_SUFFIX, low, high) - low
    return int(min(ages[:start].min(initial=_NEVER), ages[end:].min(initial=_NEVER)))


def _shared_length(one: str, other: str, known: int) -> int:
    """How many characters both begin with alike, of which ``known`` are known to be."""
    shortest = min(len(one), len(other))
    while known < shortest and one[known] == other[known]:
        known += 1
    return known
