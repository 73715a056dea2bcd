"""A language model in the app, on a local server: permission, live text, and immediate stop."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.live_answer import LiveAnswer
from brvtui.app.query import answering
from brvtui.app.query.answer import AnswerPane
from brvtui.app.query.answering import AnswerEnded, QueryRequest, RunStep
from brvtui.app.query.permission import PermissionDialog, what_is_asked
from brvtui.app.query.query_box import QueryBox
from brvtui.app.states import AnswerState, ModelState
from brvtui.app.view import View
from brvtui.services.model import Budget
from brvtui.trace import Completion, EndReason, Usage
from tests.app.driving import NARROW, WIDE, MakeApp, ask, at_two_sizes, on, press, settled, until
from tests.app.looking import AppPilot, brv, flat, screen, shown, text_of, toast_text, trace_of, view
from tests.support.chat_server import ChatServer, Refused, Streamed, called, chatting, written
from tests.support.settings import own
from tests.support.trees import Tree

pytestmark = pytest.mark.long

_CALL, _LOOP = "refresh token rotation", "refund credit note"
_ANSWER = (
    "## Summary\n",
    "Tokens rotate.\n## Details\nOnce.\n## Sources\n- auth/jwt/refresh_rotation.md\n",
    "## Gaps\nNone.",
)


def model_at(server: ChatServer, allowed: bool = True) -> None:
    """Sets the model at ``server`` in the user's settings."""
    own(f'[llm]\nmodel = "echo"\nurl = "{server.base}"\nallowed = {str(allowed).lower()}\n')


async def run(pilot: AppPilot, query: str) -> None:
    """Runs ``query``; the model may still be working afterwards."""
    await ask(pilot, query, "enter")


def _titles(pilot: AppPilot) -> tuple[str, str]:
    """The titles of the query's field and of the answer."""
    query, answer = screen(pilot).query_one(QueryBox), screen(pilot).query_one(AnswerPane)
    return str(query.border_title), answer.heading(view(pilot))


def _logged(pilot: AppPilot) -> list[tuple[str, str]]:
    """The outcomes of the queries that ran, newest first, and the reasons for failures."""
    session = brv(pilot).project.session
    assert session is not None
    return [(entry.status, entry.problem) for entry in session.logbook.read(9)]


async def ended(pilot: AppPilot) -> None:
    await until(
        pilot, lambda: (trace := view(pilot).answer.trace) and trace.mode == "run" and view(pilot).model.live is None
    )
    await settled(pilot)


@asynccontextmanager
async def being_written(app: BrvTui, size: tuple[int, int]) -> AsyncIterator[tuple[AppPilot, threading.Event]]:
    """The app while a model writes. The answer continues once the event is set."""
    hold = threading.Event()
    with chatting(_held(hold)) as server:
        model_at(server)
        async with app.run_test(size=size) as pilot:
            await run(pilot, _CALL)
            await until(pilot, lambda: (live := view(pilot).model.live) and live.text)
            yield pilot, hold


@at_two_sizes
async def test_single_call_is_answered_by_the_model(garden: Tree, make_app: MakeApp, size: tuple[int, int]) -> None:
    with chatting(written(*_ANSWER)) as server:
        model_at(server)
        async with make_app(garden.root).run_test(size=size) as pilot:
            await ask(pilot, _CALL)
            assert server.asked == []
            await pilot.press("enter")
            await until(pilot, lambda: (trace := view(pilot).answer.trace) and trace.answer.kind == "model")
            await ended(pilot)
            await press(pilot, "f7")
            text = text_of(pilot, "#answer")
            assert "Tokens rotate." in text
            assert "1 call · 0 tools · 100 t in, 10 t out" in " ".join(text.split())
            await pilot.press("i", "enter")
            await until(pilot, lambda: view(pilot).answer.trace.tier == 0)  # type: ignore[union-attr]
            assert "Tokens rotate." in text_of(pilot, "#answer")
        assert len(server.asked) == 1


