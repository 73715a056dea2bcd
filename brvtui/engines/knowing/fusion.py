"""The channels merged into one list of candidates (``docs/knowing.md``, "Fusion")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from brvtui.ranking.fusion import Share, share


class Channel(StrEnum):
    """A way to find nodes, in the order in which equal scores keep it."""

    TIERED = "tiered"
    FULL_TEXT = "bm25"
    EQUIVALENCE = "equivalence"
    PATH = "path"


@dataclass(frozen=True, slots=True)
class ChannelList:
    """The ids that a channel found, best first, and its weight in the fusion."""

    name: str
    ids: Sequence[str]
    weight: float
    factors: Mapping[int, float] | None = None
    """What the share of some ranks is multiplied with."""


class FusedNode(NamedTuple):
    """A candidate: the sum of its shares, and the share of each place that it has; ``leg`` counts the channels."""

    id: str
    score: float
    shares: tuple[Share, ...]


def fused(channels: Sequence[ChannelList], k: float, limit: int) -> list[FusedNode]:
    """The best ``limit`` nodes by reciprocal rank fusion: a place adds ``weight / (k + rank + 1)``, rank from 0.

    Equal scores keep the order of the channels, and of each channel. A channel without weight is left out.
    """
    shares: dict[str, list[Share]] = {}
    for leg, channel in enumerate(channels):
        if channel.weight:
            for rank, id_ in enumerate(channel.ids):
                factor = (channel.factors or {}).get(rank, 1.0)
                shares.setdefault(id_, []).append(share(rank, k, leg, channel.weight * factor))
    made = [FusedNode(id_, sum(part.value for part in parts), tuple(parts)) for id_, parts in shares.items()]
    return sorted(made, key=lambda one: -one.score)[:limit]
