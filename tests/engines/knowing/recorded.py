"""What the tests of recorded answers share: recorded inputs as ours, and our answers in the recorded form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import Any

import pytest

from benchmarks.knowing_judging import is_match
from brvtui.engines.knowing.equivalence import (
    EquivalenceClass,
    built_in_classes,
    language_of,
)
from brvtui.engines.knowing.keywords import (
    Keyword,
    KeywordRule,
    KeywordSet,
    cluster_hash,
    keyword_set,
    size,
)
from brvtui.engines.knowing.model import Node, symbol
from brvtui.engines.knowing.pack_cache import CachedPack, PackCache, RecentUse, pack_key
from brvtui.engines.knowing.packing import node_tokens, pack
from brvtui.engines.knowing.pipeline import TaskContext, TaskRequest, for_task, task_index
from brvtui.engines.knowing.profile import KnowingProfile, load_profile
from brvtui.engines.knowing.reached import ScoringContext, is_test
from brvtui.engines.knowing.reasons import BELOW, WALK
from brvtui.engines.knowing.remembered import PendingUse, pending_node
from brvtui.engines.knowing.scoring import (
    ScoredCandidate,
    ScoringInput,
    lifts_penalty,
)
from brvtui.engines.knowing.seed_rules import SeedSize
from brvtui.engines.knowing.seeding import seed_index
from tests.engines.knowing.graph_cases import cases, close, graph, node

CODE, SEED = load_profile("knowing-code"), load_profile()
TEXT = CODE.full_text
BROKEN = "\ufffd"
SHOWN = ("blast_radius", "confidence", "distance", "feedback", "recency", "session")
WALK_TOLERANCE = 1e-6
SCORE_TOLERANCE = 1e-6
FILE_COMPONENTS = ("blast_radius", "confidence", "distance", "recency")
FROM_STORE = replace(CODE, walk=replace(CODE.walk, whole_neighbourhood=False))
LEAST_SCORE_TOLERANCE = 1e-6
MOST_CALLERS_UNIT = 0.0035
"""What one unit of a truncated number of callers is worth in a score."""
WALK_PER_SPREAD = 8
"""What a walk may differ by for the spread of scores, where the program's own ends in another round each time."""
TASK_TOLERANCE = 1e-3
"""A walk may end a round earlier or later where leaders are equal."""
OVERALL = {"with_equivalence_classes": 0.361, "without_equivalence_classes": 0.311}
"""The program's mean P@10 over all 18 tasks, as the family's notes say."""
CHANNELS = {"rwr": WALK, "rwr (below threshold)": BELOW, "equiv": "equivalence"}
MANY = 10**9


def pairs(family: str) -> Iterator[tuple[str, Any, Any]]:
    """The name, the input and the expected answer of each case."""
    for case in cases(family):
        yield case["name"], case["input"], case["expected"]


def in_runs(words: Sequence[str]) -> list[list[str]]:
    """The words with each run of equal length sorted: the program's order within one is any."""
    return [sorted(run) for _, run in groupby(words, size)]


def recorded_keywords(given: dict[str, Any]) -> KeywordSet:
    """The keywords of a case: those that it names, or those of its task."""
    named = given.get("keyword_set")
    if named is None:
        return keyword_set(given["task"], CODE.keywords)
    exact, compounds, components = (
        tuple(Keyword(text, KeywordRule.WORD, text) for text in named[part])
        for part in ("exact", "compounds", "components")
    )
    return KeywordSet(exact, compounds, components)


def recorded_class(record: dict[str, Any]) -> EquivalenceClass:
    return EquivalenceClass(
        record["Concept"],
        tuple(record["Phrases"]),
        tuple(record["Targets"]),
        record["Weight"],
        record["Source"],
        record["Lang"],
    )


