"""Properties of knowing's rules that hold for any input, beside the program's recorded answers."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brvtui.engines.knowing.candidates import dominant_package, focused, noise_filtered, seeds, types_first
from brvtui.engines.knowing.code_answer import ContextBlock, formatted
from brvtui.engines.knowing.equivalence import language_of
from brvtui.engines.knowing.full_text import decomposed_terms, related_words
from brvtui.engines.knowing.keywords import code_patterns, keyword_set, lower, normal_task, split_identifier, words
from brvtui.engines.knowing.model import Graph, module_of, package_key, symbol, terminal_name
from brvtui.engines.knowing.name_lookup import path_terms
from brvtui.engines.knowing.pack_cache import CachedPack, PackCache, delta, recent_boost
from brvtui.engines.knowing.packing import node_tokens
from brvtui.engines.knowing.profile import load_profile
from brvtui.engines.knowing.remembered import FeedbackRecord, PendingUse, feedback_scores, pending_node
from brvtui.engines.knowing.scoring import ScoredCandidate, ScoringInput, result_confidence
from brvtui.engines.knowing.words import concepts, searchable

CODE, SEED = load_profile("knowing-code"), load_profile()
ANY = st.text(alphabet="aAzZß É İΣ日٣09_./\\:-`'\"()[]<>&%*\t\n\xa0\x1c", max_size=40)
NAMES = st.text(alphabet="aBé_./:9", min_size=1, max_size=16)
QUICK = settings(max_examples=80, deadline=None)


@QUICK
@given(name=NAMES)
def test_parts_of_names(name: str) -> None:
    assert name.endswith(terminal_name(name))
    assert "." not in terminal_name(name)
    _, scheme, path = name.partition("://")
    assert "/" not in module_of(name)
    assert path.startswith(module_of(name))
    assert bool(package_key(name)) == bool(scheme and path)


@QUICK
@given(text=ANY)
def test_split_identifiers_lose_nothing(text: str) -> None:
    assert "".join(split_identifier(text)) == text.replace("_", "")


@QUICK
@given(text=ANY)
def test_words_and_lower_case(text: str) -> None:
    assert "".join(words(text)) == "".join(char for char in text if not char.isspace() or char == "\x1c")
    assert len(lower(text)) == len(text)
    assert lower(text.upper()) == lower(lower(text.upper()))
    assert normal_task(f"  {text}\n") == normal_task(text)


@QUICK
@given(text=ANY)
def test_patterns_and_terms_are_in_the_task(text: str) -> None:
    assert all(pattern in text for pattern in code_patterns(text, CODE.keywords))
    assert all(term in lower(text) for term in path_terms(text, CODE.paths))
    assert len(path_terms(text, CODE.paths)) <= CODE.paths.terms


@QUICK
@given(text=ANY)
def test_texts_of_names_hold_each_piece(text: str) -> None:
    made = searchable(text, CODE.full_text).split(" ")
    assert all(piece in made for piece in text.split(".")[0:1] if piece.isidentifier())
    assert concepts(text, CODE.full_text) == concepts(text.replace("\\", "/"), CODE.full_text)


@QUICK
@given(keywords=st.lists(ANY, max_size=6))
def test_terms_are_asked_for_once(keywords: list[str]) -> None:
    texts = [term.text for term in decomposed_terms(keywords, CODE.full_text)]
    assert len(texts) == len(set(texts))
    related = related_words([*keywords, "cache"], CODE.full_text, 10)
    assert len(related) == len(set(related)) <= 10
    assert not set(related) & {*keywords, "cache"}


def test_language_is_that_of_most_names() -> None:
    rust = (symbol(f"r://a{number}.rs.f", "function") for number in range(2000))
    assert language_of(Graph((symbol("r://z.go.f", "function"), *rust)), CODE.equivalence) == "rust"
    assert language_of(Graph(()), CODE.equivalence) == ""
    script = Graph((symbol("r://a.js.f", "function"),))
    assert (language_of(script, CODE.equivalence), language_of(script, SEED.equivalence)) == ("", "typescript")
    assert language_of(Graph((symbol("r://com.x.F", "type"),)), CODE.equivalence) == "java"
    assert language_of(Graph((symbol("r://x.com.F", "type"),)), CODE.equivalence) == ""


def test_types_go_first_in_large_graphs() -> None:
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
def test_candidates_are_reordered_and_left_out_and_never_made(names: list[str]) -> None:
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
def test_feedback_is_a_share(votes: list[tuple[str, bool, str]]) -> None:
    records = [FeedbackRecord(id_, is_useful, root=root) for id_, is_useful, root in votes]
    for roots in (None, {}, {"a": "x"}, {"a": "other"}):
        scores = feedback_scores(records, "ab", "", CODE.use, roots)
        assert all(0 <= score <= 1 for score in scores.values())
        assert scores.keys() <= {id_ for id_, _, _ in votes}


def test_a_node_is_used_once_however_often_it_is_returned() -> None:
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
def test_a_delta_leads_from_one_pack_to_the_other(before: list[str], now: list[str]) -> None:
    old, new = ([symbol(name, "function") for name in names] for names in (before, now))
    made = delta(old, new, [], [], lambda node: node_tokens(node, CODE.packing), CODE.packing)
    assert {*before} - {*made.removed} | {*made.added} == {*now}


@given(scores=st.lists(st.floats(-5, 5), max_size=20))
def test_confidence_is_a_share(scores: list[float]) -> None:
    assert 0 <= result_confidence(sorted(scores, reverse=True)) <= 1


def test_no_pack_outlives_its_time_in_memory_after_feedback() -> None:
    pack = CachedPack(("a",), 3, 60, "s1", 0.0)
    cache = PackCache().stored("key", pack, CODE.pack_cache).after_feedback()
    assert cache.found("key", "s1", 3599.0, CODE.pack_cache) is not None
    assert cache.found("key", "s1", 3601.0, CODE.pack_cache) is None


@QUICK
@given(task=ANY)
def test_no_keyword_is_kept_twice(task: str) -> None:
    for profile in (CODE, SEED):
        made = keyword_set(task, profile.keywords).all
        assert len(made) == len(set(made))
