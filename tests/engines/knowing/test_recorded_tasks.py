"""The recorded answers of the real program to whole tasks, and its benchmark's counts: a test for each family."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from benchmarks import knowing_flask
from brvtui.engines.knowing import seeding
from brvtui.engines.knowing.equivalence import built_in_classes, language_of
from brvtui.engines.knowing.judging import bare_symbol, is_match, judge
from brvtui.engines.knowing.keywords import Keyword, KeywordRule, KeywordSet
from brvtui.engines.knowing.model import Node
from brvtui.engines.knowing.packing import node_tokens
from brvtui.engines.knowing.pipeline import TaskContext, TaskRequest, for_task, task_index
from brvtui.engines.knowing.profile import load_profile
from brvtui.engines.knowing.reached import ScoringContext, is_test
from brvtui.engines.knowing.scoring import ScoredCandidate, lifts_penalty
from brvtui.engines.knowing.seeding import seed_index
from brvtui.engines.knowing.session import recent_boost
from tests.engines.knowing.graph_cases import cases, close, graph

CODE = load_profile("knowing-code")
LEAST_SCORE_TOLERANCE = 1e-6
MOST_CALLERS_UNIT = 0.0035
"""What one unit of a truncated number of callers is worth in a score."""
WALK_TOLERANCE = 1e-3
"""A walk may end a round earlier or later where leaders are equal."""
OVERALL = {"with_equivalence_classes": 0.361, "without_equivalence_classes": 0.311}
"""The program's mean P@10 over all 18 tasks, as the family's notes say."""


def in_context(case: dict[str, Any]) -> TaskContext:
    given = case["input"]
    walk = replace(CODE.walk, whole_neighbourhood=given.get("use_adjacency_cache", False))
    profile = replace(CODE, walk=walk)
    held = graph(given)
    language = language_of(held, profile.equivalence)
    index = task_index(seed_index(held, profile, built_in_classes(profile.equivalence.verbs), language))
    votes: dict[str, list[bool]] = {}
    for vote in given.get("feedback_same_cluster", ()):
        votes.setdefault(vote["symbol"], []).append(vote["useful"])
    ages = given.get("session_access_ages_seconds", {})
    around = ScoringContext(
        0.0,
        penalised=(lambda _: False) if lifts_penalty(given["task"], profile.scoring) else is_test,
        feedback={id_: sum(useful) / len(useful) for id_, useful in votes.items()},
        session={id_: recent_boost(times, profile.session) for id_, times in ages.items()},
    )
    prefix = f"{given['repo_url']}://"
    in_scope: Callable[[Node], bool] | None = None
    if given.get("scope_to_repo"):
        in_scope = lambda node: node.qualified_name.startswith(prefix)  # noqa: E731
    cost = lambda node: node_tokens(node, profile.packing)  # noqa: E731
    return for_task(TaskRequest(given["task"], given["token_budget"], cost, is_in_scope=in_scope), index, around)


def test_for_task() -> None:
    for case in cases("for_task"):
        made, wanted = in_context(case), case["expected"]
        results = made.packed.packed
        if "defect" in case.get("note", ""):
            assert made.walk is not None
            assert made.walk.rounds[-1].mass <= 1 + 1e-9
            assert all(math.isfinite(one.score) for one in results), case["name"]
            continue
        assert made.packed.used == wanted["tokens_used"], case["name"]
        tolerance = max(LEAST_SCORE_TOLERANCE, wanted["run_to_run_score_spread"]) + MOST_CALLERS_UNIT
        check_results(case["name"], results, wanted["symbols"], tolerance)


def check_results(
    name: str, results: Sequence[ScoredCandidate], wanted: Sequence[dict[str, Any]], tolerance: float
) -> None:
    scores = {one["id"]: one["score"] for one in wanted}
    assert {one.node.id for one in results} == scores.keys(), name
    for one in results:
        assert one.score == pytest.approx(scores[one.node.id], abs=tolerance), (name, one.node.id)
    for place, one in enumerate(results):
        for later in results[place + 1 :]:
            assert scores[one.node.id] >= scores[later.node.id] - tolerance, (name, one.node.id, later.node.id)
    ours = {one.node.id: (one.candidate.distance, one.candidate.walk) for one in results}
    theirs = {one["id"]: (one["distance"], one["rwr_score"]) for one in wanted}
    assert close(
        {id_: list(one) for id_, one in ours.items()}, {id_: list(one) for id_, one in theirs.items()}, WALK_TOLERANCE
    )


@pytest.mark.parametrize("mode", OVERALL)
def test_flask_for_task(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    index = knowing_flask.index(CODE, with_classes=mode == "with_equivalence_classes")
    precision, _, _ = knowing_flask.means(knowing_flask.measured(index))
    assert precision == pytest.approx(OVERALL[mode], abs=0.02)
    needed = {task.text: task.needed for task in knowing_flask.tasks()}
    for case in cases("flask_for_task"):
        # The order of words of one length is that of an unstable sort: it is given, as the fact sheet advises.
        given, wanted = case["input"], case["expected"]
        monkeypatch.setattr(seeding, "keyword_set", lambda _task, _rules, one=wanted: keywords(one["keyword_set"]))
        monkeypatch.setattr(seeding, "path_terms", lambda _task, _rules, one=wanted: one["path_terms"])
        results = knowing_flask.answer(given["task"], index)
        least, most = precision_of(results, needed[given["task"]])
        assert least - 0.1 - 1e-9 <= wanted[mode]["p10"] <= most + 0.1 + 1e-9, (case["name"], least, most)


def keywords(recorded: dict[str, Any]) -> KeywordSet:
    made = (
        tuple(Keyword(text, KeywordRule.WORD, text) for text in recorded[name])
        for name in ("exact", "compounds", "components")
    )
    return KeywordSet(*made)


def precision_of(results: Sequence[ScoredCandidate], needed: Sequence[str]) -> tuple[float, float]:
    """The least and the greatest P@10 of any order of the results that keeps unequal scores apart."""
    good = [any(is_match(one.node.qualified_name, name) for name in needed) for one in results]
    if len(results) <= 10:
        return sum(good) / 10, sum(good) / 10
    edge = results[9].score
    above = [is_good for one, is_good in zip(results, good, strict=True) if one.score > edge + 1e-9]
    tied = [is_good for one, is_good in zip(results, good, strict=True) if abs(one.score - edge) <= 1e-9]
    places = 10 - len(above)
    least = max(0, places - tied.count(False))
    return (sum(above) + least) / 10, (sum(above) + min(places, tied.count(True))) / 10


def test_bench_normalize() -> None:
    for case in cases("bench_normalize"):
        assert bare_symbol(case["input"]["raw"]) == case["expected"], case["name"]


def test_bench_match() -> None:
    for case in cases("bench_match"):
        (found,), (needed,) = case["input"]["retrieved"], case["input"]["ground_truth"]
        assert is_match(found, needed) is case["expected"], case["name"]


def test_bench_metrics() -> None:
    for case in cases("bench_metrics"):
        made = judge(case["input"].get("retrieved", ()), case["input"]["ground_truth"])
        ours = {
            **{f"p{cut}": value for cut, value in made.precision.items()},
            **{f"r{cut}": value for cut, value in made.recall.items()},
            "f1_10": made.f1,
            "ndcg10": made.ndcg,
            "mrr": made.reciprocal_rank,
        }
        assert close(ours, case["expected"]), (case["name"], ours)
