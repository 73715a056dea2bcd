"""The pipeline over one project: what follows a snapshot, what is asked of services, and when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brvtui.engines.contract import EngineError, Query
from brvtui.engines.jeffs_brain.pipeline import Request
from brvtui.engines.jeffs_brain.sections import Hybrid, RetrievalMode, SkipReason
from brvtui.paint.glyphs import UNICODE
from brvtui.report.query import trace_lines
from brvtui.saved.rebuilding import from_plain
from brvtui.services.legs import LegError, RerankDocument, Reranked
from brvtui.snapshot.naming import find_note
from brvtui.trace import State, Trace, to_plain
from tests.support.hybrid import Brain, Kept
from tests.support.trees import Tree

WORDS = ("tea", "car", "sea")


class Embedder:
    """A direction for each word; remembers what it was asked, and fails while told to."""

    name = "words"

    def __init__(self, is_remote: bool = False) -> None:
        self.is_remote = is_remote
        self.asked: list[list[str]] = []
        self.broken = ""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked.append(list(texts))
        if self.broken:
            raise LegError(self.broken)
        return [[float(word in text.lower()) + 0.01 for word in WORDS] for text in texts]


class Reranker:
    name = "judge"

    def __init__(self) -> None:
        self.asked = 0

    def rerank(self, query: str, documents: Sequence[RerankDocument]) -> list[Reranked]:
        self.asked += 1
        return [Reranked(place, 1.0) for place in reversed(range(len(documents)))]


@pytest.fixture
def drinks(tree: Tree) -> Tree:
    tree.note("a/tea.md", "Tea", "green leaves")
    tree.note("a/car.md", "Car", "red wheels")
    return tree


def probe(made: Brain, tree: Tree, query: str = "tea", mode: RetrievalMode = RetrievalMode.HYBRID) -> Trace:
    return made.ask(tree.snapshot(), Request(query, mode, probe=True)).trace


def test_the_index_follows_the_snapshot_and_reads_only_what_changed(drinks: Tree) -> None:
    made = Brain()
    first = drinks.snapshot()
    made.ask(first, Request("tea"))
    before = made.engine._index(made.context(first)).index
    assert made.engine._index(made.context(first)).index is before
    drinks.note("a/sea.md", "Sea", "salt water")
    second = drinks.snapshot(previous=first)
    (hit,) = made.ask(second, Request("salt")).trace.hits
    assert hit.path == "a/sea.md"
    kept = {row.chunk.id: row for row in before.rows}
    assert [kept.get(row.chunk.id) is row for row in made.engine._index(made.context(second)).index.rows] == [
        True,
        False,
        True,
    ]


def test_a_probe_asks_no_service(drinks: Tree) -> None:
    embedder, reranker = Embedder(is_remote=True), Reranker()
    trace = probe(Brain(embedder, reranker), drinks)
    assert (trace.mode, trace.section(Hybrid).mode) == ("probe", RetrievalMode.HYBRID)
    assert (trace.leg("vector").state, trace.leg("vector").why) == (
        State.SKIPPED, "a probe asks no service: a run does",
    )  # fmt: skip
    assert trace.section(Hybrid).rerank_skipped is SkipReason.PROBE
    assert trace.section(Hybrid).errors == ()
    assert (embedder.asked, reranker.asked) == ([], 0)


def test_a_run_makes_the_vectors_once_and_asks_the_reranker(drinks: Tree) -> None:
    embedder, reranker = Embedder(is_remote=True), Reranker()
    made, snapshot = Brain(embedder, reranker), drinks.snapshot()
    trace = made.ask(snapshot, Request("sea or car", RetrievalMode.HYBRID)).trace
    assert trace.leg("vector").state is State.HIT
    assert (trace.section(Hybrid).reranked, reranker.asked) == (True, 1)
    assert "note vectors" in trace.timings
    made.ask(snapshot, Request("tea", RetrievalMode.HYBRID))
    assert embedder.asked == [["Car\n# Car\n\nred wheels", "Tea\n# Tea\n\ngreen leaves"], ["sea or car"], ["tea"]]


def test_a_run_has_its_vectors_though_a_newer_snapshot_is_indexed_meanwhile(drinks: Tree) -> None:
    first = drinks.snapshot()
    drinks.note("a/sea.md", "Sea", "salt water")
    second = drinks.snapshot(previous=first)

    class Slow(Embedder):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            if not self.asked:
                self.asked.append([])
                made.ask(second, Request("salt", RetrievalMode.BM25, probe=True))
            return super().embed(texts)

    made = Brain(Slow(is_remote=True))
    trace = made.ask(first, Request("tea", RetrievalMode.HYBRID)).trace
    assert (trace.leg("vector").state, trace.section(Hybrid).errors) == (State.HIT, ())
    newest = made.engine._ready
    assert newest.snapshot is second


def test_why_asks_again_with_the_services_and_options_of_the_answer(drinks: Tree) -> None:
    for name in ("one", "two", "three"):
        drinks.note(f"b/{name}.md", name.title(), "a tea house")
    embedder = Embedder(is_remote=True)
    made, snapshot = Brain(embedder), drinks.snapshot()
    context, note = made.context(snapshot), find_note(snapshot, "a/car.md")
    run = made.ask(snapshot, Request("tea", RetrievalMode.SEMANTIC, top_k=1, candidate_k=2)).trace
    why = made.engine.why(context, run, note)
    assert why.reason.text == "past the candidates that a leg keeps"
    embedder.asked.clear()
    made.engine.why(context, probe(made, drinks), note)
    assert embedder.asked == []


def test_a_model_of_this_process_is_asked_by_probes_too(drinks: Tree) -> None:
    embedder = Embedder()
    made, snapshot = Brain(embedder), drinks.snapshot()
    waiting = made.ask(snapshot, Request("tea", RetrievalMode.SEMANTIC, probe=True)).trace
    assert waiting.leg("vector").why == "the notes' vectors are still being made"
    assert waiting.hits == ()
    told: list[tuple[int, int]] = []
    made.prepare(snapshot, lambda done, all_: told.append((done, all_)))
    assert told == [(2, 2)]
    ready = made.ask(snapshot, Request("tea", RetrievalMode.SEMANTIC, probe=True)).trace
    assert [hit.path for hit in ready.hits] == ["a/tea.md", "a/car.md"]


def test_kept_vectors_are_not_made_again_but_the_model_is_warmed(drinks: Tree) -> None:
    embedder, kept = Embedder(), Kept()
    Brain(embedder, None, kept).prepare(drinks.snapshot())
    embedder.asked.clear()
    again = Brain(embedder, None, kept)
    again.prepare(drinks.snapshot())
    assert embedder.asked == [["ready"]]
    far = Embedder(is_remote=True)
    remote = Brain(far, None, kept)
    remote.prepare(drinks.snapshot())
    assert far.asked == []


def test_what_cannot_be_made_is_said_and_tried_again_by_the_next_run(drinks: Tree) -> None:
    embedder = Embedder(is_remote=True)
    embedder.broken = "host: 429 Too Many Requests"
    made, snapshot = Brain(embedder), drinks.snapshot()
    trace = made.ask(snapshot, Request("tea", RetrievalMode.HYBRID)).trace
    assert trace.notices == ("2 notes have no vector: host: 429 Too Many Requests",)
    assert [hit.path for hit in trace.hits] == ["a/tea.md"]
    embedder.broken = ""
    trace = made.ask(snapshot, Request("tea", RetrievalMode.HYBRID)).trace
    assert trace.notices == ()
    assert len(trace.leg("vector").hits) == 2


def test_words_alone_make_no_vectors(drinks: Tree) -> None:
    embedder = Embedder()
    Brain(embedder).ask(drinks.snapshot(), Request("tea", RetrievalMode.BM25))
    assert embedder.asked == []


def test_a_cancelled_preparation_says_so(drinks: Tree) -> None:
    made, snapshot = Brain(Embedder()), drinks.snapshot()
    made.prepare(snapshot, cancelled=lambda: True)
    trace = made.ask(snapshot, Request("tea", probe=True)).trace
    assert trace.notices == ("2 notes have no vector: cancelled",)


def test_one_leg_alone_is_fused_too(drinks: Tree) -> None:
    made, snapshot = Brain(), drinks.snapshot()
    trace = made.engine.answer(made.context(snapshot), Query("tea", options={"mode": "bm25"}))
    (fusion,) = (step for step in trace.steps if step.name == "fusion")
    assert (fusion.state, fusion.summary) == (State.PASSED, "bm25 alone: its order stays")


def test_a_trace_holds_the_options_that_ask_the_same_again(drinks: Tree, tmp_path: Path) -> None:
    file = tmp_path / "aliases.json"
    file.write_text('{"Infusion": ["tea"]}')
    made, snapshot = Brain(), drinks.snapshot()
    options = {"aliases": file, "skip_retry_ladder": True, "mode": "bm25"}
    trace = made.engine.answer(made.context(snapshot), Query("infusion", options=options))
    file.unlink()
    assert [hit.path for hit in trace.hits] == ["a/tea.md"]
    assert to_plain(trace.options) == {**options, "aliases": {"infusion": ["tea"]}}
    again = made.engine.answer(
        made.context(snapshot), Query.repeating(from_plain(Trace, to_plain(trace) | {"sections": []}))
    )
    assert replace(again, timings={}) == replace(trace, timings={})
    why = made.engine.why(made.context(snapshot), trace, find_note(snapshot, "a/tea.md"))
    assert (why.found, why.rank) == (True, 1)
    lost = made.engine.why(made.context(snapshot), trace, find_note(snapshot, "car"))
    assert lost.numbers == "notes by leg: bm25 1"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"top_k": "3"}, "top_k '3': must be of type int"),
        ({"rerank": 1}, "rerank 1: must be of type bool"),
        ({"mode": "words"}, "mode words: use auto, bm25, semantic, hybrid"),
        ({"aliases": ["tea"]}, "aliases: must be an object of words and lists of words"),
        ({"limit": 3}, "jeffs_brain has no option limit"),
    ],
)
def test_an_option_of_a_damaged_log_is_said(drinks: Tree, options: dict[str, Any], says: str) -> None:
    made = Brain()
    with pytest.raises(EngineError, match=re.escape(says)):
        made.engine.answer(made.context(drinks.snapshot()), Query("tea", options=options))


def test_a_report_says_once_which_rules_cannot_fire_and_that_a_scope_does_not_count(drinks: Tree) -> None:
    made = Brain()
    trace = made.engine.answer(made.context(drinks.snapshot()), Query("tea", "a"))
    text = "\n".join(row.plain for row in trace_lines(trace, {}, 100, UNICODE))
    assert text.count("no path holds memory/global/") == 1
    assert text.count("scope") == 1


def test_rules_that_no_note_can_meet_are_named(drinks: Tree) -> None:
    assert probe(Brain(), drinks).section(Hybrid).idle_rules == (
        "preference × 2.35 and × 2.1: no path holds memory/global/",
        "concrete fact × 2.2 by name: no path holds user-fact- or milestone-; dates and events count",
    )
    drinks.note("memory/global/milestone-one.md", "One")
    assert probe(Brain(), drinks).section(Hybrid).idle_rules == (
        "preference × 2.35: no path below memory/global/ holds user-preference-",
    )
    drinks.note("memory/global/user-preference-tea.md", "Tea")
    assert probe(Brain(), drinks).section(Hybrid).idle_rules == ()


@pytest.mark.parametrize(
    ("query", "request_", "why"),
    [
        ("quagga", Request(""), "no note matches the words, and no step of the retry ladder finds a note"),
        ("quagga", Request("", skip_retry_ladder=True), "no note matches the words"),
        ("?!", Request(""), "the query has no word to search for"),
        ("the", Request(""), "the query has no word to search for, and no step of the retry ladder finds a note"),
        ("tea", Request("", RetrievalMode.SEMANTIC, probe=True), "a probe asks no service: a run does"),
    ],
)
def test_an_empty_answer_says_why(drinks: Tree, query: str, request_: Request, why: str) -> None:
    made = Brain(Embedder(is_remote=True)).ask(
        drinks.snapshot(), replace(request_, query=query, mode=request_.mode or RetrievalMode.BM25)
    )
    assert made.trace.verdict == f"nothing was found: {why}"


def test_the_verdict_counts_what_each_leg_gave(drinks: Tree) -> None:
    made, snapshot = Brain(Embedder()), drinks.snapshot()
    verdicts = [
        made.ask(snapshot, Request("green leafs", mode)).trace.verdict
        for mode in (RetrievalMode.BM25, RetrievalMode.HYBRID)
    ]
    assert verdicts == ["1 note by words", "2 notes: 1 by words, 2 by vectors"]
    assert made.ask(snapshot, Request("tee*x", RetrievalMode.SEMANTIC)).trace.verdict == "2 notes by vectors"
