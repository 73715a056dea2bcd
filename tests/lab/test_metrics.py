"""Metrics, against pytrec_eval on random runs, and by hand where the definition is ours."""

from __future__ import annotations

import math
import random

import pytest

from brvtui.lab.evaluation.results import DEFAULT_METRICS, Metric, UnknownMetric, parse_metric

_THEIRS = {"ndcg": "ndcg_cut", "recall": "recall", "precision": "P", "success": "success"}


def test_they_agree_with_trec_eval_on_random_runs() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval-terrier is one of the tools for development")
    draw = random.Random(17)
    documents = [f"d{number}" for number in range(30)]
    grades, runs = {}, {}
    for number in range(300):
        judged = draw.sample(documents, draw.randint(1, 15))
        grades[f"q{number}"] = {document: draw.randint(0, 3) for document in judged}
        grades[f"q{number}"][judged[0]] = draw.randint(1, 3)  # without a relevant one, trec_eval leaves the query out
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


def test_by_hand() -> None:
    ranking, grades = ["a", "b", "c"], {"a": 1, "c": 3, "z": 2, "b": 0}
    best = 3 + 2 / math.log2(3) + 1 / 2
    assert Metric("ndcg", 10).of(ranking, grades) == pytest.approx((1 + 3 / 2) / best)
    assert Metric("recall", 3).of(ranking, grades) == pytest.approx(2 / 3)
    assert Metric("precision", 5).of(ranking, grades) == pytest.approx(2 / 5)
    assert Metric("map").of(ranking, grades) == pytest.approx((1 + 2 / 3) / 3)
    assert Metric("judged", 10).of([*ranking, "y"], grades) == pytest.approx(3 / 4)


@pytest.mark.parametrize("metric", DEFAULT_METRICS, ids=str)
def test_nothing_found_and_nothing_to_find_are_0(metric: Metric) -> None:
    assert metric.of([], {"a": 3}) == 0
    assert metric.of(["b"], {}) == 0


def test_how_they_are_written() -> None:
    assert parse_metric("ndcg@10") == Metric("ndcg", 10)
    assert str(parse_metric("map")) == "map"
    for wrong in ("ndcg", "mrr@3", "recall@0", "speed", "ndcg@99999", "NDCG@10"):
        with pytest.raises(UnknownMetric, match="no metric"):
            parse_metric(wrong)
