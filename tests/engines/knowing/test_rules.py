"""Properties of knowing's rules for any input: the walk, packing and feedback."""

from __future__ import annotations

import json
import random
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brvtui.engines.knowing.candidates import dominant_package, focused, noise_filtered, seeds, types_first
from brvtui.engines.knowing.code_answer import ContextBlock, formatted
from brvtui.engines.knowing.equivalence import language_of
from brvtui.engines.knowing.full_text import decomposed_terms, related_words
from brvtui.engines.knowing.keywords import code_patterns, keyword_set, lower, normal_task, split_identifier, words
from brvtui.engines.knowing.model import Edge, Graph, module_of, package_key, symbol, terminal_name
from brvtui.engines.knowing.name_lookup import path_terms
from brvtui.engines.knowing.pack_cache import CachedPack, PackCache, delta, recent_boost
from brvtui.engines.knowing.packing import STRATEGIES, node_tokens, pack
from brvtui.engines.knowing.profile import KnowingProfile, load_profile
from brvtui.engines.knowing.remembered import FeedbackRecord, PendingUse, UseMemory, feedback_scores, pending_node
from brvtui.engines.knowing.scoring import ScoredCandidate, ScoringInput, hubs_and_authorities, result_confidence
from brvtui.engines.knowing.walk import StrongestWays, Walk, edge_weight, heaviest_edge, roads, walk
from brvtui.engines.knowing.words import concepts, searchable
from brvtui.store.feedback import FeedbackFile
from brvtui.trace.feedback import Feedback, Usefulness
from tests.support.trees import NOW_MS, Tree

CODE, SEED = load_profile("knowing-code"), load_profile()
ANY = st.text(alphabet="aAzZß É İΣ日٣09_./\\:-`'\"()[]<>&%*\t\n\xa0\x1c", max_size=40)
NAMES = st.text(alphabet="aBé_./:9", min_size=1, max_size=16)
QUICK = settings(max_examples=80, deadline=None)


@QUICK
@given(name=NAMES)
def test_qualified_names_are_split_into_their_parts(name: str) -> None:
    assert name.endswith(terminal_name(name))
    assert "." not in terminal_name(name)
    _, scheme, path = name.partition("://")
    assert "/" not in module_of(name)
    assert path.startswith(module_of(name))
    assert bool(package_key(name)) == bool(scheme and path)


@QUICK
@given(text=ANY)
def test_splitting_identifiers_loses_no_text(text: str) -> None:
    assert "".join(split_identifier(text)) == text.replace("_", "")


@QUICK
@given(text=ANY)
def test_words_keep_all_text_and_lower_case_keeps_its_length(text: str) -> None:
    assert "".join(words(text)) == "".join(char for char in text if not char.isspace() or char == "\x1c")
    assert len(lower(text)) == len(text)
    assert lower(text.upper()) == lower(lower(text.upper()))
    assert normal_task(f"  {text}\n") == normal_task(text)


@QUICK
@given(text=ANY)
def test_patterns_and_terms_come_from_the_task(text: str) -> None:
    assert all(pattern in text for pattern in code_patterns(text, CODE.keywords))
    assert all(term in lower(text) for term in path_terms(text, CODE.paths))
    assert len(path_terms(text, CODE.paths)) <= CODE.paths.terms


@QUICK
@given(text=ANY)
def test_searchable_text_contains_each_piece_of_a_name(text: str) -> None:
    made = searchable(text, CODE.full_text).split(" ")
    assert all(piece in made for piece in text.split(".")[0:1] if piece.isidentifier())
    assert concepts(text, CODE.full_text) == concepts(text.replace("\\", "/"), CODE.full_text)


@QUICK
@given(keywords=st.lists(ANY, max_size=6))
def test_each_term_is_searched_once(keywords: list[str]) -> None:
    texts = [term.text for term in decomposed_terms(keywords, CODE.full_text)]
    assert len(texts) == len(set(texts))
    related = related_words([*keywords, "cache"], CODE.full_text, 10)
    assert len(related) == len(set(related)) <= 10
    assert not set(related) & {*keywords, "cache"}


