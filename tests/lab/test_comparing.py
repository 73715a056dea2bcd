"""Comparing evaluations and engines: metrics, significance, gates, and losses between days."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from brvtui.app.lab.cell import loss_of, misleads
from brvtui.app.states import LabCell, LabColumn
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
from brvtui.lab.evaluation.comparing import (
    Drift,
    DriftPoint,
    LostByDay,
    QueryChange,
    compare_evaluations,
    first_lost,
    gate_drop,
    gate_outcomes,
    gate_under,
    randomisation_test,
)
from brvtui.lab.evaluation.results import (
    DEFAULT_METRICS,
    Evaluation,
    Metric,
    QueryResult,
    RankedDocument,
    UnknownMetric,
    better_first,
    parse_metric,
)
from brvtui.lab.whatif.variant import Variant
from brvtui.paint.blocks import lines_of
from brvtui.paint.glyphs import UNICODE
from brvtui.report.engine_comparison import answers_blocks, best_text

RECALL = Metric("recall", 5)


def result(name: str, found: bool = True, outcome: str = "tier 2") -> QueryResult:
    results = (RankedDocument("n.md" if found else "m.md", 1.0),)
    return QueryResult(name, f"text of {name}", "", "", {"n.md": 2}, outcome, results, 0, 1.0)


def evaluation(*queries: QueryResult) -> Evaluation:
    return Evaluation("byterover", "ByteRover 3.14.0", "brv-3", "p", "", 3, "2026-11-20T12:00:00Z", queries)


@pytest.fixture
def permutation_test() -> Any:
    """scipy's test, imported lazily because that takes long."""
    from scipy import stats

    return stats.permutation_test


class TestRandomisation:
    @pytest.mark.parametrize("count", [2, 5, 9])
    def test_p_value_of_few_differences_is_exact(self, permutation_test: Any, count: int) -> None:
        draw = random.Random(count)
        for _ in range(20):
            values = [draw.choice((0, 0.25, 0.5, -0.25, draw.uniform(-1, 1))) for _ in range(count)]
            theirs = permutation_test((values,), np.mean, permutation_type="samples", n_resamples=np.inf)
            assert randomisation_test(values) == pytest.approx(theirs.pvalue)

    def test_p_value_of_many_differences_agrees_with_scipy(self, permutation_test: Any) -> None:
        draw = random.Random(3)
        for shift in (0.0, 0.05, 0.12):
            values = [draw.gauss(shift, 0.3) for _ in range(60)]
            theirs = permutation_test(
                (values,), np.mean, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(5)
            )
            assert randomisation_test(values) == pytest.approx(theirs.pvalue, abs=0.012)

    def test_p_value_is_1_without_usable_differences(self) -> None:
        assert randomisation_test([]) == 1
        assert randomisation_test([0.5]) == 1
        assert randomisation_test([0.0] * 40) == 1
        assert randomisation_test([0.1, -0.1] * 30) == 1

    def test_p_value_is_deterministic_and_ignores_zeros(self) -> None:
        values = [0.01 * number for number in range(-10, 20)]
        assert randomisation_test(values) == randomisation_test([*values, 0.0, 0.0])


class TestComparison:
    def test_only_queries_with_equal_judgments_are_paired(self) -> None:
        now = evaluation(result("a"), result("b", False), result("c"), result("d"), result("new"))
        before = evaluation(
            result("a"),
            result("b"),
            replace(result("c"), text="other"),
            replace(result("d"), grades={"n.md": 1}),
            result("old"),
        )
        outcome = compare_evaluations(now, before)
        assert [change.now.id for change in outcome.changes] == ["a", "b"]
        assert len(outcome.notices) == 4
        assert outcome.difference(RECALL) == -0.5
        assert [change.now.id for change in outcome.worse(RECALL)] == ["b"]
        assert outcome.p_value(RECALL) is None

    def test_significance_needs_25_queries(self) -> None:
        for count, says in ((24, False), (25, True)):
            queries = [result(f"q{number}") for number in range(count)]
            lost = [replace(query, results=()) for query in queries]
            outcome = compare_evaluations(evaluation(*lost), evaluation(*queries))
            assert (outcome.p_value(RECALL) is not None) is says
            assert outcome.p_value(RECALL) is None or outcome.p_value(RECALL) < 0.001

    def test_moved_document_counts_as_the_same_judgment(self) -> None:
        moved = replace(result("a"), grades={"x.md": 2}, results=(RankedDocument("x.md", 1.0),))
        outcome = compare_evaluations(evaluation(moved), evaluation(result("a")))
        assert outcome.difference(RECALL) == 0


