"""Comparing evaluations: the randomisation test against scipy's, pairs, gates."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from brvtui.lab.evaluation.comparing import (
    QueryChange,
    compare_evaluations,
    gate_drop,
    gate_outcomes,
    gate_under,
    randomisation_test,
)
from brvtui.lab.evaluation.results import Evaluation, Metric, QueryResult, RankedDocument

RECALL = Metric("recall", 5)


def result(name: str, found: bool = True, outcome: str = "tier 2") -> QueryResult:
    results = (RankedDocument("n.md" if found else "m.md", 1.0),)
    return QueryResult(name, f"text of {name}", "", "", {"n.md": 2}, outcome, results, 0, 1.0)


def evaluation(*queries: QueryResult) -> Evaluation:
    return Evaluation("byterover", "ByteRover 3.14.0", "brv-3", "p", "", 3, "2026-11-20T12:00:00Z", queries)


@pytest.fixture
def permutation_test() -> Any:
    """That of scipy, which takes long to import."""
    from scipy import stats

    return stats.permutation_test


class TestRandomisation:
    @pytest.mark.parametrize("count", [2, 5, 9])
    def test_few_differences_are_exact(self, permutation_test: Any, count: int) -> None:
        draw = random.Random(count)
        for _ in range(20):
            values = [draw.choice((0, 0.25, 0.5, -0.25, draw.uniform(-1, 1))) for _ in range(count)]
            theirs = permutation_test((values,), np.mean, permutation_type="samples", n_resamples=np.inf)
            assert randomisation_test(values) == pytest.approx(theirs.pvalue)

    def test_many_differences_are_near_what_scipy_finds(self, permutation_test: Any) -> None:
        draw = random.Random(3)
        for shift in (0.0, 0.05, 0.12):
            values = [draw.gauss(shift, 0.3) for _ in range(60)]
            theirs = permutation_test(
                (values,), np.mean, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(5)
            )
            assert randomisation_test(values) == pytest.approx(theirs.pvalue, abs=0.012)

    def test_where_it_says_nothing(self) -> None:
        assert randomisation_test([]) == 1
        assert randomisation_test([0.5]) == 1
        assert randomisation_test([0.0] * 40) == 1
        assert randomisation_test([0.1, -0.1] * 30) == 1

    def test_it_is_the_same_every_time_and_ignores_zeros(self) -> None:
        values = [0.01 * number for number in range(-10, 20)]
        assert randomisation_test(values) == randomisation_test([*values, 0.0, 0.0])


class TestComparison:
    def test_pairs_are_the_same_queries_judged_alike(self) -> None:
        now = evaluation(result("a"), result("b", False), result("c"), result("d"), result("new"))
        before = evaluation(
            result("a"),
            result("b"),
            replace(result("c"), text="other"),
            replace(result("d"), grades={"n.md": 1}),
            result("old"),
        )
        made = compare_evaluations(now, before)
        assert [change.now.id for change in made.changes] == ["a", "b"]
        assert len(made.notices) == 4
        assert made.difference(RECALL) == -0.5
        assert [change.now.id for change in made.worse(RECALL)] == ["b"]
        assert made.p_value(RECALL) is None

    def test_significance_is_said_from_25_queries_on(self) -> None:
        for count, says in ((24, False), (25, True)):
            queries = [result(f"q{number}") for number in range(count)]
            lost = [replace(query, results=()) for query in queries]
            made = compare_evaluations(evaluation(*lost), evaluation(*queries))
            assert (made.p_value(RECALL) is not None) is says
            assert made.p_value(RECALL) is None or made.p_value(RECALL) < 0.001

    def test_a_document_that_moved_does_not_count_as_another_judgment(self) -> None:
        moved = replace(result("a"), grades={"x.md": 2}, results=(RankedDocument("x.md", 1.0),))
        made = compare_evaluations(evaluation(moved), evaluation(result("a")))
        assert made.difference(RECALL) == 0


class TestGates:
    def test_under(self) -> None:
        made = evaluation(result("a"), result("b", False), result("c"))
        assert gate_under(made, RECALL, 0.66).passed
        assert gate_under(made, RECALL, 2 / 3).passed
        failed = gate_under(made, RECALL, 0.67)
        assert (failed.passed, failed.queries) == (False, ("b",))
        assert "0.6667, under 0.67" in failed.text
        assert not gate_under(evaluation(replace(result("a"), grades={})), RECALL, 0.0).passed

    def test_drop(self) -> None:
        queries = [result(name) for name in "abcd"]
        made = compare_evaluations(evaluation(result("a", False), *queries[1:]), evaluation(*queries))
        assert gate_drop(made, RECALL, 0.25).passed
        failed = gate_drop(made, RECALL, 0.24)
        assert (failed.passed, failed.queries) == (False, ("a",))
        risen = compare_evaluations(made.before, made.now)
        assert gate_drop(risen, RECALL, 0.0).passed

    def test_outcomes(self) -> None:
        for now, before in itertools.product(("tier 2", "tier 3", "not covered"), repeat=2):
            made = compare_evaluations(evaluation(result("a", outcome=now)), evaluation(result("a", outcome=before)))
            assert gate_outcomes(made).passed is (now == before)
        assert (
            "tier 2 → tier 3"
            in gate_outcomes(
                compare_evaluations(evaluation(result("a", outcome="tier 3")), evaluation(result("a")))
            ).text
        )


def test_an_answer_is_another_one_by_what_is_judged_else_by_every_rank() -> None:
    def answer(*paths: str, grades: dict[str, int], quoted: tuple[str, ...]) -> QueryResult:
        results = tuple(RankedDocument(path, 1.0) for path in paths)
        return QueryResult("q", "text", "", "", grades, "tier 3", results, 0, 1.0, quoted=quoted)

    def is_otherwise(grades: dict[str, int], quoted: tuple[str, ...] = ()) -> bool:
        now, before = (answer(*paths, grades=grades, quoted=quoted) for paths in ("abc", "acb"))
        return QueryChange(now, before).is_otherwise

    assert is_otherwise({})
    assert not is_otherwise({}, quoted=("a",))  # what is not quoted is not in the answer
    moved = answer("b", "c", grades={"b": 3}, quoted=("b",)), answer("a", "c", grades={"a": 3}, quoted=("a",))
    assert not QueryChange(*moved).is_otherwise  # a judged note that moved is the same
    assert QueryChange(moved[0], answer("c", "a", grades={"a": 3}, quoted=("a",))).is_otherwise
    known = QueryChange(answer("b", grades={}, quoted=("b",)), answer("a", grades={}, quoted=("a",)), {"a": "b"})
    assert not known.is_otherwise  # so is one that is not judged, where its move is known
    assert replace(known, paths_now={}).is_otherwise
    assert is_otherwise({"b": 3})
    assert not is_otherwise({"a": 3})