def test_language_is_the_most_frequent_one_among_symbols() -> None:
    rust = (symbol(f"r://a{number}.rs.f", "function") for number in range(2000))
    assert language_of(Graph((symbol("r://z.go.f", "function"), *rust)), CODE.equivalence) == "rust"
    assert language_of(Graph(()), CODE.equivalence) == ""
    script = Graph((symbol("r://a.js.f", "function"),))
    assert (language_of(script, CODE.equivalence), language_of(script, SEED.equivalence)) == ("", "typescript")
    assert language_of(Graph((symbol("r://com.x.F", "type"),)), CODE.equivalence) == "java"
    assert language_of(Graph((symbol("r://x.com.F", "type"),)), CODE.equivalence) == ""


def test_types_rank_first_in_large_graphs() -> None:
    method, type_ = symbol("r://a.py.A.f", "method"), symbol("r://a.py.A", "type")
    assert types_first([method, type_], CODE.seeds) == [type_, method]
    assert CODE.seeds.types_above == 40_000


@pytest.mark.parametrize("found", [0, 1, 3, 15, 40])
def test_paths_add_at_most_ten_seeds(found: int) -> None:
    made = seeds([f"c{number}" for number in range(found)], [f"p{number}" for number in range(50)], 10, CODE.seeds)
    assert sum(one.by_path for one in made) == CODE.seeds.path_more
    assert len(made) == min(found, 15) + CODE.seeds.path_more


@QUICK
@given(names=st.lists(NAMES, max_size=12, unique=True))
def test_candidates_are_reordered_and_removed_but_never_added(names: list[str]) -> None:
    nodes = [symbol(name, "function") for name in names]
    order, package = focused(nodes, CODE.seeds)
    assert sorted(one.id for one in order) == sorted(names)
    assert bool(package) == bool(dominant_package(nodes, CODE.seeds)) or package == ""
    kept, dropped = noise_filtered(nodes, CODE.noise)
    assert sorted([*(one.id for one in kept), *(one.id for one in dropped)]) == sorted(names)


@QUICK
@given(ages=st.lists(st.floats(-1e12, 1e12), max_size=30))
def test_session_boosts_are_bounded(ages: list[float]) -> None:
    assert 0 <= recent_boost(ages, CODE.session) <= CODE.session.most
    assert recent_boost([age + 180 for age in ages], CODE.session) <= recent_boost(ages, CODE.session)


@QUICK
@given(votes=st.lists(st.tuples(st.sampled_from("ab"), st.booleans(), st.sampled_from(["", "x"])), max_size=9))
def test_feedback_score_is_between_0_and_1(votes: list[tuple[str, bool, str]]) -> None:
    records = [FeedbackRecord(id_, is_useful, root=root) for id_, is_useful, root in votes]
    for roots in (None, {}, {"a": "x"}, {"a": "other"}):
        scores = feedback_scores(records, "ab", "", CODE.use, roots)
        assert all(0 <= score <= 1 for score in scores.values())
        assert scores.keys() <= {id_ for id_, _, _ in votes}


def test_node_returned_several_times_is_used_once() -> None:
    node = pending_node(symbol("r://a.py.save_all", "function"), 0.0)
    state, used = PendingUse().returned([node]).detected("save_all()", 1.0)
    assert used == (node.id,)
    state, _ = state.returned([node]).expired(10_000.0)
    assert state.returned([node]).detected("SAVE_ALL", 2.0)[1] == ()
    assert state.flushed()[0].returned([node]).detected("SAVE_ALL", 2.0)[1] == (node.id,)


@QUICK
@given(text=ANY, score=st.floats(-1, 2), form=st.sampled_from(["", "xml", "markdown", "json"]))
def test_any_name_is_written_as_text(text: str, score: float, form: str) -> None:
    name = "".join(char for char in text if char.isprintable())
    one = ScoredCandidate(ScoringInput(symbol(f"r://{name}", "function", signature=name), 0, 0.5, 0), score, {})
    written = formatted(ContextBlock([one], 3, 9), form)
    if form == "json":
        held = json.loads(written)["symbols"][0]
        assert (held["qualified_name"], held["signature"], held["score"]) == (f"r://{name}", name, score)
    elif form != "markdown":
        found = ET.fromstring(written).find(".//symbol")
        assert found.attrib["name"] == f"r://{name}"


