"""Shared sources: notes of other projects, searched beside the project's own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from brvtui.trace import Origin
from brvtui.trace.routing import FingerprintState, Route, SearchOutcome
from tests.support.trees import BRV3, Tree, changed, hit_of, part, paths, scores

ALL = changed(BRV3, search={"gap_ratio": 0.0})


@pytest.fixture
def other(make_tree: Callable[[str], Tree]) -> Tree:
    return make_tree("other")


@pytest.fixture
def shared(tree: Tree, other: Tree) -> Tree:
    tree.note("pay/own.md", "Own", "quokka", days=3)
    other.note("pay/c.md", "Shared", "quokka", days=3)
    other.file("pay/ctx/context.md", "# Ctx\nquokka", days=3)
    other.note("root.md", "Root", "wallaby", days=3)
    other.summary("pay", days=3)
    tree.source(("lib", other))
    tree.notes(20)
    return tree


def test_their_hits(shared: Tree) -> None:
    made = shared.search("quokka", profile=ALL)
    hit = hit_of(made, "[lib]:pay/c.md")
    assert (hit.shared_source, hit.kind, hit.title) == ("lib", "context", "Shared")
    assert part(hit, "local bonus") == 0
    assert (hit.signals.importance_stored, hit.signals.maturity, hit.signals.days) == (50, "draft", 3)
    context = hit_of(made, "[lib]:pay/ctx")
    assert (context.kind, context.title) == ("summary", "Ctx")
    assert hit_of(made, "pay/own.md").shared_source == ""


def test_their_ceiling(shared: Tree, other: Tree) -> None:
    other.note("pay/c.md", "Shared", "quokka", days=0)
    hit = hit_of(shared.search("quokka", profile=ALL), "[lib]:pay/c.md")
    assert hit.ceiling.score == pytest.approx(0.765)


def test_summaries_of_shared_folders_have_the_bonus(shared: Tree) -> None:
    made = shared.search("quokka", profile=ALL)
    hit = next(hit for hit in made.hits if hit.path == "[lib]:pay")
    text = hit_of(made, "[lib]:pay/c.md").text
    assert (hit.origin, hit.title) == (Origin.PROPAGATED, "[lib]:pay")
    assert hit.score == pytest.approx(text.relevance * 0.55 + 0.1)


def test_their_path_field_holds_no_alias(shared: Tree) -> None:
    assert shared.search("lib").outcome is SearchOutcome.NO_MATCH


def test_n_and_the_50_notes_count_them(tree: Tree, other: Tree) -> None:
    tree.notes(30)
    other.notes(19, folder="far")
    tree.source(("lib", other))
    assert "tree size" in {check.name for check in tree.search("filler").out_of_domain}
    assert not tree.search("filler").out_of_domain[0].passed
    other.note("far/more.md", "More")
    assert tree.search("filler").out_of_domain[0].passed


def test_local_notes_come_first_then_source_by_source(tree: Tree, make_tree: Callable[[str], Tree]) -> None:
    one, two = make_tree("one"), make_tree("two")
    tree.note("z/old.md", "N", days=9)
    one.note("b/new.md", "N")
    one.note("a/old.md", "N", days=9)
    two.note("a/new.md", "N")
    tree.source(("second", two), ("first", one))
    assert [note.path for note in tree.snapshot().notes] == [
        "z/old.md", "[second]:a/new.md", "[first]:b/new.md", "[first]:a/old.md",
    ]  # fmt: skip


@pytest.mark.parametrize("query", ["[lib]:pay/c.md", "[lib]:pay/c"])
def test_paths_with_the_alias(shared: Tree, query: str) -> None:
    assert scores(shared.search(query)) == {"[lib]:pay/c.md": 1.0}


def test_a_domain_with_the_alias(shared: Tree) -> None:
    assert scores(shared.search("[lib]:pay")) == {"[lib]:pay": 1.0, "[lib]:pay/c.md": 0.9}
    made = shared.search("[lib]:pay quokka", profile=ALL)
    assert {hit.path for hit in made.hits if hit.origin is Origin.TEXT} == {"[lib]:pay/c.md"}


def test_plain_names_do_not_reach_them(shared: Tree) -> None:
    own = {hit.path for hit in shared.search("pay quokka", profile=ALL).hits}
    assert own == {"pay/own.md"}
    assert shared.search("pay/c.md").outcome is not SearchOutcome.PATH_NOTE


def test_scopes_by_option(shared: Tree) -> None:
    made = shared.search("quokka", profile=ALL, scope="[lib]:pay")
    assert {hit.path for hit in made.hits if hit.origin is Origin.TEXT} == {"[lib]:pay/c.md"}
    assert paths(shared.search("quokka", profile=ALL, scope="pay")) == ["pay/own.md"]


def test_answers_name_the_source(shared: Tree) -> None:
    trace = shared.ask("[lib]:pay/c.md")
    assert trace.section(Route).outcome == "direct"
    assert "- [lib]:pay/c.md" in trace.answer.text
    assert ".brv/context-tree/[lib]" not in trace.answer.text
    assert "quokka" in trace.answer.text


def test_a_local_folder_that_looks_like_an_alias(tree: Tree) -> None:
    tree.note("[red]:x/n.md", "Quokka", "quokka", days=3)
    tree.note("[red]:n.md", "Quokka", "quokka", days=3)
    tree.notes(20)
    trace = tree.ask("quokka")
    assert set(paths(trace)) == {"[red]:x/n.md", "[red]:n.md"}
    assert {hit.shared_source for hit in trace.hits} == {""}
    assert len(trace.section(FingerprintState).value) == 16


def test_the_same_project_twice_makes_every_search_fail(tree: Tree, other: Tree) -> None:
    other.note("pay/c.md", "Quokka")
    tree.source(("one", other), ("two", other))
    assert tree.search("quokka").outcome is SearchOutcome.ENGINE_FAILS
    assert tree.ask("quokka").tier == 4
