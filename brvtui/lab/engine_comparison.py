"""Engines beside each other: one query through all of them, and which is best on judged queries (``docs/lab.md``)."""

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

# How much two ranked lists agree: rank-biased overlap.


PERSISTENCE = 0.9
"""How likely a reader of one place goes on to the next: the first ten places have 86 % of the weight."""


def rank_biased_overlap(one: Sequence[str], other: Sequence[str], persistence: float = PERSISTENCE) -> float:
    """The rank-biased overlap of two lists without repetitions, from 0 (nothing in common) to 1 (the same).

    It is the extrapolated form for lists of any lengths (Webber, Moffat and Zobel, "A similarity measure for indefinite
    rankings", 2010, equation 32): places beyond the end agree as much as those before it. Two empty lists are the same,
    an empty one has nothing in common with another. ``persistence`` lies between 0 and 1.
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
    """The rank-biased overlap of two engines' results; None where neither found anything."""
    return rank_biased_overlap(one, other) if one or other else None


@dataclass(frozen=True, slots=True)
class FoundNote:
    """One result: a note of the tree."""

    path: str
    title: str
    score: float


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """What one engine answered."""

    engine: str
    title: str
    """The system's own name."""
    outcome: str
    results: tuple[FoundNote, ...]
    """Each note once, best first."""
    ms: float
    problem: str = ""
    """Why it could not answer; empty where it did."""
    about_scope: str = ""
    """What it says of the scope, or that it found notes elsewhere; empty where it kept to it."""

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
    """None where neither found anything: two empty lists neither agree nor differ."""


@dataclass(frozen=True)
class EngineAnswers:
    """The answers of several engines to one query."""

    query: str
    scope: str
    answers: tuple[EngineAnswer, ...]

    @property
    def answered(self) -> tuple[EngineAnswer, ...]:
        """Those that could answer."""
        return tuple(answer for answer in self.answers if not answer.problem)

    @property
    def overlaps(self) -> tuple[Overlap, ...]:
        """The overlap of any two engines that could answer."""
        return tuple(
            Overlap(one.engine, other.engine, overlap_if_found(one.ranking, other.ranking))
            for one, other in combinations(self.answered, 2)
        )

    def finders(self, path: str) -> int:
        """How many engines found the note at ``path``."""
        return sum(path in answer.ranking for answer in self.answers)


def ask_engines(asked: Sequence[tuple[Engine[Any], Context[Any]]], query: Query) -> EngineAnswers:
    """``query`` through every engine, each in its context. One that refuses the query is a problem of its own."""
    return EngineAnswers(query.text, query.scope, tuple(_answers(asked, query)))


def _answers(asked: Sequence[tuple[Engine[Any], Context[Any]]], query: Query) -> Iterator[EngineAnswer]:
    for engine, context in asked:
        try:
            trace = engine.answer(context, query)
        except EngineError as error:
            yield EngineAnswer(engine.name, engine.title, "", (), 0.0, str(error))
            continue
        results = tuple(FoundNote(file, hit.title, hit.score) for file, hit in best_hits(trace).items())
        ms, said = trace.timings.get("total", 0.0), _about_scope(trace, query.scope)
        yield EngineAnswer(engine.name, engine.title, outcome_of(trace), results, ms, about_scope=said)


def _about_scope(trace: Trace, scope: str) -> str:
    """How many of the results of ``trace`` are elsewhere than in ``scope``: an engine may search the rest, too."""
    within = scope.strip("/")
    if not within:
        return ""
    files = {hit.file for hit in trace.hits}
    elsewhere = sum(not f"{file}/".startswith(f"{within}/") for file in files)
    return f"{elsewhere} of {len(files)} found elsewhere than in {within}" if elsewhere else ""


# Several engines on one judged set: their metrics, and whether the best one is better than by chance.


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
