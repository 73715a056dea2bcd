"""How a query becomes words and tokens, AND or OR, and which notes it matches."""

from __future__ import annotations

import pytest

from brvtui.trace.routing import Route, SearchOutcome
from tests.support.trees import Tree, paths, scores


@pytest.fixture
def fruit(tree: Tree) -> Tree:
    tree.note("a/both.md", "Both", "banana apple")
    tree.note("a/banana.md", "One", "banana")
    tree.note("a/apple.md", "Two", "apple")
    tree.note(
        "a/token.md",
        "Three",
        "token token^2 日本語 😀 🎉word constructor toString proto",
    )
    return tree


@pytest.mark.parametrize(
    ("query", "combine", "found"),
    [
        ("banana", "OR", {"a/both.md", "a/banana.md"}),
        ("banana apple", "AND", {"a/both.md"}),
        ("the banana of apple", "AND", {"a/both.md"}),
        ("banana b", "OR", {"a/both.md", "a/banana.md"}),
        ("banana zzzzzzz", "OR", {"a/both.md", "a/banana.md"}),
        ("banana\tapple", "AND", {"a/both.md"}),
        ("THE BANANA", "OR", {"a/both.md", "a/banana.md"}),
        ("bananna aple", "AND", {"a/both.md"}),
        ("banan app", "AND", {"a/both.md"}),
        ("token token", "AND", {"a/token.md"}),
        ("日本", "OR", {"a/token.md"}),
        ("😀", "OR", {"a/token.md"}),
        ("🎉", "OR", {"a/token.md"}),
        ("__proto__", "OR", {"a/token.md"}),
        ("constructor tostring", "AND", {"a/token.md"}),
        ("token^2", "OR", {"a/token.md"}),
    ],
)
def test_and_and_or(fruit: Tree, query: str, combine: str, found: set[str]) -> None:
    made = fruit.search(query)
    assert (made.combine, set(paths(made))) == (combine, found)
    assert made.total_found == len(found)


def test_or_comes_only_after_and_found_nothing(fruit: Tree) -> None:
    made = fruit.search("banana zzzzzzz")
    assert made.and_failed
    assert [(a.name, a.state.value) for a in made.attempts] == [
        ("path look-up", "skipped"), ("whole tree AND", "missed"), ("whole tree OR", "hit"),
    ]  # fmt: skip
    made = fruit.search("banana apple")
    assert not made.and_failed
    assert [a.state.value for a in made.attempts] == ["skipped", "hit", "not_reached"]
    made = fruit.search("banana")
    assert [a.state.value for a in made.attempts] == ["skipped", "skipped", "hit"]


def test_words_that_ask_for_and_are_counted_in_utf16_units(tree: Tree) -> None:
    tree.note("a/one.md", "One", "😀")
    tree.note("a/two.md", "Two", "🎉")
    assert tree.search("😀 🎉").and_failed
    assert not tree.search("é ü").and_failed


@pytest.mark.parametrize("query", ["", "   ", "\n", "...", "???", "/", "//", "(-)", "—", "\u2028"])
def test_no_token_finds_nothing(fruit: Tree, query: str) -> None:
    made = fruit.search(query)
    assert (made.outcome, made.hits, made.total_found) == (SearchOutcome.NO_TOKENS, (), 0)
    trace = fruit.ask(query)
    assert (trace.tier, trace.section(Route).outcome) == (2, "not_covered")


def test_only_stop_words_stand_as_they_are(tree: Tree) -> None:
    tree.note("a/n.md", "N", "the best of all")
    tree.note("a/m.md", "M", "the rest")
    made = tree.search("The OF")
    assert (made.combine, paths(made)) == ("AND", ["a/n.md"])
    assert made.lint.notes
    assert not any(word.stop_word for word in made.lint.words)
    assert tree.search("who where").outcome is SearchOutcome.NO_MATCH


def test_absent_words_find_nothing(fruit: Tree) -> None:
    assert fruit.search("valueOf").outcome is SearchOutcome.NO_MATCH


def test_a_word_with_punctuation_is_several_tokens(fruit: Tree) -> None:
    made = fruit.search("banana-apple")
    assert made.lint.tokens == ("banana", "apple")
    assert made.combine == "OR"
    assert set(paths(made)) == {"a/both.md", "a/banana.md", "a/apple.md"}
    assert made.lint.words[0].mismatch


def test_repetition_changes_the_score_not_the_matched_terms(fruit: Tree) -> None:
    once, twice = fruit.search("token").hits[0].text, fruit.search("token token").hits[0].text
    assert twice.raw == pytest.approx(2 * once.raw, rel=1e-12)
    assert once.matched_terms == twice.matched_terms == 1


def test_1700_repetitions(fruit: Tree) -> None:
    once, many = fruit.search("token").hits[0].text, fruit.search("token " * 1700).hits[0].text
    assert many.raw == pytest.approx(1700 * once.raw, rel=1e-9)


def test_one_letter_words_are_searched(tree: Tree) -> None:
    tree.note("x/n.md", "N", "b plan")
    tree.note("x/m.md", "M", "bcd")
    assert set(paths(tree.search("b"))) == {"x/n.md", "x/m.md"}


def test_title_and_path_are_fields_too(tree: Tree) -> None:
    tree.note("quokka/n.md", "Plain", "text")
    tree.note("x/title.md", "Wallaby", "text")
    assert paths(tree.search("the quokka of")) == ["quokka/n.md"]
    assert paths(tree.search("wallaby")) == ["x/title.md"]


def test_frontmatter_is_content_and_its_title_is_not_the_title(tree: Tree) -> None:
    tree.file("x/n.md", "---\ntitle: Numbat\n---\nbody")
    made = tree.search("numbat")
    assert [(hit.path, hit.title) for hit in made.hits] == [("x/n.md", "n")]


def test_lint_names_words_that_no_token_can_equal(fruit: Tree) -> None:
    words = {word.word: word for word in fruit.search("the Banana apple? ab-c 🎉🎉 🎉a").lint.words}
    assert [w for w, word in words.items() if word.stop_word] == ["the"]
    assert [w for w, word in words.items() if word.mismatch] == ["apple?", "ab-c"]
    assert [w for w, word in words.items() if word.significant] == ["Banana", "apple?", "ab-c", "🎉🎉"]


def test_shown_scores_are_those_that_rank(fruit: Tree) -> None:
    made = fruit.search("banana")
    assert list(scores(made).values()) == sorted(scores(made).values(), reverse=True)
