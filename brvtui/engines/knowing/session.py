"""What was packed recently weighs more (``docs/knowing.md``, "Session")."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from brvtui.engines.knowing.seed_rules import SessionRules

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
