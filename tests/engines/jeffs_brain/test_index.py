"""Notes as chunks, the index from one snapshot to the next, and invariants of fusion, parts and trigrams."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from brvtui.engines.jeffs_brain.index import Chunk, ChunkIndex, chunk_of, index_snapshot
from brvtui.engines.jeffs_brain.pipeline import Request, Retrieved, Sources, retrieve
from brvtui.engines.jeffs_brain.reranking import head_and_tail, reranked
from brvtui.engines.jeffs_brain.sections import Hybrid, RetrievalMode, SkipReason
from brvtui.ranking.fusion import Candidate, fuse
from brvtui.services.legs import RerankDocument, Reranked
from brvtui.text.query_language import Operator, ParsedQuery, Token, TokenKind, alternatives, compile_fts
from brvtui.text.trigrams import TrigramIndex, grams, jaccard, name_grams, slug_text
from brvtui.trace import SUM_TOLERANCE, State, to_plain
from tests.support.hybrid import JEFFS, StubIndex, attempts_of, ids_of, index_chunks, parsed
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


def test_note_becomes_a_chunk_with_title_summary_and_tags() -> None:
    made = chunk_of("auth/n.md", "Heading", NOTE)
    assert (made.id, made.title, made.summary, made.tags) == (
        "auth/n.md", "Rotation", "Tokens rotate.", "auth 7 token family",
    )  # fmt: skip
    assert made.content == "# Heading\n\nBody of the note."


def test_chunk_ignores_unusable_frontmatter() -> None:
    made = chunk_of("auth/n.md", "Heading", "---\ntitle: [1]\nsummary: 3\ntags: {a: 1}\n---\ntext")
    assert (made.title, made.summary, made.tags, made.content) == ("Heading", "", "", "text")
    assert chunk_of("n.md", "n", "---\n: broken: [\n---\ntext").content.startswith("---")


def chunks(*contents: str) -> ChunkIndex:
    return index_chunks([Chunk(str(place), "", text, "", "", "") for place, text in enumerate(contents)], JEFFS)


def searched(index: ChunkIndex, *tokens: Token) -> list[str]:
    return [hit.candidate.id for hit in index.bm25(ParsedQuery("", tokens, True), 10)]


def test_word_with_several_terms_is_a_phrase() -> None:
    assert searched(chunks("user name", "name user"), Token(TokenKind.TERM, "user_name")) == ["0"]


def test_word_without_a_term_matches_nothing() -> None:
    index, dash = chunks("dash —"), Token(TokenKind.TERM, "—")
    assert searched(index, dash) == []
    assert searched(index, dash, Token(TokenKind.TERM, "dash", Operator.AND)) == []
    assert searched(index, dash, Token(TokenKind.TERM, "dash")) == ["0"]


def test_operator_precedence_is_not_then_and_then_or() -> None:
    index = chunks("a b", "a", "c", "c d")
    words = [(None, "a"), (Operator.AND, "b"), (Operator.OR, "c"), (Operator.NOT, "d")]
    assert sorted(searched(index, *(Token(TokenKind.TERM, word, operator) for operator, word in words))) == ["0", "2"]


def test_index_follows_changed_and_removed_notes(tree: Tree) -> None:
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


def test_updated_index_equals_a_fresh_index(tree: Tree) -> None:
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


def test_empty_tree_has_no_results(tree: Tree) -> None:
    made = retrieve(Request("anything at all?"), Sources(index_snapshot(tree.snapshot(), JEFFS)), JEFFS).trace
    assert (made.hits, made.section(Hybrid).rerank_skipped, made.section(Hybrid).errors) == (
        (),
        SkipReason.EMPTY_CANDIDATES,
        (),
    )


def test_unreadable_note_is_still_found_by_name(tree: Tree) -> None:
    tree.note("a/rotation.md", "Rotation", "tokens")
    snapshot = tree.snapshot()
    (tree.tree / "a/rotation.md").unlink()
    index = index_snapshot(snapshot, JEFFS)
    assert found(index, "rotation") == ["a/rotation.md"]
    assert found(index, "tokens") == []


def test_only_timings_differ_between_runs(tree: Tree) -> None:
    tree.note("a/rotation.md", "Rotation", "tokens rotate")
    index = index_snapshot(tree.snapshot(), JEFFS)
    one, other = (to_plain(retrieve(Request("rotatio?"), Sources(index), JEFFS).trace) for _ in range(2))
    assert one.pop("timings").keys() == other.pop("timings").keys()
    assert one == other


def test_trace_explains_results_found_by_name(tree: Tree) -> None:
    tree.note("a/photosynthesis.md", "Leaves", "light")
    index = index_snapshot(tree.snapshot(), JEFFS)
    made = retrieve(Request("fotosyntesis"), Sources(index), JEFFS).trace
    leg = made.leg("bm25")
    assert (leg.state, leg.unit, leg.why) == (State.HIT, "similarity of names", "trigram_fuzzy")
    found_by = attempts_of(made)[-1]
    assert (found_by.strategy, found_by.unit) == ("trigram_fuzzy", "similarity of names")
    assert [(result.path, result.score) for result in found_by.listed] == [("a/photosynthesis.md", leg.hits[0].value)]
    assert {rung.timed_by for rung in attempts_of(made)} <= made.timings.keys()
    assert [part.name for part in made.hits[0].parts] == ["bm25 leg"]


_IDS = [f"n{number}" for number in range(12)]
_LEG = st.lists(st.sampled_from(_IDS), unique=True, max_size=12)
_NOTES = {
    "n0": ("memory/global/user-preference-tea.md", "Tea", "prefers green tea"),
    "n1": ("memory/global/notes.md", "Notes", "likes tea"),
    "n2": ("wiki/tea-guide.md", "A guide", "overview and tips"),
    "n3": ("log/user-fact-car.md", "Car", "[date: 2026-01-01] I bought a car"),
    "n4": ("log/recap.md", "Recap", "a summary"),
}
_QUERIES = st.sampled_from(["tea", "any tips for tea", "how many cars did i buy", "list tea ideas", ""])
_SCORES = st.dictionaries(st.sampled_from(_IDS), st.floats(-10, 10), max_size=12)


STEPS = ("words", "retry_ladder", "vectors", "fusion", "intent", "rerank")


class AnyReranker:
    """Scores some documents, names some twice, and invents some."""

    name = "any"

    def __init__(self, scores: dict[str, float], extra: Sequence[int]) -> None:
        self.scores = scores
        self.extra = extra

    def rerank(self, query: str, documents: Sequence[RerankDocument]) -> list[Reranked]:
        found = [(place, self.scores[entry.id]) for place, entry in enumerate(documents) if entry.id in self.scores]
        found += [(place, 0.5) for place in self.extra]
        return [Reranked(place, score) for place, score in sorted(found, key=lambda pair: -pair[1])]


class Unit:
    name = "unit"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0] for _ in texts]


def candidates(ids: Sequence[str]) -> list[Candidate]:
    return [Candidate(name, f"{_IDS.index(name) % 5}/{name}.md", title=name * (len(ids) % 2)) for name in ids]


def search(query: str, words: list[str], near: list[str], request: Request, reranker: AnyReranker | None) -> Retrieved:
    chunks = []
    for name in _IDS:
        path, title, content = _NOTES.get(name, (f"wiki/{name}.md", "", "words"))
        chunks.append({"id": name, "path": path, "title": title, "content": content})
    vectors = [{"id": name, "similarity": 1 / (place + 1)} for place, name in enumerate(near)]
    compiled = compile_fts(parsed(query))
    index = StubIndex({"chunks": chunks, "bm25": {compiled: words}, "vector_hits": vectors})
    return retrieve(replace(request, query=query), Sources(index, Unit(), reranker), JEFFS)


@given(_LEG, _LEG)
def test_fusion_of_two_lists_is_commutative(first: list[str], second: list[str]) -> None:
    one = fuse([candidates(first), candidates(second)], JEFFS.fusion.k)
    other = fuse([candidates(second), candidates(first)], JEFFS.fusion.k)
    assert [(entry.candidate.id, entry.score) for entry in one] == [
        (entry.candidate.id, entry.score) for entry in other
    ]


@given(st.lists(_LEG, max_size=5), st.randoms())
def test_fusion_of_any_lists_is_commutative(lists: list[list[str]], random: object) -> None:
    mixed = list(lists)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    one = {entry.candidate.id: entry.score for entry in fuse([candidates(each) for each in lists], JEFFS.fusion.k)}
    other = {entry.candidate.id: entry.score for entry in fuse([candidates(each) for each in mixed], JEFFS.fusion.k)}
    assert one.keys() == other.keys()
    assert all(math.isclose(one[name], other[name], abs_tol=SUM_TOLERANCE) for name in one)


@given(_QUERIES, _LEG, _LEG, st.sampled_from(RetrievalMode), _SCORES, st.lists(st.integers(-3, 30), max_size=4))
def test_parts_sum_to_every_score(
    query: str, words: list[str], near: list[str], mode: RetrievalMode, scores: dict[str, float], extra: list[int]
) -> None:
    made = search(query, words, near, Request("", mode), AnyReranker(scores, extra))
    for hit in (placed.hit for placed in made.trace.section(Hybrid).ranking):
        assert abs(sum(part.value for part in hit.parts) - hit.score) <= SUM_TOLERANCE
    assert [candidate.id for candidate in made.results] == ids_of(made.trace)
    assert made.trace.section(Hybrid).fused == len(made.trace.section(Hybrid).ranking)
    assert all(stage.came_in - stage.dropped == stage.went_out >= 0 for stage in made.trace.stages)
    assert all(stage.dropped >= 0 for stage in made.trace.stages)
    assert [stage.went_out for stage in made.trace.stages] == [made.trace.section(Hybrid).fused, len(made.trace.hits)]
    assert [step.name for step in made.trace.steps] == list(STEPS)
    assert made.trace.verdict


@given(_QUERIES, _LEG, _LEG, st.integers(0, 15), _SCORES, st.lists(st.integers(-3, 30), max_size=4))
def test_reranking_keeps_the_tail_and_every_note(
    query: str, words: list[str], near: list[str], most: int, scores: dict[str, float], extra: list[int]
) -> None:
    request = Request("", RetrievalMode.HYBRID, rerank_top_n=most, top_k=99)
    plain = search(query, words, near, replace(request, rerank=False), None).trace.section(Hybrid).ranking
    made = search(query, words, near, request, AnyReranker(scores, extra)).trace.section(Hybrid).ranking
    assert [placed.id for placed in made[most:]] == [placed.id for placed in plain[most:]]
    assert {placed.id: placed.hit.score for placed in made} == {placed.id: placed.hit.score for placed in plain}
    assert all(placed.rerank_score is None for placed in made[most:])


@given(st.integers(0, 40), st.integers(-3, 50), st.lists(st.integers(-5, 60)))
def test_reranking_permutes_the_head(count: int, most: int, answer: list[int]) -> None:
    head, tail = head_and_tail(count, most)
    made = reranked(count, most, answer)
    assert sorted(made) == list(range(count))
    assert made[len(head) :] == list(tail)


_PATHS = st.lists(
    st.tuples(
        st.sampled_from(["", "a", "b", "c", "d", "e"]),
        st.text("abcx-_/. é9日", min_size=0, max_size=12).map(lambda text: f"{text}.md"),
    ),
    max_size=10,
)


def test_names_share_their_trigrams() -> None:
    """Otherwise, the trigrams of 10,000 names need five times the memory."""
    one, other = ({gram: gram for gram in name_grams(f"auth/{name}.md")} for name in ("refresh_token", "token_store"))
    shared = one.keys() & other.keys()
    assert {"$to", "tok", "oke", "ken", "en$"} <= shared
    assert all(one[gram] is other[gram] for gram in shared)


@given(_PATHS, st.lists(st.text("abcxé9日", max_size=6), max_size=4), st.integers(-1, 6), st.floats(0, 1))
def test_trigram_search_equals_brute_force(
    entries: list[tuple[str, str]], tokens: list[str], limit: int, least: float
) -> None:
    seen: set[str] = set()
    found = []
    for position, (identity, path) in enumerate(entries):
        if not identity or identity in seen:
            continue
        seen.add(identity)
        own = grams(slug_text(path))
        best = max((jaccard(grams(token), own)[2] for token in tokens), default=0.0)
        if best >= least and best > 0:
            found.append((-best, path, position))
    expected = [(position, path, -best) for best, path, position in sorted(found)][: max(0, limit)]
    made = TrigramIndex(entries).search(tokens, limit, least)
    assert [(hit.position, hit.path, hit.similarity) for hit in made] == expected


@given(st.text() | st.text('ab "*ANDORT -\n\u200b\u0301é?', max_size=40))
def test_any_text_can_be_read(query: str) -> None:
    made = parsed(query)
    assert all(token.text for token in made.tokens)
    joined = [token for token in made.tokens[1:] if token.operator in (None, Operator.OR)]
    assert len(alternatives(made)) == len(joined) + bool(made.tokens)
    assert (compile_fts(made) == "") is (not made.tokens)
    if not made.has_operators:
        assert all(token.kind is not TokenKind.PHRASE and token.operator is None for token in made.tokens)


@given(st.text() | st.text('alph "*ANDORT -\n', max_size=30))
def test_any_text_can_be_searched(query: str) -> None:
    index = index_chunks([Chunk("a", "a/alpha.md", "Alpha", "", "", "and or not")], JEFFS)
    made = retrieve(Request(query), Sources(index), JEFFS)
    assert made.trace.section(Hybrid).errors == ()
    assert made.trace.leg("bm25").state in (State.HIT, State.MISSED)
