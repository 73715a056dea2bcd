"""Jeffs Brain in the app: P switches the engine, every pane is updated, and only runs call services."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.project.opening import Opening
from brvtui.app.query import answering
from brvtui.app.query.answer import AnswerPane
from brvtui.app.query.answering import QueryRequest, RunStep
from brvtui.app.query.reasons import explanation
from brvtui.app.workers import Refusal
from brvtui.config import configure
from brvtui.engines.contract import EngineError
from brvtui.engines.jeffs_brain.sections import ENGINE, RetrievalMode, SkipReason
from brvtui.saved.traces import as_json
from brvtui.session import Session
from brvtui.trace import State, Trace
from tests.app.driving import HUGE, NARROW, SIZES, WIDE, MakeApp, ask, press, settled, type_text, until
from tests.app.engines import found, hybrid, switch, switch_to
from tests.app.looking import AppPilot, brv, flat, panes, screen, shown, text_of, toasts, trace_of, view, without_offers
from tests.providers.service import Answer, Service, serving
from tests.support.trees import NOW_MS, Tree

WORDS = ("token", "rotat", "roll")


def vectors(payload: Any) -> Answer:
    data = [
        {"index": place, "embedding": [float(word in text.lower()) + 0.01 for word in WORDS]}
        for place, text in enumerate(payload["input"])
    ]
    return Answer(body={"data": data})


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """An embedder at an address, configured in the environment."""
    with serving(vectors) as server:
        monkeypatch.setenv("BRV_TUI_EMBEDDER_URL", server.base)
        monkeypatch.setenv("BRV_TUI_EMBEDDER_MODEL", "mini")
        yield server


def without_maturity(shown: dict[str, list[str]]) -> dict[str, list[str]]:
    """The texts of the panes without maturity, which is known only if the project is open."""
    known = re.compile(r"[○◐●]|draft|validated|core")
    return {pane: [" ".join(known.sub(" ", line).split()) for line in lines] for pane, lines in shown.items()}


async def test_panes_follow_engine_switches_at_all_sizes(pilot: AppPilot) -> None:
    await ask(pilot, "refresh token rotation")
    for size in SIZES.values():
        await pilot.resize_terminal(*size)
        await press(pilot, "escape", "P")
        assert hybrid(pilot).mode is RetrievalMode.BM25
        assert re.search(r"JEFFS BRAIN +“.+” is first of \d+: #1 by words", shown(pilot))
        assert f"Results {len(found(pilot).hits)} of {hybrid(pilot).fused} · top 10" in shown(pilot)
        for key, pane, text in (
            ("f3", "#score", "sum ✓"),
            ("f4", "#route", "in − dropped = out"),
            ("f5", "#retry", "initial"),
            ("f6", "#cache", "does not cache answers"),
            ("f7", "#answer", "only retrieves"),
        ):
            await press(pilot, key)
            assert text in flat(pilot, pane), pane
        assert "engine jeffs_brain" in text_of(pilot, "#status")
        await switch_to(pilot, "byterover")
        assert trace_of(pilot).engine == "byterover"
        assert "TIER 3" in shown(pilot)


async def test_panes_explain_scores_retries_and_empty_results(pilot: AppPilot) -> None:
    await switch(pilot, "any tips for an overview of invoices")
    assert hybrid(pilot).intent == "preference"
    for part in ("1 / (60 + 1)", "sum ✓", "fused #1 → weighed #1", "there is no reranker"):
        assert part in text_of(pilot, "#score")
    await ask(pilot, "token")
    for place in range(1, 4):
        await press(pilot, "j")
        assert f"bm25 leg      1 / (60 + {place + 1})" in text_of(pilot, "#score")
    await press(pilot, "enter")
    assert screen(pilot).query_one(AnswerPane).tab == "note"
    assert "#4" in text_of(pilot, "#tree")
    await ask(pilot, "tokenstore")
    assert "the retry ladder found" in shown(pilot)
    await press(pilot, "f5", "j")
    assert view(pilot).selection.file == "auth/jwt/token_store.md"
    assert "Token store" in text_of(pilot, "#retry")
    await ask(pilot, "zzzzzzz qqqqqqq")
    assert found(pilot).hits == ()
    assert "nothing was found" in text_of(pilot, "#results")
    assert "no result to explain" in text_of(pilot, "#score")
    assert "» hit" not in text_of(pilot, "#route")
    await ask(pilot, "token")
    brv(pilot).queries.scope_to("billing")
    await settled(pilot)
    assert "this engine does not support scopes" in flat(pilot, "#route")
    assert found(pilot).hits


async def test_panes_and_w_explain_why_notes_are_in_or_out_of_the_answer(pilot: AppPilot) -> None:
    await switch(pilot, "rollback")
    assert "memory/global/" in text_of(pilot, "#route")
    await pilot.press("f7", "l")
    text = flat(pilot, "#answer")
    assert "to be sent to a reranker: there is no reranker" in text
    assert "1 · deploy/rollback.md" in text
    await press(pilot, "l")
    assert "pointing the alias at the last image" in flat(pilot, "#answer")
    await pilot.press("f2")
    hit = found(pilot).hits[0]
    await pilot.press("w")
    await until(pilot, lambda: "Why it is first" in shown(pilot))
    assert hit.path in shown(pilot)
    assert f"Rank 1, score {hit.score:.4f}" in shown(pilot)
    assert f"listed at 1 of {hybrid(pilot).fused}" in shown(pilot)
    await until(pilot, lambda: "nothing that was tried helps: fewer words in the query, a new note" in flat(pilot))
    await pilot.press("l")
    await until(pilot, lambda: "it is already first. If another note should be first" in shown(pilot))
    assert "Enter make it" not in shown(pilot)
    await pilot.press("escape")
    missed = "billing/refunds.md"
    assert missed not in {hit.path for hit in found(pilot).hits}
    brv(pilot).selection.select(missed)
    await settled(pilot)
    assert "in neither of this search's legs: w says why" in flat(pilot, "#score")
    await pilot.press("w")
    await until(pilot, lambda: "Why it is not in the answer" in shown(pilot))
    assert "Neither words nor vectors find it" in shown(pilot)
    await until(pilot, lambda: "rank 1" in shown(pilot))


async def test_mode_key_needs_modes_and_typing_uses_the_chosen_engine(pilot: AppPilot) -> None:
    await ask(pilot, "rollback")
    await press(pilot, "escape", "m")
    assert "ByteRover has only one mode: P switches the engine" in toasts(pilot)
    screen(pilot).field.value = ""
    await pilot.press("escape", "P", "i")
    await type_text(pilot, "rollback")
    assert found(pilot).query == "rollback"
    assert not found(pilot).ran
    assert "searched rollback" in text_of(pilot, "#lint")
    screen(pilot).field.value = ""
    await settled(pilot)
    assert view(pilot).answer.trace is None
    assert "which notes rank high in two lists" in shown(pilot)


def test_explanation_refuses_a_misconfigured_embedder(garden: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    session = garden.session()
    trace = session.preview("rollback", engine=ENGINE)
    monkeypatch.setenv("BRV_TUI_EMBEDDER_URL", "http://127.0.0.1:9/v1")
    session.configuration = configure(session.project.root)
    with pytest.raises(Refusal, match="the embedder has a url but no model"):
        explanation(session, trace, "billing/refunds.md")


@pytest.mark.parametrize("size", [HUGE], ids=["200x60"])
async def test_new_notes_appear_and_lower_ranks_become_near_misses(garden: Tree, pilot: AppPilot) -> None:
    await switch(pilot, "kumquat")
    assert not found(pilot).hits
    for number in range(12):
        garden.note(f"fruit/note_{number}.md", f"Fruit {number}", "kumquat " * (number + 1))
    await until(pilot, lambda: [miss.rank for miss in found(pilot).near_misses] == [11, 12])
    await settled(pilot)
    first, last = found(pilot).near_misses
    for part in ("Fruit", "behind the first 10", f"{first.score:.4f}".removeprefix("0"), "rank 11"):
        assert part in text_of(pilot, "#results")
    brv(pilot).selection.select(last.file)
    await until(pilot, lambda: "not in the results" in text_of(pilot, "#score"))
    await settled(pilot)
    for part in ("short by 2 ranks, at rank 12", "1 / (60 + 12)", "sum ✓"):
        assert part in text_of(pilot, "#score")
    brv(pilot).selection.select(found(pilot).hits[1].file)
    await settled(pilot)
    await pilot.press("w")
    await until(pilot, lambda: "words in its title" in flat(pilot))
    assert "Why it is number 2" in shown(pilot)


async def test_run_is_logged_and_compared_unless_the_engine_is_missing(garden: Tree, pilot: AppPilot) -> None:
    session = garden.session()
    session.logbook.add(replace(session.preview("invoices"), engine="another"), NOW_MS, 1.0)
    await switch(pilot, "rollback")
    score = f"{found(pilot).hits[0].score:.4f}"
    await pilot.press("ctrl+r")
    await until(pilot, lambda: view(pilot).ran)
    await settled(pilot)
    assert "Query · run" in shown(pilot)
    assert view(pilot).query.history == ("rollback",)
    await pilot.press("4")
    await until(pilot, lambda: (log := view(pilot).log) and log.compared)
    await settled(pilot)
    (row,) = [line.split() for line in text_of(pilot, "#log").splitlines() if "rollback" in line]
    assert row[2:4] == ["here", "–"]
    assert row[5:8] == [score.removeprefix("0"), "rollback", "jeffs_brain"]
    assert "invoices  another" in text_of(pilot, "#log")
    entry = text_of(pilot, "#entry")
    assert "the answer would be the same" in entry
    assert "engine    jeffs_brain" in entry
    assert entry.count(f"number 1  {score}") == 2
    assert entry.count("deploy/rollback.md") == 2
    await pilot.press("j")
    await until(pilot, lambda: "no engine another" in text_of(pilot, "#entry"))


async def test_saved_answer_shows_the_same_panes(app: BrvTui, tmp_path: Path) -> None:
    before: dict[Path, dict[str, list[str]]] = {}
    async with app.run_test(size=HUGE) as pilot:
        await switch(pilot, "rollback")
        for number, query in enumerate(("any tips for an overview of invoices", "tokenstore", "zzzzzzz")):
            await ask(pilot, query)
            file = tmp_path / f"{number}.json"
            before[file] = without_offers(without_maturity(panes(pilot)))
            session = brv(pilot).project.session
            assert session is not None
            file.write_bytes(as_json(session.explainer.saved(found(pilot))))
    for file, then in before.items():
        async with BrvTui(Opening(file)).run_test(size=HUGE) as pilot:
            await until(pilot, lambda: view(pilot).answer.trace is not None)
            await pilot.pause()
            assert brv(pilot).project.session is None
            assert view(pilot).engine.name == ENGINE
            assert without_maturity(panes(pilot)) == then


async def test_only_runs_call_services_and_legs_can_be_chosen(service: Service, pilot: AppPilot) -> None:
    await switch(pilot, "token")
    prepared = len(service.asked)
    assert prepared, "the notes' vectors were made when the engine was chosen"
    assert found(pilot).leg("vector").why == "previews do not call services, but runs do"
    await pilot.press("i", "end")
    await type_text(pilot, " rotation")
    assert len(service.asked) == prepared
    await pilot.press("enter")
    await until(pilot, lambda: view(pilot).ran)
    await settled(pilot)
    assert service.asked[-1][1]["input"] == ["token rotation"]
    assert found(pilot).leg("vector").state is State.HIT
    assert hybrid(pilot).mode is RetrievalMode.HYBRID
    assert "by vectors" in shown(pilot)
    assert "vector leg" in text_of(pilot, "#score")
    assert view(pilot).answer.busy == ""
    await pilot.press("escape")
    modes = []
    for _ in range(4):
        await press(pilot, "m")
        modes.append((view(pilot).engine.mode, hybrid(pilot).mode))
    assert modes == [
        ("bm25", RetrievalMode.BM25),
        ("semantic", RetrievalMode.SEMANTIC),
        ("hybrid", RetrievalMode.HYBRID),
        ("auto", RetrievalMode.HYBRID),
    ]


async def test_slow_service_does_not_delay_typing(app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    hold = threading.Event()

    def slow(payload: Any) -> Answer:
        if payload["input"] == ["token"]:
            hold.wait(30)
        return vectors(payload)

    with serving(slow) as service:
        monkeypatch.setenv("BRV_TUI_EMBEDDER_URL", service.base)
        monkeypatch.setenv("BRV_TUI_EMBEDDER_MODEL", "mini")
        async with app.run_test(size=WIDE) as pilot:
            await switch(pilot, "token")
            await pilot.press("ctrl+r")
            await until(pilot, lambda: view(pilot).answer.busy == "calling services")
            screen(pilot).field.value = "rollback"
            await until(pilot, lambda: found(pilot).query == "rollback")
            assert not found(pilot).ran
            assert view(pilot).answer.busy == ""
            hold.set()
            await settled(pilot)
            assert found(pilot).query == "rollback"
            assert not found(pilot).ran


async def test_failing_embedder_drops_the_vector_leg(app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Answer(429, {"error": "slow down"}, {"Retry-After": "0"})) as service:
        monkeypatch.setenv("BRV_TUI_EMBEDDER_URL", service.base)
        monkeypatch.setenv("BRV_TUI_EMBEDDER_MODEL", "mini")
        async with app.run_test(size=WIDE) as pilot:
            await switch(pilot, "token")
            await pilot.press("ctrl+r")
            await until(pilot, lambda: view(pilot).ran)
            await settled(pilot)
            assert found(pilot).leg("vector").state is State.FAILED
            assert "vector failed" in shown(pilot)
            assert found(pilot).hits
            await pilot.press("f4")  # opens the route, which gets more room because it has a warning
            await settled(pilot)
            assert "429 Too Many Requests" in shown(pilot)


async def test_misconfigured_service_is_reported_and_byterover_answers(
    app: BrvTui, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRV_TUI_EMBEDDER_URL", "http://127.0.0.1:9/v1")
    async with app.run_test(size=WIDE) as pilot:
        await switch(pilot, "token")
        assert any(toast.startswith("the embedder has a url but no model") for toast in toasts(pilot))
        assert view(pilot).engine.name == "byterover"
        assert view(pilot).answer.trace is not None


async def test_typing_never_calls_the_reranker(app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Answer(500, {}, {"Retry-After": "0"})) as service:
        monkeypatch.setenv("BRV_TUI_RERANKER_URL", service.base)
        monkeypatch.setenv("BRV_TUI_RERANKER_MODEL", "judge")
        async with app.run_test(size=NARROW) as pilot:
            await switch(pilot, "token")
            assert hybrid(pilot).rerank_skipped is SkipReason.PREVIEW
            assert service.asked == []


async def test_vectors_are_computed_when_the_settings_choose_the_engine(
    garden: Tree, make_app: Any, monkeypatch: pytest.MonkeyPatch, service: Service
) -> None:
    monkeypatch.setenv("BRV_TUI_ENGINE", "jeffs_brain")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await until(pilot, lambda: service.asked)
        await until(pilot, lambda: not view(pilot).answer.busy)


async def test_project_settings_alone_never_send_notes(garden: Tree, make_app: Any, service: Service) -> None:
    (garden.root / ".brv" / "brv-tui.toml").write_text('engine = "jeffs_brain"')
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "token")
        await settled(pilot)
        assert view(pilot).engine.name == "jeffs_brain"
        assert not service.asked
        garden.note("auth/fruit.md", "Fruit", "kumquat")
        await until(pilot, lambda: view(pilot).knows("auth/fruit.md"))
        await settled(pilot)
        await press(pilot, "enter")
        await until(pilot, lambda: view(pilot).ran)
        await settled(pilot)
        assert not service.asked
        await press(pilot, "escape", *["P"] * 5)  # goes through all engines, back to the first one
        await until(pilot, lambda: view(pilot).engine.name == "jeffs_brain" and service.asked)


async def test_late_refusal_does_not_change_the_newly_chosen_engine(
    app: BrvTui, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold = threading.Event()

    def late(*_: object) -> Trace:
        assert hold.wait(20)
        raise EngineError("it cannot be asked")

    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "token", "escape")
        await switch_to(pilot, "soleri")
        monkeypatch.setattr(Session, "run", late)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: view(pilot).answer.serving)
        brv(pilot).queries.use("jeffs_brain")
        await until(pilot, lambda: view(pilot).answer.trace and found(pilot))
        hold.set()
        await settled(pilot)
        assert found(pilot).query == "token"
        assert "it cannot be asked" not in toasts(pilot)


async def test_failing_run_of_an_old_engine_blocks_no_query(
    garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    breaks, real = threading.Event(), answering.steps

    def fragile(session: Any, overviews: Any, asked: QueryRequest, *rest: Any) -> Iterator[RunStep]:
        if asked.run:
            breaks.wait(30)
            raise RuntimeError("broken")
        yield from real(session, overviews, asked, *rest)

    monkeypatch.setattr(answering, "steps", fragile)
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        brv(pilot).queries.use("soleri")
        brv(pilot).queries.ask("token", run=True)
        brv(pilot).queries.use("jeffs_brain")
        breaks.set()
        await ask(pilot, "token store")
        assert view(pilot).answer.trace.engine == "jeffs_brain"  # type: ignore[union-attr]
