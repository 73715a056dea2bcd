"""Comparison of engines: their answers to one query, and the best engine for judged queries.

See ``docs/how-to/compare-engines.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from brvtui.engines.contract import Context, Engine, EngineError, Query
from brvtui.lab.evaluation.comparing import FEWEST, randomisation_test
from brvtui.lab.evaluation.results import Evaluation, Metric, mean_of
from brvtui.lab.judgments.model import outcome_of
from brvtui.lab.trace_diff import best_hits
from brvtui.trace import Trace

# Rank-biased overlap: the agreement of two ranked lists.


PERSISTENCE = 0.9
"""The probability that a reader continues to the next rank. The first ten ranks have 86 % of the weight."""


def rank_biased_overlap(one: Sequence[str], other: Sequence[str], persistence: float = PERSISTENCE) -> float:
    """The rank-biased overlap of two lists without repetitions, from 0 (disjoint) to 1 (equal).

    Uses the extrapolated form for lists of any lengths (Webber, Moffat and Zobel, "A similarity measure for indefinite
    rankings", 2010, equation 32), which assumes the same agreement past the end as before it. Two empty lists are
    equal; an empty and a non-empty list are disjoint. ``persistence`` must be between 0 and 1.
    """
    if not one or not other:
        return 1.0 if not one and not other else 0.0
    short, long = sorted((one, other), key=len)
    seen_short: set[str] = set()
    seen_long: set[str] = set()
    weight, total, overlap, overlap_short = 1.0, 0.0, 0, 0
    for depth, item in enumerate(long, start=1):
        weight *= persistence
        overlap += item in seen_short
        seen_long.add(item)
        if depth <= len(short):
            overlap += short[depth - 1] in seen_long
            seen_short.add(short[depth - 1])
            overlap_short = overlap
        total += overlap / depth * weight
        if depth > len(short):
            total += overlap_short * (depth - len(short)) / (len(short) * depth) * weight
    beyond = (overlap - overlap_short) / len(long) + overlap_short / len(short)
    return (1 - persistence) / persistence * total + beyond * weight


def overlap_if_found(one: Sequence[str], other: Sequence[str]) -> float | None:
    """The rank-biased overlap of two engines' results; None if both are empty."""
    return rank_biased_overlap(one, other) if one or other else None


@dataclass(frozen=True, slots=True)
class FoundNote:
    """A note among the results."""

    path: str
    title: str
    score: float


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """The answer of one engine."""

    engine: str
    title: str
    """The name of the system."""
    outcome: str
    results: tuple[FoundNote, ...]
    """The distinct notes found, best first."""
    ms: float
    problem: str = ""
    """The error message if the engine could not answer; otherwise empty."""
    about_scope: str = ""
    """A message about results outside the scope; empty if there are none."""

    @property
    def ranking(self) -> tuple[str, ...]:
        """The paths of the results, best first."""
        return tuple(item.path for item in self.results)


@dataclass(frozen=True, slots=True)
class Overlap:
    """The rank-biased overlap of two engines' results, from 0 to 1."""

    one: str
    other: str
    value: float | None
    """The overlap; None if neither engine has results."""


@dataclass(frozen=True)
class EngineAnswers:
    """The answers of several engines to one query."""

    query: str
    scope: str
    answers: tuple[EngineAnswer, ...]

    @property
    def answered(self) -> tuple[EngineAnswer, ...]:
        """The answers without an error."""
        return tuple(answer for answer in self.answers if not answer.problem)

    @property
    def overlaps(self) -> tuple[Overlap, ...]:
        """The overlap of each pair of engines that answered."""
        return tuple(
            Overlap(one.engine, other.engine, overlap_if_found(one.ranking, other.ranking))
            for one, other in combinations(self.answered, 2)
        )

    def finders(self, path: str) -> int:
        """The number of engines whose results include the note at ``path``."""
        return sum(path in answer.ranking for answer in self.answers)


def ask_engines(engines: Sequence[tuple[Engine[Any], Context[Any]]], query: Query) -> EngineAnswers:
    """The answers of all engines to ``query``, each in the engine's own context. If an engine refuses the query, its
    answer contains the problem.
    """
    return EngineAnswers(query.text, query.scope, tuple(_answers(engines, query)))


def _answers(engines: Sequence[tuple[Engine[Any], Context[Any]]], query: Query) -> Iterator[EngineAnswer]:
    for engine, context in engines:
        try:
            trace = engine.answer(context, query)
        except EngineError as error:
            yield EngineAnswer(engine.name, engine.title, "", (), 0.0, str(error))
            continue
        results = tuple(FoundNote(file, hit.title, hit.score) for file, hit in best_hits(trace).items())
        ms, scope_message = trace.timings.get("total", 0.0), _about_scope(trace, query.scope)
        yield EngineAnswer(engine.name, engine.title, outcome_of(trace), results, ms, about_scope=scope_message)


def _about_scope(trace: Trace, scope: str) -> str:
    """A message that gives the number of results in ``trace`` that are outside ``scope``; empty if there are none."""
    within = scope.strip("/")
    if not within:
        return ""
    files = {hit.file for hit in trace.hits}
    elsewhere = sum(not f"{file}/".startswith(f"{within}/") for file in files)
    return f"{elsewhere} of {len(files)} found outside {within}" if elsewhere else ""


# Metrics of several engines on one judged set, with a significance test for the best one.


ALPHA = 0.05
"""The significance level: a difference is significant if its p-value is below this level."""


@dataclass(frozen=True, slots=True)
class Rival:
    """An engine compared with the best engine by one metric."""

    engine: str
    behind: float
    """The best mean minus this engine's mean."""
    p_value: float | None
    """The p-value of the difference, adjusted for the number of comparisons; None for fewer than 25 queries."""

    @property
    def is_significant(self) -> bool:
        """True if this engine is significantly worse than the best one."""
        return self.p_value is not None and self.p_value < ALPHA


@dataclass(frozen=True, slots=True)
class BestEngine:
    """The engine with the highest mean of one metric, and the other engines in order of their means."""

    metric: Metric
    engine: str
    mean: float
    rivals: tuple[Rival, ...]


@dataclass(frozen=True)
class JudgedEngines:
    """The evaluations of several engines on the same queries in the same order."""

    evaluations: tuple[Evaluation, ...]
    metrics: tuple[Metric, ...]
    problems: tuple[str, ...] = ()
    """An error message for each engine that could not answer."""

    def best(self, metric: Metric) -> BestEngine | None:
        """The best engine by ``metric``; None if the metric has no value.

        The p-values come from paired randomisation tests of the best engine against every other engine, adjusted by
        Holm's method ("A simple sequentially rejective multiple test procedure", 1979).
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
        """The mean overlap of each pair of engines, over the queries with results from at least one of the two."""
        overlaps = []
        for one, other in combinations(self.evaluations, 2):
            pairs = zip(one.queries, other.queries, strict=True)
            mean = mean_of([overlap_if_found(first.ranking, second.ranking) for first, second in pairs])
            overlaps.append(Overlap(one.engine, other.engine, mean))
        return tuple(overlaps)


def holm(p_values: dict[str, float]) -> dict[str, float]:
    """``p_values`` adjusted by Holm's method, which keeps the probability of any false rejection below the level."""
    adjusted: dict[str, float] = {}
    highest = 0.0
    names: Sequence[str] = sorted(p_values, key=lambda name: p_values[name])
    for place, name in enumerate(names):
        highest = max(highest, min(1.0, p_values[name] * (len(names) - place)))
        adjusted[name] = highest
    return adjusted
