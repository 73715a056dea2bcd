"""Rank-biased overlap, the best engine and its significance, beside computations of another kind."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from scipy import stats

from brvtui.lab.engine_comparison import (
    BestEngine,
    EngineAnswer,
    EngineAnswers,
    FoundNote,
    JudgedEngines,
    Rival,
    holm,
    rank_biased_overlap,
)
from brvtui.lab.evaluation.results import Evaluation, QueryResult, RankedDocument, parse_metric
from brvtui.paint.blocks import lines_of
from brvtui.paint.glyphs import UNICODE
from brvtui.report.engine_comparison import answers_blocks, best_text

MRR = parse_metric("mrr")
DEEP = 1_500


def overlap_by_definition(one: list[str], other: list[str], persistence: Fraction) -> float:
    """The sum over depths, each agreement counted from sets, far beyond the end of both lists.

    Where a list has ended, the items that it would have had are in the other as often as those that it has.
    """
    short, long = sorted((one, other), key=len)
    at_short = len(set(short) & set(long[: len(short)]))
    total = Fraction(0)
    for depth in range(1, DEEP):
        if depth <= len(short):
            agreement = Fraction(len(set(short[:depth]) & set(long[:depth])), depth)
        elif depth <= len(long):
            seen = len(set(short) & set(long[:depth]))
            agreement = (seen + Fraction(at_short, len(short)) * (depth - len(short))) / depth
        else:
            seen = len(set(short) & set(long))
            agreement = Fraction(seen - at_short, len(long)) + Fraction(at_short, len(short))
        total += (1 - persistence) * persistence ** (depth - 1) * agreement
    return float(total)


def test_overlap_is_the_sum_of_its_definition() -> None:
    rng = random.Random(1)
    items = [f"n{number}" for number in range(14)]
    for _ in range(12):
        one, other = (rng.sample(items, rng.randrange(1, 12)) for _ in range(2))
        for persistence in (Fraction(1, 2), Fraction(9, 10)):
            made = rank_biased_overlap(one, other, float(persistence))
            assert made == pytest.approx(overlap_by_definition(one, other, persistence), abs=1e-9)
            assert made == pytest.approx(rank_biased_overlap(other, one, float(persistence)), abs=1e-12)
            assert 0 <= made <= 1 + 1e-12


def test_the_ends_of_the_scale() -> None:
    listed = list("abcdefgh")
    assert rank_biased_overlap(listed, listed) == pytest.approx(1)
    assert rank_biased_overlap(listed, listed[:3]) == pytest.approx(1)  # a beginning agrees as far as it goes
    assert rank_biased_overlap(listed, list("xyz")) == 0
    assert rank_biased_overlap([], []) == 1
    assert rank_biased_overlap(listed, []) == rank_biased_overlap([], listed) == 0
    swapped_early, swapped_late = list("bacdefgh"), list("abcdefhg")
    assert rank_biased_overlap(listed, swapped_early) < rank_biased_overlap(listed, swapped_late) < 1


def evaluation(engine: str, ranks: list[int]) -> Evaluation:
    """An engine that finds the relevant note at these ranks."""
    queries = []
    for number, rank in enumerate(ranks):
        results = [RankedDocument(f"x{place}", 1.0) for place in range(1, rank)] + [RankedDocument("it", 1.0)]
        queries.append(QueryResult(f"q{number}", "", "", "", {"it": 3}, "covered", tuple(results), 0, 0.0))
    return Evaluation(engine, "", "", "", "", 1, "", tuple(queries))


def test_the_best_engine_and_how_sure_that_is() -> None:
    rng = random.Random(4)
    ranks = {"good": [rng.choice((1, 1, 2)) for _ in range(40)]}
    ranks["near"] = [rank if rng.random() < 0.9 else 3 - min(rank, 2) for rank in ranks["good"]]
    ranks["bad"] = [rng.choice((2, 4, 9)) for _ in range(40)]
    judged = JudgedEngines(tuple(evaluation(name, own) for name, own in ranks.items()), (MRR,))
    best = judged.best(MRR)
    means = {name: sum(1 / rank for rank in own) / 40 for name, own in ranks.items()}
    first = max(means, key=lambda name: means[name])
    assert (best.engine, best.mean) == (first, pytest.approx(means[first]))
    raw = {}
    for name in means.keys() - {first}:
        differences = [1 / one - 1 / other for one, other in zip(ranks[first], ranks[name], strict=True)]
        tested = stats.permutation_test(
            (differences,), lambda values: sum(values), permutation_type="samples", n_resamples=20_000, rng=3
        )
        raw[name] = tested.pvalue
    lowest, highest = sorted(raw, key=lambda name: raw[name])
    expected = {lowest: min(1, 2 * raw[lowest]), highest: max(min(1, 2 * raw[lowest]), raw[highest])}
    for rival in best.rivals:
        assert rival.behind == pytest.approx(means[first] - means[rival.engine])
        assert rival.p_value == pytest.approx(expected[rival.engine], abs=0.02)
    assert [rival.engine for rival in best.rivals][-1] == "bad"
    assert best.rivals[-1].is_significant
    few = JudgedEngines(tuple(evaluation(name, own[:24]) for name, own in ranks.items()), (MRR,)).best(MRR)
    assert {rival.p_value for rival in few.rivals} == {None}


def test_differences_are_those_of_the_numbers_that_are_read() -> None:
    """0.98717 − 0.72264 is 0.26453, but who reads 0.9872 and 0.7226 subtracts these."""
    text = best_text(BestEngine(MRR, "soleri", 0.98717, (Rival("knowing", 0.98717 - 0.72264, None),)))
    assert "best with 0.9872" in text
    assert "knowing is 0.2646 behind" in text


def test_holm_adjusts_as_in_his_paper() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005}) == pytest.approx(
        {"d": 0.02, "a": 0.03, "c": 0.06, "b": 0.06}
    )
    assert holm({"a": 0.9, "b": 0.8}) == {"b": 1.0, "a": 1.0}
    assert holm({}) == {}


def test_who_found_a_note_is_counted() -> None:
    def answer(engine: str, paths: str, problem: str = "") -> EngineAnswer:
        notes = tuple(FoundNote(path, path, 1.0) for path in paths)
        return EngineAnswer(engine, engine, "covered", notes, 0.0, problem)

    found = EngineAnswers("x", "", (answer("one", "abc"), answer("two", "bd"), answer("three", "", "broken")))
    assert [found.finders(path) for path in "abd"] == [1, 2, 1]
    (overlap,) = found.overlaps
    assert (overlap.one, overlap.other) == ("one", "two")
    assert overlap.value == rank_biased_overlap(["a", "b", "c"], ["b", "d"])
    found = EngineAnswers("x", "", (answer("soleri", "abc"), answer("byterover", ""), answer("knowing", "")))
    assert [overlap.value for overlap in found.overlaps] == [0.0, 0.0, None]
    lines = [line.plain.rstrip() for line in lines_of(answers_blocks(found, 80), 80, UNICODE)]
    assert lines[-3:-1] == [" 0.000  Soleri and ByteRover", " 0.000  Soleri and knowing"]
    assert lines[-1] == " –      ByteRover and knowing  neither found anything"
