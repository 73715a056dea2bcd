"""The pipeline over one project: the index after changes, calls to services, and user profiles."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brvtui.config import configure
from brvtui.config.profile_choice import profile_of_engine
from brvtui.config.schema import UnusableSetting
from brvtui.engines.contract import EngineError, Query
from brvtui.engines.jeffs_brain.engine import JeffsBrain
from brvtui.engines.jeffs_brain.pipeline import Request
from brvtui.engines.jeffs_brain.profile import load
from brvtui.engines.jeffs_brain.sections import Hybrid, RetrievalMode, SkipReason
from brvtui.engines.profile_files import profiles_of
from brvtui.paint.glyphs import UNICODE
from brvtui.ranking.fusion import Candidate, fuse, positive_k, ranked
from brvtui.report.query import trace_lines
from brvtui.saved.rebuilding import from_plain
from brvtui.services.legs import LegError, RerankDocument, Reranked
from brvtui.session import Session
from brvtui.snapshot.naming import find_note
from brvtui.store.folders import config_folder
from brvtui.trace import State, Trace, to_plain
from brvtui.typed_tables import ProfileError
from tests.support.hybrid import JEFFS, Brain, Kept
from tests.support.trees import Tree

WORDS = ("tea", "car", "sea")


class Embedder:
    """Returns a direction for each word, records its calls, and fails on request."""

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


def preview(made: Brain, tree: Tree, query: str = "tea", mode: RetrievalMode = RetrievalMode.HYBRID) -> Trace:
    return made.ask(tree.snapshot(), Request(query, mode, preview=True)).trace


def test_index_follows_the_snapshot_and_reads_only_changes(drinks: Tree) -> None:
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


def test_preview_calls_no_remote_service(drinks: Tree) -> None:
    embedder, reranker = Embedder(is_remote=True), Reranker()
    trace = preview(Brain(embedder, reranker), drinks)
    assert (trace.mode, trace.section(Hybrid).mode) == ("preview", RetrievalMode.HYBRID)
    assert (trace.leg("vector").state, trace.leg("vector").why) == (
        State.SKIPPED, "previews do not call services, but runs do",
    )  # fmt: skip
    assert trace.section(Hybrid).rerank_skipped is SkipReason.PREVIEW
    assert trace.section(Hybrid).errors == ()
    assert (embedder.asked, reranker.asked) == ([], 0)


def test_run_computes_the_vectors_once_and_calls_the_reranker(drinks: Tree) -> None:
    embedder, reranker = Embedder(is_remote=True), Reranker()
    made, snapshot = Brain(embedder, reranker), drinks.snapshot()
    trace = made.ask(snapshot, Request("sea or car", RetrievalMode.HYBRID)).trace
    assert trace.leg("vector").state is State.HIT
    assert (trace.section(Hybrid).reranked, reranker.asked) == (True, 1)
    assert "note vectors" in trace.timings
    made.ask(snapshot, Request("tea", RetrievalMode.HYBRID))
    assert embedder.asked == [["Car\n# Car\n\nred wheels", "Tea\n# Tea\n\ngreen leaves"], ["sea or car"], ["tea"]]


def test_options_file_cannot_make_the_reranker_read_more() -> None:
    engine, profile = JeffsBrain(), load("jeffs_brain")
    options = {"rerank_top_n": 10**9, "rerank": True, "top_k": 50}
    assert engine.options_of_file(profile, options) == {"rerank_top_n": 20, "rerank": True, "top_k": 50}
    frugal = replace(profile, options=replace(profile.options, rerank=False))
    assert engine.options_of_file(frugal, {"rerank": True}) == {"rerank": False}
    assert engine.options_of_file(frugal, {"rerank": "yes"}) == {"rerank": "yes"}, "the query refuses it"


def test_run_uses_vectors_of_its_own_snapshot(drinks: Tree) -> None:
    first = drinks.snapshot()
    drinks.note("a/sea.md", "Sea", "salt water")
    second = drinks.snapshot(previous=first)

    class Slow(Embedder):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            if not self.asked:
                self.asked.append([])
                made.ask(second, Request("salt", RetrievalMode.BM25, preview=True))
            return super().embed(texts)

    made = Brain(Slow(is_remote=True))
    trace = made.ask(first, Request("tea", RetrievalMode.HYBRID)).trace
    assert (trace.leg("vector").state, trace.section(Hybrid).errors) == (State.HIT, ())
    newest = made.engine._ready
    assert newest.snapshot is second


def test_explanation_uses_the_answers_services_and_options(drinks: Tree) -> None:
    for name in ("one", "two", "three"):
        drinks.note(f"b/{name}.md", name.title(), "a tea house")
    embedder = Embedder(is_remote=True)
    made, snapshot = Brain(embedder), drinks.snapshot()
    context, note = made.context(snapshot), find_note(snapshot, "a/car.md")
    run = made.ask(snapshot, Request("tea", RetrievalMode.SEMANTIC, top_k=1, candidate_k=2)).trace
    why = made.engine.why(context, run, note)
    assert why.reason.text == "beyond the candidates that a leg keeps"
    embedder.asked.clear()
    made.engine.why(context, preview(made, drinks), note)
    assert embedder.asked == []


def test_preview_calls_a_local_model(drinks: Tree) -> None:
    embedder = Embedder()
    made, snapshot = Brain(embedder), drinks.snapshot()
    waiting = made.ask(snapshot, Request("tea", RetrievalMode.SEMANTIC, preview=True)).trace
    assert waiting.leg("vector").why == "the notes' vectors are still being computed"
    assert waiting.hits == ()
    told: list[tuple[int, int]] = []
    made.prepare(snapshot, lambda done, all_: told.append((done, all_)))
    assert told == [(2, 2)]
    ready = made.ask(snapshot, Request("tea", RetrievalMode.SEMANTIC, preview=True)).trace
    assert [hit.path for hit in ready.hits] == ["a/tea.md", "a/car.md"]


def test_stored_vectors_are_reused_and_the_model_is_loaded(drinks: Tree) -> None:
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


def test_failed_vectors_are_reported_and_tried_again_by_the_next_run(drinks: Tree) -> None:
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


def test_word_search_computes_no_vectors(drinks: Tree) -> None:
    embedder = Embedder()
    Brain(embedder).ask(drinks.snapshot(), Request("tea", RetrievalMode.BM25))
    assert embedder.asked == []


def test_cancelled_preparation_is_reported(drinks: Tree) -> None:
    made, snapshot = Brain(Embedder()), drinks.snapshot()
    made.prepare(snapshot, cancelled=lambda: True)
    trace = made.ask(snapshot, Request("tea", preview=True)).trace
    assert trace.notices == ("2 notes have no vector: cancelled",)


def test_single_leg_is_fused(drinks: Tree) -> None:
    made, snapshot = Brain(), drinks.snapshot()
    trace = made.engine.answer(made.context(snapshot), Query("tea", options={"mode": "bm25"}))
    (fusion,) = (step for step in trace.steps if step.name == "fusion")
    assert (fusion.state, fusion.summary) == (State.PASSED, "bm25 is the only list, so its order stays")


def test_trace_contains_the_options_for_running_again(drinks: Tree, tmp_path: Path) -> None:
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
        ({"aliases": ["tea"]}, "aliases: must be an object that maps words to lists of words"),
        ({"limit": 3}, "jeffs_brain has no option limit"),
    ],
)
def test_option_from_a_damaged_log_is_reported(drinks: Tree, options: dict[str, Any], says: str) -> None:
    made = Brain()
    with pytest.raises(EngineError, match=re.escape(says)):
        made.engine.answer(made.context(drinks.snapshot()), Query("tea", options=options))


def test_report_lists_inactive_rules_once_and_the_ignored_scope(drinks: Tree) -> None:
    made = Brain()
    trace = made.engine.answer(made.context(drinks.snapshot()), Query("tea", "a"))
    text = "\n".join(row.plain for row in trace_lines(trace, {}, 100, UNICODE))
    assert text.count("no path contains memory/global/") == 1
    assert text.count("scope") == 1


def test_rules_that_no_note_can_meet_are_named(drinks: Tree) -> None:
    assert preview(Brain(), drinks).section(Hybrid).idle_rules == (
        "preference × 2.35 and × 2.1: no path contains memory/global/",
        "concrete fact × 2.2 by name: no path contains user-fact- or milestone-, but dates and events count",
    )
    drinks.note("memory/global/milestone-one.md", "One")
    assert preview(Brain(), drinks).section(Hybrid).idle_rules == (
        "preference × 2.35: no path below memory/global/ contains user-preference-",
    )
    drinks.note("memory/global/user-preference-tea.md", "Tea")
    assert preview(Brain(), drinks).section(Hybrid).idle_rules == ()


@pytest.mark.parametrize(
    ("query", "request_", "why"),
    [
        ("quagga", Request(""), "no note matches the words, and no rung of the retry ladder finds a note"),
        ("quagga", Request("", skip_retry_ladder=True), "no note matches the words"),
        ("?!", Request(""), "the query has no word to search for"),
        ("the", Request(""), "the query has no word to search for, and no rung of the retry ladder finds a note"),
        ("tea", Request("", RetrievalMode.SEMANTIC, preview=True), "previews do not call services, but runs do"),
    ],
)
def test_empty_answer_gives_the_reason(drinks: Tree, query: str, request_: Request, why: str) -> None:
    made = Brain(Embedder(is_remote=True)).ask(
        drinks.snapshot(), replace(request_, query=query, mode=request_.mode or RetrievalMode.BM25)
    )
    assert made.trace.verdict == f"nothing was found: {why}"


def test_verdict_counts_the_results_of_each_leg(drinks: Tree) -> None:
    made, snapshot = Brain(Embedder()), drinks.snapshot()
    verdicts = [
        made.ask(snapshot, Request("green leafs", mode)).trace.verdict
        for mode in (RetrievalMode.BM25, RetrievalMode.HYBRID)
    ]
    assert verdicts == ["1 note by words", "2 notes: 1 by words, 2 by vectors"]
    assert made.ask(snapshot, Request("tee*x", RetrievalMode.SEMANTIC)).trace.verdict == "2 notes by vectors"


def written(folder: Path, text: str, name: str = "mine.toml") -> str:
    """The path of a profile file with this text."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return str(folder / name)


