"""Keys in a burst act in the order in which they were pressed, in fields and in the editor."""

from __future__ import annotations

from textual import events

from brvtui.app.app import BrvTui
from tests.app.driving import NARROW, ask, settled
from tests.app.editing import area, open_note
from tests.app.looking import brv, screen


def burst(app: BrvTui, *keys: str) -> None:
    """Sends all ``keys`` to the app at once, as a terminal may."""
    for key in keys:
        app.post_message(events.Key(key, key if len(key) == 1 else None))


async def test_burst_in_the_query_field_keeps_the_key_order(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        for keys, left in (
            (("ctrl+u", *"carrier"), "carrier"),
            ((*"teh", "backspace", "backspace", *"he"), "rollbackthe"),
            (("home", *"to"), "torollback"),
            (("ctrl+w", *"x"), "x"),
        ):
            await ask(pilot, "rollback")
            screen(pilot).field.cursor_position = len("rollback")
            burst(brv(pilot), *keys)
            await pilot.pause()
            await settled(pilot)
            assert screen(pilot).field.value == left


async def test_burst_in_a_filter_keeps_the_key_order(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await ask(pilot, "rollback", "escape", "slash", *"zebra")
        burst(brv(pilot), "ctrl+u", *"roll")
        await pilot.pause()
        await settled(pilot)
        assert screen(pilot).results.word_filter.words == ("roll",)


async def test_burst_in_the_editor_keeps_the_key_order(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await open_note(pilot)
        before = area(pilot).text
        burst(brv(pilot), *"teh", "backspace", "backspace", *"he ", "end", *"!")
        await pilot.pause()
        await settled(pilot)
        first, _, rest = before.partition("\n")
        assert area(pilot).text == f"the {first}!\n{rest}"


async def test_pasted_lines_are_joined(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await settled(pilot)
        for pasted, value in (
            ("quiet\nhours", "quiet hours"),
            ("\n\n  two  words\t\r\n of  three\n", "two  words of  three"),
            ("one ", "one "),
            ("\n", ""),
        ):
            screen(pilot).field.value = ""
            screen(pilot).field.post_message(events.Paste(pasted))
            await pilot.pause()
            assert screen(pilot).field.value == value