@QUICK
@given(before=st.lists(NAMES, unique=True, max_size=8), now=st.lists(NAMES, unique=True, max_size=8))
def test_delta_turns_one_pack_into_the_other(before: list[str], now: list[str]) -> None:
    old, new = ([symbol(name, "function") for name in names] for names in (before, now))
    made = delta(old, new, [], [], lambda node: node_tokens(node, CODE.packing), CODE.packing)
    assert {*before} - {*made.removed} | {*made.added} == {*now}


@given(scores=st.lists(st.floats(-5, 5), max_size=20))
def test_confidence_is_between_0_and_1(scores: list[float]) -> None:
    assert 0 <= result_confidence(sorted(scores, reverse=True)) <= 1


def test_packs_expire_after_feedback() -> None:
    pack = CachedPack(("a",), 3, 60, "s1", 0.0)
    cache = PackCache().stored("key", pack, CODE.pack_cache).after_feedback()
    assert cache.found("key", "s1", 3599.0, CODE.pack_cache) is not None
    assert cache.found("key", "s1", 3601.0, CODE.pack_cache) is None


@QUICK
@given(task=ANY)
def test_keywords_are_stored_once(task: str) -> None:
    for profile in (CODE, SEED):
        made = keyword_set(task, profile.keywords).all
        assert len(made) == len(set(made))


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
def test_kept_and_lost_shares_of_a_walk_sum_to_one(profile: object, number: int) -> None:
    _, made = random_walk(random.Random(number), profile)
    for one in made.rounds:
        assert one.mass + one.lost_to_modules + one.lost_as_negligible == pytest.approx(1, abs=1e-9)
    if profile is SEED:
        assert made.probability.sum() == pytest.approx(1, abs=1e-9)
    assert (made.probability >= 0).all()


@PROFILES
@pytest.mark.parametrize("number", range(40))
def test_path_amounts_sum_to_at_most_the_share_of_a_node(profile: object, number: int) -> None:
    held, made = random_walk(random.Random(number), profile)
    ways = StrongestWays(made, longest=4)
    for place in range(held.size):
        found = ways.to(place, limit=5)
        assert sum(way.amount for way in found) <= made.probability[place] + 1e-9
        assert len({way.places for way in found}) == len(found)


@pytest.mark.parametrize("number", range(20))
def test_amount_of_a_path_is_the_product_of_its_steps(number: int) -> None:
    held, made = random_walk(random.Random(number), SEED)
    steps = made.steps.arrivals.toarray().T
    for place in range(held.size):
        for way in StrongestWays(made, longest=4).to(place, limit=5):
            length = len(way.places) - 1
            product = made.start[way.places[0]]
            for one, other in zip(way.places, way.places[1:], strict=False):
                product *= steps[one, other] * (not made.dead[one])
            stays = made.restart if length < len(made.rounds) else 1
            assert way.amount == pytest.approx(stays * (1 - made.restart) ** length * product, abs=1e-12)


@pytest.mark.parametrize("number", range(20))
def test_every_path_to_a_node_is_found_if_there_are_few(number: int) -> None:
    """On a chain without dead ends, every path is among the strongest, so no share remains."""
    length = 3 + number % 3
    ids = [f"r://app/{place}.py.f" for place in range(length)]
    held = Graph(
        tuple(symbol(id_, "function") for id_ in ids),
        tuple(Edge(one, other, "calls") for one, other in pairwise(ids)),
    )
    rules = replace(SEED.walk, rounds=3)
    made = walk(roads(held, rules), {0: 1.0}, rules)
    place = min(2, length - 1)
    found = StrongestWays(made, longest=3).to(place, limit=20)
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
def test_path_names_the_heaviest_edge_of_the_walk(rules: dict[str, Any], edges: list[Edge], heaviest: int) -> None:
    """Explanations weigh edges like the walk, including unlisted types, generated edges and forgotten types."""
    held = Graph((symbol(A, "function"), symbol(B, "function")), tuple(edges))
    own = replace(SEED.walk, **rules)
    made = walk(roads(held, own), {0: 1.0}, own)
    assert heaviest_edge(made, held, 0, 1) == (edges[heaviest], edges[heaviest].source == A)