async def test_cache_pane_is_updated_once_the_answer_is_complete(garden: Tree, make_app: MakeApp) -> None:
    async with being_written(make_app(garden.root), WIDE) as (pilot, hold):
        await until(pilot, lambda: (seen := view(pilot).cache.seen) and seen.look.entries == ())
        hold.set()
        await ended(pilot)
        await until(
            pilot, lambda: (seen := view(pilot).cache.seen) and [one.key for one in seen.look.entries] == [_CALL]
        )


async def test_text_is_shown_as_it_arrives_and_esc_stops_the_model(garden: Tree, make_app: MakeApp) -> None:
    hold = threading.Event()
    chunks = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in ("Half an ", "answer")]
    with chatting(Streamed([*chunks, "[DONE]"], hold=hold)) as server:
        model_at(server)
        async with make_app(garden.root).run_test(size=WIDE) as pilot:
            await run(pilot, _CALL)
            await until(pilot, lambda: (live := view(pilot).model.live) and live.text == "Half an ")
            assert "Half an" in text_of(pilot, "#answer")
            assert "Esc stops it" in text_of(pilot, "#answer")
            assert "Esc stops echo" in text_of(pilot, "#status")
            screen(pilot).field.value = f"{_CALL} x"
            await until(pilot, lambda: view(pilot).query.text == f"{_CALL} x")  # the user keeps typing in the meantime
            screen(pilot).field.value = _CALL
            await until(pilot, lambda: view(pilot).query.text == _CALL)
            await pilot.press("escape")
            await until(pilot, lambda: view(pilot).model.live is None)
            await until(pilot, server.gone.is_set)
            await settled(pilot)
            text = flat(pilot, "#answer")
            assert "cancelled" in text
            assert "the unfinished answer" in text
            assert _titles(pilot) == ("Query · run, not cached: stopped", "Answer · stopped")
            assert _logged(pilot) == [("cancelled", "")]
            await pilot.press("escape", "4")
            await until(pilot, lambda: (log := view(pilot).log) and log.compared)
            await settled(pilot)
            assert "stop" in text_of(pilot, "#log")
            assert "that run was stopped" in flat(pilot, "#entry")


async def test_narrow_screen_shows_the_answer_while_the_model_writes(garden: Tree, make_app: MakeApp) -> None:
    async with being_written(make_app(garden.root), NARROW) as (pilot, hold):
        assert "Half an" in shown(pilot)
        assert "Esc stops echo" in text_of(pilot, "#status")
        assert screen(pilot).stop == "results"
        hold.set()
        await ended(pilot)


async def test_model_tool_calls_are_shown(garden: Tree, make_app: MakeApp) -> None:
    answers = [
        called(("search", {"query": "refund"})),
        called(("read_note", {"path": "billing/refunds.md"}), ("read_note", {"path": "../../etc/passwd"})),
        written(*_ANSWER),
    ]
    with chatting(*answers) as server:
        model_at(server)
        async with make_app(garden.root).run_test(size=WIDE) as pilot:
            await run(pilot, _LOOP)
            await until(pilot, lambda: (trace := view(pilot).answer.trace) and trace.answer.kind == "model")
            await ended(pilot)
            await press(pilot, "f7", "z")
            text = flat(pilot, "#answer")
            assert '1. search {"query": "refund"}' in text
            assert "1 note read" in text
            assert "refused:" in text
            assert "3 calls · 3 tools" in text
        assert len(server.asked) == 3


