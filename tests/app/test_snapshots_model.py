"""Pictures of a language model's work: the request for permission, while it writes, and afterwards."""

from __future__ import annotations

from dataclasses import replace

from brvtui.app.live_answer import LiveAnswer, LiveStep
from brvtui.app.query.permission import PermissionDialog
from brvtui.services.model import Budget
from brvtui.trace import Cited, Completion, EndReason, ModelTurn, ToolStep, Usage
from tests.app.driving import ask, press
from tests.app.looking import AppPilot, brv, trace_of
from tests.app.pictures import ONLY_NARROW, Looks

_QUERY = "refund credit note"
_STEPS = (
    ToolStep(1, 1, "search", '{"query": "refund", "limit": 5}', "[]", 212, "", ()),
    ToolStep(2, 2, "read_note", '{"path": "billing/refunds.md"}', "{}", 96, "", ("billing/refunds.md",)),
    ToolStep(3, 2, "read_note", '{"path": "../../etc/passwd"}', "{}", 12, "the path points outside the tree", ()),
)
_TURNS = tuple(ModelTurn(number, "", 1, Usage(2400, 40 + number, False)) for number in (1, 2, 3))
_TEXT = "## Summary\nA refund makes a credit note.\n\n## Details\nThe invoice itself never changes.\n"


async def asked(pilot: AppPilot) -> None:
    await ask(pilot, _QUERY)
    await press(pilot, "f7")


async def test_permission(looks: Looks, pilot: AppPilot) -> None:
    await asked(pilot)
    trace = trace_of(pilot)
    pilot.app.push_screen(PermissionDialog("echo", "http://localhost:11434/v1", trace, Budget()))
    await looks(pilot, sizes=ONLY_NARROW)


async def test_model_progress_matches_its_picture(looks: Looks, pilot: AppPilot) -> None:
    await asked(pilot)
    steps = (
        *(LiveStep(one.number, one.tool, one.arguments, one, 8.0) for one in _STEPS),
        LiveStep(4, "search", "{}"),
    )
    brv(pilot).store.update(
        brv(pilot).store.view.model._replace(
            name="echo",
            live=LiveAnswer(1, _QUERY, "", "byterover", "echo", 3, _TEXT, steps, "", 7200, 96),
        )
    )
    await looks(pilot, sizes=ONLY_NARROW)


async def test_finished_answer_lists_its_turns_costs_and_sources(looks: Looks, pilot: AppPilot) -> None:
    await asked(pilot)
    trace = trace_of(pilot)
    sources = (Cited("billing/refunds.md", True, True), Cited("billing/ghost.md", False, False))
    done = Completion(
        "echo", EndReason.ANSWERED, "", _TURNS, _STEPS, Usage(7300, 140, False),
        0.42, sources, ("Gaps",), turn_cents=(0.14,) * 3, timings={"turn 1": 900.0, "step 1": 8.0},
    )  # fmt: skip
    answer = replace(trace.answer, kind="model", text=_TEXT, notice="", completion=done)
    brv(pilot).store.update(
        brv(pilot).store.view.model._replace(name="echo"),
        brv(pilot).store.view.answer._replace(trace=replace(trace, answer=answer)),
    )
    await pilot.press("z")
    await looks(pilot, sizes=ONLY_NARROW)
