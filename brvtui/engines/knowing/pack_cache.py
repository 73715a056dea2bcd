"""The cache of packed contexts for repeated tasks (``docs/reference/knowing.md``, "The pack cache")."""

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

# Boosts for nodes that were packed recently (``docs/reference/knowing.md``, "Session").


_MOST_HALVES = 1000.0
"""The limit for times in the future, in half-lives. At this limit, the boost already exceeds any maximum.
"""


@dataclass(frozen=True, slots=True)
class RecentUse:
    """The times when each node was packed, in seconds since 1970, oldest first."""

    times: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def recorded(self, ids: Iterable[str], now: float, rules: SessionRules) -> RecentUse:
        """A copy with ``ids`` packed at ``now``. For each node, only the last few times are kept."""
        added = {id_: (*self.times.get(id_, ()), now)[-rules.kept :] for id_ in ids}
        return RecentUse({**self.times, **added})

    def boosts(self, ids: Iterable[str], now: float, rules: SessionRules) -> dict[str, float]:
        """The boost of each of ``ids`` at ``now``. Each earlier packing of the node adds 1, halved for each half-life
        since then. The sum is limited.

        Ages are in whole seconds. Nodes with a very small boost are left out.
        """
        boosts = {id_: recent_boost([now - time for time in self.times.get(id_, ())], rules) for id_ in ids}
        return {id_: boost for id_, boost in boosts.items() if boost > rules.least}


def recent_boost(ages: Iterable[float], rules: SessionRules) -> float:
    """The boost of a node that was packed ``ages`` seconds ago; above 1 for a time in the future."""
    halves = (math.floor(age) / rules.half_life_seconds for age in ages)
    return min(rules.most, sum(2 ** -max(half, -_MOST_HALVES) for half in halves))


# The difference between two packed contexts, and its cost compared with that of the whole context.


Link = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class ContextDelta:
    """The difference between two packed contexts. Nodes are identified by id."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    whole_tokens: int
    delta_tokens: int
    is_worth_it: bool


def pack_delta(
    before: Sequence[str], now: Sequence[Node], graph: Graph, tokens: Callable[[Node], int], rules: PackingRules
) -> ContextDelta:
    """The difference between a pack of the nodes with the ids ``before`` and a pack of the nodes ``now``.

    Nodes that are no longer in ``graph`` are removed nodes. Only edges between nodes of the same pack are compared.
    """
    nodes = [graph.find(id_) or Node(id_, "", id_, id_) for id_ in before]
    edges = (_edges_among(before, graph), _edges_among([node.id for node in now], graph))
    return delta(nodes, now, *edges, tokens, rules)


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
    """The difference between two contexts. ``tokens`` returns the token cost of a node."""
    old, new = {node.id for node in before}, {node.id for node in now}
    added = [node for node in now if node.id not in old]
    removed = [node.id for node in before if node.id not in new]
    links_before, links_now = {edge[:3] for edge in edges_before}, {edge[:3] for edge in edges_now}
    changed = len(links_before ^ links_now)
    whole = rules.whole_tokens + sum(map(tokens, now)) + rules.edge_tokens * len(edges_now)
    cost = rules.delta_tokens + sum(map(tokens, added))
    cost += rules.removed_node_tokens * len(removed) + rules.changed_edge_tokens * changed
    return ContextDelta(tuple(node.id for node in added), tuple(removed), whole, cost, cost < rules.delta_worth * whole)


_MOST_KEPT = 500
"""The maximum number of packs that are stored for the next process."""
_MOST_IDS = 5_000
"""The maximum number of nodes in a stored pack."""


@dataclass(frozen=True, slots=True)
class CachedPack:
    """The packed context of a run."""

    ids: tuple[str, ...]
    """The ids of the packed nodes, sorted by score."""
    used: int
    """The number of tokens in the pack."""
    budget: int
    snapshot: str
    """The fingerprint of the snapshot behind the pack."""
    packed: float
    """The time of packing, in seconds since 1970."""
    is_of_earlier_process: bool = False
    """True if an earlier process stored the pack. Its time in memory has then ended."""


@dataclass(frozen=True, slots=True)
class PackCache:
    """The packs of earlier runs, oldest first, by key."""

    packs: Mapping[str, CachedPack] = field(default_factory=dict)

    def found(self, key: str, snapshot: str, now: float, rules: PackCacheRules) -> CachedPack | None:
        """The cached pack for the task with ``key``; None if the task must be packed again.

        A pack is valid for ``rules.memory_seconds``, even if the corpus changes. After that, it is valid only if the
        corpus has not changed.
        """
        pack = self.packs.get(key)
        if pack is None:
            return None
        if not pack.is_of_earlier_process and now - pack.packed < rules.memory_seconds:
            return pack
        return pack if snapshot and pack.snapshot == snapshot else None

    def after_feedback(self) -> PackCache:
        """A copy after feedback on a result. Its packs become invalid after ``memory_seconds``."""
        return PackCache({key: replace(pack, snapshot="") for key, pack in self.packs.items()})

    def stored(self, key: str, pack: CachedPack, rules: PackCacheRules) -> PackCache:
        """A copy with ``pack`` added. If there are too many packs, the oldest one is dropped."""
        packs = {other: cached for other, cached in self.packs.items() if other != key}
        return PackCache(dict([*packs.items(), (key, pack)][-rules.entries :]))


def plain_packs(cache: PackCache) -> dict[str, Any]:
    """The newest packs of ``cache`` as data for JSON. Packs with very many nodes are left out."""
    newest = dict(list(cache.packs.items())[-_MOST_KEPT:])
    return {key: list(astuple(pack)[:5]) for key, pack in newest.items() if len(pack.ids) <= _MOST_IDS}


def kept_packs(plain: Any, rules: PackCacheRules) -> PackCache:
    """The cache from the data that :func:`plain_packs` returned; empty if ``plain`` has any other form."""
    packs: dict[str, CachedPack] = {}
    try:
        for key, (ids, used, budget, snapshot, packed) in list(plain.items())[-min(_MOST_KEPT, rules.entries) :]:
            packs[key] = CachedPack(tuple(map(str, ids)), int(used), int(budget), str(snapshot), float(packed), True)
    except (AttributeError, TypeError, ValueError, OverflowError):
        return PackCache()
    return PackCache(packs)


def pack_key(task: str, rules: PackCacheRules, **options: Any) -> str:
    """The cache key of a task: a hash of the task's text, ignoring case and surrounding white space.

    If ``rules.whole_key`` is set, the key also depends on ``options`` (budget, scope, …). The original program ignores
    the options, so a task can get a pack that was made for a different budget.
    """
    text = normal_task(task)
    if rules.whole_key and options:
        text += "\0" + json.dumps(options, sort_keys=True, default=str)
    return hashlib.sha256(b"context_pack\0" + text.encode("utf-8", "surrogatepass")).hexdigest()