def test_profile_file_extends_the_built_in_profile(tmp_path: Path) -> None:
    made = load(written(tmp_path, "[options]\ntop_k = 3\n"))
    assert (made.name, made.options.top_k, made.intent) == ("mine", 3, JEFFS.intent)
    assert load() == load("jeffs_brain") == JEFFS


def test_stored_profile_is_found_by_its_name() -> None:
    written(config_folder(), 'extends = "jeffs_brain"\n[intent]\nglobal_path = "team/"\n', "brain.toml")
    assert profiles_of("jeffs_brain") == ("jeffs_brain", "brain")
    assert load("brain").intent.global_path == "team/"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[fusion]\nkk = 1", "unknown key fusion.kk"),
        ("[intent]\nglobal_path = 3", "intent.global_path = 3 must be of type str"),
        ('extends = "docs"', "only jeffs_brain can be extended"),
        ("[fusion", "cannot be read as a profile"),
        ("[fusion]\nk = inf", "fusion.k must"),
    ],
)
def test_invalid_profile_file_is_refused_in_one_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ProfileError, match=says) as refused:
        load(written(tmp_path, text))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["nowhere", "soleri", "docs", "/no/such.toml", "."])
def test_unknown_profile_name_is_refused(name: str) -> None:
    with pytest.raises(ProfileError, match=r"no profile|is an engine"):
        load(name)


