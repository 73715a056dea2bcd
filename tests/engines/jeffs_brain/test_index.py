"""Notes as chunks, and the index from one snapshot to the next."""

from __future__ import annotations

from brvtui.engines.jeffs_brain.index import Chunk, ChunkIndex, chunk_of, index_snapshot
from brvtui.engines.jeffs_brain.pipeline import Request, Sources, retrieve
from brvtui.engines.jeffs_brain.sections import Hybrid, SkipReason
from brvtui.text.query_language import Operator, ParsedQuery, Token, TokenKind
from brvtui.trace import State, to_plain
from tests.support.hybrid import JEFFS, attempts_of, index_chunks
from tests.support.trees import Tree

NOTE = """---
title: Rotation
summary: Tokens rotate.
tags: [auth, 7]
keywords: [auth, token family]
---
# Heading

Body of the note.
"""


def found(index: ChunkIndex, query: str) -> list[str]:
    return [hit.path for hit in retrieve(Request(query), Sources(index), JEFFS).trace.hits]


def test_a_chunk() -> None:
    made = chunk_of("auth/n.md", "Heading", NOTE)
    assert (made.id, made.title, made.summary, made.tags) == (
        "auth/n.md", "Rotation", "Tokens rotate.", "auth 7 token family",
    )  # fmt: skip
    assert made.content == "# Heading\n\nBody of the note."


def test_a_chunk_without_usable_frontmatter() -> None:
    made = chunk_of("auth/n.md", "Heading", "---\ntitle: [1]\nsummary: 3\ntags: {a: 1}\n---\ntext")
    assert (made.title, made.summary, made.tags, made.content) == ("Heading", "", "", "text")
    assert chunk_of("n.md", "n", "---\n: broken: [\n---\ntext").content.startswith("---")


def chunks(*contents: str) -> ChunkIndex:
    return index_chunks([Chunk(str(place), "", text, "", "", "") for place, text in enumerate(contents)], JEFFS)


def searched(index: ChunkIndex, *tokens: Token) -> list[str]:
    return [hit.candidate.id for hit in index.bm25(ParsedQuery("", tokens, True), 10)]


def test_a_word_of_several_terms_is_a_phrase() -> None:
    assert searched(chunks("user name", "name user"), Token(TokenKind.TERM, "user_name")) == ["0"]


def test_a_word_without_a_term_matches_nothing() -> None:
    index, dash = chunks("dash —"), Token(TokenKind.TERM, "—")
    assert searched(index, dash) == []
    assert searched(index, dash, Token(TokenKind.TERM, "dash", Operator.AND)) == []
    assert searched(index, dash, Token(TokenKind.TERM, "dash")) == ["0"]


def test_not_binds_closest_and_or_least() -> None:
    index = chunks("a b", "a", "c", "c d")
    words = [(None, "a"), (Operator.AND, "b"), (Operator.OR, "c"), (Operator.NOT, "d")]
    assert sorted(searched(index, *(Token(TokenKind.TERM, word, operator) for operator, word in words))) == ["0", "2"]


def test_from_one_snapshot_to_the_next(tree: Tree) -> None:
    tree.note("a/rotation.md", "Rotation", "tokens rotate")
    tree.note("a/cache.md", "Cache", "entries expire")
    first = tree.snapshot()
    index = index_snapshot(first, JEFFS)
    assert found(index, "rotating") == ["a/rotation.md"]
    tree.note("a/cache.md", "Cache", "entries rotate too")
    (tree.tree / "a/rotation.md").unlink()
    later = index_snapshot(tree.snapshot(previous=first), JEFFS, index)
    assert found(later, "rotating") == ["a/cache.md"]
    assert found(later, "expire") == []
    assert found(index, "rotating") == ["a/rotation.md"]


def test_phrases_and_names_follow_a_change_as_a_fresh_index_has_them(tree: Tree) -> None:
    tree.notes(50)
    tree.note("a/rotation.md", "Rotation", "tokens rotate often")
    tree.note("a/cache.md", "Cache", "rotate tokens")
    first = tree.snapshot()
    index = index_snapshot(first, JEFFS)
    tree.note("a/cache.md", "Cache", "tokens rotate")
    (tree.tree / "a/rotation.md").unlink()
    second = tree.snapshot(previous=first)
    later, fresh = index_snapshot(second, JEFFS, index), index_snapshot(second, JEFFS)
    for query in ('"tokens rotate"', '"rotate tokens"', "rotate AND NOT often", "filler", "rotashun", "cachee"):
        assert found(later, query) == found(fresh, query)
    assert found(later, '"tokens rotate"') == ["a/cache.md"]
    assert found(index, '"tokens rotate"') == ["a/rotation.md"]


def test_unchanged_notes_are_not_read_again(tree: Tree) -> None:
    tree.note("a/rotation.md", "Rotation", "tokens rotate")
    snapshot = tree.snapshot()
    index = index_snapshot(snapshot, JEFFS)
    again = index_snapshot(snapshot, JEFFS, index)
    assert again.rows[0] is index.rows[0]


def test_an_empty_tree(tree: Tree) -> None:
    made = retrieve(Request("anything at all?"), Sources(index_snapshot(tree.snapshot(), JEFFS)), JEFFS).trace
    assert (made.hits, made.section(Hybrid).rerank_skipped, made.section(Hybrid).errors) == (
        (),
        SkipReason.EMPTY_CANDIDATES,
        (),
    )


def test_a_note_that_cannot_be_read_any_more_keeps_its_name(tree: Tree) -> None:
    tree.note("a/rotation.md", "Rotation", "tokens")
    snapshot = tree.snapshot()
    (tree.tree / "a/rotation.md").unlink()
    index = index_snapshot(snapshot, JEFFS)
    assert found(index, "rotation") == ["a/rotation.md"]
    assert found(index, "tokens") == []


def test_only_times_differ_from_run_to_run(tree: Tree) -> None:
    tree.note("a/rotation.md", "Rotation", "tokens rotate")
    index = index_snapshot(tree.snapshot(), JEFFS)
    one, other = (to_plain(retrieve(Request("rotatio?"), Sources(index), JEFFS).trace) for _ in range(2))
    assert one.pop("timings").keys() == other.pop("timings").keys()
    assert one == other


def test_the_trace_of_names_says_what_ranked_them(tree: Tree) -> None:
    tree.note("a/photosynthesis.md", "Leaves", "light")
    index = index_snapshot(tree.snapshot(), JEFFS)
    made = retrieve(Request("fotosyntesis"), Sources(index), JEFFS).trace
    leg = made.leg("bm25")
    assert (leg.state, leg.unit, leg.why) == (State.HIT, "likeness of names", "trigram_fuzzy")
    found_by = attempts_of(made)[-1]
    assert (found_by.strategy, found_by.unit) == ("trigram_fuzzy", "likeness of names")
    assert [(result.path, result.score) for result in found_by.listed] == [("a/photosynthesis.md", leg.hits[0].value)]
    assert {rung.timed_by for rung in attempts_of(made)} <= made.timings.keys()
    assert [part.name for part in made.hits[0].parts] == ["bm25 leg"]
