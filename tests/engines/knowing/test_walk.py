"""Properties of the walk, of hubs and authorities, and of packing."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

import networkx
import numpy as np
import pytest

from brvtui.engines.knowing.model import Edge, Graph, symbol
from brvtui.engines.knowing.packing import STRATEGIES, node_tokens, pack
from brvtui.engines.knowing.profile import KnowingProfile, load_profile
from brvtui.engines.knowing.scoring import ScoredCandidate, ScoringInput, hubs_and_authorities
from brvtui.engines.knowing.walk import StrongestWays, Walk, edge_weight, heaviest_edge, roads, walk

SEED, CODE = load_profile(), load_profile("knowing-code")
TYPES = ("calls", "imports", "contains", "references", "similar_to", "unheard_of")
PROFILES = pytest.mark.parametrize("profile", [SEED, CODE], ids=lambda one: one.name)


def random_graph(pick: random.Random, nodes: int = 14, edges: int = 24) -> Graph:
    ids = [f"r://{pick.choice(('app', 'lib'))}/{number:02d}.py.f" for number in range(nodes)]
    made = tuple(symbol(id_, "function") for id_ in ids)
    links = (Edge(pick.choice(ids), pick.choice(ids), pick.choice(TYPES)) for _ in range(edges))
    return Graph(made, tuple(links))


def random_walk(pick: random.Random, profile: object) -> tuple[Graph, Walk]:
    held = random_graph(pick)
    rules = profile.walk  # type: ignore[attr-defined]
    seeds = {pick.randrange(len(held.nodes)): pick.uniform(0.1, 1) for _ in range(pick.randint(1, 4))}
    return held, walk(roads(held, rules), seeds, rules)


@PROFILES
@pytest.mark.parametrize("number", range(40))
def test_what_a_walk_holds_and_has_lost_sums_to_one(profile: object, number: int) -> None:
    _, made = random_walk(random.Random(number), profile)
    for one in made.rounds:
        assert one.mass + one.lost_to_modules + one.lost_as_negligible == pytest.approx(1, abs=1e-9)
    if profile is SEED:
        assert made.probability.sum() == pytest.approx(1, abs=1e-9)
    assert (made.probability >= 0).all()


@PROFILES
@pytest.mark.parametrize("number", range(40))
def test_ways_add_up_to_no_more_than_the_share(profile: object, number: int) -> None:
    held, made = random_walk(random.Random(number), profile)
    ways = StrongestWays(made, longest=4)
    for place in range(held.size):
        found = ways.to(place, most=5)
        assert sum(way.amount for way in found) <= made.probability[place] + 1e-9
        assert len({way.places for way in found}) == len(found)


@pytest.mark.parametrize("number", range(20))
def test_a_ways_amount_is_that_of_its_steps(number: int) -> None:
    held, made = random_walk(random.Random(number), SEED)
    steps = made.steps.arrivals.toarray().T
    for place in range(held.size):
        for way in StrongestWays(made, longest=4).to(place, most=5):
            length = len(way.places) - 1
            product = made.start[way.places[0]]
            for one, other in zip(way.places, way.places[1:], strict=False):
                product *= steps[one, other] * (not made.dead[one])
            stays = made.restart if length < len(made.rounds) else 1
            assert way.amount == pytest.approx(stays * (1 - made.restart) ** length * product, abs=1e-12)


@pytest.mark.parametrize("number", range(20))
def test_all_ways_are_found_where_few_lead_to_a_node(number: int) -> None:
    """On a chain without dead ends every way is one of the strongest, so that nothing is left over."""
    length = 3 + number % 3
    ids = [f"r://app/{place}.py.f" for place in range(length)]
    held = Graph(
        tuple(symbol(id_, "function") for id_ in ids),
        tuple(Edge(one, other, "calls") for one, other in pairwise(ids)),
    )
    rules = replace(SEED.walk, rounds=3)
    made = walk(roads(held, rules), {0: 1.0}, rules)
    place = min(2, length - 1)
    found = StrongestWays(made, longest=3).to(place, most=20)
    assert sum(way.amount for way in found) == pytest.approx(made.probability[place], abs=1e-12)


A, B = "r://app/a.py.f", "r://app/b.py.f"
LIGHT = {"rare": 0.1, "calls": 1.0}
CLOSED = {"closed_types": ("calls",), "kept_types": ("calls", "unheard_of"), "whole_neighbourhood": True}


@pytest.mark.parametrize(
    ("rules", "edges", "heaviest"),
    [
        ({"edge_weights": LIGHT}, [Edge(A, B, "rare"), Edge(A, B, "unheard_of")], 1),
        ({"edge_weights": LIGHT}, [Edge(A, B, "rare"), Edge(B, A, "unheard_of")], 1),
        ({"edge_weights": {}, "other_edges": 0.2}, [Edge(B, A, "x"), Edge(A, B, "y")], 1),
        ({"edge_weights": LIGHT}, [Edge(A, B, "calls", 1, "lsp_resolved"), Edge(B, A, "unheard_of")], 0),
        ({"edge_weights": {"calls": 0.5}}, [Edge(A, B, "calls", 1, "lsp_resolved"), Edge(B, A, "unheard_of")], 1),
        (CLOSED | {"edge_weights": LIGHT}, [Edge(A, B, "calls"), Edge(B, A, "unheard_of")], 1),
        (
            {"kept_types": (), "lost_type": "rare", "whole_neighbourhood": True},
            [Edge(B, A, "calls"), Edge(A, B, "x")],
            1,
        ),
    ],
    ids=["unlisted", "unlisted back", "equal: forward", "generated", "generated lighter", "closed", "read as another"],
)
def test_a_way_names_the_edge_that_weighs_most_in_the_walk(
    rules: dict[str, Any], edges: list[Edge], heaviest: int
) -> None:
    """An explanation weighs edges as the walk does: unlisted types, generated edges and forgotten types, too."""
    held = Graph((symbol(A, "function"), symbol(B, "function")), tuple(edges))
    own = replace(SEED.walk, **rules)
    made = walk(roads(held, own), {0: 1.0}, own)
    assert heaviest_edge(made, held, 0, 1) == (edges[heaviest], edges[heaviest].source == A)


@PROFILES
@pytest.mark.parametrize("number", range(20))
def test_no_edge_between_neighbours_is_heavier_than_the_one_that_is_told(profile: KnowingProfile, number: int) -> None:
    held, made = random_walk(random.Random(number), profile)
    rules = profile.walk
    for one in held.edges:
        ends = held.positions[one.source], held.positions[one.target]
        told, is_forward = heaviest_edge(made, held, *ends)
        assert {told.source, told.target} == {one.source, one.target}
        assert is_forward == (told.source == one.source)
        assert edge_weight(told.type, told.provenance, rules) >= edge_weight(one.type, one.provenance, rules)


@pytest.mark.parametrize("number", range(20))
def test_hits_agree_with_networkx(number: int) -> None:
    pick = random.Random(number)
    held = random_graph(pick, nodes=16, edges=50)
    places = list(range(held.size))
    ours = hubs_and_authorities(held, places, replace(SEED.hits, rounds=2000))
    theirs = networkx.DiGraph()
    theirs.add_nodes_from(places)
    for source, target in zip(held.sources.tolist(), held.targets.tolist(), strict=True):
        weight = theirs.get_edge_data(source, target, {"weight": 0})["weight"] + 1
        theirs.add_edge(source, target, weight=weight)
    hubs, authorities = networkx.hits(theirs, max_iter=10_000, tol=1e-12)
    for name, wanted in (("hub", hubs), ("authority", authorities)):
        length = np.sqrt(sum(value**2 for value in wanted.values()))
        for place in places:
            assert getattr(ours[place], name) == pytest.approx(wanted[place] / length, abs=1e-6)


def candidates(pick: random.Random, count: int) -> list[ScoredCandidate]:
    made = []
    for number in range(count):
        name = f"r://{pick.choice('ab')}/x.py.{'q' * pick.randint(1, 60)}{number}"
        node = symbol(name, pick.choice(("function", "function", "external")), path=f"{pick.choice('ab')}/x.py")
        score = pick.uniform(0.1, 1)
        made.append(ScoredCandidate(ScoringInput(node, 0, 0.5, 1, walk=pick.random()), score, {"all": score}))
    return sorted(made, key=lambda one: -one.score)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("number", range(20))
def test_packing_never_exceeds_the_budget(strategy: str, number: int) -> None:
    pick = random.Random(number)
    ranked = candidates(pick, 12)
    costs = [node_tokens(one.node, SEED.packing) for one in ranked]
    budget = pick.randint(0, sum(costs))
    made = pack(ranked, costs, budget, SEED.packing, strategy)  # type: ignore[arg-type]
    assert made.used == sum(item.tokens for item in made.items if item.is_packed) <= budget
    assert len(made.items) == len(ranked)
    left = budget
    for item in made.items:
        assert item.left == left
        assert item.is_packed == (item.tokens <= left)
        left -= item.tokens if item.is_packed else 0
    scores = [one.score for one in made.packed]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("number", range(20))
def test_packing_is_the_first_choice_of_an_exhaustive_search(number: int) -> None:
    """Of all sets that fit, greedy packing takes the one that is first in the order of density, item by item."""
    pick = random.Random(number)
    ranked = candidates(pick, 8)
    costs = [max(1, node_tokens(one.node, SEED.packing)) for one in ranked]
    budget = pick.randint(0, sum(costs))
    made = pack(ranked, costs, budget, SEED.packing)
    cost = {one.node.id: price for one, price in zip(ranked, costs, strict=True)}
    order = [item.scored.node.id for item in made.items]
    fitting = (
        chosen
        for count in range(len(order) + 1)
        for chosen in combinations(order, count)
        if sum(cost[id_] for id_ in chosen) <= budget
    )
    best = max(fitting, key=lambda chosen: [id_ in chosen for id_ in order])
    assert {item.scored.node.id for item in made.items if item.is_packed} == set(best)
    densities = [item.density for item in made.items]
    assert densities == sorted(densities, reverse=True)