def test_profile_global_path_affects_intent(tree: Tree, tmp_path: Path) -> None:
    tree.note("team/tea.md", "Tea", "We prefer green tea leaves")
    tree.note("other/tea.md", "Tea", "We prefer green tea leaves")
    file = written(tmp_path, '[intent]\nglobal_path = "team/"\n')
    factors = {}
    for profile in ("", file):
        session = tree.session(profile or None, engine="jeffs_brain", now_ms=None)
        hits = session.preview("recommend tea").hits
        factors[profile] = {hit.path: [part.factor for part in hit.parts if part.name == "intent"] for hit in hits}
    assert factors[""] == {"team/tea.md": [], "other/tea.md": []}
    assert factors[file] == {"team/tea.md": [2.1], "other/tea.md": []}


@pytest.mark.parametrize("place", ["{above}/zq_outside/", "../zq_outside/", "~/zq_outside/", "team/../../zq_outside/"])
def test_profile_global_path_reads_no_folder(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """The path is only compared with note paths, so no file or folder of that name is opened or listed."""
    above = tree.root.parent
    written(above / "zq_outside", "# Tea\n\nWe prefer green tea leaves\n", "tea.md")
    tree.note("team/tea.md", "Tea", "We prefer green tea leaves")
    file = written(tmp_path, f'[intent]\nglobal_path = "{place.format(above=above)}"\n')
    seen: list[str] = []
    for name in ("open", "scandir", "listdir", "stat", "lstat"):
        original = getattr(os, name)

        def watched(*values: Any, original: Callable[..., Any] = original, **more: Any) -> Any:
            seen.extend(str(value) for value in values[:1])
            return original(*values, **more)

        monkeypatch.setattr(os, name, watched)
    session = tree.session(file, engine="jeffs_brain", now_ms=None)
    assert [hit.path for hit in session.preview("recommend tea").hits] == ["team/tea.md"]
    assert any("team" in path for path in seen)
    assert [path for path in seen if "zq_outside" in path] == []


def test_index_follows_the_profile(tree: Tree, tmp_path: Path) -> None:
    tree.note("a/one.md", "Tea", "green")
    tree.note("a/two.md", "Leaves", "tea tea tea")
    tree.notes(8)
    session = tree.session(None, engine="jeffs_brain", now_ms=None)
    engine = JeffsBrain()
    first = session.engines.context("jeffs_brain")
    other = type(first)(first.snapshot, load(written(tmp_path, "[columns]\ntitle = 0\n")), first.now_ms)
    orders = [[hit.path for hit in engine.answer(one, Query("tea")).hits] for one in (first, other, first)]
    assert orders == [["a/one.md", "a/two.md"], ["a/two.md", "a/one.md"], ["a/one.md", "a/two.md"]]


@pytest.mark.parametrize("profile", ["../outside.toml", "/etc/hosts", "mine.toml", ".brv/mine.toml"])
def test_project_settings_cannot_name_a_file(tree: Tree, profile: str) -> None:
    """A project can name built-in and stored user profiles. Its own profile file is only for ByteRover."""
    written(tree.root.parent, "[intent]\nglobal_path = 'x/'\n", "outside.toml")
    written(tree.root / ".brv", "[intent]\nglobal_path = 'x/'\n", "mine.toml")
    tree.settings(f'engine = "jeffs_brain"\nprofile = "{profile}"\n')
    configuration = configure(tree.root, {}, {})
    assert configuration.settings.profile == profile
    assert profile_of_engine(configuration, profiles_of("jeffs_brain")) == ""
    with pytest.raises(UnusableSetting):
        Session.open(tree.root)


@pytest.mark.parametrize(("k", "used"), [(0, 60), (-1, 60), (-60, 60), (-0.5, 60), (0.5, 0.5), (1, 1), (60, 60)])
def test_non_positive_k_becomes_60(tmp_path: Path, k: float, used: float) -> None:
    lists = [[Candidate("a", "a"), Candidate("b", "b")], [Candidate("b", "b")]]
    assert positive_k(k) == used
    assert [one.score for one in ranked(lists[0], k)] == [1 / (used + 1), 1 / (used + 2)]
    assert {one.candidate.id: one.score for one in fuse(lists, k)} == {
        "a": 1 / (used + 1),
        "b": 1 / (used + 2) + 1 / (used + 1),
    }
    assert load(written(tmp_path, f"[fusion]\nk = {k}\n")).fusion.k == k


def test_replacement_of_k_is_shown_in_the_parts(tree: Tree, tmp_path: Path) -> None:
    tree.note("a/tea.md", "Tea", "green leaves")
    tree.notes(3)
    session = Session.open(tree.root, written(tmp_path, "[fusion]\nk = -3\n"), engine="jeffs_brain")
    session.load()
    (hit,) = session.preview("tea").hits
    assert [(part.value, part.note) for part in hit.parts] == [(1 / 61, "1 / (60 + 1)")]
