"""How near an entry is to the best ones over links (``docs/soleri.md``, "Graph proximity")."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Proximity:
    """The nearness of one entry, and the shortest way to it."""

    value: float
    """1/2 over one link, 1/3 over two."""
    path: tuple[str, ...]
    """Ids from the entry it started at."""


@dataclass(frozen=True)
class LinkGraph:
    """Links between entries, followed in both directions; their types do not matter."""

    neighbours: Mapping[str, tuple[str, ...]]
    named: frozenset[tuple[str, str]] = frozenset()
    """Each link as it is written: who names, and whom."""

    def namers(self, path: Sequence[str]) -> tuple[str, ...]:
        """For each step of ``path``, the id of the entry that names the other; where both do, the first of the two."""
        return tuple(one if (one, other) in self.named else other for one, other in pairwise(path))

    def proximities(self, seeds: Sequence[str]) -> dict[str, Proximity]:
        """What is one or two links away from one of ``seeds``, by id; the nearest, and of those the first way."""
        made: dict[str, Proximity] = {}

        def offer(path: tuple[str, ...]) -> None:
            value = 1 / len(path)
            if path[-1] not in made or made[path[-1]].value < value:
                made[path[-1]] = Proximity(value, path)

        for seed in seeds:
            for near in self.neighbours.get(seed, ()):
                offer((seed, near))
                for next_but_one in self.neighbours.get(near, ()):
                    if next_but_one != seed:
                        offer((seed, near, next_but_one))
        return made


def link_graph(links: Iterable[Sequence[str]]) -> LinkGraph:
    """The graph of ``links``, each a source and a target; a link of an entry to itself does not count."""
    neighbours: defaultdict[str, dict[str, None]] = defaultdict(dict)
    named = set()
    for source, target, *_ in links:
        if source != target:
            named.add((source, target))
            neighbours[source][target] = None
            neighbours[target][source] = None
    return LinkGraph({id_: tuple(near) for id_, near in neighbours.items()}, frozenset(named))
