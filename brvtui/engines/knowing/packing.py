"""Fills a token budget with results, starting with the highest score per token."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from brvtui.engines.knowing.keywords import normal_task
from brvtui.engines.knowing.model import Node
from brvtui.engines.knowing.profile import PackingRules
from brvtui.engines.knowing.scoring import ScoredCandidate
from brvtui.ranking.packing import fitting

Strategy = Literal["density", "top-k", "file-grouped"]
STRATEGIES: tuple[Strategy, ...] = ("density", "top-k", "file-grouped")
_COMPACT = {"gcf": 16, "gcb": 26}
"""The percentage of the tokens of plain text that each of the original program's two compact formats needs."""


@dataclass(frozen=True, slots=True)
class PackedItem:
    """The outcome of packing one result."""

    scored: ScoredCandidate
    tokens: int
    density: float
    """The score per token, multiplied by a factor for the nearness of the result."""
    is_packed: bool
    left: int
    """The number of tokens that were left before this result was tried."""


@dataclass(frozen=True, slots=True)
class PackedContext:
    """The outcome of packing all results."""

    budget: int
    used: int
    exponent: float
    """The exponent of the walk's share in densities."""
    items: tuple[PackedItem, ...]
    """Every result, in the order of packing."""

    @property
    def packed(self) -> list[ScoredCandidate]:
        """The results that fit, best first."""
        return sorted((item.scored for item in self.items if item.is_packed), key=lambda one: -one.score)


def text_tokens(text: str, rules: PackingRules) -> int:
    """The estimated number of tokens in ``text``, from its length in UTF-8 bytes."""
    return len(text.encode("utf-8", "surrogatepass")) // rules.bytes_per_token


def node_tokens(node: Node, rules: PackingRules, format_: str = "") -> int:
    """The estimated number of tokens in the name, kind and signature of a symbol."""
    tokens = text_tokens(f"{node.qualified_name} {node.kind} {node.signature}", rules)
    share = _COMPACT.get(format_)
    return tokens if share is None else max(1, tokens * share // 100)


def proximity_exponent(phantoms: float, rules: PackingRules) -> float:
    """The exponent of nearness. ``phantoms`` is the number of nodes outside the corpus per node inside it."""
    return min(rules.proximity_most, rules.proximity_least + rules.proximity_per_phantom * phantoms)


def pack(
    ranked: Sequence[ScoredCandidate],
    costs: Sequence[int],
    budget: int,
    rules: PackingRules,
    strategy: Strategy = "density",
    coherence: float = 0.0,
) -> PackedContext:
    """Packs results from ``ranked`` (best first) into ``budget`` tokens. Results that no longer fit are skipped.

    ``costs`` contains the number of tokens of each result; at least 1 is used. As soon as a result in a file is packed,
    ``coherence`` raises the density of all other results in that file by this share.
    """
    tokens = [max(1, cost) for cost in costs]
    phantoms = sum(one.node.is_external for one in ranked)
    real = len(ranked) - phantoms
    exponent = proximity_exponent(phantoms / real if real else 0.0, rules)
    densities = [_density(one, cost, exponent) for one, cost in zip(ranked, tokens, strict=True)]
    if strategy == "top-k":
        order = list(range(len(ranked)))
    elif strategy == "file-grouped":
        order = _by_file(ranked, tokens)
    else:
        order = sorted(range(len(ranked)), key=lambda at: (-densities[at], -ranked[at].score))
    if coherence > 0 and strategy == "density":
        order = _coherent(order, ranked, tokens, densities, budget, coherence)
    return _filled(order, ranked, tokens, densities, budget, exponent)


def _density(one: ScoredCandidate, tokens: int, exponent: float) -> float:
    near = one.candidate.walk
    return one.score / tokens * (near**exponent if near > 0 else 1.0)


def _filled(
    order: Sequence[int],
    ranked: Sequence[ScoredCandidate],
    tokens: Sequence[int],
    densities: Sequence[float],
    budget: int,
    exponent: float,
) -> PackedContext:
    taken = set(fitting(np.asarray([tokens[at] for at in order], dtype=np.int64), budget).tolist())
    items, left = [], budget
    for turn, at in enumerate(order):
        items.append(PackedItem(ranked[at], tokens[at], densities[at], turn in taken, left))
        left -= tokens[at] if turn in taken else 0
    return PackedContext(budget, budget - left, exponent, tuple(items))


def _by_file(ranked: Sequence[ScoredCandidate], tokens: Sequence[int]) -> list[int]:
    """The positions of the results, grouped by file. The file with the highest score per token comes first."""
    files: dict[str, list[int]] = {}
    for at, one in enumerate(ranked):
        files.setdefault(one.node.path, []).append(at)
    worth = {
        path: sum(ranked[at].score for at in places) / sum(tokens[at] for at in places)
        for path, places in files.items()
    }
    return [at for path in sorted(files, key=lambda path: -worth[path]) for at in files[path]]


def _coherent(
    order: Sequence[int],
    ranked: Sequence[ScoredCandidate],
    tokens: Sequence[int],
    densities: Sequence[float],
    budget: int,
    bonus: float,
) -> list[int]:
    """The order of packing if the density of a result is raised by the share ``bonus`` once another result in its file
    is packed. Results that do not fit come last.
    """
    left, waiting, taken, files = budget, list(order), [], set()
    while fits := [at for at in waiting if tokens[at] <= left]:
        best = max(fits, key=lambda at: densities[at] * (1 + bonus if ranked[at].node.path in files else 1))
        taken.append(best)
        waiting.remove(best)
        files.add(ranked[best].node.path)
        left -= tokens[best]
    return [*taken, *waiting]


def pack_root(task: str, node_hashes: Iterable[bytes]) -> str:
    """The SHA-256 of a packed context, which depends on the task and on the nodes, but not on the nodes' order."""
    digest = hashlib.sha256(normal_task(task).encode("utf-8", "surrogatepass"))
    for node_hash in sorted(node_hashes):
        digest.update(node_hash)
    return digest.hexdigest()
