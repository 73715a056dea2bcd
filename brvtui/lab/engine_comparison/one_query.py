"""One query through several engines: their results by rank, and how much they agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from brvtui.engines.contract import Context, Engine, EngineError, Query
from brvtui.lab.judgments.model import outcome_of
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
        found = {hit.file: FoundNote(hit.file, hit.title, hit.score) for hit in reversed(trace.hits)}
        results = tuple(found[path] for path in dict.fromkeys(hit.file for hit in trace.hits))
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
