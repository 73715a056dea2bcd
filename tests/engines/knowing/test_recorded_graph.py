"""The recorded answers of the real program about graph, walk, score and packing: a test for each family."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import pytest

from brvtui.engines.knowing.deltas import delta
from brvtui.engines.knowing.formats import ContextBlock, UnknownFormatError, formatted
from brvtui.engines.knowing.hits import LinkRank, hubs_and_authorities
from brvtui.engines.knowing.model import module_of
from brvtui.engines.knowing.packing import node_tokens, pack, pack_root, proximity_exponent, text_tokens
from brvtui.engines.knowing.profile import load_profile
from brvtui.engines.knowing.reached import ScoringContext, around_changes, around_files, ranked
from brvtui.engines.knowing.scoring import (
    ScoredCandidate,
    ScoringInput,
    age_value,
    is_test_path,
    lifts_penalty,
    rank,
    result_confidence,
)
from brvtui.engines.knowing.walk import roads, walk
from tests.engines.knowing.graph_cases import cases, close, edges, graph, node

CODE = load_profile("knowing-code")
SHOWN = ("blast_radius", "confidence", "distance", "feedback", "recency", "session")
WALK_TOLERANCE = 1e-6
SCORE_TOLERANCE = 1e-6
FILE_COMPONENTS = ("blast_radius", "confidence", "distance", "recency")
FROM_STORE = replace(CODE, walk=replace(CODE.walk, whole_neighbourhood=False))


def test_rwr() -> None:
    for case in cases("rwr"):
        given, wanted = case["input"], case["expected"]
        held = graph(given)
        rules = replace(
            CODE.walk,
            restart=given["alpha"],
            rounds=given["max_iter"] or CODE.walk.rounds,
            whole_neighbourhood=given.get("use_adjacency_cache", False),
        )
        seeds = {held.positions[seed["id"]]: 1.0 if given.get("uniform") else seed["weight"] for seed in given["seeds"]}
        made = walk(roads(held, rules), seeds, rules)
        ours = {id_: float(made.scores[place]) for id_, place in held.positions.items() if made.scores[place]}
        outcomes = [wanted, *wanted.get("acceptable_outcomes", ())]
        scores = [wanted.get("recommended_scores") or outcome["scores"] for outcome in outcomes]
        reached = [{id_: score for id_, score in one.items() if score} for one in scores]
        assert any(close(ours, one, WALK_TOLERANCE) for one in reached), (case["name"], ours)
        if "bfs_distances" in wanted:
            levels = {id_: int(made.levels[place]) for id_, place in held.positions.items() if made.levels[place] >= 0}
            assert levels == wanted["bfs_distances"], case["name"]
        if "iterations_executed" in wanted and "recommended_scores" not in wanted:
            rounds = [wanted["iterations_executed"], *(one["iterations"] for one in outcomes[1:])]
            assert len(made.rounds) in rounds, case["name"]


def test_top_dir() -> None:
    for case in cases("top_dir"):
        assert module_of(case["input"]["qualified_name"]) == case["expected"], case["name"]


def test_hits() -> None:
    for case in cases("hits"):
        given = case["input"]
        held = graph(given)
        places = [held.positions[id_] for id_ in given["subgraph"]]
        made = hubs_and_authorities(held, places, replace(CODE.hits, rounds=given["max_iter"]))
        ours = {held.ids[place]: one._asdict() for place, one in made.items()}
        assert close(ours, case["expected"]), (case["name"], ours)


def test_rank() -> None:
    for case in cases("rank"):
        given = case["input"]
        links = {id_: LinkRank(**one) for id_, one in given.get("hits", {}).items()}
        made = rank(
            [_candidate(one) for one in given["symbols"]], links if given.get("hits_present") else None, CODE.scoring
        )
        ours = [
            {"components": {name: one.component(name) for name in SHOWN}, "id": one.node.id, "score": one.score}
            for one in made
        ]
        assert close(ours, case["expected"]["ranked"]), (case["name"], ours)
        assert all(sum(one.components.values()) == pytest.approx(one.score, abs=1e-9) for one in made)


def _candidate(given: dict[str, Any]) -> ScoringInput:
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


def test_recency() -> None:
    for case in cases("recency"):
        age = case["input"]["age_seconds"]
        ours = {
            "commit_recency": age_value(age, CODE.scoring.change),
            "observation_recency": age_value(age, CODE.scoring.recency),
        }
        assert close(ours, case["expected"]), (case["name"], ours)


def test_test_path() -> None:
    for case in cases("test_path"):
        assert is_test_path(case["input"]["qualified_name"]) is case["expected"], case["name"]


def test_test_task() -> None:
    for case in cases("test_task"):
        assert lifts_penalty(case["input"]["task"], CODE.scoring) is case["expected"], case["name"]


def test_result_confidence() -> None:
    for case in cases("result_confidence"):
        ours = result_confidence(case["input"]["scores"], CODE.flat)
        assert ours == pytest.approx(case["expected"], abs=1e-9), case["name"]


def test_tokens() -> None:
    for case in cases("tokens"):
        given = case["input"]
        if "text" in given:
            ours = text_tokens(given["text"], CODE.packing)
        else:
            ours = node_tokens(node(given), CODE.packing, given["format"])
        assert ours == case["expected"], case["name"]


def test_proximity_exponent() -> None:
    for case in cases("proximity_exponent"):
        ours = proximity_exponent(case["input"]["phantom_ratio"], CODE.packing)
        assert ours == pytest.approx(case["expected"], abs=1e-9), case["name"]


def test_pack() -> None:
    for case in cases("pack"):
        given = case["input"]
        ranked = [_scored(one) for one in given["ranked"]]
        costs = [node_tokens(one.node, CODE.packing, given["format"]) for one in ranked]
        made = pack(
            ranked,
            costs,
            given["budget"],
            CODE.packing,
            given.get("strategy", "density"),
            given.get("coherence_bonus", 0.0),
        )
        ours = {
            "packed": [one.node.id for one in made.packed],
            "token_costs": {one.node.id: cost for one, cost in zip(ranked, costs, strict=True)},
            "tokens_used": made.used,
        }
        assert ours == case["expected"], case["name"]


def _scored(given: dict[str, Any]) -> ScoredCandidate:
    candidate = ScoringInput(node(given), 0, 0.0, given.get("distance", 0), walk=given["rwr_score"])
    return ScoredCandidate(candidate, given["score"], {"confidence": given.get("confidence_component", 0.0)})


def test_pack_root() -> None:
    for case in cases("pack_root"):
        hashes = {id_: hashlib.sha256(id_.encode()) for id_ in case["input"]["node_ids"]}
        ours = {
            "node_hashes_hex": {id_: digest.hexdigest() for id_, digest in hashes.items()},
            "pack_root_hex": pack_root(case["input"]["task"], [digest.digest() for digest in hashes.values()]),
        }
        assert ours == case["expected"], case["name"]


def test_delta_pack() -> None:
    for case in cases("delta_pack"):
        given = case["input"]
        made = delta(
            [node(one) for one in given["prior"]],
            [node(one) for one in given["current"]],
            edges(given["prior_edges"]),
            edges(given["current_edges"]),
            lambda one, form=given["format"]: node_tokens(one, CODE.packing, form),
            CODE.packing,
        )
        ours = {
            "added": sorted(made.added),
            "removed": sorted(made.removed),
            "unchanged": sorted(made.unchanged),
            "added_edges": made.added_edges,
            "removed_edges": made.removed_edges,
            "full_tokens": made.whole_tokens,
            "delta_tokens": made.delta_tokens,
            "overlap_percent": made.overlap,
            "savings_percent": made.savings,
            "worth_it": made.is_worth_it,
        }
        wanted = case["expected"]
        wanted = wanted | {key: sorted(wanted[key]) for key in ("added", "removed", "unchanged")}
        assert close(ours, wanted), (case["name"], ours)


def test_format() -> None:
    for case in cases("format"):
        given = case["input"]
        block = ContextBlock([_scored(one) for one in given["ranked"]], given["tokens_used"], given["token_budget"])
        try:
            ours = {"text": formatted(block, given["format"])}
        except UnknownFormatError as error:
            ours = {"error": str(error)}
        assert ours == case["expected"], case["name"]


def _context(case: dict[str, Any], found: list[ScoredCandidate], budget: int) -> dict[str, Any]:
    costs = [node_tokens(one.node, CODE.packing) for one in found]
    made = pack(found, costs, case["input"]["token_budget"] or budget, CODE.packing)
    return {
        "order_is_deterministic": True,
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


def test_for_files() -> None:
    for case in cases("for_files"):
        held = graph(case["input"])
        found = around_files(held, case["input"]["files"], ScoringContext(0.0, penalised=lambda _: False), CODE)
        ours = _context(case, ranked(held, found, CODE.hits, CODE.scoring), CODE.packing.budget)
        assert close(ours, case["expected"], SCORE_TOLERANCE), (case["name"], ours)


def test_for_pr() -> None:
    for case in cases("for_pr"):
        held = graph(case["input"])
        _, found = around_changes(
            held, roads(held, FROM_STORE.walk), case["input"]["files"], ScoringContext(0.0), FROM_STORE
        )
        ours = _context(case, ranked(held, found, CODE.hits, CODE.scoring), CODE.packing.review_budget)
        assert close(ours, case["expected"], SCORE_TOLERANCE), (case["name"], ours)