class TestGates:
    def test_mean_gate_fails_below_its_limit(self) -> None:
        outcome = evaluation(result("a"), result("b", False), result("c"))
        assert gate_under(outcome, RECALL, 0.66).passed
        assert gate_under(outcome, RECALL, 2 / 3).passed
        failed = gate_under(outcome, RECALL, 0.67)
        assert (failed.passed, failed.queries) == (False, ("b",))
        assert "0.6667, below 0.67" in failed.text
        assert not gate_under(evaluation(replace(result("a"), grades={})), RECALL, 0.0).passed

    def test_drop_gate_fails_above_its_limit(self) -> None:
        queries = [result(name) for name in "abcd"]
        outcome = compare_evaluations(evaluation(result("a", False), *queries[1:]), evaluation(*queries))
        assert gate_drop(outcome, RECALL, 0.25).passed
        failed = gate_drop(outcome, RECALL, 0.24)
        assert (failed.passed, failed.queries) == (False, ("a",))
        risen = compare_evaluations(outcome.before, outcome.now)
        assert gate_drop(risen, RECALL, 0.0).passed

    def test_outcome_gate_fails_if_an_outcome_changes(self) -> None:
        for now, before in itertools.product(("tier 2", "tier 3", "not covered"), repeat=2):
            outcome = compare_evaluations(evaluation(result("a", outcome=now)), evaluation(result("a", outcome=before)))
            assert gate_outcomes(outcome).passed is (now == before)
        assert (
            "tier 2 → tier 3"
            in gate_outcomes(
                compare_evaluations(evaluation(result("a", outcome="tier 3")), evaluation(result("a")))
            ).text
        )


def test_answers_are_compared_by_judged_documents_or_all_ranks() -> None:
    def answer(*paths: str, grades: dict[str, int], quoted: tuple[str, ...]) -> QueryResult:
        results = tuple(RankedDocument(path, 1.0) for path in paths)
        return QueryResult("q", "text", "", "", grades, "tier 3", results, 0, 1.0, quoted=quoted)

    def is_otherwise(grades: dict[str, int], quoted: tuple[str, ...] = ()) -> bool:
        now, before = (answer(*paths, grades=grades, quoted=quoted) for paths in ("abc", "acb"))
        return QueryChange(now, before).is_otherwise

    assert is_otherwise({})
    assert not is_otherwise({}, quoted=("a",))  # notes that are not quoted are not in the answer
    moved = answer("b", "c", grades={"b": 3}, quoted=("b",)), answer("a", "c", grades={"a": 3}, quoted=("a",))
    assert not QueryChange(*moved).is_otherwise  # a judged note that was moved is still the same note
    assert QueryChange(moved[0], answer("c", "a", grades={"a": 3}, quoted=("a",))).is_otherwise
    known = QueryChange(answer("b", grades={}, quoted=("b",)), answer("a", grades={}, quoted=("a",)), {"a": "b"})
    assert not known.is_otherwise  # so is an unjudged note if its move is known
    assert replace(known, paths_now={}).is_otherwise
    assert is_otherwise({"b": 3})
    assert not is_otherwise({"a": 3})


