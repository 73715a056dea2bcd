"""Every recorded answer of jeffs-brain/memory through the project's own public functions: a test for each family.

If the document of the pipeline and a recorded SDK differ, the document wins. Those cases are in the family
``disagreements``, each with the observed behaviour. Its cases without ``expected``, for which the document is silent
or ambiguous, have no recorded answer; ``OURS`` contains this project's behaviour for each, with the reason.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from brvtui.engines.jeffs_brain.index import ChunkIndex
from brvtui.engines.jeffs_brain.intent import Intent, detect, factors, multiplied, reordered
from brvtui.engines.jeffs_brain.reranking import rerank_text
from brvtui.engines.jeffs_brain.sections import Hybrid
from brvtui.ladder import query_tokens, sanitised, strongest_term
from brvtui.ranking.fusion import fuse, unanimity
from brvtui.text.query_language import ParsedQuery, compile_fts, expand
from brvtui.text.trigrams import TrigramIndex, grams, jaccard, slug_text
from brvtui.trace import SUM_TOLERANCE
from tests.support.hybrid import (
    DATA,
    JEFFS,
    StubIndex,
    StubReranker,
    ask,
    attempts_of,
    candidate,
    corpus_index,
    error_stage,
    family,
    ids_of,
    parsed,
    shown,
)

EXACT = 1e-12
FILES = sorted(file.stem for file in DATA.glob("*.json"))
FAMILIES = 22

OURS: dict[str, Any] = {
    # 2.35 and 2.1 do not combine: the document names 0.82 and 0.9 as the only factors that apply together.
    "global preference note that is a rollup": 2.1,
    # It is left out but keeps its place in the list: a result without an id cannot be merged or opened.
    "empty ids in fusion": [("b", 1 / 62)],
    # The search continues without the leg, and the errors name the leg.
    "vector leg raises": (["a"], "vector"),
    # Word boundaries are those of JavaScript (ASCII): ę is not a letter, so `list` is a separate word.
    "Polish word beginning with list": {"preferenceQuery": False, "concreteFactQuery": True},
    # JavaScript's case-insensitive flag does not treat a dotless i as an i.
    "dotless i": {"preferenceQuery": False, "concreteFactQuery": False},
    # The length is in characters, and two characters are too short.
    "token of two astral letters": "cat",
    # No results were requested, so there are none; 0 is a valid value.
    "topK 0": [],
}


def cases(name: str) -> list[Any]:
    return [pytest.param(case, id=case["name"]) for case in family(name)["cases"]]


def words_of(rules: Any) -> tuple[frozenset[str], int]:
    return rules.stopped, rules.word_length


def plain(query: ParsedQuery) -> dict[str, Any]:
    tokens = []
    for token in query.tokens:
        tokens.append({"kind": token.kind.value, "text": token.text})
        if token.operator:
            tokens[-1]["operator"] = token.operator.value
    return {"raw": query.raw, "tokens": tokens, "hasOperators": query.has_operators}


def intent_of(query: str) -> dict[str, bool]:
    found = detect(query)
    return {"preferenceQuery": found.preference, "concreteFactQuery": found.fact}


def weight(intent: Intent, note: dict[str, str]) -> float:
    texts = (note["path"], note.get("title", ""), note.get("summary", ""), note.get("content", ""))
    return multiplied(1.0, factors(intent, *texts, JEFFS.intent))


def subset(trace: dict[str, Any], expected: dict[str, Any]) -> bool:
    return {name: trace[name] for name in expected} == expected


def same_results(made: Any, expected: list[dict[str, Any]]) -> bool:
    got = [(placed.id, placed.rerank_score) for placed in made.trace.section(Hybrid).ranking[: len(made.trace.hits)]]
    close = all(
        math.isclose(hit.score, entry["score"], abs_tol=SUM_TOLERANCE)
        for hit, entry in zip(made.trace.hits, expected, strict=False)
    )
    return close and got == [(entry["id"], entry.get("rerankScore")) for entry in expected]


def composed(given: dict[str, str]) -> str:
    return rerank_text(given["title"], given["summary"], given["content"], JEFFS.rerank.snippet_chars)


def of_alias_expand(given: dict[str, Any]) -> dict[str, Any]:
    expanded = expand(parsed(given["query"]), given["aliases"])
    return {"ast": plain(expanded), "fts": compile_fts(expanded)}


def of_stop_words(given: dict[str, str]) -> bool:
    token, (stopped, length) = given["token"], words_of(JEFFS.query)
    return token in stopped or len(token) < length if given["list"] == "parser" else token in JEFFS.ladder.stopped


def of_unanimity(given: dict[str, Any]) -> dict[str, Any] | None:
    agree_min = given.get("agree_min", JEFFS.unanimity.agree_min)
    found = unanimity(given["bm25"], given["vector"], JEFFS.unanimity.window, agree_min)
    return found and {"ids": list(found.ids), "agreements": found.agreements}


EQUAL: dict[str, Callable[[Any], Any]] = {
    "alias_expand": of_alias_expand,
    "fts_compile": lambda given: compile_fts(parsed(given["query"])),
    "intent_detect": lambda given: intent_of(given["query"]),
    "jaccard": lambda given: pytest.approx(jaccard(set(given["a"]), set(given["b"]))[2], rel=0, abs=EXACT),
    "query_parse": lambda given: plain(parsed(given["query"])),
    "query_tokens": lambda given: query_tokens(given["query"], *words_of(JEFFS.ladder)),
    "rerank_text": composed,
    "sanitise_query": lambda given: sanitised(given["query"]),
    "slug_text": lambda given: slug_text(given["path"]),
    "stop_words": of_stop_words,
    "strongest_term": lambda given: strongest_term(given["query"], *words_of(JEFFS.ladder)) or None,
    "trigram_grams": lambda given: sorted(grams(given["text"])),
    "unanimity": of_unanimity,
}
"""Families whose recorded answer depends only on the input, and equals ours."""


def test_every_recorded_family_has_a_test() -> None:
    tested = {found[1] for name in globals() if (found := re.fullmatch(r"test_(\w+)_match(?:es)?_the_recording", name))}
    assert tested | {*EQUAL, "search_raw_fts", "search_raw_stub"} == set(FILES)
    assert len(FILES) == FAMILIES


@pytest.mark.parametrize(
    ("family_name", "case"),
    [pytest.param(name, case, id=f"{name}-{case['name']}") for name in EQUAL for case in family(name)["cases"]],
)
def test_functions_return_the_recorded_results(family_name: str, case: dict[str, Any]) -> None:
    assert EQUAL[family_name](case["input"]) == case["expected"]


@pytest.mark.parametrize("case", [*cases("search_raw_stub"), *cases("search_raw_fts")])
def test_raw_searches_return_the_recorded_results(case: dict[str, Any]) -> None:
    asked = case["input"]
    reranker = StubReranker(asked["reranker"]) if "reranker" in asked else None
    made = ask(asked, recorded_corpus(asked["corpus"]) if "corpus" in asked else StubIndex(asked["index"]), reranker)
    assert same_results(made, case["expected"]["results"])
    assert subset(shown(made.trace), case["expected"]["trace"])


def test_stop_words_match_the_recording() -> None:
    data = family("stop_words")["data"]
    assert sorted(JEFFS.ladder.stop_words) == sorted(data["retry"])
    assert sorted(JEFFS.query.english) == sorted(data["parser_en"])
    assert sorted(JEFFS.query.dutch) == sorted(data["parser_nl"])
    assert (JEFFS.query.word_length, JEFFS.ladder.word_length) == (data["parser_min_length"], data["retry_min_length"])


@pytest.mark.parametrize("case", cases("trigram_search"))
def test_trigram_search_matches_the_recording(case: dict[str, Any]) -> None:
    asked = case["input"]
    chunks = asked["chunks"]
    limit = asked.get("limit", JEFFS.options.candidate_k)
    entries = [(chunk["id"], chunk["path"]) for chunk in chunks]
    made = TrigramIndex(entries).search(asked["tokens"], limit, JEFFS.trigrams.least)
    assert [(chunks[hit.position]["id"], hit.path) for hit in made] == [
        (hit["id"], hit["path"]) for hit in case["expected"]
    ]
    for hit, expected in zip(made, case["expected"], strict=True):
        assert math.isclose(hit.similarity, expected["similarity"], abs_tol=EXACT)


@pytest.mark.parametrize("case", cases("reciprocal_rank_fusion"))
def test_reciprocal_rank_fusion_matches_the_recording(case: dict[str, Any]) -> None:
    lists = [[candidate(entry) for entry in one] for one in case["input"]["lists"]]
    k = case["input"].get("k", JEFFS.fusion.k)
    made = fuse(lists, k)
    expected = case["expected"]
    assert [fused.candidate for fused in made] == [candidate(entry) for entry in expected]
    for fused, entry in zip(made, expected, strict=True):
        assert math.isclose(fused.score, entry["score"], abs_tol=EXACT)


@pytest.mark.parametrize("case", cases("intent_multiplier"))
def test_intent_multiplier_matches_the_recording(case: dict[str, Any]) -> None:
    query = case["input"]["query"]
    assert intent_of(query) == case["expected"]["intent"]
    made = weight(detect(query), case["input"]["note"])
    assert math.isclose(made, case["expected"]["multiplier"], abs_tol=EXACT)


@pytest.mark.parametrize("case", cases("reweight"))
def test_reweight_matches_the_recording(case: dict[str, Any]) -> None:
    results = case["input"]["results"]
    intent = detect(case["input"]["query"])
    scores = [entry["score"] * weight(intent, entry) for entry in results]
    made = [(results[place]["id"], scores[place]) for place in (reordered(scores) if intent else range(len(scores)))]
    assert [name for name, _ in made] == [entry["id"] for entry in case["expected"]]
    for (_, score), entry in zip(made, case["expected"], strict=True):
        assert math.isclose(score, entry["score"], abs_tol=EXACT)


@pytest.mark.parametrize("case", cases("rerank_head_tail"))
def test_rerank_head_tail_matches_the_recording(case: dict[str, Any]) -> None:
    asked, expected = case["input"], case["expected"]
    reranker = StubReranker(asked["reranker"]) if "reranker" in asked else None
    made = ask(asked, StubIndex(asked["index"]), reranker)
    assert same_results(made, expected["results"])
    assert subset(shown(made.trace), expected["trace"])
    assert (reranker.seen if reranker else None) == expected["reranker_input"]


@pytest.mark.parametrize("case", cases("retry_ladder"))
def test_retry_ladder_matches_the_recording(case: dict[str, Any]) -> None:
    asked, expected = case["input"], case["expected"]
    index = StubIndex(asked["index"], asked.get("trigram_chunks"))
    made = ask(asked, index)
    assert shown(made.trace)["attempts"] == expected["attempts"]
    assert [hit.id for hit in made.trace.leg("bm25").hits] == expected["ids"]
    assert index.calls == expected["index_calls"]


@cache
def recorded_corpus(name: str) -> ChunkIndex:
    return corpus_index(family("search_raw_fts")["corpora"][name]["chunks"])


@pytest.mark.parametrize("case", cases("disagreements"))
def test_disagreements_match_the_recording(case: dict[str, Any]) -> None:
    settled = case["status"] == "seed-explicit"
    assert (case["expected"] is not None) is settled
    assert (case["name"] in OURS) is not settled
    expected = case["expected"] if settled else OURS[case["name"]]
    _DISAGREEMENTS[case["function"]](case["input"], expected)


def _multiplier(asked: dict[str, Any], expected: float) -> None:
    assert math.isclose(weight(detect(asked["query"]), asked["note"]), expected, abs_tol=EXACT)


def _fusion(asked: dict[str, Any], expected: list[tuple[str, float]]) -> None:
    made = fuse([[candidate(entry) for entry in one] for one in asked["lists"]], JEFFS.fusion.k)
    assert [(fused.candidate.id, fused.score) for fused in made] == expected


def _equal(ours: Callable[[Any], Any]) -> Callable[[dict[str, Any], Any], None]:
    def check(asked: dict[str, Any], expected: Any) -> None:
        assert ours(asked) == expected

    return check


def _search_raw(asked: dict[str, Any], expected: Any) -> None:
    reranker = StubReranker(asked["reranker"]) if "reranker" in asked else None
    made = ask(asked, StubIndex(asked["index"]), reranker)
    results = ids_of(made.trace)
    if isinstance(expected, dict):
        assert results == expected.get("results", results)
        assert subset(shown(made.trace), expected.get("trace", {}))
        if "bm25_error" in asked["index"]:
            assert attempts_of(made.trace) == ()
    elif isinstance(expected, tuple):
        assert (results, error_stage(made.trace)) == expected
    else:
        assert results == expected


_DISAGREEMENTS = {
    "multiplier": _multiplier,
    "compose": _equal(composed),
    "slug_text": _equal(EQUAL["slug_text"]),
    "grams": _equal(EQUAL["trigram_grams"]),
    "rrf": _fusion,
    "compile": _equal(lambda asked: of_alias_expand(asked)["fts"]),
    "intent": _equal(EQUAL["intent_detect"]),
    "strongest_term": _equal(EQUAL["strongest_term"]),
    "search_raw": _search_raw,
}
