"""The smallest changes for a direct answer, in the Route pane: requested with a key, computed in the background, and
dropped when they are out of date.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.project.opening import Opening
from brvtui.engines.counterfactuals import Counterfactuals, Lever
from brvtui.saved.traces import as_json
from brvtui.session.explainer import TraceExplainer
from brvtui.text import visible
from brvtui.trace import Trace
from brvtui.trace.routing import Outcome, Route
from tests.app.driving import HUGE, WIDE, MakeApp, ask, ask_from_cache, at_all_sizes, press, settled, until
from tests.app.looking import AppPilot, brv, shown, text_of, toast_text, trace_of, view
from tests.app.pictures import ONLY_WIDE, Looks
from tests.support.trees import Tree

pytestmark = pytest.mark.long

QUERY = "refresh token rotation"


async def opened(pilot: AppPilot, query: str = QUERY) -> None:
    await ask(pilot, query, "f4")


async def asked(pilot: AppPilot, query: str = QUERY) -> None:
    await opened(pilot, query)
    await press(pilot, "v")


@at_all_sizes
async def test_every_kind_of_change_is_listed(size: tuple[int, int], pilot: AppPilot) -> None:
    await opened(pilot)
    assert "press v to look for the smallest changes" in text_of(pilot, "#route")
    assert view(pilot).answer.counterfactuals is None
    await press(pilot, "v")
    takes = view(pilot).answer.counterfactuals
    assert takes is not None
    assert takes.found is not None
    assert takes.found.verified
    text = text_of(pilot, "#route")
    assert all(lever.value in text for lever in Lever)
    assert takes.found.title in text
    assert "changes that make a model unnecessary" in shown(pilot)
    first = takes.found.verified[0]
    assert first.lever.value in shown(pilot)
    assert f"{first.score:.2f}" in text


async def test_changes_for_a_long_answer_are_listed(
    garden: Tree, pilot: AppPilot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visible, "LONGEST_SHOWN", 300)
    file = garden.note("auth/long.md", f"Refresh {'x' * 1_000}", "A token.")
    await until(pilot, lambda: view(pilot).knows(file))
    await asked(pilot)
    seen = brv(pilot).store.shown.answer
    assert seen.trace is not view(pilot).answer.trace
    assert seen.counterfactuals is not None
    assert seen.counterfactuals.trace is seen.trace
    assert all(lever.value in text_of(pilot, "#route") for lever in Lever)


async def test_v_explains_why_no_changes_are_listed(pilot: AppPilot) -> None:
    await settled(pilot)
    await pilot.press("escape", "f4", "v")
    await until(pilot, lambda: "type a query first; v then looks for changes" in toast_text(pilot))
    await asked(pilot, "token store")
    assert trace_of(pilot).section(Route).outcome is Outcome.DIRECT  # type: ignore[union-attr]
    assert "no model is needed" not in text_of(pilot, "#route")
    assert view(pilot).answer.counterfactuals is None
    assert "no change is needed" in toast_text(pilot)
    await asked(pilot, "zebra quagga")
    lines = text_of(pilot, "#route").splitlines()
    place = next(number for number, row in enumerate(lines) if "changes that make a model unnecessary" in row)
    assert lines[place + 1].strip() == "no change helps: no note matches any word of the query"
    assert "┄┄ search" in lines[place + 2], "one line says it"
    await pilot.press("i")
    await ask_from_cache(pilot, QUERY)
    await pilot.press("escape", "f4", "v")
    message = "clear the cache with c, then press v"
    await until(pilot, lambda: message in toast_text(pilot))


async def test_changes_are_tried_only_on_request(app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("changes are tried")

    monkeypatch.setattr(TraceExplainer, "counterfactuals", refuse)
    async with app.run_test(size=HUGE) as pilot:
        await ask(pilot, QUERY)
        await press(pilot, "f4", "j", "enter")
        assert view(pilot).answer.counterfactuals is None


class Held:
    """Delays the search for changes until the test releases it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.cancelled: list[bool] = []
        real = TraceExplainer.counterfactuals

        def held(
            answers: TraceExplainer, trace: Trace, note: str = "", cancelled: Callable[[], bool] = lambda: False
        ) -> Counterfactuals | None:
            self.begun.set()
            assert self.go_on.wait(20)
            self.cancelled.append(cancelled())
            return real(answers, trace, note, cancelled)

        monkeypatch.setattr(TraceExplainer, "counterfactuals", held)


async def test_new_query_cancels_the_search_for_changes(app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(monkeypatch)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot)
        await pilot.press("v")
        await until(pilot, held.begun.is_set)
        await until(pilot, lambda: "trying changes…" in text_of(pilot, "#route"))
        await pilot.press("i", "x")
        await until(pilot, lambda: view(pilot).query.text == "x")
        held.go_on.set()
        await until(pilot, lambda: bool(held.cancelled))  # the thread goes on after its worker was cancelled
        await settled(pilot)
        assert held.cancelled == [True]
        assert view(pilot).answer.counterfactuals is None
        assert "trying changes…" not in text_of(pilot, "#route")


async def test_second_search_for_changes_waits_for_the_first(app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(monkeypatch)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot)
        await pilot.press("v")
        await until(pilot, held.begun.is_set)
        await pilot.press("v")
        held.go_on.set()
        await settled(pilot)
        assert held.cancelled == [False]
        assert view(pilot).answer.counterfactuals is not None


async def test_saved_trace_cannot_be_searched_for_changes(garden: Tree, make_app: MakeApp, tmp_path: Any) -> None:
    session = garden.session(signals_file=garden.root / "signals.json")
    file = tmp_path / "saved.json"
    file.write_bytes(as_json(session.explainer.saved(session.preview(QUERY))))
    app = BrvTui(Opening(file))
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: view(pilot).answer.trace is not None)
        await pilot.press("f4", "v")
        await pilot.pause()
        assert view(pilot).answer.counterfactuals is None
        assert "a saved trace and its project is not open" in toast_text(pilot)
        assert "trying" not in text_of(pilot, "#route")


async def test_changes_match_their_picture(looks: Looks, pilot: AppPilot) -> None:
    await asked(pilot, QUERY)
    await looks(pilot, "test_looks[llm][{size}-{theme}]", ONLY_WIDE)