def traced(ops: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What each operation reports."""
    state, now = PendingUse(), 0.0
    for op in ops:
        made: dict[str, Any] = {"op": op["op"]}
        match op["op"]:
            case "register":
                state = state.returned([pending_node(symbol(name, "function"), now) for name in op["symbols"]])
                made["pending"] = len(state.pending)
            case "age":
                now += op["seconds"]
            case "detect":
                state, used = state.detected(op["content"], now)
                made["used"] = sorted(used)
                made["attributed_total"] = len(state.used)
            case "expire":
                state, verdict = state.expired(now)
                made |= {"pending": len(state.pending), "unused": sorted(one.id for one in verdict.unused)}
            case "flush":
                state, verdict = state.flushed()
                made |= {"pending": len(state.pending), "unused": sorted(one.id for one in verdict.unused)}
                made["used_with_short_name"] = sorted(f"{one.id}#{one.name}" for one in verdict.used)
        yield made


def cluster(keywords: Sequence[str]) -> str:
    """The cluster of a task; empty for a task without primary keywords."""
    return cluster_hash(keywords) if keywords else ""


def recorded_candidate(given: dict[str, Any]) -> ScoringInput:
    return ScoringInput(
        node(given),
        given["caller_count"],
        given["confidence"],
        given["distance"],
        observed_age=given.get("last_observed_age_seconds"),
        changed_age=given.get("last_commit_age_seconds"),
        feedback=given.get("feedback_boost"),
        session=given.get("session_boost", 0.0),
        is_penalised=given.get("is_test_file", False),
    )


def recorded_score(given: dict[str, Any]) -> ScoredCandidate:
    candidate = ScoringInput(node(given), 0, 0.0, given.get("distance", 0), walk=given["rwr_score"])
    return ScoredCandidate(candidate, given["score"], {"confidence": given.get("confidence_component", 0.0)})


def packed_context(case: dict[str, Any], found: list[ScoredCandidate], budget: int) -> dict[str, Any]:
    costs = [node_tokens(one.node, CODE.packing) for one in found]
    made = pack(found, costs, case["input"]["token_budget"] or budget, CODE.packing)
    return {
        "symbols": [
            {
                "components": {name: one.component(name) for name in FILE_COMPONENTS},
                "distance": one.candidate.distance,
                "id": one.node.id,
                "score": one.score,
            }
            for one in made.packed
        ],
        "token_budget": made.budget,
        "tokens_used": made.used,
    }


def check_context(case: dict[str, Any], ours: dict[str, Any]) -> None:
    """Compares what was packed, within the spread of the program where its walk ends in another round each time."""
    wanted, name = case["expected"], case["name"]
    spread = wanted.get("run_to_run_score_spread", 0.0 if wanted["order_is_deterministic"] else MOST_CALLERS_UNIT)
    tolerance = SCORE_TOLERANCE if spread < SCORE_TOLERANCE else spread + MOST_CALLERS_UNIT
    assert (ours["token_budget"], ours["tokens_used"]) == (wanted["token_budget"], wanted["tokens_used"]), name
    scores = {one["id"]: one["score"] for one in wanted["symbols"]}
    ordered = [one["id"] for one in ours["symbols"]]
    assert sorted(ordered) == sorted(scores), name
    assert all(scores[one] >= scores[other] - tolerance for one, other in pairwise(ordered)), (name, ordered)
    parts = {one["id"]: (one["components"], one["distance"], one["score"]) for one in ours["symbols"]}
    for one in wanted["symbols"]:
        components, distance, score = parts[one["id"]]
        assert distance == one["distance"], (name, one["id"])
        assert score == pytest.approx(one["score"], abs=tolerance), (name, one["id"])
        assert close(components, one["components"], tolerance), (name, one["id"], components)


def in_context(case: dict[str, Any]) -> TaskContext:
    given = case["input"]
    walk = replace(CODE.walk, whole_neighbourhood=given.get("use_adjacency_cache", False))
    profile = replace(CODE, walk=walk)
    held = graph(given)
    language = language_of(held, profile.equivalence)
    index = task_index(seed_index(held, profile, built_in_classes(profile.equivalence.verbs), language))
    penalised = (lambda _: False) if lifts_penalty(given["task"], profile.scoring) else is_test
    around = recorded_use(given, penalised)
    prefix = f"{given['repo_url']}://"
    in_scope: Callable[[Node], bool] | None = None
    if given.get("scope_to_repo"):
        in_scope = lambda node: node.qualified_name.startswith(prefix)  # noqa: E731
    cost = lambda node: node_tokens(node, profile.packing)  # noqa: E731
    return for_task(TaskRequest(given["task"], given["token_budget"], cost, is_in_scope=in_scope), index, around)


def recorded_use(given: dict[str, Any], penalised: Callable[[Node], bool]) -> ScoringContext:
    """The feedback and the session of a case."""
    votes: dict[str, list[bool]] = {}
    for vote in given.get("feedback_same_cluster", ()):
        votes.setdefault(vote["symbol"], []).append(vote["useful"])
    ages = given.get("session_access_ages_seconds", {})
    times = {id_: tuple(-float(age) for age in held) for id_, held in ages.items()}
    return ScoringContext(
        0.0,
        penalised=penalised,
        feedback={id_: sum(useful) / len(useful) for id_, useful in votes.items()},
        session=RecentUse(times).boosts(times, 0.0, CODE.session),
    )


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
    spread = tolerance - MOST_CALLERS_UNIT - LEAST_SCORE_TOLERANCE
    walked = TASK_TOLERANCE + WALK_PER_SPREAD * max(0.0, spread)
    assert close(
        {id_: list(one) for id_, one in ours.items()}, {id_: list(one) for id_, one in theirs.items()}, walked
    ), name


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


def explaining() -> KnowingProfile:
    """The program explains with other constants than it answers with; the document says that both are the same."""
    every = SeedSize(0, 200)
    return replace(
        CODE,
        walk=replace(CODE.walk, whole_neighbourhood=False),  # recorded without the cache of edges
        fusion=replace(CODE.fusion, tiered=3, equivalence=2, full_text=1, path=0, limit=200),
        full_text=replace(CODE.full_text, primary_alone=False, phrases=0, expansions=0, decomposed_least=MANY),
        equivalence=replace(CODE.equivalence, generic_targets=(), target_least=1, cap_least=MANY, injected_source=""),
        paths=replace(CODE.paths, terms=0),
        seeds=replace(
            CODE.seeds, small=every, medium=every, large=every, rank_step=0, focus_above=MANY, types_above=MANY
        ),
        scoring=replace(CODE.scoring, seed_units=0),
    )


def answered(given: dict[str, Any]) -> TaskContext:
    profile = explaining()
    index = task_index(seed_index(graph(given), profile, built_in_classes(profile.equivalence.verbs)))
    request = TaskRequest(given["task"], MANY, lambda _: 1)
    return for_task(request, index, recorded_use(given, lambda _: False))


def served(given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What each step reports. The cases were recorded without the layer that lives in memory."""
    rules = replace(CODE.pack_cache, memory_seconds=0)
    profile = replace(CODE, walk=replace(CODE.walk, whole_neighbourhood=False))
    held = graph(given)
    language = language_of(held, profile.equivalence)
    index = task_index(seed_index(held, profile, built_in_classes(profile.equivalence.verbs), language))
    cache, snapshots = PackCache(), 0
    for step in given["steps"]:
        if step["op"] == "snapshot":
            snapshots += 1
            yield {"op": "snapshot"}
            continue
        if step["op"] == "feedback":
            cache = cache.after_feedback()
            yield {"op": "feedback"}
            continue
        task, budget = step["task"], step["token_budget"]
        state = str(snapshots) if snapshots else ""
        key = pack_key(task, rules, budget=budget)
        found = cache.found(key, state, 0.0, rules)
        if found is None:
            around = ScoringContext(
                0.0, penalised=(lambda _: False) if lifts_penalty(task, profile.scoring) else is_test
            )
            made = for_task(TaskRequest(task, budget, lambda node: node_tokens(node, profile.packing)), index, around)
            pack = CachedPack(tuple(one.node.id for one in made.packed.packed), made.packed.used, budget, state, 0.0)
            cache = cache.stored(key, pack, rules)
        else:
            pack = found
        yield {
            "op": "run",
            "served_from_cache": found is not None,
            "symbols": list(pack.ids),
            "token_budget_in_result": pack.budget,
            "tokens_used": pack.used,
        }