@PROFILES
@pytest.mark.parametrize("number", range(20))
def test_no_edge_between_neighbours_is_heavier_than_the_named_one(profile: KnowingProfile, number: int) -> None:
    held, made = random_walk(random.Random(number), profile)
    rules = profile.walk
    for one in held.edges:
        ends = held.positions[one.source], held.positions[one.target]
        told, is_forward = heaviest_edge(made, held, *ends)
        assert {told.source, told.target} == {one.source, one.target}
        assert is_forward == (told.source == one.source)
        assert edge_weight(told.type, told.provenance, rules) >= edge_weight(one.type, one.provenance, rules)


@pytest.mark.parametrize("number", range(20))
def test_hits_algorithm_agrees_with_networkx(number: int) -> None:
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
def test_packing_matches_an_exhaustive_search(number: int) -> None:
    """Greedy packing selects the first set that fits, comparing sets item by item in order of density."""
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


ASKED, NOTE = "why does `rotate_key` fail", "auth/rotation.md"


def said(query: str, usefulness: Usefulness = Usefulness.ACCEPTED, note: str = NOTE) -> Feedback:
    return Feedback(query, note, usefulness, NOW_MS)


def test_feedback_applies_to_tasks_with_the_same_keywords() -> None:
    memory = UseMemory(CODE).after([said(ASKED), said(ASKED, Usefulness.DISMISSED), said(ASKED, note="other.md")])
    assert memory.scores(ASKED) == {NOTE: 0.5, "other.md": 1.0}
    assert memory.scores("why does `other_thing` fail") == {}


@pytest.mark.parametrize(("profile", "scores"), [(SEED, {NOTE: 1.0}), (CODE, {})], ids=["document", "program"])
def test_feedback_on_a_one_word_task_applies_to_all_tasks(profile: object, scores: dict[str, float]) -> None:
    assert isinstance(profile, type(SEED))
    memory = UseMemory(profile).after([said("rotation")])
    assert memory.scores(ASKED) == scores


def test_failed_actions_do_not_affect_a_note() -> None:
    memory = UseMemory(CODE).after([said(ASKED), *[said(ASKED, Usefulness.FAILED)] * 3])
    assert memory.scores(ASKED) == {NOTE: 1.0}


def test_word_is_learned_after_two_useful_results() -> None:
    once = UseMemory(SEED).after([said("turnover of keys")])
    twice = once.after([*once.said, said("turnover again"), said("turnover", Usefulness.DISMISSED, "bad.md")])
    assert not once.learned.classes(["turnover"], SEED.learning)
    assert [one.document for one in twice.learned.classes(["Turnover"], SEED.learning)] == [NOTE]
    assert not twice.learned.classes(["again"], SEED.learning)


def test_incremental_feedback_equals_rereading_the_whole_file() -> None:
    rows = [said(f"keys {number % 3} of `rotate_key`", note=f"n{number % 2}.md") for number in range(9)]
    followed = UseMemory(SEED)
    for count in range(len(rows) + 1):
        followed = followed.after(rows[:count])
    fresh = UseMemory(SEED).after(rows)
    assert (followed.records, followed.learned, followed.said) == (fresh.records, fresh.learned, fresh.said)
    assert followed.after(rows[:2]).records == fresh.records[:2], "what was forgotten is forgotten"


def test_feedback_file_returns_valid_stored_rows(tree: Tree) -> None:
    log = FeedbackFile(tree.tree, "knowing")
    rows = [said(ASKED), said("é ☃", Usefulness.MODIFIED)]
    for one in rows:
        log.add(one)
    with log.path.open("ab") as file:
        file.write(
            b'{"usefulness": "accepted"}\n{"query": 1, "document": "a", "usefulness": "accepted", "at_ms": 1}\n[]\nno\n'
        )
    assert log.said() == rows
