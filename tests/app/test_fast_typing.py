"""Enter right after the last letter runs the query, and no preview replaces the run."""

from __future__ import annotations

from tests.app.driving import press, screen, settled, until
from tests.app.looking import AppPilot, view


async def test_run_before_the_last_letters_arrive_stays_a_run(pilot: AppPilot) -> None:
    await settled(pilot)
    for text in ("token", "token store"):
        screen(pilot).field.value = text
        screen(pilot).action_run()  # the message about the changed text is still on its way
        await until(pilot, lambda: view(pilot).ran)
        await settled(pilot)
        answered = view(pilot).answered
        assert answered is not None
        assert (view(pilot).ran, answered.query) == (True, text)
    await press(pilot, "s")
    await until(pilot, lambda: not view(pilot).ran)