@pytest.mark.parametrize("key", ["y", "n", "escape"])
async def test_model_is_called_only_with_permission(garden: Tree, make_app: MakeApp, key: str) -> None:
    with chatting(written(*_ANSWER)) as server:
        model_at(server, allowed=False)
        async with make_app(garden.root).run_test(size=NARROW) as pilot:
            await run(pilot, _CALL)
            await on(pilot, PermissionDialog)
            await settled(pilot)
            assert "This query needs tier 3: one call with about " in flat(pilot)
            assert server.asked == []
            await pilot.press(key)
            await until(pilot, lambda: not isinstance(pilot.app.screen, PermissionDialog))
            if key == "escape":
                await settled(pilot)
                assert view(pilot).answer.trace.mode == "preview"  # type: ignore[union-attr]
            else:
                await ended(pilot)
                kind = "model" if key == "y" else "extractive"
                await until(pilot, lambda: view(pilot).answer.trace.answer.kind == kind)  # type: ignore[union-attr]
                await settled(pilot)
                assert (
                    _titles(pilot)
                    == {
                        "y": ("Query · run; answer cached", "Answer · by the model"),
                        "n": ("Query · run, not cached: no model asked", "Answer · no model asked"),
                    }[key]
                )
        assert len(server.asked) == (key == "y")


@pytest.mark.parametrize(
    ("ending", "kind", "why"),
    [
        (EndReason.ANSWERED, "model", ""),
        (EndReason.IDLE, "model", ""),
        (EndReason.CUT, "model", "cut off"),
        (EndReason.CUT, "extractive", "nothing written"),
        (EndReason.ANSWERED, "extractive", "nothing written"),
        (EndReason.CANCELLED, "extractive", "stopped"),
        (EndReason.FAILED, "extractive", "failed"),
    ],
)
def test_uncached_run_gives_the_reason(garden: Tree, ending: EndReason, kind: str, why: str) -> None:
    trace = garden.ask(_CALL)
    done = Completion("echo", ending, "", (), (), Usage(0, 0, False), None, (), ())
    ran = AnswerState(replace(trace, mode="run", answer=replace(trace.answer, kind=kind, completion=done)))
    echo = ModelState("echo")
    assert View(model=echo, answer=ran).uncached == why
    assert View(model=echo, answer=AnswerState(replace(trace, mode="preview"))).uncached == ""
    assert View(model=ModelState(), answer=AnswerState(replace(trace, mode="run"))).uncached == ""


def test_permission_text_matches_the_tier_and_its_limits(garden: Tree) -> None:
    """The tiers' names suggest one call and a loop, but a profile may set other limits."""

    def question(query: str, maximum: int) -> str:
        trace = garden.ask(query)
        prompt = trace.answer.prompt
        assert prompt is not None
        answer = replace(trace.answer, prompt=replace(prompt, tokens=700, max_iterations=maximum))
        return what_is_asked(replace(trace, answer=answer), Budget(tokens=1000))

    one = "This query needs tier 3: one call with about 700 tokens of your notes"
    limit = " It uses at most 1000 tokens."
    assert question(_CALL, 1) == f"{one}.{limit}"
    more = "or up to 50 if the model first wants to read more notes in this tree"
    assert question(_CALL, 50) == f"{one}, {more}.{limit}"
    more = f"the first with about 700 tokens of your notes; the model may read more notes in this tree.{limit}"
    assert question(_LOOP, 50) == f"This query needs tier 4: up to 50 calls, {more}"


async def test_query_without_a_model_asks_for_no_permission(garden: Tree, make_app: MakeApp) -> None:
    with chatting(written(*_ANSWER)) as server:
        model_at(server, allowed=False)
        async with make_app(garden.root).run_test(size=NARROW) as pilot:
            await run(pilot, "rollback")
            await ended(pilot)
            assert view(pilot).answer.trace.tier == 2  # type: ignore[union-attr]
        assert server.asked == []


async def test_model_error_is_reported_and_quoted_sentences_are_kept(garden: Tree, make_app: MakeApp) -> None:
    with chatting(Refused(401, {"error": {"message": "bad key"}})) as server:
        model_at(server)
        async with make_app(garden.root).run_test(size=WIDE) as pilot:
            await run(pilot, _CALL)
            await until(pilot, lambda: "401" in toast_text(pilot))
            await ended(pilot)
            assert trace_of(pilot).answer.kind == "extractive"
            assert "failed" in flat(pilot, "#answer")
            assert _titles(pilot) == ("Query · run, not cached: failed", "Answer · failed")
            ((status, problem),) = _logged(pilot)
            assert status == "error"
            assert "401" in problem
            await ask(pilot, "rollback")
            assert view(pilot).answer.trace.tier == 2  # type: ignore[union-attr]


