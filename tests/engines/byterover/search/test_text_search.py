"""Words and tokens of a query, the notes that match, the matching words, and the shown excerpts."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.engines.byterover.route.prompt import chunks, excerpt
from brvtui.engines.byterover.sections import Search
from brvtui.trace import Contribution, Hit, MatchedWord, MatchKind, NearMiss, Origin, Trace
from brvtui.trace.routing import Route, SearchOutcome
from tests.support.generated import generated, query
from tests.support.trees import BRV3, Tree, changed, paths, scores


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
def test_several_words_search_with_and_then_or(fruit: Tree, query: str, combine: str, found: set[str]) -> None:
    made = fruit.search(query)
    assert (made.combine, set(paths(made))) == (combine, found)
    assert made.total_found == len(found)


def test_or_search_runs_only_if_and_finds_nothing(fruit: Tree) -> None:
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


def test_and_search_measures_words_in_utf16_units(tree: Tree) -> None:
    tree.note("a/one.md", "One", "😀")
    tree.note("a/two.md", "Two", "🎉")
    assert tree.search("😀 🎉").and_failed
    assert not tree.search("é ü").and_failed


@pytest.mark.parametrize("query", ["", "   ", "\n", "...", "???", "/", "//", "(-)", "—", "\u2028"])
def test_query_without_tokens_finds_nothing(fruit: Tree, query: str) -> None:
    made = fruit.search(query)
    assert (made.outcome, made.hits, made.total_found) == (SearchOutcome.NO_TOKENS, (), 0)
    trace = fruit.ask(query)
    assert (trace.tier, trace.section(Route).outcome) == (2, "not_covered")


def test_query_of_only_stop_words_is_unchanged(tree: Tree) -> None:
    tree.note("a/n.md", "N", "the best of all")
    tree.note("a/m.md", "M", "the rest")
    made = tree.search("The OF")
    assert (made.combine, paths(made)) == ("AND", ["a/n.md"])
    assert made.lint.notes
    assert not any(word.stop_word for word in made.lint.words)
    assert tree.search("who where").outcome is SearchOutcome.NO_MATCH


def test_unknown_words_find_nothing(fruit: Tree) -> None:
    assert fruit.search("valueOf").outcome is SearchOutcome.NO_MATCH


def test_word_with_punctuation_is_several_tokens(fruit: Tree) -> None:
    made = fruit.search("banana-apple")
    assert made.lint.tokens == ("banana", "apple")
    assert made.combine == "OR"
    assert set(paths(made)) == {"a/both.md", "a/banana.md", "a/apple.md"}
    assert made.lint.words[0].mismatch


def test_repeated_word_changes_only_the_score(fruit: Tree) -> None:
    once, twice = fruit.search("token").hits[0].text, fruit.search("token token").hits[0].text
    assert twice.raw == pytest.approx(2 * once.raw, rel=1e-12)
    assert once.matched_terms == twice.matched_terms == 1


def test_score_grows_linearly_with_1700_repetitions(fruit: Tree) -> None:
    once, many = fruit.search("token").hits[0].text, fruit.search("token " * 1700).hits[0].text
    assert many.raw == pytest.approx(1700 * once.raw, rel=1e-9)


def test_one_letter_words_are_searched(tree: Tree) -> None:
    tree.note("x/n.md", "N", "b plan")
    tree.note("x/m.md", "M", "bcd")
    assert set(paths(tree.search("b"))) == {"x/n.md", "x/m.md"}


def test_title_and_path_are_searched(tree: Tree) -> None:
    tree.note("quokka/n.md", "Plain", "text")
    tree.note("x/title.md", "Wallaby", "text")
    assert paths(tree.search("the quokka of")) == ["quokka/n.md"]
    assert paths(tree.search("wallaby")) == ["x/title.md"]


def test_frontmatter_is_content_and_its_title_is_ignored(tree: Tree) -> None:
    tree.file("x/n.md", "---\ntitle: Numbat\n---\nbody")
    made = tree.search("numbat")
    assert [(hit.path, hit.title) for hit in made.hits] == [("x/n.md", "n")]


def test_words_that_no_token_can_equal_are_reported(fruit: Tree) -> None:
    words = {word.word: word for word in fruit.search("the Banana apple? ab-c 🎉🎉 🎉a").lint.words}
    assert [w for w, word in words.items() if word.stop_word] == ["the"]
    assert [w for w, word in words.items() if word.mismatch] == ["apple?", "ab-c"]
    assert [w for w, word in words.items() if word.significant] == ["Banana", "apple?", "ab-c", "🎉🎉"]


def test_displayed_scores_equal_the_ranking_scores(fruit: Tree) -> None:
    made = fruit.search("banana")
    assert list(scores(made).values()) == sorted(scores(made).values(), reverse=True)


def words_of(trace: Trace, file: str) -> tuple[MatchedWord, ...]:
    found: list[Hit | NearMiss] = [*trace.hits, *trace.near_misses]
    return next(one.words for one in found if one.file == file)


@pytest.mark.parametrize(
    ("path", "title", "text", "query", "expected"),
    [
        ("a/x.md", "Keys", "token tokens tokeen", "token", ("token", MatchKind.EXACT, 0, ("text",))),
        ("a/x.md", "Tokens", "token", "token", ("tokens", MatchKind.PREFIX, 1, ("title", "text"))),
        ("a/x.md", "Proration", "prorated, all prorated", "prorat",
         ("proration", MatchKind.PREFIX, 3, ("title", "text"))),
        ("zoo/wombat.md", "Wombat", "a wombat", "wombat", ("wombat", MatchKind.EXACT, 0, ("title", "path", "text"))),
    ],
    ids=["itself_before_longer", "longer_in_title_before_itself", "heaviest_longer_form", "fields_by_weight"],
)  # fmt: skip
def test_matched_word_has_its_form_kind_and_fields(
    tree: Tree, path: str, title: str, text: str, query: str, expected: tuple[object, ...]
) -> None:
    tree.note(path, title, text)
    tree.notes(60)
    assert words_of(tree.session().preview(query), path) == (MatchedWord(query, *expected),)


def test_lifted_folder_shows_the_words_of_its_best_note(tree: Tree) -> None:
    tree.note("a/x.md", "Wombat", "wombat wombat", importance=90.0, maturity="core")
    tree.file("a/context.md", "# About a\n\nnothing of it\n")
    tree.notes(60)
    trace = tree.session().preview("wombat")
    folder = next(hit for hit in trace.hits if hit.origin is Origin.PROPAGATED)
    assert [(word.word, word.fields) for word in folder.words] == [("wombat", ("below",))]


def test_supplementary_result_shows_the_words_of_its_own_search(tree: Tree) -> None:
    tree.note("a/both.md", "Emu", "emu kiwi", days=60, importance=80.0, maturity="validated")
    tree.note("a/kiwi.md", "Kiwi", "kiwi", importance=90.0, maturity="core")
    tree.notes(60)
    trace = tree.session().preview("emu kiwi")
    added = next(hit for hit in trace.hits if hit.found_by)
    assert [word.query for word in added.words] == [added.found_by]


def test_result_found_by_its_path_matches_no_word(tree: Tree) -> None:
    tree.note("a/x.md", "Wombat", "wombat")
    tree.notes(60)
    trace = tree.session().preview("a/x.md")
    assert trace.hits[0].origin is Origin.PATH
    assert trace.hits[0].words == ()


@pytest.mark.parametrize("seed", range(6))
def test_matched_words_are_the_terms_of_the_detail(seed: int, tmp_path: Path) -> None:
    tree, pick = generated(tmp_path / "p", seed, 40), random.Random(seed)
    session = tree.session()
    for _ in range(8):
        trace = session.preview(query(pick))
        details = session.explainer.details(trace)
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


SEARCH = BRV3.search


def test_excerpt_leaves_out_title_and_relations() -> None:
    text = "# Title\n\nBody one.\n\n## Relations\n@a/b/c.md\n\n## Facts\n- **x**: y\n"
    assert excerpt(text, ["body"], SEARCH) == "Body one.\n\n## Facts\n- **x**: y"


def test_excerpt_leaves_out_relations_at_the_end() -> None:
    assert excerpt("# T\nBody\n\n## Relations\n@a/b/c.md\n@d/e/f.md\n", [], SEARCH) == "Body"


def test_excerpt_keeps_frontmatter() -> None:
    assert excerpt("---\na: 1\n---\n# T\nBody", [], SEARCH).startswith("---\na: 1")


def test_excerpt_from_a_short_note_is_complete() -> None:
    assert excerpt("x" * 800, [], SEARCH) == "x" * 800


def test_excerpt_from_a_long_note_is_cut_to_800() -> None:
    assert excerpt("x" * 801, [], SEARCH) == "x" * 800 + "..."


def test_excerpt_shows_the_chunk_with_the_most_words() -> None:
    text = "alpha beta. " + "filler words here. " * 60 + "gamma delta. " + "more filler here. " * 60
    found = excerpt(text, ["gamma", "delta"], SEARCH)
    assert "gamma delta" in found
    assert len(found) <= 803
    assert found.endswith("...")
    assert "alpha beta" in excerpt(text, ["nothing"], SEARCH)


def test_chunks_prefer_paragraph_then_sentence_then_line_breaks() -> None:
    head = "a" * 600
    paragraph = f"{head}\n\nb. c\nd" + "e" * 500
    assert chunks(paragraph, SEARCH)[0] == f"{head}\n\n"
    sentence = f"{head}\nb. c\nd" + "e" * 500
    assert chunks(sentence, SEARCH)[0] == f"{head}\nb. "
    line = f"{head}\nb" + "e" * 500
    assert chunks(line, SEARCH)[0] == f"{head}\n"
    early = "a" * 500 + "\n\n" + "e" * 900
    assert len(chunks(early, SEARCH)[0]) == 800


def test_chunks_overlap_by_120() -> None:
    text = "".join(chr(97 + number % 26) for number in range(2000))
    made = chunks(text, SEARCH)
    assert made[0][-120:] == made[1][:120]


@given(
    st.text(st.sampled_from("ab .\n#"), max_size=300),
    st.integers(1, 40),
    st.integers(0, 60),
    st.just(0.0) | st.floats(1e-15, 1),
)
def test_chunks_cover_the_whole_text(text: str, size: int, overlap: int, share: float) -> None:
    search = changed(BRV3, search={"excerpt_chars": size, "excerpt_overlap": overlap, "excerpt_break": share}).search
    made = chunks(text, search)
    assert all(0 < len(chunk) <= size for chunk in made)
    assert all(chunk in text for chunk in made)
    assert bool(made) == bool(text)
    if text:
        assert text.startswith(made[0])
        assert text.endswith(made[-1])
    assert len(excerpt(text, ["a"], search)) <= size + 3
