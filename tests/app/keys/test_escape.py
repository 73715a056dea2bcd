"""Esc and a key that a terminal hands on together with it."""

from __future__ import annotations

import string
from collections.abc import Iterator

import pytest
from textual import events
from textual._xterm_parser import XTermParser

from brvtui.app.keys.escape import read_escape_alone


@pytest.fixture(autouse=True)
def without_keys_of_a_user() -> Iterator[None]:
    read_escape_alone(())
    yield
    read_escape_alone(())


def keys(text: str) -> list[str]:
    return [event.key for event in XTermParser().feed(text) if isinstance(event, events.Key)]


@pytest.mark.parametrize("character", string.digits + "wWcxXgGzq")
def test_a_letter_or_a_digit_is_a_key_of_its_own(character: str) -> None:
    assert keys(f"\x1b{character}") == ["escape", character]


@pytest.mark.parametrize(
    ("character", "name"), [(",", "comma"), ("/", "slash"), ("?", "question_mark"), ("=", "equals_sign")]
)
def test_so_is_a_sign_by_its_name(character: str, name: str) -> None:
    assert keys(f"\x1b{character}") == ["escape", name]


@pytest.mark.parametrize(
    ("text", "named"),
    [("\x1b[A", "up"), ("\x1bOP", "f1"), ("\x1b[1;5C", "ctrl+right"), ("\x1bb", "ctrl+left"), ("\x1bf", "ctrl+right")],
)
def test_longer_sequences_and_words_stay(text: str, named: str) -> None:
    assert keys(text) == [named]


def test_alt_stays_with_a_key_that_the_user_gave_an_action() -> None:
    read_escape_alone({"alt+w", "alt+comma"})
    assert "escape" not in keys("\x1bw") + keys("\x1b,")
    assert keys("\x1bx") == ["escape", "x"]
