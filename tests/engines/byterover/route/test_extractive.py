"""Answers that no model has written: how texts are cut into sentences, and which of them are chosen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.engines.byterover.route.extractive import LABEL, MOST_SENTENCES, Passage, chosen, composed, sentences
from brvtui.trace import MatchKind, TermExpansion, TermMatch
from tests.support.trees import Tree, paths


def term(name: str, **answers: float) -> TermExpansion:
    matches = tuple(TermMatch(word, MatchKind.FUZZY, weight, 1, {}) for word, weight in answers.items())
    return TermExpansion(name, matches, 0, 0, len(matches), 0)


TEA, POT = term("tea"), term("pot")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One. Two! Three? four", ["One.", "Two!", "Three? four"]),
        ("of version 1.5 and e.g. this", ["of version 1.5 and e.g. this"]),
        ("hard\nwrapped. It\ngoes on", ["hard wrapped.", "It goes on"]),
        ("# Title\n\nText", ["Text"]),
        ("- one\n- two\n  more\n1. three\n> four", ["one", "two more", "three", "four"]),
        ("a\n```sh\nrun one\nrun two\n```\nb", ["a", "run one", "run two", "b"]),
        ("| a | b |\n|---|---|\n| c | d |", ["| a | b |", "| c | d |"]),
        ("---\ntitle: x\n---\nText", ["Text"]),
        ("***\n\n---\n\n...", []),
        ("", []),
    ],
)
def test_sentences(text: str, found: list[str]) -> None:
    assert list(sentences(text)) == found


@given(st.text(alphabet=st.sampled_from("ab .!\n#-`|>*1"), max_size=60))
def test_sentences_hold_text_of_the_note_and_no_line_ends(text: str) -> None:
    letters = "".join(char for char in text if char.isalpha())
    for sentence in sentences(text):
        assert sentence
        assert "\n" not in sentence
        assert "".join(char for char in sentence if char.isalpha()) in letters


def test_the_sentence_that_holds_most_comes_first() -> None:
    made = chosen([Passage("a", "Some tea. A pot of tea."), Passage("b", "A pot.")], [TEA, POT])
    assert [(one.sentence, one.source, one.covers) for one in made] == [("A pot of tea.", "a", ("tea", "pot"))]


def test_what_is_said_again_counts_half() -> None:
    """The second adds a half of what the first did, which is more than a third; the last a quarter."""
    made = chosen([Passage("a", "Some tea. More tea. Yet more tea.")], [TEA])
    assert [one.sentence for one in made] == ["Some tea.", "More tea."]


def test_a_term_is_answered_by_what_the_search_let_answer_it() -> None:
    made = chosen([Passage("a", "Only herbs. Two teas here.")], [term("tea", teas=0.4)])
    assert [one.sentence for one in made] == ["Two teas here."]
    heavier = chosen([Passage("a", "Two teas here. Some tea here.")], [term("tea", teas=0.4)])
    assert heavier[0].sentence == "Some tea here."


def test_where_no_sentence_holds_a_word_each_text_begins() -> None:
    made = chosen([Passage("a", "One. Two."), Passage("b", "# Only a heading"), Passage("c", "Three.")], [TEA])
    assert [(one.source, one.sentence) for one in made] == [("a", "One."), ("c", "Three.")]
    text = composed("tea", made, [TEA])
    assert "their first, as no sentence of what is quoted of them below their frontmatter holds a word of “tea”" in text
    assert "In none of these sentences: “tea”." in text


def test_nothing_to_quote() -> None:
    assert chosen([], [TEA]) == ()
    assert f"{LABEL}: 0 sentences of 0 notes" in composed("tea", (), [TEA])


@given(st.lists(st.text(alphabet="abc .", max_size=30), max_size=8), st.sets(st.sampled_from("abc")))
def test_chosen_are_few_and_each_once(texts: list[str], words: set[str]) -> None:
    passages = [Passage(str(number), text) for number, text in enumerate(texts)]
    made = chosen(passages, [term(word) for word in sorted(words)])
    assert len(made) <= MOST_SENTENCES
    known = {(passage.source, sentence) for passage in passages for sentence in sentences(passage.text)}
    assert {(one.source, one.sentence) for one in made} <= known
    for one in made:
        assert set(one.covers) <= words & set(one.sentence.lower().replace(".", " ").split())


def test_tier_3_without_a_model_quotes_the_excerpts(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka", "A quokka eats leaves. It sleeps by day.")
    tree.note("x/far.md", "Other", "nothing")
    tree.notes(30)
    trace = tree.ask("quokka")
    answer = trace.answer
    assert (trace.tier, answer.kind) == (3, "extractive")
    assert "- A quokka eats leaves. (.brv/context-tree/x/n.md)" in answer.text
    assert "sleeps" not in answer.text
    assert LABEL in answer.text
    assert "No model provider is set" in answer.notice
    headings = [line for line in answer.text.splitlines() if line.startswith("## ")]
    assert headings == ["## Summary", "## Details", "## Sources", "## Gaps"]
    assert answer.sources == ("x/n.md",)


def test_sources_are_the_notes_of_which_a_sentence_stands_there(tree: Tree) -> None:
    for number in range(4):
        tree.note(f"x/n{number}.md", f"Quokka {number}", "A quokka eats leaves.")
    tree.notes(30)
    answer = tree.ask("quokka").answer
    assert len(answer.prompt.prefetched) == 4
    lines, tree_prefix = answer.text.splitlines(), "- .brv/context-tree/"
    named = [line.removeprefix(tree_prefix) for line in lines if line.startswith(tree_prefix)]
    assert 0 < len(named) < 4
    assert list(answer.sources) == named


def test_tier_4_without_a_model_quotes_what_was_found(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka", "A quokka eats leaves.", days=300)
    tree.notes(30)
    trace = tree.ask("quokka")
    assert (trace.tier, trace.answer.kind) == (4, "extractive")
    assert "- A quokka eats leaves. (.brv/context-tree/x/n.md)" in trace.answer.text
    assert "No note reaches 0.7" in trace.answer.text
    assert trace.answer.sources == tuple(paths(trace)) == ("x/n.md",)
    assert trace.answer.prompt.prefetched == ()
