"""Paths and scopes from the query or the caller, and notes from shared projects."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from brvtui.trace import Origin
from brvtui.trace.routing import FingerprintState, Route, SearchOutcome
from tests.support.trees import BRV3, Tree, changed, hit_of, part, paths, scores


@pytest.fixture
def tree_of_scopes(tree: Tree) -> Tree:
    tree.note("auth/jwt/a.md", "Alpha", "banana apple")
    tree.note("auth/jwt/z.md", "Zeta", "melon")
    tree.note("auth/n.md", "Nn", "banana")
    tree.file("auth/jwt/context.md", "# Context of jwt\nbanana")
    tree.summary("auth", "banana")
    tree.note("bil/c.md", "Cee", "apple banana")
    tree.file("ctxonly/context.md", "# Only\nkumquat")
    tree.note("root.md", "Rooted", "banana")
    tree.note("Two Words/a.md", "Tee", "banana")
    tree.note("CAPS/k.md", "Kay", "banana")
    tree.file("_archived/old/o.stub.md", "# Old\nbanana")
    return tree


def found(tree: Tree, query: str, scope: str = "", limit: int = 10) -> list[str]:
    return paths(tree.search(query, limit=limit, scope=scope))


BANANAS = {
    "auth/jwt/a.md",
    "auth/jwt",
    "auth/n.md",
    "bil/c.md",
    "root.md",
    "Two Words/a.md",
    "CAPS/k.md",
    "_archived/old/o.stub.md",
}


def test_query_without_a_scope_searches_the_whole_tree(tree_of_scopes: Tree) -> None:
    assert set(found(tree_of_scopes, "banana")) - {"auth", "ctxonly"} == BANANAS


# Path answers


@pytest.mark.parametrize(
    "query", ["auth/jwt/a.md", "auth/jwt/a", "/auth/jwt/a.md", "jwt/alpha", "auth/jwt/a.md with text"]
)
def test_note_named_by_the_query_is_the_answer(tree_of_scopes: Tree, query: str) -> None:
    made = tree_of_scopes.search(query)
    assert (made.outcome, made.total_found) == (SearchOutcome.PATH_NOTE, 1)
    assert scores(made) == {"auth/jwt/a.md": 1.0}
    assert made.hits[0].title == "Alpha"


def test_folder_lists_its_summary_and_the_notes_below_it(tree_of_scopes: Tree) -> None:
    made = tree_of_scopes.search("auth")
    assert made.outcome is SearchOutcome.PATH_FOLDER
    assert [(hit.path, hit.title, hit.score) for hit in made.hits] == [
        ("auth", "auth", 1.0),
        ("auth/jwt/a.md", "Alpha", 0.9),
        ("auth/jwt/z.md", "Zeta", 0.9),
        ("auth/n.md", "Nn", 0.9),
    ]
    assert made.total_found == 4


def test_listing_is_cut_to_the_limit(tree_of_scopes: Tree) -> None:
    made = tree_of_scopes.search("auth", limit=2)
    assert (paths(made), made.total_found) == (["auth", "auth/jwt/a.md"], 2)


@pytest.mark.parametrize(
    "query",
    ["auth/jwt", "auth/jwt/", "/auth/jwt", "auth/jwt/context.md", "auth/jwt/context", "/auth/jwt/context", "auth/JWT"],
)
def test_folder_can_be_named_in_several_ways(tree_of_scopes: Tree, query: str) -> None:
    made = tree_of_scopes.search(query)
    assert [(hit.path, hit.title, hit.score, hit.kind.value) for hit in made.hits] == [
        ("auth/jwt", "jwt", 1.0, "summary"),
        ("auth/jwt/a.md", "Alpha", 0.9, "context"),
        ("auth/jwt/z.md", "Zeta", 0.9, "context"),
    ]


def test_folder_name_with_a_trailing_space_still_lists(tree_of_scopes: Tree) -> None:
    assert tree_of_scopes.search("auth ").outcome is SearchOutcome.PATH_FOLDER


def test_folder_name_resolves_to_the_first_match_in_pre_order(tree_of_scopes: Tree) -> None:
    """``auth/`` is not a path, so it names the first folder called ``auth``, which is in the archive."""
    tree_of_scopes.file("_archived/auth/o.stub.md", "# Old\nbanana")
    assert tree_of_scopes.search("auth/ banana").scope.path == "_archived/auth"
    assert tree_of_scopes.search("auth banana").scope.path == "auth"


def test_leading_space_turns_a_path_into_text(tree_of_scopes: Tree) -> None:
    assert tree_of_scopes.search(" auth").outcome is SearchOutcome.MATCHES


def test_folder_with_only_a_context_file_is_listed(tree_of_scopes: Tree) -> None:
    assert scores(tree_of_scopes.search("ctxonly")) == {"ctxonly": 1.0}
    assert "auth/n.md" in found(tree_of_scopes, "ctxonly banana")


def test_note_at_the_root_is_not_a_domain(tree_of_scopes: Tree) -> None:
    assert tree_of_scopes.search("rooted").outcome is SearchOutcome.MATCHES
    assert tree_of_scopes.search("root.md").outcome is SearchOutcome.MATCHES


def test_archive_folder_is_a_domain(tree_of_scopes: Tree) -> None:
    made = tree_of_scopes.search("_archived")
    assert [(hit.path, hit.score, hit.kind.value) for hit in made.hits] == [
        ("_archived/old/o.stub.md", 0.9, "archive_stub")
    ]


def test_missing_context_file_is_searched_as_text(tree_of_scopes: Tree) -> None:
    """If the folder has no ``context.md``, the name is ordinary text."""
    assert tree_of_scopes.search("bil/context").outcome is SearchOutcome.MATCHES
    assert tree_of_scopes.search("bil/context.md").outcome is SearchOutcome.MATCHES


# Scopes in the query


def test_path_without_further_text_is_also_the_search_text(tree_of_scopes: Tree) -> None:
    """``/alpha`` is not a path from the root, so it names a note, which is then searched for the whole query."""
    made = tree_of_scopes.search("/alpha")
    assert (made.scope.path, made.scope.text, made.lint.text) == ("auth/jwt/a.md", "", "/alpha")
    assert [hit.path for hit in made.hits if hit.kind != "summary"] == ["auth/jwt/a.md"]


def test_path_without_further_text_restricts_the_search(tree_of_scopes: Tree) -> None:
    tree_of_scopes.note("other/z.md", "Zulu", "jwt")
    assert tree_of_scopes.search("jwt").hits
    made = tree_of_scopes.search("/JWT")
    assert (made.scope.path, made.outcome) == ("auth/jwt", SearchOutcome.MATCHES)
    assert "other/z.md" not in paths(made)


@pytest.mark.parametrize(
    ("query", "scope", "text", "inside"),
    [
        ("auth banana", "auth", "banana", {"auth/jwt/a.md", "auth/n.md"}),
        ("AUTH banana", "auth", "banana", {"auth/jwt/a.md", "auth/n.md"}),
        ("auth jwt banana", "auth/jwt", "banana", {"auth/jwt/a.md"}),
        ("auth\tjwt\tbanana", "auth/jwt", "banana", {"auth/jwt/a.md"}),
        ("auth\u00a0banana", "auth", "banana", {"auth/jwt/a.md", "auth/n.md"}),
        ("auth nowhere banana", "auth", "nowhere banana", {"auth/jwt/a.md", "auth/n.md"}),
        ("auth alpha banana", "auth", "alpha banana", {"auth/jwt/a.md"}),
        ("caps banana", "CAPS", "banana", {"CAPS/k.md"}),
        ("auth/jwt banana", "auth/jwt", "banana", {"auth/jwt/a.md"}),
        ("auth/ banana", "auth", "banana", {"auth/jwt/a.md", "auth/n.md"}),
        ("/jwt banana", "auth/jwt", "banana", {"auth/jwt/a.md"}),
        ("auth/jwt/context banana", "auth/jwt", "banana", {"auth/jwt/a.md"}),
        ("_archived banana", "_archived", "banana", {"_archived/old/o.stub.md"}),
    ],
)
def test_query_is_split_into_scope_and_search_text(
    tree_of_scopes: Tree, query: str, scope: str, text: str, inside: set[str]
) -> None:
    made = tree_of_scopes.search(query)
    assert (made.scope.path, made.scope.text) == (scope, text)
    assert {hit.path for hit in made.hits if hit.kind != "summary"} == inside
    assert made.scope.restricts


def test_context_files_are_not_inside_their_folder(tree_of_scopes: Tree) -> None:
    made = tree_of_scopes.search("auth jwt banana")
    assert all(hit.file != "auth/jwt/context.md" or hit.origin == "propagated" for hit in made.hits)
    assert made.scope.notes == 2


def test_folder_with_a_space_is_found_with_a_slash(tree_of_scopes: Tree) -> None:
    assert found(tree_of_scopes, "Two Words/a.md") == ["Two Words/a.md"]
    assert tree_of_scopes.search("Two Words").scope.path == ""


def test_scope_with_a_slash_ends_at_a_space_but_not_at_a_tab(tree: Tree) -> None:
    tree.note("Bo x/Sub/n.md", "Five", "five")
    tree.note("other/m.md", "Five", "five")
    assert tree.search("Bo x/Sub five").scope.path == "Bo x/Sub"
    assert tree.search("Bo x/Sub\tfive").scope.path == ""


def test_empty_scope_searches_the_whole_query_everywhere(tree_of_scopes: Tree) -> None:
    made = tree_of_scopes.search("bil melon")
    assert made.scope.path == ""
    assert made.lint.filtered == "bil melon"
    assert set(paths(made)) & {"auth/jwt/z.md", "bil/c.md"}
    assert [attempt.scope for attempt in made.attempts if attempt.combine][:2] == ["bil", "bil"]


def test_scope_is_kept_even_without_results(tree_of_scopes: Tree) -> None:
    made = tree_of_scopes.search("auth/jwt quokka")
    assert (made.outcome, made.hits) == (SearchOutcome.NO_MATCH, ())


def test_scope_without_notes_does_not_restrict(tree_of_scopes: Tree) -> None:
    made = tree_of_scopes.search("ctxonly banana")
    assert (made.scope.path, made.scope.restricts) == ("ctxonly", False)
    assert "does not restrict" in made.scope.why


def test_domain_in_other_case_searches_for_its_last_letter(tree_of_scopes: Tree) -> None:
    tree_of_scopes.note("auth/h.md", "Haitch", "h")
    made = tree_of_scopes.search("AUTH")
    assert (made.scope.path, made.scope.text) == ("auth", "H")
    assert paths(made)[0] == "auth/h.md"
    assert tree_of_scopes.search("caps").scope.text == "s"
    assert tree_of_scopes.search("CAPS").outcome is SearchOutcome.PATH_FOLDER


@pytest.mark.parametrize("first", ["a", "A"])
def test_domains_differing_in_case_resolve_to_the_first_one(tree: Tree, first: str) -> None:
    second = "A" if first == "a" else "a"
    for folder in (first, second):
        tree.note(f"{folder}/n.md", "Quokka", "quokka", days=3)
    for query in ("a quokka", "A quokka", "A/ quokka"):
        assert tree.search(query).scope.path == "a"
    assert found(tree, "A") == ["A/n.md"]
    assert found(tree, "a") == ["a/n.md"]


# Scopes as an option


@pytest.mark.parametrize(
    ("scope", "inside"),
    [
        ("auth", {"auth/jwt/a.md", "auth/n.md"}),
        ("auth/", {"auth/jwt/a.md", "auth/n.md"}),
        ("auth///", {"auth/jwt/a.md", "auth/n.md"}),
        ("  auth  ", {"auth/jwt/a.md", "auth/n.md"}),
        ("auth/jwt", {"auth/jwt/a.md"}),
        ("auth/jwt/context.md", {"auth/jwt/a.md"}),
        ("auth/jwt/a.md", {"auth/jwt/a.md"}),
        ("root.md", {"root.md"}),
        ("_archived/old", {"_archived/old/o.stub.md"}),
        ("_archived/old/o.stub.md", {"_archived/old/o.stub.md"}),
    ],
)
def test_scope_option_restricts_results_to_a_folder(tree_of_scopes: Tree, scope: str, inside: set[str]) -> None:
    made = tree_of_scopes.search("banana", scope=scope)
    assert {hit.path for hit in made.hits if hit.kind != "summary"} == inside


@pytest.mark.parametrize(
    "scope", ["", "/", "Auth", "AUTH/JWT", "jwt", "/auth/jwt", "./auth", "auth/jwt/a", "Alpha", "nope", "ctxonly"]
)
def test_unknown_scope_option_does_not_restrict(tree_of_scopes: Tree, scope: str) -> None:
    made = tree_of_scopes.search("banana", scope=scope)
    assert set(paths(made)) | {"auth/jwt"} >= BANANAS
    assert not made.scope.restricts


@pytest.mark.parametrize("scope", ["bil", "auth/jwt", "nope"])
@pytest.mark.parametrize("query", ["auth/jwt", "auth", "auth/jwt banana", "bil/c.md"])
def test_path_query_ignores_the_scope_option(tree_of_scopes: Tree, query: str, scope: str) -> None:
    assert found(tree_of_scopes, query, scope) == found(tree_of_scopes, query)


def test_scope_option_replaces_the_scope_in_the_query(tree_of_scopes: Tree) -> None:
    made = tree_of_scopes.search("auth banana", scope="bil")
    assert (made.scope.path, made.scope.text) == ("bil", "banana")
    assert paths(made)[0] == "bil/c.md"
    everywhere = tree_of_scopes.search("auth banana", scope="nope")
    assert (everywhere.scope.path, everywhere.scope.text) == ("", "banana")
    assert "root.md" in paths(everywhere)


def test_empty_scope_option_searches_the_whole_query_everywhere(tree_of_scopes: Tree) -> None:
    assert "bil/c.md" in found(tree_of_scopes, "cee", scope="auth")
    made = tree_of_scopes.search("bil cee", scope="auth")
    assert made.lint.filtered == "bil cee"
    assert made.combine == "AND"
    assert paths(made)[0] == "bil/c.md"


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


def test_shared_hits_have_their_alias_and_no_bonus(shared: Tree) -> None:
    made = shared.search("quokka", profile=ALL)
    hit = hit_of(made, "[lib]:pay/c.md")
    assert (hit.shared_source, hit.kind, hit.title) == ("lib", "context", "Shared")
    assert part(hit, "local bonus") == 0
    assert (hit.signals.importance_stored, hit.signals.maturity, hit.signals.days) == (50, "draft", 3)
    context = hit_of(made, "[lib]:pay/ctx")
    assert (context.kind, context.title) == ("summary", "Ctx")
    assert hit_of(made, "pay/own.md").shared_source == ""


def test_shared_note_ceiling_has_no_bonus(shared: Tree, other: Tree) -> None:
    other.note("pay/c.md", "Shared", "quokka", days=0)
    hit = hit_of(shared.search("quokka", profile=ALL), "[lib]:pay/c.md")
    assert hit.ceiling.score == pytest.approx(0.765)


def test_shared_folder_summaries_have_the_bonus(shared: Tree) -> None:
    made = shared.search("quokka", profile=ALL)
    hit = next(hit for hit in made.hits if hit.path == "[lib]:pay")
    text = hit_of(made, "[lib]:pay/c.md").text
    assert (hit.origin, hit.title) == (Origin.PROPAGATED, "[lib]:pay")
    assert hit.score == pytest.approx(text.relevance * 0.55 + 0.1)


def test_shared_note_path_field_has_no_alias(shared: Tree) -> None:
    assert shared.search("lib").outcome is SearchOutcome.NO_MATCH


def test_note_counts_include_shared_notes(tree: Tree, other: Tree) -> None:
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
def test_shared_note_is_found_by_a_path_with_its_alias(shared: Tree, query: str) -> None:
    assert scores(shared.search(query)) == {"[lib]:pay/c.md": 1.0}


def test_shared_folder_is_found_by_a_name_with_its_alias(shared: Tree) -> None:
    assert scores(shared.search("[lib]:pay")) == {"[lib]:pay": 1.0, "[lib]:pay/c.md": 0.9}
    made = shared.search("[lib]:pay quokka", profile=ALL)
    assert {hit.path for hit in made.hits if hit.origin is Origin.TEXT} == {"[lib]:pay/c.md"}


def test_names_without_an_alias_do_not_find_shared_notes(shared: Tree) -> None:
    own = {hit.path for hit in shared.search("pay quokka", profile=ALL).hits}
    assert own == {"pay/own.md"}
    assert shared.search("pay/c.md").outcome is not SearchOutcome.PATH_NOTE


def test_scope_option_accepts_an_alias(shared: Tree) -> None:
    made = shared.search("quokka", profile=ALL, scope="[lib]:pay")
    assert {hit.path for hit in made.hits if hit.origin is Origin.TEXT} == {"[lib]:pay/c.md"}
    assert paths(shared.search("quokka", profile=ALL, scope="pay")) == ["pay/own.md"]


def test_answer_names_the_shared_source(shared: Tree) -> None:
    trace = shared.ask("[lib]:pay/c.md")
    assert trace.section(Route).outcome == "direct"
    assert "- [lib]:pay/c.md" in trace.answer.text
    assert ".brv/context-tree/[lib]" not in trace.answer.text
    assert "quokka" in trace.answer.text


def test_local_folder_resembling_an_alias_stays_local(tree: Tree) -> None:
    tree.note("[red]:x/n.md", "Quokka", "quokka", days=3)
    tree.note("[red]:n.md", "Quokka", "quokka", days=3)
    tree.notes(20)
    trace = tree.ask("quokka")
    assert set(paths(trace)) == {"[red]:x/n.md", "[red]:n.md"}
    assert {hit.shared_source for hit in trace.hits} == {""}
    assert len(trace.section(FingerprintState).value) == 16


def test_project_shared_twice_breaks_every_search(tree: Tree, other: Tree) -> None:
    other.note("pay/c.md", "Quokka")
    tree.source(("one", other), ("two", other))
    assert tree.search("quokka").outcome is SearchOutcome.ENGINE_FAILS
    assert tree.ask("quokka").tier == 4
