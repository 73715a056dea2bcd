"""Hubs and authorities: what links to much of importance, and what much of importance links to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array

from brvtui.engines.knowing.model import Graph
from brvtui.engines.knowing.ranking_rules import HitsRules

_ROUNDS = 10
"""How many rounds there are without a number above 0."""


class LinkRank(NamedTuple):
    """How much a node is an authority, and a hub: each from 0 to 1, the squares of all sum to 1."""

    authority: float
    hub: float


def hubs_and_authorities(graph: Graph, places: Sequence[int], rules: HitsRules) -> dict[int, LinkRank]:
    """The ranks of the nodes at ``places`` by the edges among them, after a fixed number of rounds (Kleinberg's HITS).

    Edges have no weight; parallel ones each count.
    """
    if not places:
        return {}
    index = np.full(graph.size, -1, np.int64)
    index[list(places)] = np.arange(len(places))
    sources, targets = index[graph.sources], index[graph.targets]
    inside = np.flatnonzero((sources >= 0) & (targets >= 0))
    if rules.types:
        inside = inside[[graph.edges[edge].type in rules.types for edge in inside.tolist()]]
    ones = np.ones(len(inside))
    links = coo_array((ones, (sources[inside], targets[inside])), shape=(len(places), len(places))).tocsr()
    back = links.T.tocsr()
    authority = hub = np.ones(len(places))
    for _ in range(rules.rounds if rules.rounds > 0 else _ROUNDS):
        authority = _unit(back @ hub)
        hub = _unit(links @ authority)
    return {place: LinkRank(float(authority[at]), float(hub[at])) for at, place in enumerate(places)}


def _unit(vector: np.ndarray[tuple[int], np.dtype[np.float64]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector
