"""The pipeline jeffs_brain in the app: P switches, every pane follows, services are asked by runs alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from textual.pilot import Pilot

from brvtui.app.app import BrvTui
from brvtui.app.widgets.answer import AnswerPane
from brvtui.trace import State
from tests.app.driving import NARROW, SIZES, WIDE, ask, brv, screen, settled, shown, text_of, type_text, until, view
from tests.providers.service import Answer, Service, serving
from tests.support.trees import Tree

WORDS = ("token", "rotat", "roll")


def vectors(payload: Any) -> Answer:
    data = [
        {"index": place, "embedding": [float(word in text.lower()) + 0.01 for word in WORDS]}
        for place, text in enumerate(payload["input"])
    ]
    return Answer(body={"data": data})


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """An embedder behind an address, set by the environment."""
    with serving(vectors) as made:
        monkeypatch.setenv("BRV_TUI_EMBEDDER_URL", made.base)
        monkeypatch.setenv("BRV_TUI_EMBEDDER_MODEL", "mini")
        yield made


def found(pilot: Pilot[Any]) -> HybridTrace:
    trace = view(pilot).answer.foreign
    assert trace is not None
    return trace


def toasts(pilot: Pilot[Any]) -> list[str]:
    """What was said beside the panes."""
    return [str(toast.message) for toast in pilot.app._notifications]


async def switch(pilot: Pilot[Any], query: str) -> None:
    """Asks ``query``, then switches the pipeline; the results have the focus."""
    await ask(pilot, query)
    await pilot.press("escape", "P")
    await settled(pilot)


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
async def test_every_pane_follows_and_back(app: BrvTui, size: tuple[int, int]) -> None:
    async with app.run_test(size=size) as pilot:
        await switch(pilot, "refresh token rotation")
        assert view(pilot).answer.trace is None
        assert found(pilot).mode is Mode.BM25
        assert "JEFFS BRAIN  bm25" in shown(pilot)
        assert f"Results {len(found(pilot).hits)} of {found(pilot).fused} · top 10" in shown(pilot)
        for key, pane, text in (
            ("f3", "#score", "sum ✓"),
            ("f4", "#route", "in − dropped = out"),
            ("f5", "#retry", "initial"),
            ("f6", "#cache", "keeps no answers"),
            ("f7", "#answer", "retrieves and stops"),
        ):
            await pilot.press(key)
            await settled(pilot)
            assert text in text_of(pilot, pane).replace("\n ", " "), pane
        assert "pipeline jeffs_brain" in text_of(pilot, "#status")
        await pilot.press("P")
        await settled(pilot)
        assert view(pilot).answer.foreign is None
        assert view(pilot).answer.trace is not None
        assert "TIER 3" in shown(pilot)


async def test_typing_goes_on_in_the_chosen_pipeline(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("escape", "P", "i")
        await type_text(pilot, "rollback")
        assert found(pilot).query == "rollback"
        assert found(pilot).probe
        assert "searched rollback" in text_of(pilot, "#lint")
        screen(pilot).field.value = ""
        await settled(pilot)
        assert view(pilot).answer.foreign is None
        assert "which notes two ranked lists agree on" in shown(pilot)


async def test_the_arithmetic_adds_up_part_by_part(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await switch(pilot, "any tips for an overview of invoices")
        assert found(pilot).intent == "preference"
        score = text_of(pilot, "#score")
        assert "1 / (60 + 1)" in score
        assert "sum ✓" in score
        assert "fused #1 → weighed #1" in score
        assert "there is no reranker" in score


async def test_the_rules_that_cannot_fire_are_named(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await switch(pilot, "rollback")
        assert "memory/global/" in text_of(pilot, "#answer")
        await pilot.press("f7", "l")
        text = text_of(pilot, "#answer").replace("\n ", " ")
        assert "what a reranker would be sent: there is no reranker" in text
        assert "1 · deploy/rollback.md" in text
        await pilot.press("l")
        await settled(pilot)
        assert "pointing the alias at the last image" in text_of(pilot, "#answer").replace("\n ", " ")


async def test_a_rung_of_the_pipeline_can_be_chosen(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await switch(pilot, "tokenstore")
        assert "at trigram_fuzzy" in shown(pilot)
        await pilot.press("f5", "j")
        await settled(pilot)
        assert view(pilot).selection.file == "auth/jwt/token_store.md"
        assert "Token store" in text_of(pilot, "#retry")


async def test_moving_through_the_list_explains_each(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await switch(pilot, "token")
        for place in range(1, 4):
            await pilot.press("j")
            await settled(pilot)
            assert f"bm25 leg     1 / (60 + {place + 1})" in text_of(pilot, "#score")
        await pilot.press("enter")
        await settled(pilot)
        assert screen(pilot).query_one(AnswerPane).tab == "note"
        assert f"#{4}" in text_of(pilot, "#tree")


async def test_nothing_found_says_so(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await switch(pilot, "zzzzzzz qqqqqqq")
        assert found(pilot).hits == ()
        assert "nothing was found" in text_of(pilot, "#results")
        assert "no result to explain" in text_of(pilot, "#score")
        assert "» hit" not in text_of(pilot, "#route")


async def test_a_run_joins_the_history_and_says_so(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await switch(pilot, "rollback")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: view(pilot).ran)
        await settled(pilot)
        assert "Query: run" in shown(pilot)
        assert view(pilot).query.history == ("rollback",)


async def test_why_and_legs_are_told_where_they_do_not_fit(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback")
        await pilot.press("escape", "m")
        await settled(pilot)
        assert "byterover has no legs to choose from: P switches the pipeline" in toasts(pilot)
        await pilot.press("P")
        await settled(pilot)
        await pilot.press("w")
        await settled(pilot)
        assert "why (not) explains answers of byterover: P switches back to it" in toasts(pilot)


async def test_a_scope_does_not_count(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "token")
        brv(pilot).queries.scope_to("billing")
        await settled(pilot)
        await pilot.press("escape", "P")
        await settled(pilot)
        assert "the whole tree is searched" in text_of(pilot, "#lint")
        assert found(pilot).hits


async def test_a_change_on_disk_is_followed(app: BrvTui, garden: Tree) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await switch(pilot, "kumquat")
        assert not found(pilot).hits
        garden.note("auth/fruit.md", "Fruit", "kumquat")
        await until(pilot, lambda: view(pilot).answer.foreign and view(pilot).answer.foreign.hits)  # type: ignore[union-attr]
        await settled(pilot)
        assert "Fruit" in text_of(pilot, "#results")


async def test_typing_asks_no_service_and_a_run_does(app: BrvTui, service: Service) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await switch(pilot, "token")
        prepared = len(service.asked)
        assert prepared, "the notes' vectors were made when the pipeline was chosen"
        assert found(pilot).leg("vector").why == "a probe asks no service: a run does"
        await pilot.press("i", "end")
        await type_text(pilot, " rotation")
        assert len(service.asked) == prepared
        await pilot.press("enter")
        await until(pilot, lambda: view(pilot).ran)
        await settled(pilot)
        assert service.asked[-1][1]["input"] == ["token rotation"]
        assert found(pilot).leg("vector").state is State.HIT
        assert found(pilot).mode is Mode.HYBRID
        assert "by vectors" in shown(pilot)
        assert "vector leg" in text_of(pilot, "#score")
        assert view(pilot).answer.busy == ""


async def test_legs_can_be_chosen(app: BrvTui, service: Service) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await switch(pilot, "token")
        modes = []
        for _ in range(4):
            await pilot.press("m")
            await settled(pilot)
            modes.append((view(pilot).engine.mode, found(pilot).mode))
        assert modes == [
            ("bm25", Mode.BM25), ("semantic", Mode.SEMANTIC), ("hybrid", Mode.HYBRID), ("auto", Mode.HYBRID),
        ]  # fmt: skip


async def test_a_service_that_is_slow_holds_up_no_typing(app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    hold = threading.Event()

    def slow(payload: Any) -> Answer:
        if payload["input"] == ["token"]:
            hold.wait(5)
        return vectors(payload)

    with serving(slow) as service:
        monkeypatch.setenv("BRV_TUI_EMBEDDER_URL", service.base)
        monkeypatch.setenv("BRV_TUI_EMBEDDER_MODEL", "mini")
        async with app.run_test(size=WIDE) as pilot:
            await switch(pilot, "token")
            await pilot.press("ctrl+r")
            await until(pilot, lambda: view(pilot).answer.busy == "asking the services")
            screen(pilot).field.value = "rollback"
            await until(pilot, lambda: found(pilot).query == "rollback")
            assert found(pilot).probe
            assert view(pilot).answer.busy == ""
            hold.set()
            await settled(pilot)
            assert found(pilot).query == "rollback"
            assert found(pilot).probe


async def test_a_service_that_fails_drops_the_leg(app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with serving(Answer(429, {"error": "slow down"})) as service:
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
            await pilot.press("f4", "z")
            await settled(pilot)
            assert "429 Too Many Requests" in shown(pilot)


async def test_a_service_that_is_set_wrongly_sends_back(app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRV_TUI_EMBEDDER_URL", "http://127.0.0.1:9/v1")
    async with app.run_test(size=WIDE) as pilot:
        await switch(pilot, "token")
        assert any(toast.startswith("the embedder has a url but no model") for toast in toasts(pilot))
        assert view(pilot).engine.pipeline == "byterover"
        assert view(pilot).answer.trace is not None


async def test_no_reranker_is_asked_while_typing(app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Answer(500)) as service:
        monkeypatch.setenv("BRV_TUI_RERANKER_URL", service.base)
        monkeypatch.setenv("BRV_TUI_RERANKER_MODEL", "judge")
        async with app.run_test(size=NARROW) as pilot:
            await switch(pilot, "token")
            assert found(pilot).rerank_skipped is SkipReason.PROBE
            assert service.asked == []


async def test_the_settings_choose_the_pipeline(
    app: BrvTui, garden: Tree, make_app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRV_TUI_PIPELINE", "jeffs_brain")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback")
        assert found(pilot).hits[0].path == "deploy/rollback.md"


async def test_vectors_are_made_when_the_settings_choose_the_pipeline(
    garden: Tree, make_app: Any, monkeypatch: pytest.MonkeyPatch, service: Service
) -> None:
    monkeypatch.setenv("BRV_TUI_PIPELINE", "jeffs_brain")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await until(pilot, lambda: service.asked)
        await until(pilot, lambda: not view(pilot).answer.busy)


async def test_a_projects_own_file_has_no_notes_sent_before_a_run(
    garden: Tree, make_app: Any, service: Service
) -> None:
    (garden.root / ".brv" / "brv-tui.toml").write_text('engine = "jeffs_brain"')
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "token")
        await settled(pilot)
        assert view(pilot).engine.pipeline == "jeffs_brain"
        assert not service.asked
        garden.note("auth/fruit.md", "Fruit", "kumquat")
        await until(pilot, lambda: view(pilot).knows("auth/fruit.md"))
        await settled(pilot)
        assert not service.asked
        await pilot.press("enter")
        await until(pilot, lambda: service.asked)
