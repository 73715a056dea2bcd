"""Packed contexts that are served again for the same task (``docs/knowing.md``, "The pack cache")."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, replace
from enum import StrEnum
from typing import Any

from brvtui.engines.knowing.keywords import normal_task
from brvtui.engines.knowing.seed_rules import PackCacheRules

_MOST_KEPT = 500
"""So many packs are kept for the next process, ..."""
_MOST_IDS = 5_000
"""... each of at most so many nodes."""


class CacheLayer(StrEnum):
    """Where a pack is kept."""

    MEMORY = "memory"
    """For a time, whatever becomes of the corpus."""
    KEPT = "kept"
    """Until the corpus changes."""


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

    def found(self, key: str, snapshot: str, now: float, rules: PackCacheRules) -> tuple[CachedPack, CacheLayer] | None:
        """The pack that a task with ``key`` is served, and the layer that serves it; None when it is packed anew."""
        pack = self.packs.get(key)
        if pack is None:
            return None
        if not pack.is_of_earlier_process and now - pack.packed < rules.memory_seconds:
            return pack, CacheLayer.MEMORY
        return (pack, CacheLayer.KEPT) if snapshot and pack.snapshot == snapshot else None

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