def _held(hold: threading.Event) -> Streamed:
    chunks = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in ("Half an ", "answer")]
    return Streamed([*chunks, {"choices": [{"delta": {}, "finish_reason": "stop"}]}, "[DONE]"], hold=hold)


def _running(pilot: AppPilot, group: str = "run") -> int:
    return sum(worker.group == group and worker.is_running for worker in pilot.app.workers)


async def test_new_run_ends_a_previous_run_that_has_no_text_yet(garden: Tree, make_app: MakeApp) -> None:
    first, second = threading.Event(), threading.Event()
    with chatting(_held(first), _held(second)) as server:
        model_at(server)
        async with make_app(garden.root).run_test(size=WIDE) as pilot:
            await ask(pilot, _CALL)
            brv(pilot).queries.ask(_CALL, run=True)
            brv(pilot).queries.ask(_LOOP, run=True)
            await until(pilot, lambda: (live := view(pilot).model.live) and live.query == _LOOP and live.text)
            await until(pilot, lambda: _running(pilot) == 1)
            await pilot.press("escape")
            await until(pilot, lambda: _running(pilot) == 0 and view(pilot).model.live is None)


async def test_answer_in_progress_stays_when_the_tree_changes(garden: Tree, make_app: MakeApp) -> None:
    async with being_written(make_app(garden.root), WIDE) as (pilot, hold):
        text = view(pilot).model.live.text  # type: ignore[union-attr]
        garden.note("auth/jwt/another.md", "Refresh token rotation", "refresh token rotation", days=1)
        await until(pilot, lambda: view(pilot).knows("auth/jwt/another.md"))
        await until(pilot, lambda: not _running(pilot, "load") and not _running(pilot, "preview"))
        assert view(pilot).model.live.text == text  # type: ignore[union-attr]
        assert text.split()[-1] in text_of(pilot, "#answer")
        hold.set()
        await until(pilot, lambda: view(pilot).model.live is None)
        await until(pilot, lambda: "the tree changed while this answer was being written" in toast_text(pilot))
        trace = trace_of(pilot)
        assert trace.answer.completion is not None
        garden.note("auth/jwt/third.md", "Third", "text", days=1)
        await until(pilot, lambda: (now := view(pilot).answer.trace) and now is not trace and now.mode == "preview")


async def test_answer_from_another_profile_does_not_replace_the_shown_answer(garden: Tree, make_app: MakeApp) -> None:
    async with being_written(make_app(garden.root), WIDE) as (pilot, hold):
        ran = view(pilot).answer.trace
        await pilot.press("f2", "p")
        await until(pilot, lambda: (trace := view(pilot).answer.trace) and trace is not ran and trace.mode == "preview")
        hold.set()
        await until(pilot, lambda: view(pilot).model.live is None)
        await until(pilot, lambda: "is answered, with the tree and profile" in toast_text(pilot))
        trace = trace_of(pilot)
        assert trace.profile == view(pilot).engine.profile
        assert trace.snapshot.generation == view(pilot).project.overview.generation  # type: ignore[union-attr]


async def test_switching_the_engine_stops_the_model_and_hides_its_text(garden: Tree, make_app: MakeApp) -> None:
    hold = threading.Event()
    with chatting(_held(hold)) as server:
        model_at(server)
        async with make_app(garden.root).run_test(size=WIDE) as pilot:
            await run(pilot, _CALL)
            await until(pilot, lambda: (live := view(pilot).model.live) and live.text)
            await pilot.press("f7")
            brv(pilot).queries.use("soleri")
            assert view(pilot).live is None
            await until(pilot, server.gone.is_set)
            await until(pilot, lambda: view(pilot).model.live is None)
            await settled(pilot)
            trace = trace_of(pilot)
            assert (trace.engine, trace.query) == ("soleri", _CALL)
            assert "Half an" not in text_of(pilot, "#answer")
            assert _logged(pilot) == [("cancelled", "")]


