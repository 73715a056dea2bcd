"""Several engines on one judged set: their metrics, and whether the best one is better than by chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from brvtui.lab.engine_comparison.one_query import Overlap, overlap_if_found
from brvtui.lab.evaluation.metrics import Metric
from brvtui.lab.evaluation.results import Evaluation, mean_of
from brvtui.lab.evaluation.significance import FEWEST, randomisation_test

ALPHA = 0.05
"""A difference that chance alone gives less often than this is called significant."""


@dataclass(frozen=True, slots=True)
class Rival:
    """Another engine beside the best one, by one metric."""

    engine: str
    behind: float
    """By how much its mean is lower."""
    p_value: float | None
    """How likely chance alone gives such a difference, adjusted for how many are compared; None for fewer than 25
    queries."""

    @property
    def is_significant(self) -> bool:
        """Whether it is called worse than the best."""
        return self.p_value is not None and self.p_value < ALPHA


@dataclass(frozen=True, slots=True)
class BestEngine:
    """The engine with the highest mean of one metric, and the others, the nearest first."""

    metric: Metric
    engine: str
    mean: float
    rivals: tuple[Rival, ...]


@dataclass(frozen=True)
class JudgedEngines:
    """The evaluations of several engines, of the same queries in the same order."""

    evaluations: tuple[Evaluation, ...]
    metrics: tuple[Metric, ...]
    problems: tuple[str, ...] = ()
    """A line for each engine that could not be asked."""

    def best(self, metric: Metric) -> BestEngine | None:
        """The best by ``metric``; None where it has no value.

        The p-values are of the paired randomisation test of each other engine against it, adjusted by Holm's method
        ("A simple sequentially rejective multiple test procedure", 1979).
        """
        columns = {each.engine: [query.value(metric) for query in each.queries] for each in self.evaluations}
        means = {name: mean for name, values in columns.items() if (mean := mean_of(values)) is not None}
        if not means:
            return None
        first = max(means, key=lambda name: means[name])
        raw: dict[str, float | None] = {}
        for name in means:
            if name != first:
                pairs = zip(columns[first], columns[name], strict=True)
                differences = [one - other for one, other in pairs if one is not None and other is not None]
                raw[name] = randomisation_test(differences) if len(differences) >= FEWEST else None
        adjusted = holm({name: value for name, value in raw.items() if value is not None})
        rivals = (Rival(name, means[first] - means[name], adjusted.get(name)) for name in raw)
        return BestEngine(metric, first, means[first], tuple(sorted(rivals, key=lambda rival: rival.behind)))

    @property
    def overlaps(self) -> tuple[Overlap, ...]:
        """The mean overlap of any two engines, over the queries for which one of them found something."""
        made = []
        for one, other in combinations(self.evaluations, 2):
            pairs = zip(one.queries, other.queries, strict=True)
            mean = mean_of([overlap_if_found(first.ranking, second.ranking) for first, second in pairs])
            made.append(Overlap(one.engine, other.engine, mean))
        return tuple(made)


def holm(p_values: dict[str, float]) -> dict[str, float]:
    """``p_values`` adjusted by Holm's method: the chance to call any equal one worse stays below the level."""
    made: dict[str, float] = {}
    highest = 0.0
    names: Sequence[str] = sorted(p_values, key=lambda name: p_values[name])
    for place, name in enumerate(names):
        highest = max(highest, min(1.0, p_values[name] * (len(names) - place)))
        made[name] = highest
    return made
