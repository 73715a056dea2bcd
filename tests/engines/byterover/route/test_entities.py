"""Supplementary searches for single words of a query that found too little."""

from __future__ import annotations

import pytest

from brvtui.engines.byterover.presentation import ByteRoverPresentation
from brvtui.engines.byterover.route.decision import entity_words
from brvtui.engines.byterover.sections import EntityStep, Search
from brvtui.trace import State
from brvtui.trace.routing import Route
from tests.support.trees import BRV3, DOCS, Tree, paths


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("How is the token rotated?", ("token", "rotated?")),
        ("what are tokens", ("are", "tokens")),
        ("is it up", ()),
        ("a of with", ()),
        ("go api v2", ("api",)),
        ("refresh-token, (jwt)", ("refresh-token,", "(jwt)")),
        ("🎉a x", ("🎉a",)),
        ("token token", ("token", "token")),
    ],
)
def test_words(query: str, words: tuple[str, ...]) -> None:
    assert entity_words(query, BRV3) == words


@pytest.fixture
def fruit(tree: Tree) -> Tree:
    for name in ("banana", "apple", "cherry", "melon"):
        tree.note(f"{name}s/n.md", name.title(), f"{name} {name}", days=3)
    tree.notes(30)
    return tree


def test_three_found_need_no_supplement(fruit: Tree) -> None:
    for number in range(3):
        fruit.note(f"x/{number}.md", "Kiwi", "kiwi quince", days=3)
    trace = fruit.ask("kiwi quince")
    assert trace.section(Search).total_found == 3
    assert (trace.section(EntityStep).state, trace.section(EntityStep).check.passed) == (State.SKIPPED, False)


def test_two_found_do(fruit: Tree) -> None:
    for number in range(2):
        fruit.note(f"x/{number}.md", "Kiwi", "kiwi quince", days=3)
    trace = fruit.ask("kiwi quince")
    assert trace.section(Search).total_found == 2
    assert trace.section(EntityStep).check.passed
    assert [entity.entity for entity in trace.section(EntityStep).searches] == ["kiwi", "quince"]


def test_a_stop_word_of_the_first_search_is_named_where_it_is_searched(fruit: Tree) -> None:
    fruit.note("x/n.md", "Kiwi", "kiwi", days=3)
    fruit.note("x/after.md", "After", "after", days=3)
    said = fruit.ask("kiwi after banana").section(EntityStep).why
    assert said.endswith("added by after; a stop word of the first search counts here: after")
    assert fruit.ask("kiwi quince").section(EntityStep).why == "0 added by kiwi, quince"
    said = fruit.ask("kiwi after before").section(EntityStep).why
    assert said.endswith("; stop words of the first search count here: after, before")


def test_stop_words_that_the_first_search_looked_for_too_are_not(fruit: Tree) -> None:
    """Of stop words alone, none is left out."""
    assert fruit.ask("after before").section(EntityStep).why == "0 added by after, before"


def test_one_word_is_too_few(fruit: Tree) -> None:
    trace = fruit.ask("the banana")
    assert trace.section(EntityStep).state is State.SKIPPED
    assert "1 of the 2 words" in trace.section(EntityStep).why


def test_new_paths_are_appended_not_sorted(fruit: Tree) -> None:
    fruit.note("x/both.md", "Thing", "banana apple " + "word " * 80, days=90)
    trace = fruit.ask("banana apple")
    assert paths(trace.section(Search)) == ["x/both.md"]
    assert paths(trace)[0] == "x/both.md"
    assert {"bananas/n.md", "apples/n.md"} <= set(paths(trace))
    assert len(paths(trace)) == len(set(paths(trace)))
    added = {hit.path: hit.found_by for hit in trace.hits}
    assert (added["x/both.md"], added["bananas/n.md"], added["apples/n.md"]) == ("", "banana", "apple")
    assert trace.section(EntityStep).state is State.HIT
    prompt = trace.answer.prompt
    if prompt:
        assert prompt.variables["totalFound"] == 1 + len(trace.hits) - len(trace.section(Search).hits)


def test_the_first_three_words_with_three_results_each(fruit: Tree) -> None:
    for number in range(5):
        fruit.note(f"kiwi{number}/n.md", "Kiwi", "kiwi", days=3)
    fruit.note("x/rest.md", "Thing", "kiwi melon cherry apple", days=90)
    trace = fruit.ask("kiwi melon cherry apple")
    assert [entity.entity for entity in trace.section(EntityStep).searches] == ["kiwi", "melon", "cherry"]
    assert {entity.search.limit for entity in trace.section(EntityStep).searches} == {3}
    assert all(len(entity.search.hits) <= 3 for entity in trace.section(EntityStep).searches)


def test_a_domains_name_lists_its_folder(fruit: Tree) -> None:
    trace = fruit.ask("bananas cherries")
    listed = next(entity for entity in trace.section(EntityStep).searches if entity.entity == "bananas")
    assert listed.search.outcome == "path_folder"


def test_they_come_before_out_of_domain_in_brv_and_after_it_in_docs(tree: Tree) -> None:
    tree.note("x/k.md", "Cluster", "kubernetes cluster", days=20)
    tree.note("x/r.md", "Refresh", "refresh", days=20)
    tree.notes(60)
    query = "kubernetes refresh zzzzzz"
    trace = tree.ask(query)
    assert trace.section(Search).outcome == "unmatched_words"
    assert trace.section(Route).outcome != "not_covered"
    assert {"x/k.md", "x/r.md"} <= set(paths(trace))
    by_docs = tree.ask(query, profile=DOCS)
    assert (by_docs.section(Route).outcome, by_docs.section(EntityStep).state) == ("not_covered", State.NOT_REACHED)
    names = [
        [step.name for step in made.steps if step.name in ("entity_search", "out_of_domain")]
        for made in (trace, by_docs)
    ]
    assert names == [["entity_search", "out_of_domain"], ["out_of_domain", "entity_search"]]


def test_its_times_are_its_own(fruit: Tree) -> None:
    fruit.note("x/0.md", "Kiwi", "kiwi quince", days=3)
    trace = fruit.ask("kiwi quince")
    assert [entity.timed_by for entity in trace.section(EntityStep).searches] == ["entity.kiwi", "entity.quince"]
    assert {"entity.kiwi", "entity.quince"} <= trace.timings.keys()


def test_a_stop_word_that_they_search_for_says_so(fruit: Tree) -> None:
    fruit.note("x/0.md", "Kiwi", "kiwi, where there are some", days=3)
    rows = ByteRoverPresentation().attempts(fruit.ask("are kiwi"))
    why = {row.name: row.why for row in rows if row.id.startswith("entity:")}
    assert why.keys() == {"“are”", "“kiwi”"}
    assert [name for name, said in why.items() if "stop word" in said] == ["“are”"]