def test_differences_of_answers_name_ranks_and_quotes() -> None:
    def answer(ranking: str, quoted: str = "", grades: str = "", outcome: str = "tier 2") -> QueryResult:
        results = tuple(RankedDocument(f"x/{name}.md", 1.0) for name in ranking)
        graded, named = ({f"x/{name}.md": 3 for name in grades}, tuple(f"x/{name}.md" for name in quoted))
        return QueryResult("q", "text", "", "", graded, outcome, results, 0, 1.0, quoted=named)

    change = QueryChange(answer("ab", "ab", "b"), answer("abc", "ac", "b"))
    assert change.differences == ("c.md no longer quoted", "b.md now quoted"), "the first note and the outcome stay"
    assert QueryChange(answer("ab", "a", "b"), answer("acb", "a", "b")).differences == ("b.md: 3 → 2",)
    assert QueryChange(answer("ab"), answer("ac")).differences == ("b.md: not found → 2", "c.md: 2 → not found")
    lost = QueryChange(answer("", "", "a", "not covered"), answer("ab", "ab", "a"))
    assert lost.differences[:2] == ("tier 2 → not covered", "first a.md → no result")
    assert lost.summary == "tier 2 → not covered, first a.md → no result, a.md: 1 → not found and 2 more"


@pytest.mark.parametrize(
    ("grades", "first", "better"),
    [
        ({}, "a", None), ({"a": 3, "b": 3}, "b", None), ({"a": 2, "b": 3}, "a", "b"), ({"b": 1}, "a", "b"),
        ({"b": 1}, "", "b"), ({"a": 0, "b": 0}, "a", ""), ({"b": 0}, "a", None), ({"b": 0}, "", None),
    ],
)  # fmt: skip
def test_document_that_should_be_first_is_named(grades: dict[str, int], first: str, better: str | None) -> None:
    assert better_first(first, grades) == better


@pytest.mark.parametrize(
    ("before", "now", "is_misleading"),
    [
        ("tier 3 wrong", "tier 2 wrong", True), ("tier 2 wrong", "tier 3 wrong", False),
        ("tier 2 wrong", "tier 2 wrong", False), ("tier 3 right", "tier 2 wrong", True),
        ("tier 3 wrong", "tier 2 right", False), ("tier 2 right", "tier 3 wrong", True),
        ("not covered", "tier 2 wrong", True), ("tier 2 wrong", "not covered", False),
    ],
)  # fmt: skip
def test_tier_change_to_a_wrong_first_note_is_a_loss(before: str, now: str, is_misleading: bool) -> None:
    """Only grade 0 is given, so no metric can fall."""

    def answer(text: str) -> QueryResult:
        outcome, _, first = text.rpartition(" ") if text.startswith("tier") else (text, "", "")
        results = (RankedDocument(first, 1.0),) if first else ()
        return QueryResult("q", "text", "", "", {"wrong": 0}, outcome, results, 0, 1.0)

    change = QueryChange(answer(now), answer(before))
    assert (change.is_misleading, change.is_loss) == (is_misleading, is_misleading)
    cells, column = [LabCell(answer(each), (None,)) for each in (now, before)], LabColumn(Variant(revision="HEAD"), "")
    assert misleads(*cells, column) is is_misleading
    assert misleads(*reversed(cells), LabColumn(Variant(days=1), "")) is is_misleading, "later than now"
    assert loss_of([LabColumn(Variant(), "", {"q": cells[0]}), column._replace(cells={"q": cells[1]})], "q", 0) == (
        1.0 if is_misleading else pytest.approx(0.0, abs=1e-3)
    )


MRR = parse_metric("mrr")
DEEP = 1_500


