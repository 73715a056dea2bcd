"""The ways over which a walk's probability came to a node: the strongest ones, and what all others add."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from brvtui.engines.knowing.walk import Floats, Walk

_FEW = 5


@dataclass(frozen=True, slots=True)
class WalkWay:
    """A way from a seed, by positions in the graph, and the probability that came over it."""

    places: tuple[int, ...]
    amount: float


@dataclass(frozen=True, slots=True)
class WalkOrigins:
    """Where a node's probability came from: the ways and ``others`` sum to it."""

    ways: tuple[WalkWay, ...]
    others: float
    """Over all other ways, and after going back from dead ends."""


class StrongestWays:
    """The strongest ways of one walk. What is common to all nodes is computed once."""

    def __init__(self, walk: Walk, longest: int) -> None:
        """``longest`` is the most edges that a way may have."""
        self._walk = walk
        keeps = ~walk.dead & (walk.probability >= walk.negligible)
        arrivals = walk.steps.arrivals
        self._starts, self._sources = arrivals.indptr, arrivals.indices
        self._shares: Floats = np.where(keeps[self._sources], arrivals.data, 0.0)
        self._best = [walk.start]
        filled = np.flatnonzero(np.diff(self._starts))
        for _ in range(min(longest, len(walk.rounds)) - 1):
            offers = self._best[-1][self._sources] * self._shares
            best = np.zeros(len(walk.start))
            best[filled] = np.maximum.reduceat(offers, self._starts[filled]) if len(filled) else 0.0
            self._best.append(best)

    def to(self, place: int, most: int) -> WalkOrigins:
        """At most ``most`` ways to the node at ``place``, the strongest over each last edge; they are exact."""
        found = [WalkWay((place,), self._amount(0, float(self._walk.start[place])))]
        row = slice(self._starts[place], self._starts[place + 1])
        sources, shares = self._sources[row], self._shares[row]
        for length, best in enumerate(self._best, start=1):
            offers = best[sources] * shares
            for at in np.argsort(-offers, kind="stable")[:most].tolist():
                if offers[at] > 0:
                    before = self._way(int(sources[at]), length - 1)
                    found.append(WalkWay((*before, place), self._amount(length, float(offers[at]))))
        kept = sorted((way for way in found if way.amount > 0), key=lambda way: (-way.amount, way.places))
        kept = kept[:most]
        return WalkOrigins(tuple(kept), float(self._walk.probability[place]) - sum(way.amount for way in kept))

    def straight(self, place: int) -> WalkWay | None:
        """The strongest way to the node at ``place`` that comes to no node twice, if it is among the first few.

        Else the strongest of all; None for a node that no way leads to.
        """
        ways = self.to(place, _FEW).ways
        return next((way for way in ways if len(set(way.places)) == len(way.places)), ways[0] if ways else None)

    def _amount(self, length: int, product: float) -> float:
        """The probability of a way whose shares multiply to ``product``: to go on that often, and then start again."""
        rounds, restart = len(self._walk.rounds), self._walk.restart
        stays = restart if length < rounds else 1.0
        return stays * (1 - restart) ** length * product

    def _way(self, place: int, length: int) -> tuple[int, ...]:
        """The strongest way of ``length`` edges to a node."""
        made = [place]
        for step in range(length, 0, -1):
            row = slice(self._starts[place], self._starts[place + 1])
            offers = self._best[step - 1][self._sources[row]] * self._shares[row]
            place = int(self._sources[row][int(np.argmax(offers))])
            made.append(place)
        return tuple(reversed(made))
