"""Esc and a key that a terminal delivers together."""

from __future__ import annotations

import string
from collections.abc import Iterable

import pytest
from textual import constants, events
from textual._xterm_parser import XTermParser

from brvtui.app.keys.bindings import apart, read_alt
from tests.app.driving import WIDE, MakeApp, settled
from tests.app.editing import area, open_note
from tests.app.looking import AppPilot
from tests.support.settings import own
from tests.support.trees import Tree


@pytest.fixture(autouse=True)
def with_alt() -> None:
    read_alt()


def read(text: str) -> list[events.Key]:
    return [event for event in XTermParser().feed(text) if isinstance(event, events.Key)]


def keys(text: str, given: Iterable[str] = ()) -> list[tuple[str, str | None]]:
    return [(key.key, key.character) for event in read(text) for key in apart(event, given)]


@pytest.mark.parametrize("character", sorted({*string.printable.strip()} - {*"OP", *"[]^_\\bf"}))
def test_character_after_esc_is_a_separate_key(character: str) -> None:
    (alone,) = read(character)
    assert keys(f"\x1b{character}") == [("escape", "\x1b"), (alone.key, character)]


@pytest.mark.parametrize(
    ("text", "named"),
    [("\x1b[A", "up"), ("\x1bOP", "f1"), ("\x1b[1;5C", "ctrl+right"), ("\x1bb", "ctrl+left"), ("\x1bf", "ctrl+right"),
     ("\x1b[1;3D", "alt+left"), ("\x1b\x7f", "ctrl+w")],
)  # fmt: skip
def test_longer_escape_sequences_remain_one_key(text: str, named: str) -> None:
    assert [key for key, _ in keys(text)] == [named]


@pytest.mark.parametrize("character", ["O", "P"])
def test_unfinished_escape_sequence_becomes_two_keys_after_a_delay(
    character: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "ESCAPE_DELAY", 1e-9)
    parser = XTermParser()
    (alt,) = (event for event in [*parser.feed(f"\x1b{character}"), *parser.tick()] if isinstance(event, events.Key))
    assert [(key.key, key.character) for key in apart(alt, ())] == [("escape", "\x1b"), (character, character)]


@pytest.mark.parametrize(("text", "key"), [("\x1bw", "alt+w"), ("\x1b,", "alt+comma"), ("\x1bW", "alt+shift+w")])
def test_alt_keys_assigned_by_the_user_are_not_split(text: str, key: str) -> None:
    assert [found for found, _ in keys(text, [f"f12,{key}"])] == [key]
    assert [found for found, _ in keys("\x1bx", [key])] == ["escape", "x"]


def test_alt_keys_sent_as_csi_u_are_split_too() -> None:
    assert keys("\x1b[119;3u") == [("escape", "\x1b"), ("w", "w")]


async def type_into(pilot: AppPilot, text: str) -> None:
    """Passes ``text`` to the app as a terminal does."""
    for event in read(text):
        pilot.app.post_message(event)
    await settled(pilot)


async def test_character_after_esc_is_typed_into_the_newly_focused_widget(pilot: AppPilot) -> None:
    await open_note(pilot)
    await pilot.press("f3")
    await type_into(pilot, "\x1b(")
    assert area(pilot).text.startswith("(# Rollback")


async def test_user_key_with_alt_and_shift_works(garden: Tree, make_app: MakeApp) -> None:
    own('[keys]\n"screens.log" = "alt+shift+w"\n')
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("escape")
        await type_into(pilot, "\x1bW")
        assert pilot.app.current_mode == "log"