async def test_answer_from_a_deselected_engine_is_not_shown(pilot: AppPilot) -> None:
    await ask(pilot, _CALL)
    session, trace = brv(pilot).project.session, view(pilot).answer.trace
    assert session is not None
    assert trace is not None
    brv(pilot).queries.use("soleri")
    await settled(pilot)
    shown_now = trace_of(pilot)
    late = replace(trace, profile=shown_now.profile)  # another engine may have a profile with the same name
    brv(pilot).queries._step(QueryRequest(99, _CALL, "", True), AnswerEnded(late))
    await settled(pilot)
    assert view(pilot).answer.trace is shown_now


async def test_permission_for_one_model_does_not_cover_another(garden: Tree, make_app: MakeApp) -> None:
    with chatting(written(*_ANSWER)) as server:
        model_at(server, allowed=False)
        async with make_app(garden.root).run_test(size=NARROW) as pilot:
            await settled(pilot)
            session = brv(pilot).project.session
            assert session is not None
            session.model.allow()
            assert session.model.state.allowed
            own(f'[llm]\nmodel = "another"\nurl = "{server.base}"\n')
            brv(pilot).adopt(brv(pilot).configuration.read_again())
            assert session.model.state.name.startswith("another")
            assert not session.model.state.allowed


async def test_failing_run_leaves_no_progress_display(app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    real = answering.steps

    def broken(session: Any, overviews: Any, asked: QueryRequest, *rest: Any) -> Iterator[RunStep]:
        if asked.run:
            raise RuntimeError("broken")
        return real(session, overviews, asked, *rest)

    monkeypatch.setattr(answering, "steps", broken)
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, _CALL)
        brv(pilot).store.update(
            brv(pilot).store.view.model._replace(live=LiveAnswer(1, _CALL, "", "byterover", "echo"))
        )
        await pilot.press("enter")
        await until(pilot, lambda: view(pilot).model.live is None)
        assert "failed: RuntimeError: broken" in toast_text(pilot)


@pytest.mark.parametrize("late", [False, True], ids=["before the new one is routed", "while it writes"])
async def test_failing_old_run_does_not_end_the_current_run(
    garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    breaks, goes_on, hold = threading.Event(), threading.Event(), threading.Event()
    real = answering.steps

    def fragile(session: Any, overviews: Any, asked: QueryRequest, *rest: Any) -> Iterator[RunStep]:
        if asked.query == _CALL:
            yield answering.answer(session, overviews, asked, rest[0], "", run=True)
            breaks.wait(30)
            raise RuntimeError("broken")
        goes_on.wait(30)
        yield from real(session, overviews, asked, *rest)

    monkeypatch.setattr(answering, "steps", fragile)
    with chatting(_held(hold)) as server:
        model_at(server)
        async with make_app(garden.root).run_test(size=WIDE) as pilot:
            await run(pilot, _CALL)
            await until(pilot, lambda: (trace := view(pilot).answer.trace) and trace.mode == "run")
            brv(pilot).queries.ask(_LOOP, run=True)
            if late:
                goes_on.set()
                await until(pilot, lambda: (live := view(pilot).model.live) and live.text)
            breaks.set()
            await until(pilot, lambda: "failed: RuntimeError: broken" in toast_text(pilot))
            if late:
                assert view(pilot).model.live is not None
            else:
                brv(pilot).queries.ask(_LOOP)
                assert not _running(pilot, "preview")
            goes_on.set()
            hold.set()
            await until(pilot, lambda: view(pilot).model.live is None and _running(pilot) == 0)
