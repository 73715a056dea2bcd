"""Symbols that a query can name, and how a pattern finds them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.tree.reading.hierarchy import Hierarchy, build_hierarchy

NOTES = [
    ("auth/jwt/tokens.md", "Token rotation"),
    ("auth/jwt/context.md", "About jwt"),
    ("auth/n.md", "Nn"),
    ("auth/auth/deep.md", "Deep"),
    ("billing/Two Words/a.md", "Same"),
    ("billing/b.md", "Same"),
    ("only/context.md", "Only context"),
    ("root.md", "Root note"),
    ("[lib]:pay/c.md", "Shared"),
]


@pytest.fixture
def hierarchy() -> Hierarchy:
    return build_hierarchy(NOTES)


def test_context_file_creates_its_folder_but_no_leaf(hierarchy: Hierarchy) -> None:
    assert "auth/jwt/context.md" not in hierarchy.by_path
    assert hierarchy.by_path["only"].children == ()


def test_domains_are_folders_at_the_root(hierarchy: Hierarchy) -> None:
    assert [symbol.name for symbol in hierarchy.domains] == ["[lib]:pay", "auth", "billing", "only"]


def test_walk_is_in_pre_order_with_names_in_locale_order(hierarchy: Hierarchy) -> None:
    walked = [symbol.path for symbol in hierarchy.walk()]
    assert walked == [
        "[lib]:pay", "[lib]:pay/c.md", "auth", "auth/auth", "auth/auth/deep.md", "auth/jwt", "auth/jwt/tokens.md",
        "auth/n.md", "billing", "billing/b.md", "billing/Two Words", "billing/Two Words/a.md", "only", "root.md",
    ]  # fmt: skip


def test_empty_title_sorts_first() -> None:
    hierarchy = build_hierarchy([("a/x.md", "A"), ("a/y.md", "")])
    assert [child.path for child in hierarchy.by_path["a"].children] == ["a/y.md", "a/x.md"]


@pytest.mark.parametrize(
    ("pattern", "substrings", "path", "how"),
    [
        ("auth/jwt", False, "auth/jwt", "exact"),
        ("/auth/jwt", False, "auth/jwt", "exact"),
        ("//auth", False, "auth", "exact"),
        ("auth/jwt/tokens", False, "auth/jwt/tokens.md", "exact"),
        ("auth/jwt/tokens.md", False, "auth/jwt/tokens.md", "exact"),
        ("auth/jwt/context.md", False, "auth/jwt", "exact"),
        ("only/context.md", False, "only", "exact"),
        ("auth/jwt/context", False, "auth/jwt", "exact"),
        ("/only/context", False, "only", "exact"),
        ("root", False, "root.md", "exact"),
        ("/AUTH/Jwt", False, "auth/jwt", "absolute"),
        ("/auth/jwt/token rotation", False, "auth/jwt/tokens.md", "absolute"),
        ("jwt/Token Rotation", False, "auth/jwt/tokens.md", "relative"),
        ("Two words/same", False, "billing/Two Words/a.md", "relative"),
        ("same", False, "billing/b.md", "simple"),
        ("token rotation", False, "auth/jwt/tokens.md", "simple"),
        ("auth/", False, "auth", "simple"),
        ("rota", True, "auth/jwt/tokens.md", "substring"),
        ("jwt/rota", True, "auth/jwt/tokens.md", "substring"),
        ("/pay", True, "[lib]:pay", "substring"),
        ("[lib]:pay/c.md", False, "[lib]:pay/c.md", "exact"),
    ],
)
def test_patterns_find_symbols(hierarchy: Hierarchy, pattern: str, substrings: bool, path: str, how: str) -> None:
    found = hierarchy.find(pattern, substrings)
    assert (found.symbol.path, found.how) == (path, how)


@pytest.mark.parametrize(
    ("pattern", "substrings"),
    [
        *((name, False) for name in ("", "/", "//", "nowhere", "rota", "wrong/tokens", "/jwt", "jwt/rota")),
        *((name, False) for name in ("billing/context", "auth/context.md", "root.md.md")),
        *((name, True) for name in ("root note", "/root note", "oot not")),
    ],
)
def test_unmatched_patterns_find_no_symbol(hierarchy: Hierarchy, pattern: str, substrings: bool) -> None:
    """A note at the root is found only by its path."""
    assert hierarchy.find(pattern, substrings) is None


def test_folder_comes_before_the_note_with_an_equal_name() -> None:
    hierarchy = build_hierarchy([("a/note.md", "Same"), ("a/Same/deep.md", "Deep")])
    assert [child.path for child in hierarchy.by_path["a"].children] == ["a/Same", "a/note.md"]


@pytest.mark.parametrize(
    ("notes", "pattern", "substrings", "path", "how"),
    [
        ([("auth/n.md", "Nn")], "n/", True, "auth/n.md", "substring"),
        ([("a/x.md", "Rotation of keys"), ("b/y.md", "Rotation")], "rotation", True, "b/y.md", "simple"),
        ([("a/dup2.md", "Same"), ("a/dup1.md", "same")], "a/Same", False, "a/dup1.md", "relative"),
        ([("a/n.md", "N"), ("A/n.md", "N")], "A", False, "A", "exact"),
    ],
    ids=["trailing_slash", "whole_name_before_substring", "first_of_equal_titles", "exact_case"],
)
def test_best_matching_symbol_is_chosen(
    notes: list[tuple[str, str]], pattern: str, substrings: bool, path: str, how: str
) -> None:
    found = build_hierarchy(notes).find(pattern, substrings)
    assert (found.symbol.path, found.how) == (path, how)


@given(st.lists(st.text("ab\0é", min_size=1, max_size=5), min_size=1, max_size=12), st.text("ab\0é", min_size=1))
def test_substring_finds_the_first_name_in_pre_order(titles: list[str], part: str) -> None:
    hierarchy = build_hierarchy((f"x/{place}.md", title) for place, title in enumerate(titles))
    first = next((one for one in hierarchy.walk() if part in one.name.lower()), None)
    match = hierarchy.find(part, substrings=True)
    if match is None or match.how == "substring":
        assert (match.symbol if match else None) == first
