"""A model's work, event by event."""

from __future__ import annotations

from brvtui.app.live_answer import LiveAnswer, advanced
from brvtui.app.query.answer import live_lines
from brvtui.paint.answers import completion_blocks
from brvtui.paint.blocks import lines_of
from brvtui.paint.glyphs import for_terminal
from brvtui.paint.line import Line
from brvtui.trace import Cited, Completion, EndReason, ModelTurn, ToolStep, Usage, events

_USAGE = Usage(100, 10, False)
_STEP = ToolStep(1, 1, "read_note", '{"path": "a.md"}', "{}", 42, "", ("a.md",))
_REFUSED = ToolStep(2, 1, "read_note", '{"path": "../b"}', "{}", 3, "points outside the tree", ())


def after(*happened: events.Event) -> LiveAnswer:
    live = LiveAnswer(1, "why", "", "byterover", "echo")
    for event in happened:
        live = advanced(live, event)
    return live


def plain(live: LiveAnswer) -> str:
    return "\n".join(result.plain for result in live_lines(live, 76, for_terminal("off")))


def _report(done: Completion) -> list[Line]:
    glyphs = for_terminal("off")
    return lines_of(completion_blocks(done, glyphs), 76, glyphs)


def test_text_of_an_earlier_turn_is_not_the_answer() -> None:
    result = after(events.TurnBegun(1), events.TextDelta("Let me "), events.TextDelta("look"))
    assert result.text == "Let me look"
    result = advanced(
        advanced(result, events.TurnEnded(ModelTurn(1, "Let me look", 1, _USAGE), 9.0)), events.TurnBegun(2)
    )
    assert (result.turn, result.text, result.sent, result.received) == (2, "", 100, 10)


def test_tool_steps_show_their_results_when_finished() -> None:
    result = after(
        events.StepBegun(1, "read_note", _STEP.arguments), events.StepBegun(2, "read_note", _REFUSED.arguments)
    )
    assert "…" in plain(result)
    result = advanced(advanced(result, events.StepEnded(_REFUSED, 1.0)), events.StepEnded(_STEP, 12.0))
    assert [step.step for step in result.steps] == [_STEP, _REFUSED]
    assert "42 t, 1 note read  12.0 ms" in plain(result)
    assert "refused: points outside the tree" in plain(result)


def test_wait_is_shown_until_text_arrives() -> None:
    result = after(events.TurnBegun(1), events.Waiting(7.5, "the service is busy"))
    assert "the service is busy; again in 7.5 s" in plain(result)
    assert "again in" not in plain(advanced(result, events.TextDelta("so")))


def test_failed_call_shows_its_duration() -> None:
    done = Completion(
        "echo", EndReason.FAILED, "nothing arrived for 60 s", (), (), Usage(0, 0, False), None, (), (),
        timings={"turn 1": 900.0},
    )  # fmt: skip
    (message,) = [result.plain for result in _report(done) if "no call" in result.plain]
    assert message.strip() == "no call was completed · 900 ms"


def test_finished_model_run_is_summarised() -> None:
    done = Completion(
        "echo", EndReason.REPEATED, "search was called three times with the same arguments",
        (ModelTurn(1, "", 2, _USAGE),), (_STEP, _REFUSED), Usage(200, 20, True), 1.25,
        (Cited("a.md", True, True), Cited("b.md", True, False), Cited("ghost.md", False, False)),
        ("Gaps",), ("something to know",), "half", (1.25,),
        {"turn 1": 900.0, "step 1": 12.0, "turn 1 first text": 300.0},
    )  # fmt: skip
    text = " ".join("\n".join(result.plain for result in _report(done)).split())
    for part in (
        "repeated: search was called three times",
        "not grounded, because it is not in the tree: ghost.md",
        "the model was not shown its text: b.md",
        "missing: Gaps",
        "call 1 100 t in, 10 t out 1.25 cents 900",
        "something to know",
        "1 call · 2 tools · 200 t in, 20 t out (estimated) · 1.25 cents · 912 ms",
        "the unfinished answer",
    ):
        assert part in text
    assert "shown to the model: a.md" not in text