def overlap_by_definition(one: list[str], other: list[str], persistence: Fraction) -> float:
    """The rank-biased overlap: the weighted sum of the agreements at all depths, far beyond the end of both lists,
    with each agreement counted from sets. A list's missing items are assumed to occur in the other list as often as
    its present ones.
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


def test_overlap_equals_its_definition() -> None:
    rng = random.Random(1)
    items = [f"n{number}" for number in range(14)]
    for _ in range(12):
        one, other = (rng.sample(items, rng.randrange(1, 12)) for _ in range(2))
        for persistence in (Fraction(1, 2), Fraction(9, 10)):
            result = rank_biased_overlap(one, other, float(persistence))
            assert result == pytest.approx(overlap_by_definition(one, other, persistence), abs=1e-9)
            assert result == pytest.approx(rank_biased_overlap(other, one, float(persistence)), abs=1e-12)
            assert 0 <= result <= 1 + 1e-12


def test_overlap_is_1_for_equal_and_0_for_disjoint_rankings() -> None:
    listed = list("abcdefgh")
    assert rank_biased_overlap(listed, listed) == pytest.approx(1)
    # a list that ends early agrees completely up to its end
    assert rank_biased_overlap(listed, listed[:3]) == pytest.approx(1)
    assert rank_biased_overlap(listed, list("xyz")) == 0
    assert rank_biased_overlap([], []) == 1
    assert rank_biased_overlap(listed, []) == rank_biased_overlap([], listed) == 0
    swapped_early, swapped_late = list("bacdefgh"), list("abcdefhg")
    assert rank_biased_overlap(listed, swapped_early) < rank_biased_overlap(listed, swapped_late) < 1


def graded(engine: str, ranks: list[int]) -> Evaluation:
    """An engine that finds the relevant note at these ranks."""
    queries = []
    for number, rank in enumerate(ranks):
        results = [RankedDocument(f"x{place}", 1.0) for place in range(1, rank)] + [RankedDocument("it", 1.0)]
        queries.append(QueryResult(f"q{number}", "", "", "", {"it": 3}, "covered", tuple(results), 0, 0.0))
    return Evaluation(engine, "", "", "", "", 1, "", tuple(queries))


def test_best_engine_is_named_with_its_significance() -> None:
    rng = random.Random(4)
    ranks = {"good": [rng.choice((1, 1, 2)) for _ in range(40)]}
    ranks["near"] = [rank if rng.random() < 0.9 else 3 - min(rank, 2) for rank in ranks["good"]]
    ranks["bad"] = [rng.choice((2, 4, 9)) for _ in range(40)]
    judged = JudgedEngines(tuple(graded(name, own) for name, own in ranks.items()), (MRR,))
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
    few = JudgedEngines(tuple(graded(name, own[:24]) for name, own in ranks.items()), (MRR,)).best(MRR)
    assert {rival.p_value for rival in few.rivals} == {None}


def test_differences_match_the_displayed_numbers() -> None:
    """0.98717 − 0.72264 is 0.26453, but readers subtract the displayed 0.9872 and 0.7226."""
    text = best_text(BestEngine(MRR, "soleri", 0.98717, (Rival("knowing", 0.98717 - 0.72264, None),)))
    assert "best with 0.9872" in text
    assert "knowing is 0.2646 behind" in text


def test_holm_adjustment_matches_published_values() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005}) == pytest.approx(
        {"d": 0.02, "a": 0.03, "c": 0.06, "b": 0.06}
    )
    assert holm({"a": 0.9, "b": 0.8}) == {"b": 1.0, "a": 1.0}
    assert holm({}) == {}


def test_engines_that_found_a_note_are_counted() -> None:
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


_THEIRS = {"ndcg": "ndcg_cut", "recall": "recall", "precision": "P", "success": "success"}


def test_metrics_agree_with_trec_eval_on_random_runs() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval-terrier is one of the tools for development")
    draw = random.Random(17)
    documents = [f"d{number}" for number in range(30)]
    grades, runs = {}, {}
    for number in range(300):
        judged = draw.sample(documents, draw.randint(1, 15))
        grades[f"q{number}"] = {document: draw.randint(0, 3) for document in judged}
        grades[f"q{number}"][judged[0]] = draw.randint(1, 3)  # trec_eval leaves out queries without a relevant document
        runs[f"q{number}"] = draw.sample(documents, draw.randint(1, 25))
    cuts = (1, 3, 5, 10)
    measures = {f"{theirs}.{','.join(map(str, cuts))}" for theirs in _THEIRS.values()} | {"map", "recip_rank"}
    scored = {query: {document: float(-rank) for rank, document in enumerate(run)} for query, run in runs.items()}
    found = pytrec_eval.RelevanceEvaluator(grades, measures).evaluate(scored)
    assert len(found) == 300
    for query, theirs in found.items():
        for name, measure in _THEIRS.items():
            for cut in cuts:
                own = Metric(name, cut).of(runs[query], grades[query])
                assert own == pytest.approx(theirs[f"{measure}_{cut}"], abs=1e-9), (query, name, cut)
        assert Metric("map").of(runs[query], grades[query]) == pytest.approx(theirs["map"], abs=1e-9)
        assert Metric("mrr").of(runs[query], grades[query]) == pytest.approx(theirs["recip_rank"], abs=1e-9)


def test_metrics_equal_manual_calculations() -> None:
    ranking, grades = ["a", "b", "c"], {"a": 1, "c": 3, "z": 2, "b": 0}
    best = 3 + 2 / math.log2(3) + 1 / 2
    assert Metric("ndcg", 10).of(ranking, grades) == pytest.approx((1 + 3 / 2) / best)
    assert Metric("recall", 3).of(ranking, grades) == pytest.approx(2 / 3)
    assert Metric("precision", 5).of(ranking, grades) == pytest.approx(2 / 5)
    assert Metric("map").of(ranking, grades) == pytest.approx((1 + 2 / 3) / 3)
    assert Metric("judged", 10).of([*ranking, "y"], grades) == pytest.approx(3 / 4)


@pytest.mark.parametrize("metric", DEFAULT_METRICS, ids=str)
def test_metrics_are_zero_without_results_or_judgments(metric: Metric) -> None:
    assert metric.of([], {"a": 3}) == 0
    assert metric.of(["b"], {}) == 0


def test_metric_names_are_parsed_and_written() -> None:
    assert parse_metric("ndcg@10") == Metric("ndcg", 10)
    assert str(parse_metric("map")) == "map"
    for wrong in ("ndcg", "mrr@3", "recall@0", "speed", "ndcg@99999", "NDCG@10"):
        with pytest.raises(UnknownMetric, match="no metric"):
            parse_metric(wrong)


def answered(outcome: str, found: str, quoted: str) -> QueryResult:
    """A query that should find the notes a and b, and finds and quotes the notes with these letters."""
    results = tuple(RankedDocument(path, 1.0) for path in found)
    grades = {"a": 3, "b": 1, "c": 0}
    return QueryResult("q", "x", "", "", grades, outcome, results, 0, 0.0, quoted=tuple(quoted))


def test_each_loss_is_reported_when_it_begins() -> None:
    def evaluation(query: QueryResult) -> Evaluation:
        return Evaluation("byterover", "", "", "", "", 3, "", (query,))

    now = evaluation(answered("tier 2", "abc", "abc"))
    days = {
        7.0: answered("tier 2", "abc", "a"),
        30.0: answered("tier 3", "a", "a"),
        60.0: answered("tier 2", "abc", "abc"),
        90.0: answered("tier 3", "ba", ""),
        120.0: answered("tier 3", "acb", "abc"),
    }
    points = [DriftPoint(day, compare_evaluations(evaluation(query), now)) for day, query in days.items()]
    drift = Drift(now, DEFAULT_METRICS, tuple(points))
    assert drift.losses == (
        LostByDay("q", "no longer quoted in the answer", "b", 7.0),
        LostByDay("q", "no longer found", "b", 30.0),
        LostByDay("q", "tier 2 → tier 3", "", 30.0),
        LostByDay("q", "no longer quoted in the answer", "a", 90.0),
        LostByDay("q", "no longer quoted in the answer", "b", 90.0),
        LostByDay("q", "tier 2 → tier 3", "", 90.0),
        LostByDay("q", "ranked lower", "b", 120.0),
    )
    assert first_lost(drift.losses) == {"q": 7.0}
    assert drift.passed
    assert replace(drift, points=()).losses == ()
