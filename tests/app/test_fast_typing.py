"""Enter right after the last letter runs the query; the screen then shows how to type a new one."""

from __future__ import annotations

import pytest
from textual import events

from brvtui.app.widgets.key_bar import KeyBar
from tests.app.driving import NARROW, WIDE, ask, press, screen, settled, until
from tests.app.looking import AppPilot, text_of, trace_of, view


async def test_run_before_the_last_letters_arrive_stays_a_run(pilot: AppPilot) -> None:
    await settled(pilot)
    for text in ("token", "token store"):
        screen(pilot).field.value = text
        screen(pilot).action_run()  # runs before the message about the changed text arrives
        await until(pilot, lambda: view(pilot).ran)
        await settled(pilot)
        answered = view(pilot).answered
        assert answered is not None
        assert (view(pilot).ran, answered.query) == (True, text)
    await press(pilot, "s")
    await until(pilot, lambda: not view(pilot).ran)


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x36"])
async def test_key_for_a_new_question_comes_first_while_letters_are_keys(
    pilot: AppPilot, size: tuple[int, int]
) -> None:
    await ask(pilot, "token store", "enter")
    for pane in ("f2", "f3", "j"):
        await press(pilot, pane)
        assert next(key for _, _, key in screen(pilot).query_one(KeyBar)._keys) == "i"
        assert "i new question" in text_of(pilot, "#mode")
    await press(pilot, "i")
    assert "i new question" not in text_of(pilot, "#mode")
    await press(pilot, *"refund")
    assert trace_of(pilot).query == "refund"


async def test_text_pasted_outside_fields_is_a_new_question(pilot: AppPilot) -> None:
    await ask(pilot, "token store", "enter")
    await settled(pilot)
    screen(pilot).results.post_message(events.Paste("how often do\nbackups run\n"))
    await settled(pilot)
    assert trace_of(pilot).query == "how often do backups run"
    assert screen(pilot).focused is screen(pilot).field
