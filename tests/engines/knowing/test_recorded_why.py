"""The program's own explanations of symbols, and what its cache of packs serves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from brvtui.engines.knowing.equivalence import built_in_classes, language_of
from brvtui.engines.knowing.pack_cache import CachedPack, CacheLayer, PackCache, pack_key
from brvtui.engines.knowing.packing import node_tokens
from brvtui.engines.knowing.pipeline import TaskContext, TaskRequest, for_task, task_index
from brvtui.engines.knowing.profile import KnowingProfile, load_profile
from brvtui.engines.knowing.reached import ScoringContext, is_test
from brvtui.engines.knowing.scoring import lifts_penalty
from brvtui.engines.knowing.seed_rules import SeedSize
from brvtui.engines.knowing.seeding import seed_index
from brvtui.engines.knowing.symbol_why import BELOW, WALK, explain_symbol
from tests.engines.knowing.graph_cases import cases, graph

CODE = load_profile("knowing-code")
CHANNELS = {"rwr": WALK, "rwr (below threshold)": BELOW}
MANY = 10**9


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
    return for_task(request, index, ScoringContext(0.0, penalised=lambda _: False))


def test_explain() -> None:
    for case in cases("explain"):
        given, wanted = case["input"], case["expected"]
        made = answered(given)
        found = explain_symbol(given["symbol"], made, graph(given))
        if "error" in wanted:
            assert found is None or not made.search.keywords, case["name"]
            continue
        assert found is not None, case["name"]
        assert found.node.qualified_name == wanted["symbol"], case["name"]
        assert (found.rank or -1, found.ranked) == (wanted["rank"], wanted["total_symbols"]), case["name"]
        assert found.channel == CHANNELS.get(wanted["seed_channel"], wanted["seed_channel"]), case["name"]
        assert found.is_seed == wanted["is_seed"], case["name"]
        assert list(found.keywords) == wanted["keywords"], case["name"]
        if found.scored is None:
            assert wanted["seed_tier"] == "not matched", case["name"]
            continue
        assert found.tier == wanted["seed_tier"], case["name"]
        assert list(found.concepts) == wanted["equivalence_matches"], case["name"]
        assert found.walk == pytest.approx(wanted["rwr_score"], abs=1e-6), case["name"]
        assert found.scored.score == pytest.approx(wanted["total_score"], abs=1e-6), case["name"]
        assert found.scored.candidate.callers == wanted["caller_proxy"], case["name"]
        assert found.most_callers == wanted["max_callers"], case["name"]
        assert found.links is not None, case["name"]
        assert found.links.authority == pytest.approx(wanted["hits_authority"], abs=1e-6), case["name"]
        assert found.links.hub == pytest.approx(wanted["hits_hub"], abs=1e-6), case["name"]
        assert found.components["authority"] == pytest.approx(wanted["hits_adjust"], abs=1e-6), case["name"]
        for name, value in wanted["components"].items():
            assert found.components[name] == pytest.approx(value, abs=1e-9), (case["name"], name)


def test_pack_cache() -> None:
    for case in cases("pack_cache"):
        assert [*served(case["input"])] == case["expected"], case["name"]


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
            pack = found[0]
        yield {
            "op": "run",
            "served_from_cache": found is not None,
            "symbols": list(pack.ids),
            "token_budget_in_result": pack.budget,
            "tokens_used": pack.used,
        }


def test_the_documents_key_holds_the_budget() -> None:
    rules = load_profile().pack_cache
    key, other = (pack_key(" Fix  IT ", rules, budget=budget) for budget in (60, 2000))
    assert key != other
    assert pack_key("fix  it", rules, budget=60) == key
    assert pack_key("fix it", CODE.pack_cache, budget=60) == pack_key("Fix it", CODE.pack_cache, budget=2000)
    pack = CachedPack(("a",), 3, 60, "s1", 100.0)
    cache = PackCache().stored(key, pack, rules)
    assert cache.found(key, "s2", 101.0, rules) == (pack, CacheLayer.MEMORY)
    assert cache.found(key, "s1", 4_000.0, rules) == (pack, CacheLayer.KEPT)
    assert cache.found(key, "s2", 4_000.0, rules) is None
    assert cache.found(other, "s1", 101.0, rules) is None
    small = replace(rules, entries=1)
    assert list(cache.stored(other, pack, small).packs) == [other]
