"""Packed contexts that are served again for the same task (``docs/knowing.md``, "The pack cache")."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from typing import Any

from brvtui.engines.knowing.keywords import normal_task
from brvtui.engines.knowing.model import Edge, Graph, Node
from brvtui.engines.knowing.profile import PackingRules
from brvtui.engines.knowing.seed_rules import PackCacheRules, SessionRules

# What was packed recently weighs more (``docs/knowing.md``, "Session").


_MOST_HALVES = 1000.0
"""A time further in the future than so many half-lives adds no more; it is beyond any bound."""


@dataclass(frozen=True, slots=True)
class RecentUse:
    """When each node was packed, in seconds since 1970, oldest first."""

    times: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def recorded(self, ids: Iterable[str], now: float, rules: SessionRules) -> RecentUse:
        """The same with ``ids`` packed at ``now``; of each node the last times are kept."""
        added = {id_: (*self.times.get(id_, ()), now)[-rules.kept :] for id_ in ids}
        return RecentUse({**self.times, **added})

    def boosts(self, ids: Iterable[str], now: float, rules: SessionRules) -> dict[str, float]:
        """What each of ``ids`` gets at ``now``: the sum over its times of a half for every half-life, up to a bound.

        Ages count whole seconds. Nodes that would get next to nothing are left out.
        """
        found = {id_: recent_boost([now - time for time in self.times.get(id_, ())], rules) for id_ in ids}
        return {id_: boost for id_, boost in found.items() if boost > rules.least}


def recent_boost(ages: Iterable[float], rules: SessionRules) -> float:
    """The boost of a node that was packed ``ages`` seconds ago; a time in the future (an age below 0) adds over 1."""
    halves = (math.floor(age) / rules.half_life_seconds for age in ages)
    return min(rules.most, sum(2 ** -max(half, -_MOST_HALVES) for half in halves))


# What changed between two packed contexts, and whether sending that is cheaper than sending the whole.


Link = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class ContextDelta:
    """The difference of two packed contexts. Nodes are named by id."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    whole_tokens: int
    delta_tokens: int
    is_worth_it: bool


def pack_delta(
    before: Sequence[str], now: Sequence[Node], graph: Graph, tokens: Callable[[Node], int], rules: PackingRules
) -> ContextDelta:
    """The difference between a pack of the nodes with the ids ``before`` and one of the nodes ``now``.

    What is not in ``graph`` any more counts as removed; edges are those among the nodes of a pack.
    """
    nodes = [graph.find(id_) or Node(id_, "", id_, id_) for id_ in before]
    held = (_edges_among(before, graph), _edges_among([node.id for node in now], graph))
    return delta(nodes, now, *held, tokens, rules)


def _edges_among(ids: Sequence[str], graph: Graph) -> list[Edge]:
    inside = set(ids)
    return [edge for id_ in ids for edge in graph.edges_from(id_) if edge.target in inside]


def delta(
    before: Sequence[Node],
    now: Sequence[Node],
    edges_before: Sequence[Edge],
    edges_now: Sequence[Edge],
    tokens: Callable[[Node], int],
    rules: PackingRules,
) -> ContextDelta:
    """The difference between the context ``before`` and ``now``; ``tokens`` is what a node costs."""
    old, new = {node.id for node in before}, {node.id for node in now}
    added = [node for node in now if node.id not in old]
    removed = [node.id for node in before if node.id not in new]
    links_before, links_now = {edge[:3] for edge in edges_before}, {edge[:3] for edge in edges_now}
    changed = len(links_before ^ links_now)
    whole = rules.whole_tokens + sum(map(tokens, now)) + rules.edge_tokens * len(edges_now)
    cost = rules.delta_tokens + sum(map(tokens, added))
    cost += rules.removed_node_tokens * len(removed) + rules.changed_edge_tokens * changed
    return ContextDelta(
        tuple(node.id for node in added),
        tuple(removed),
        whole,
        cost,
        cost < rules.delta_worth * whole,
    )


_MOST_KEPT = 500
"""So many packs are kept for the next process, ..."""
_MOST_IDS = 5_000
"""... each of at most so many nodes."""


@dataclass(frozen=True, slots=True)
class CachedPack:
    """What a run packed."""

    ids: tuple[str, ...]
    """The nodes, by score."""
    used: int
    """Tokens."""
    budget: int
    snapshot: str
    """The state of the corpus that it was packed from."""
    packed: float
    """When, in seconds since 1970."""
    is_of_earlier_process: bool = False
    """Whether it was kept by an earlier process, so that it is no longer in memory."""


@dataclass(frozen=True, slots=True)
class PackCache:
    """The packs of earlier runs, by key, oldest first."""

    packs: Mapping[str, CachedPack] = field(default_factory=dict)

    def found(self, key: str, snapshot: str, now: float, rules: PackCacheRules) -> CachedPack | None:
        """The pack that a task with ``key`` is served; None when it is packed anew.

        A new pack is served for a time even if the corpus changes, and after that time until the corpus changes.
        """
        pack = self.packs.get(key)
        if pack is None:
            return None
        if not pack.is_of_earlier_process and now - pack.packed < rules.memory_seconds:
            return pack
        return pack if snapshot and pack.snapshot == snapshot else None

    def after_feedback(self) -> PackCache:
        """The same after a result was judged: no pack outlives its time in memory."""
        return PackCache({key: replace(pack, snapshot="") for key, pack in self.packs.items()})

    def stored(self, key: str, pack: CachedPack, rules: PackCacheRules) -> PackCache:
        """The same with ``pack`` in it; the oldest gives way when there are too many."""
        packs = {known: held for known, held in self.packs.items() if known != key}
        return PackCache(dict([*packs.items(), (key, pack)][-rules.entries :]))


def plain_packs(cache: PackCache) -> dict[str, Any]:
    """The newest packs of ``cache``, as JSON has them; those of very many nodes are left out."""
    newest = dict(list(cache.packs.items())[-_MOST_KEPT:])
    return {key: list(astuple(pack)[:5]) for key, pack in newest.items() if len(pack.ids) <= _MOST_IDS}


def kept_packs(plain: Any, rules: PackCacheRules) -> PackCache:
    """What :func:`plain_packs` made; empty for anything else."""
    packs: dict[str, CachedPack] = {}
    try:
        for key, (ids, used, budget, snapshot, packed) in list(plain.items())[-min(_MOST_KEPT, rules.entries) :]:
            packs[key] = CachedPack(tuple(map(str, ids)), int(used), int(budget), str(snapshot), float(packed), True)
    except (AttributeError, TypeError, ValueError, OverflowError):
        return PackCache()
    return PackCache(packs)


def pack_key(task: str, rules: PackCacheRules, **options: Any) -> str:
    """What names a task in the cache: its text without outer space and whatever its case.

    The ``options`` that it is packed with (budget, scope, …) are part of it if the rules say so; the program leaves
    them out, and serves a pack for one budget to a task with another.
    """
    text = normal_task(task)
    if rules.whole_key and options:
        text += "\0" + json.dumps(options, sort_keys=True, default=str)
    return hashlib.sha256(b"context_pack\0" + text.encode("utf-8", "surrogatepass")).hexdigest()
