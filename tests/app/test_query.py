"""Typing previews, Enter runs; every pane follows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.query.answer import AnswerPane
from brvtui.app.states import AnswerState
from brvtui.session import Session
from brvtui.trace.routing import CacheLook, Outcome, Route
from tests.app.driving import NARROW, WIDE, MakeApp, ask, ask_from_cache, at_once, press, settled, type_text, until
from tests.app.looking import AppPilot, brv, flat, screen, shown, text_of, toast_text, toasts, trace_of, view
from tests.support.trees import Tree


async def test_typing_previews_and_changes_nothing(app: BrvTui, own_data_folders: Path, garden: Tree) -> None:
    before = {path: path.read_bytes() for path in garden.root.rglob("*") if path.is_file()}
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await type_text(pilot, "key rotation")
        trace = trace_of(pilot)
        assert trace.mode == "preview"
        assert trace.query == "key rotation"
        assert trace.section(Route).outcome is Outcome.SINGLE_CALL
        assert "TIER 3" in shown(pilot)
        assert "reaches 0.81 of the 0.85" in shown(pilot)
    assert {path: path.read_bytes() for path in garden.root.rglob("*") if path.is_file()} == before
    assert not list(own_data_folders.rglob("*.json"))


async def test_preview_updates_the_answer_once_per_key(app: BrvTui, pilot: AppPilot) -> None:
    """Panes that show the answer are therefore built once per key."""
    await settled(pilot)
    answers: list[object] = []
    app.store.subscribe((AnswerState,), lambda: answers.append(view(pilot).answer.trace))
    await type_text(pilot, "r")
    await settled(pilot)
    assert answers == [view(pilot).answer.trace]


async def test_every_pane_is_filled_and_follows_the_selected_result(pilot: AppPilot) -> None:
    await ask(pilot, "refresh token rotation")
    assert "Refresh rotation" in text_of(pilot, "#results")
    assert "sum ✓" in text_of(pilot, "#score")
    assert "text · raw" in text_of(pilot, "#score")
    assert "direct.min_top" in text_of(pilot, "#route")
    assert "whole AND" in text_of(pilot, "#retry")
    assert "ladder" in text_of(pilot, "#retry")
    assert "No model is set" in text_of(pilot, "#answer")
    assert "0.84" in text_of(pilot, "#tree")
    assert "simulated" in shown(pilot)
    await press(pilot, "escape", "j")
    assert "then, added for “refresh”" in text_of(pilot, "#results")
    await settled(pilot)
    assert view(pilot).selection.file == "auth/jwt/session_expiry.md"
    assert "Session expiry" in text_of(pilot, "#score")
    await press(pilot, "j")
    assert view(pilot).selection.file == "auth/jwt/token_store.md"
    await pilot.press("g")
    assert view(pilot).selection.file == "auth/jwt/refresh_rotation.md"
    await pilot.press("G")
    assert view(pilot).selection.file == "auth/oauth/key_rotation.md"
    await settled(pilot)
    await press(pilot, "f7", "right")
    text = text_of(pilot, "#answer")
    assert "tokens in, at most 1024 out" in text
    assert "lane summaries" in text
    assert "quoted notes" in text


async def test_run_is_cached_until_the_cache_is_cleared(pilot: AppPilot) -> None:
    await ask(pilot, "rollback", "enter")
    await until(pilot, lambda: (trace := view(pilot).answer.trace) and trace.mode == "run")
    await settled(pilot)
    assert "t2" in text_of(pilot, "#cache")
    assert "1/50" in shown(pilot)
    await pilot.press("ctrl+r")
    await until(
        pilot, lambda: (trace := view(pilot).answer.trace) and trace.section(Route).outcome is Outcome.EXACT_CACHE
    )
    await settled(pilot)
    assert "TIER 0" in shown(pilot)
    assert "shown, not used" in text_of(pilot, "#route")
    assert "shown, not used" in text_of(pilot, "#score")
    await press(pilot, "escape", "c")
    assert trace_of(pilot).section(CacheLook).entries == ()


async def test_up_recalls_history_and_the_newest_query_is_answered(pilot: AppPilot) -> None:
    for query in ("rollback", "refunds"):
        await ask(pilot, query, "escape", "i")
        await press(pilot, "enter")
    await ask(pilot, "half typed", "i")
    field = screen(pilot).field
    seen = []
    for key in ("up", "up", "up", "down", "down"):
        await pilot.press(key)
        seen.append(field.value)
    assert seen == ["refunds", "rollback", "rollback", "refunds", "half typed"]
    await settled(pilot)
    await ask(pilot, "rotated signing keys window")
    await press(pilot, "enter")
    await ask(pilot, "window rotated signing keys")
    assert trace_of(pilot).section(Route).outcome is Outcome.FUZZY_CACHE
    assert "TIER 1" in shown(pilot)
    for query in ("r", "ro", "rollback", "refunds"):
        screen(pilot).field.value = query
    await settled(pilot)
    assert trace_of(pilot).query == "refunds"


async def test_enter_goes_to_the_results_if_there_are_any(pilot: AppPilot) -> None:
    await ask(pilot, "refresh token rotation")
    assert screen(pilot).stop == "query"
    await press(pilot, "enter", "j")
    assert screen(pilot).stop == "results"
    assert trace_of(pilot).mode == "run"
    assert screen(pilot).field.value == "refresh token rotation"
    assert screen(pilot).results.cursor == 1
    await press(pilot, "i", *"zyzzyva")
    assert screen(pilot).field.value == "zyzzyva"
    await press(pilot, "enter")
    assert screen(pilot).stop == "query"
    assert trace_of(pilot).mode == "run"
    await press(pilot, "ctrl+u", "enter", "x")
    assert screen(pilot).field.value == "x"


async def test_letters_typed_right_after_enter_are_keys(pilot: AppPilot) -> None:
    await settled(pilot)
    at_once(pilot, *"rollback", "enter", "j")
    await until(pilot, lambda: screen(pilot).stop == "results" and view(pilot).answer.trace is not None)
    await settled(pilot)
    assert screen(pilot).field.value == "rollback"
    assert trace_of(pilot).query == "rollback"


async def test_enter_with_a_maximised_or_hidden_pane_keeps_the_layout(pilot: AppPilot) -> None:
    await ask(pilot, "rollback", "f3", "z", "i", "enter")
    await settled(pilot)
    assert screen(pilot).body.maximised == "score"
    assert screen(pilot).stop == "score"
    await press(pilot, "z", "f2", "H", "i", "enter")
    assert "results" in screen(pilot).body.shared.hidden
    assert screen(pilot).stop == "query"


async def test_query_typed_while_loading_is_previewed(pilot: AppPilot) -> None:
    await press(pilot, *"rollback")
    assert trace_of(pilot).query == "rollback"


async def test_panes_explain_empty_queries_wrong_sums_and_near_misses(pilot: AppPilot) -> None:
    await ask(pilot, "rollback")
    await ask(pilot, "")
    assert view(pilot).answer.trace is None
    assert "READY" in shown(pilot)
    assert "Type a question" in text_of(pilot, "#results")
    await ask(pilot, "   ")
    assert view(pilot).answer.trace is None
    await ask(pilot, "zebra quagga")
    assert "NOT COVERED" in shown(pilot)
    assert "no note matches ‘zebra’ or ‘quagga’; ByteRover logs this as tier 2" in shown(pilot)
    assert "nothing was found" in text_of(pilot, "#results")
    assert "is not covered by this project's memory" in flat(pilot, "#answer")
    await ask(pilot, "rollback")
    trace = trace_of(pilot)
    wrong = replace(trace.hits[0], score=0.5)
    brv(pilot).store.update(brv(pilot).store.view.answer._replace(trace=replace(trace, hits=(wrong,))))
    await pilot.pause()
    score = text_of(pilot, "#score")
    assert "explanation does not add up (off by 0.5)" in score
    assert "█████" not in score
    assert "sum ✗" in score
    await ask(pilot, "invoice")
    assert "below 70 % of the first score" in text_of(pilot, "#results")
    await press(pilot, "escape", "G")
    assert view(pilot).hit is None
    assert view(pilot).near_miss is not None
    assert "not in the results: below 70 % of the first score" in text_of(pilot, "#score")
    assert "sum ✓" in text_of(pilot, "#score")
    await press(pilot, "w")
    modal = shown(pilot)
    assert "Why it is not in the answer" in modal
    assert "Below 70 % of the first score." in modal
    await until(pilot, lambda: "rank " in shown(pilot))


async def test_selected_note_is_shown_with_query_terms_marked(pilot: AppPilot) -> None:
    await ask(pilot, "token store")
    marked = {
        text.lower()
        for line in screen(pilot).query_one(AnswerPane).lines
        for text, role in line.spans
        if "match" in role
    }
    assert {"token", "store"} <= marked
    await press(pilot, "escape", "enter")
    assert screen(pilot).query_one(AnswerPane).tab == "note"
    assert "Tokens are kept hashed" in text_of(pilot, "#answer")
    await pilot.press("left")
    assert "no model is called" in text_of(pilot, "#answer")
    await press(pilot, "left")
    assert "Summary" in text_of(pilot, "#answer")
    assert "signals frontmatter" not in text_of(pilot, "#status")
    await pilot.press("escape", "p")
    await until(pilot, lambda: (trace := view(pilot).answer.trace) and trace.profile == "docs")
    await settled(pilot)
    assert view(pilot).engine.profile == "docs"
    assert "the simulated cache has been cleared" in toast_text(pilot)
    assert "docs  signals frontmatter" in text_of(pilot, "#status")


async def test_each_press_selects_the_next_profile_during_a_load(pilot: AppPilot) -> None:
    await ask(pilot, "token store")
    for _ in range(2):
        brv(pilot).action_profile()
    await until(pilot, lambda: (trace := view(pilot).answer.trace) and trace.profile == "combined")
    await settled(pilot)
    assert view(pilot).engine.profile == "combined"


async def test_signals_from_frontmatter_are_announced_with_any_profile(app: BrvTui, garden: Tree) -> None:
    garden.read_frontmatter()
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "token store")
        assert "profile brv-3*  signals frontmatter" in text_of(pilot, "#status")
        await pilot.press("escape", "p")
        await until(pilot, lambda: (trace := view(pilot).answer.trace) and trace.profile == "docs")
        for _ in range(2):
            await settled(pilot)
            await pilot.press("p")
        await until(pilot, lambda: (trace := view(pilot).answer.trace) and trace.profile == "brv-3*")
        await settled(pilot)
        assert "profile brv-3*  signals frontmatter" in text_of(pilot, "#status")


async def test_recording_is_shown_and_a_recorded_answer_stays(app: BrvTui, own_data_folders: Path) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "refunds", "escape", "R")
        assert view(pilot).engine.recording
        assert "recording" in text_of(pilot, "#status")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: (trace := view(pilot).answer.trace) and trace.mode == "run")
        await settled(pilot)
        await until(pilot, lambda: (session := brv(pilot).project.session) and session.snapshot.overlay_count)
        await settled(pilot)
        trace, overview = view(pilot).answer.trace, view(pilot).project.overview
        assert trace is not None
        assert trace.mode == "run"
        assert overview is not None
        assert overview.generation == brv(pilot).project.session.snapshot.generation  # type: ignore[union-attr]  # waited for
    assert any("overlay" in path.name for path in own_data_folders.rglob("*"))


async def test_failing_query_is_reported_and_later_queries_are_answered(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await settled(pilot)
        session = brv(pilot).project.session
        assert session is not None

        def broken(query: str, scope: str = "") -> None:
            raise ZeroDivisionError(query)

        session.preview = broken  # type: ignore[method-assign,assignment]  # stands in for a defect of the engine
        screen(pilot).field.value = "rollback"
        await until(pilot, lambda: toasts(pilot))
        session.preview = Session.preview.__get__(session)  # type: ignore[method-assign]  # fixed
        screen(pilot).field.value = "refunds"
        await settled(pilot)
        assert trace_of(pilot).query == "refunds"


async def test_names_and_suggested_words_are_not_cut_at_80_columns(app: BrvTui, garden: Tree) -> None:
    garden.note("garden/shears.md", "Shears", "sharpen in march")
    async with app.run_test(size=NARROW) as pilot:
        await ask(pilot, "auth/jwt")
        assert "below the named folder" in text_of(pilot, "#score"), "a part without numbers is not cut"
        await ask(pilot, "sharpening?")
        assert "Esc, then Enter asks for" in shown(pilot)
        await pilot.press("escape", "enter")
        await until(pilot, lambda: view(pilot).query.text == "sharpen" and bool(view(pilot).hit))
        await settled(pilot)


async def test_note_selected_on_another_screen_selects_no_result_row(app: BrvTui, garden: Tree) -> None:
    garden.note("a/token.md", "Tokens", "token token", days=1)
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "token")
        results = screen(pilot).results
        brv(pilot).selection.select("billing/refunds.md")
        await press(pilot, "escape")
        assert results.chosen == ""
        assert all(results.ground(number) == "" for number in range(len(results.lines)))
        await pilot.press("enter")
        assert screen(pilot).stop == "results"
        await press(pilot, "g")
        assert view(pilot).selection.file == results.choices[0]


async def test_cached_preview_is_run_again_after_its_cache_entry_expires(
    garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CacheLook, "lasts_s", lambda *_: 0.1)
    async with make_app(garden.root, None).run_test(size=WIDE) as pilot:
        await ask_from_cache(pilot, "rollback")
        ran = brv(pilot).queries.requests.newest
        await pilot.pause(0.5)
        assert brv(pilot).queries.requests.newest == ran, "a run was given its answer"
        trace = trace_of(pilot)
        brv(pilot).queries._expired(replace(trace))
        await pilot.pause(0.1)
        assert brv(pilot).queries.requests.newest == ran, "another answer is shown by then"
        brv(pilot).queries.ask_again()
        await until(pilot, lambda: brv(pilot).queries.requests.newest > ran + 1)
