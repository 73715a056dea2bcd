"""The word of a note that answers each word of the query: the one that the term × field detail holds, too."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from brvtui.engines.byterover.sections import Search
from brvtui.trace import Contribution, Hit, MatchedWord, MatchKind, NearMiss, Origin, Trace
from tests.support.generated import generated, query
from tests.support.trees import Tree


def words_of(trace: Trace, file: str) -> tuple[MatchedWord, ...]:
    found: list[Hit | NearMiss] = [*trace.hits, *trace.near_misses]
    return next(one.words for one in found if one.file == file)


def test_the_word_itself_before_longer_and_misspelt_ones_of_its_field(tree: Tree) -> None:
    tree.note("a/x.md", "Keys", "token tokens tokeen")
    tree.notes(60)
    (word,) = words_of(tree.session().probe("token"), "a/x.md")
    assert word == MatchedWord("token", "token", MatchKind.EXACT, 0, ("text",))


def test_a_longer_form_in_the_title_before_the_word_itself_in_the_text(tree: Tree) -> None:
    tree.note("a/x.md", "Tokens", "token")
    tree.notes(60)
    (word,) = words_of(tree.session().probe("token"), "a/x.md")
    assert word == MatchedWord("token", "tokens", MatchKind.PREFIX, 1, ("title", "text"))


def test_of_longer_forms_what_weighs_most_in_its_field(tree: Tree) -> None:
    tree.note("a/x.md", "Proration", "prorated, all prorated")
    tree.notes(60)
    (word,) = words_of(tree.session().probe("prorat"), "a/x.md")
    assert word == MatchedWord("prorat", "proration", MatchKind.PREFIX, 3, ("title", "text"))


def test_fields_are_named_by_what_counts_most(tree: Tree) -> None:
    tree.note("zoo/wombat.md", "Wombat", "a wombat")
    tree.notes(60)
    (word,) = words_of(tree.session().probe("wombat"), "zoo/wombat.md")
    assert word.fields == ("title", "path", "text")


def test_a_lifted_folder_has_the_words_of_the_note_that_lifted_it(tree: Tree) -> None:
    tree.note("a/x.md", "Wombat", "wombat wombat", importance=90.0, maturity="core")
    tree.file("a/context.md", "# About a\n\nnothing of it\n")
    tree.notes(60)
    trace = tree.session().probe("wombat")
    folder = next(hit for hit in trace.hits if hit.origin is Origin.PROPAGATED)
    assert [(word.word, word.fields) for word in folder.words] == [("wombat", ("below",))]


def test_a_note_that_another_search_added_has_the_words_of_that_search(tree: Tree) -> None:
    tree.note("a/both.md", "Emu", "emu kiwi", days=60, importance=80.0, maturity="validated")
    tree.note("a/kiwi.md", "Kiwi", "kiwi", importance=90.0, maturity="core")
    tree.notes(60)
    trace = tree.session().probe("emu kiwi")
    added = next(hit for hit in trace.hits if hit.found_by)
    assert [word.query for word in added.words] == [added.found_by]


def test_what_its_path_found_answers_no_word(tree: Tree) -> None:
    tree.note("a/x.md", "Wombat", "wombat")
    tree.notes(60)
    trace = tree.session().probe("a/x.md")
    assert trace.hits[0].origin is Origin.PATH
    assert trace.hits[0].words == ()


@pytest.mark.parametrize("seed", range(6))
def test_they_are_the_terms_of_the_detail(seed: int, tmp_path: Path) -> None:
    tree, pick = generated(tmp_path / "p", seed, 40), random.Random(seed)
    session = tree.session()
    for _ in range(8):
        trace = session.probe(query(pick))
        details = session.answers.details(trace)
        assert {hit.words for hit in trace.section(Search).hits} <= {hit.words for hit in trace.hits}
        for hit in trace.hits:
            if hit.origin is not Origin.TEXT or hit.file not in details:
                continue
            held: dict[str, list[Contribution]] = {}
            for one in details[hit.file].contributions:
                held.setdefault(one.query_term, []).append(one)
            assert {word.query for word in hit.words} == held.keys()
            for word in hit.words:
                named = [one for one in held[word.query] if one.term == word.word]
                assert {{"content": "text"}.get(one.field, one.field) for one in named} == set(word.fields)
                assert max(map(_weight, named)) == max(map(_weight, held[word.query]))


def _weight(one: Contribution) -> float:
    return one.weight * one.boost
