"""From a task to its seeds: the program's own queries and seeds, and properties for any task and graph."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brvtui.engines.knowing.candidates import ChannelList, fused, noise_filtered
from brvtui.engines.knowing.equivalence import (
    ClassMatch,
    EquivalenceClass,
    LearnedWords,
    PhraseTable,
    built_in_classes,
    expanded,
    language_of,
    resolved,
)
from brvtui.engines.knowing.full_text import TermSource, keyword_terms, searched_texts, text_search
from brvtui.engines.knowing.keywords import keyword_set, size
from brvtui.engines.knowing.model import Edge, Graph, symbol
from brvtui.engines.knowing.name_lookup import NameLookup, PathHitKind, path_match
from brvtui.engines.knowing.note_index import note_classes
from brvtui.engines.knowing.notes_graph import note_graph
from brvtui.engines.knowing.profile import load_profile
from brvtui.engines.knowing.seeding import NameTier, SeedIndex, SeedSearch, find_seeds, seed_index, tiered_search
from tests.engines.knowing.graph_cases import BROKEN, cases, graph
from tests.support.trees import Tree

CODE, SEED = load_profile("knowing-code"), load_profile()
PROFILES = pytest.mark.parametrize("profile", [CODE, SEED], ids=lambda one: one.name)
NAMES = st.text(alphabet="abAB_./é:%", min_size=1, max_size=8)
WORDS = st.lists(st.text(alphabet="aAbB_.`'\"-:*()é tT0", max_size=12), max_size=8)
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def searched(case: dict[str, Any]) -> tuple[Graph, SeedSearch]:
    """A case's graph, and the seeds of its task by the program's rules."""
    held, repository = graph(case), case["repo_url"]
    index = seed_index(held, CODE, built_in_classes(CODE.equivalence.verbs), language_of(held, CODE.equivalence))
    prefix = f"{repository}://"
    scope = (lambda node: node.qualified_name.startswith(prefix)) if case.get("scope_to_repo") else None
    return held, find_seeds(case["task"], index, is_in_scope=scope)


def test_queries_and_seeds_match_the_recording() -> None:
    for case in cases("for_task"):
        held, found = searched(case["input"])
        wanted = case["expected"]
        asked = [query for query in wanted["fts_queries"] if query["limit"] == CODE.full_text.limit]
        if not asked:
            assert not found.keywords, case["name"]
            continue
        if BROKEN in asked[-1]["query"]:  # the program capitalises the first byte of a word, which breaks some words
            continue
        assert found.texts.expression == asked[-1]["query"], case["name"]
        assert bool(found.texts.error) == bool(asked[-1]["error"]), case["name"]
        names = [node.qualified_name for hit in found.texts.hits if (node := held.find(hit.id)) is not None]
        prefix = f"{case['input']['repo_url']}://" if case["input"].get("scope_to_repo") else ""
        in_scope = [name for name in asked[-1]["results"] if name.startswith(prefix)]
        assert names == in_scope, case["name"]
        injected = [one["id"] for one in wanted["symbols"] if not any(one["components"].values())]
        assert [hit.id for hit in found.injected] == injected, case["name"]
        starts = {one["id"] for one in wanted["symbols"] if one["distance"] == 0} - set(injected)
        reached = {one["id"] for one in wanted["symbols"] if one["distance"] == 1}
        seeds = {seed.id for seed in found.seeds}
        assert starts <= seeds, case["name"]
        assert not reached & seeds, case["name"]


@cache
def small_index(name: str) -> SeedIndex:
    nodes = [
        symbol("r://src/web/app.py.App", "class", path="src/web/app.py", doc="The application's server-side half."),
        symbol("r://src/web/app.py.App.handle_error", "method", path="src/web/app.py"),
        symbol("r://src/web/sessions.py.SessionStore", "class", path="src/web/sessions.py", doc="Keeps sessions."),
        symbol("r://src/web/sessions.py.SessionStore.save", "method", path="src/web/sessions.py"),
        symbol("r://src/cache/lru.py.evict", "function", path="src/cache/lru.py", signature="def evict(key)"),
        symbol("external://os.path", "external"),
    ]
    edges = [Edge(nodes[0].id, nodes[1].id, "contains"), Edge(nodes[2].id, nodes[3].id, "contains")]
    profile = load_profile(name)
    return seed_index(Graph(tuple(nodes), tuple(edges)), profile, built_in_classes(profile.equivalence.verbs), "python")


@PROFILES
@QUICK
@given(words=WORDS)
def test_any_task_has_an_answer_in_whole_numbers(profile: Any, words: list[str]) -> None:
    index = small_index(profile.name)
    found = find_seeds(" ".join(words), index)
    every = found.keywords.all
    assert len(set(every)) == len(every)
    assert found == find_seeds(" ".join(words), index)
    merged = len(found.fused) + len(found.implementers)
    assert merged == len(found.noise) + len(found.candidates)
    for one in found.fused:
        assert one.score == pytest.approx(sum(part.value for part in one.shares), abs=1e-12)
    assert len({seed.id for seed in found.seeds}) == len(found.seeds)
    assert all(0 < seed.weight <= 1 for seed in found.seeds)
    if profile.full_text.quoted:
        assert not found.texts.error


@QUICK
@given(words=WORDS)
def test_components_are_sorted_by_length(words: list[str]) -> None:
    made = [one for one in keyword_set(" ".join(words), SEED.keywords).components if one.rule not in {"after a verb"}]
    expansions = [one.rule == "abbreviation" for one in made]
    lengths = [size(one.text) for one, is_expansion in zip(made, expansions, strict=True) if not is_expansion]
    assert lengths == sorted(lengths, reverse=True)


@QUICK
@given(names=st.lists(NAMES, max_size=12, unique=True), text=NAMES)
def test_name_lookups_equal_a_linear_search(names: list[str], text: str) -> None:
    held = Graph(tuple(symbol(name, "function") for name in names))
    lookup = NameLookup(held)
    lower = text.lower()
    ordered = sorted(held.nodes, key=lambda node: node.qualified_name.encode())

    def rows(holds: Any) -> list[int]:
        return [row for row, node in enumerate(ordered) if holds(node)]

    assert lookup.named(text).tolist() == rows(lambda node: node.name.lower() == lower)
    assert lookup.starting_with(text).tolist() == rows(lambda node: node.name.lower().startswith(lower))
    assert list(lookup.containing(text)) == rows(lambda node: lower in node.qualified_name.lower())
    assert lookup.after_slash(text).tolist() == rows(lambda node: f"/{lower}" in node.qualified_name.lower())
    assert lookup.beside_slash(text).tolist() == rows(
        lambda node: f"/{lower}" in node.qualified_name.lower() or f"{lower}/" in node.qualified_name.lower()
    )


@QUICK
@given(phrases=st.lists(st.text(alphabet="abC ", max_size=4), max_size=6), task=st.text(alphabet="aAbc ", max_size=12))
def test_phrases_are_found_inside_the_task(phrases: list[str], task: str) -> None:
    classes = [EquivalenceClass(f"C{number}", (text,), (), 1.0, "seed") for number, text in enumerate(phrases)]
    wanted = [one.concept for one in classes if one.phrases[0].lower() in task.lower()]
    assert [match.matched.concept for match in PhraseTable(classes).matches(task)] == wanted


@QUICK
@given(lists=st.lists(st.lists(st.sampled_from("abcdef"), unique=True, max_size=6), max_size=4))
def test_fusion_is_a_sum_over_channels(lists: list[list[str]]) -> None:
    made = fused([ChannelList(str(leg), ids, leg + 1.0) for leg, ids in enumerate(lists)], 60, 40)
    for one in made:
        wanted = sum((leg + 1) / (61 + ids.index(one.id)) for leg, ids in enumerate(lists) if one.id in ids)
        assert one.score == pytest.approx(wanted, abs=1e-12)
    assert [one.score for one in made] == sorted((one.score for one in made), reverse=True)


def test_documented_profile_counts_bigrams_as_compounds() -> None:
    task = "add a new MCP tool for snapshot diffing"
    by_document, as_run = keyword_set(task, SEED.keywords), keyword_set(task, CODE.keywords)
    assert {"SnapshotDiffing", "snapshot_diffing"} <= set(by_document.primary)
    assert not {"SnapshotDiffing", "snapshot_diffing"} & set(as_run.primary)
    assert set(by_document.all) == set(as_run.all)


def test_components_are_searched_if_fewer_than_five_results() -> None:
    task = "`SessionStore` eviction `evict` keeps the app"
    index = small_index(SEED.name)
    keywords = keyword_set(task, SEED.keywords)
    by_document = tiered_search(keywords, index.lookup, SEED.tiered)
    as_run = tiered_search(keywords, index.lookup, CODE.tiered)
    app = "r://src/web/app.py.App"
    assert next(hit for hit in by_document if hit.id == app).tier is NameTier.EXACT
    assert app not in [hit.id for hit in as_run if hit.tier is NameTier.EXACT]


def test_quoted_query_finds_results_missed_by_the_program() -> None:
    held = small_index(SEED.name).graph
    keywords = keyword_set("keep the server-side half", SEED.keywords)
    quoted = text_search(keywords, (), searched_texts(held, SEED.full_text))
    bare = text_search(keywords, (), searched_texts(held, replace(SEED.full_text, quoted=False)))
    assert quoted.hits[0].id == "r://src/web/app.py.App"
    assert not quoted.error
    assert bare.error
    assert not bare.hits


@pytest.mark.parametrize(
    ("task", "parts", "kept"),
    [
        ("SessionStore.rotate for the app", {"session", "Session", "store", "rotate"}, {"app"}),
        ("fix `LruEviction` of sessions", {"lru", "eviction"}, {"sessions"}),
        ("keep cache_evict and SessionStore", {"cache", "evict"}, {"SessionStore"}),
        ("where does web.http_errors handle_error", {"http", "errors"}, {"handle_error"}),
        ("App.handleErrors keeps sessions", {"handle", "errors"}, {"sessions"}),
    ],
)
def test_compound_that_no_name_contains_is_searched_by_its_parts(task: str, parts: set[str], kept: set[str]) -> None:
    by_document, as_run = (find_seeds(task, small_index(name)).texts for name in (SEED.name, CODE.name))
    asked = {term.text for term in by_document.terms if term.source is TermSource.DECOMPOSED}
    assert by_document.was_decomposed
    assert asked >= parts
    assert {term.text for term in by_document.terms if term.source is TermSource.KEYWORD} >= kept
    assert by_document.hits
    decomposed = [term for term in as_run.terms if term.source is TermSource.DECOMPOSED]
    assert as_run.was_decomposed == bool(decomposed), "the program asks for parts only where nothing at all is found"


def test_compounds_in_names_and_pairs_of_words_are_searched_as_a_whole() -> None:
    found = find_seeds("`handle_error` of the SessionStore keeps sessions", small_index(SEED.name)).texts
    assert not found.was_decomposed
    assert all(term.source is not TermSource.DECOMPOSED for term in found.terms)


@pytest.mark.parametrize(
    ("task", "by_document", "as_run"),
    [
        ("sessions that save nothing", {"save"}, set()),
        ("save into the sessions", {"save"}, set()),
        ("`save` in sessions", {"save"}, {"save"}),
        ("sessions of users", set(), set()),
        ("sessions that are", set(), set()),
    ],
)
def test_types_are_found_by_members_with_any_keyword(task: str, by_document: set[str], as_run: set[str]) -> None:
    for name, wanted in ((SEED.name, by_document), (CODE.name, as_run)):
        found = find_seeds(task, small_index(name)).paths
        assert {hit.keyword for hit in found if hit.kind is PathHitKind.BY_MEMBER} == wanted, name


def test_unchanged_texts_are_not_read_again() -> None:
    first = small_index(SEED.name).graph
    nodes = (first.nodes[3], first.nodes[0], symbol("r://src/new.py.Fresh", "class", doc="brand new"), *first.nodes[4:])
    later = Graph(nodes)
    followed = searched_texts(later, SEED.full_text, searched_texts(first, SEED.full_text))
    fresh = searched_texts(later, SEED.full_text)
    for word in ("SessionStore", "brand", "App", "evict"):
        terms = keyword_terms([word])
        assert followed.search(terms, 10) == fresh.search(terms, 10)


def test_documented_paths_add_seeds_without_a_channel() -> None:
    task = "how does eviction work in cache"
    by_document, as_run = (find_seeds(task, small_index(name)) for name in (SEED.name, CODE.name))
    assert by_document.paths
    assert not by_document.channels[-1].ids
    assert list(as_run.channels[-1].ids) == [hit.id for hit in as_run.paths]


def test_learned_word_finds_the_notes_used_with_it() -> None:
    index = small_index(SEED.name)
    evict = "r://src/cache/lru.py.evict"
    used = ["src/cache/lru.py"]
    learned = LearnedWords().taught([(["forget", "tiny"], used), (["forget"], used)])
    assert not find_seeds("how to forget keys", index).equivalents
    hit = find_seeds("how to forget keys", index, learned).equivalents[0]
    assert (hit.id, hit.match.matched.source) == (evict, "learned")
    scaled = find_seeds("how to forget keys", index, learned).channels[2].factors
    unscaled = find_seeds("how to forget keys", small_index(CODE.name), learned).channels[2].factors
    assert scaled == {0: SEED.learning.weight_least}
    assert not unscaled


def test_general_phrases_include_verbs() -> None:
    verbs = SEED.equivalence.verbs
    assert expanded(["runtime edges", "check"], verbs) == [
        "runtime edges",
        "check",
        *(f"{verb} check" for verb in verbs),
    ]


def test_very_common_names_are_ignored() -> None:
    lookup = small_index(SEED.name).lookup
    match = ClassMatch(EquivalenceClass("SAVE", ("save",), ("App", "save"), 1.0, "seed"), ("save",))
    found = resolved([match], lookup, SEED.equivalence)
    assert [hit.target for hit in found] == ["save"]


@pytest.mark.parametrize(
    ("name", "term", "holds"),
    [("brv://auth/tokens/rotation.md.Token", "rotation", True), ("brv://auth/tokens/rotation.md.Token", "token", True)],
)
def test_note_path_matches_its_words(name: str, term: str, holds: bool) -> None:
    assert path_match(name, term, SEED.paths) is holds


def test_notes_are_found_by_their_keywords(tree: Tree) -> None:
    tree.file("auth/rotation.md", "---\ntitle: Turnover\nkeywords: [signing-key, key]\ntags: [auth]\n---\nText.\n")
    tree.file("auth/other.md", "---\ntitle: Other\nkeywords: [key]\ntags: [auth]\n---\nText.\n")
    held = note_graph(tree.snapshot(), SEED.notes)
    table = note_classes((held.piece(path) for path in held.known), SEED.equivalence.of_notes)
    found = table.matches("When is the signing key replaced?")
    assert [(one.matched.nodes, one.phrases) for one in found] == [
        (("auth/rotation.md",), ("signing key", "key")),
        (("auth/other.md",), ("key",)),
    ]
    assert not table.matches("a keyhole in the authority")
    crowded = replace(SEED.equivalence.of_notes, most_notes=1)
    rare = note_classes((held.piece(path) for path in held.known), crowded).matches("the signing key")
    assert [one.phrases for one in rare] == [("signing key",)]


def test_generated_notes_are_not_seeds() -> None:
    names = ["brv://auth/_index.md.Auth", "brv://auth/rotation.md.Token", "brv://templates/adr.md.ADR"]
    kept, dropped = noise_filtered([symbol(name, "note") for name in names], SEED.noise_of_notes)
    assert [node.name for node in kept] == ["Token", "ADR"]
    assert [one.text for one in dropped] == ["/_index.md."]
