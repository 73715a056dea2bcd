from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.text.visible import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [red] text", "plain [red] text"),
        ("\x1b[31mred\x07", "␛[31mred␇"),
        ("a\nb\tc", "a␊b    c"),
        ("\x7f", "␡"),
        ("\x9b31m", "\\u009b31m"),
        ("\u202eabc\u2066", "\\u202eabc\\u2066"),
        ("\u2028\ud83d", "\\u2028\\ud83d"),
        ("日本語 é 👩‍👩‍👧 שלום", "日本語 é 👩👩👧 שלום"),
        ("", ""),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_what_is_kept() -> None:
    assert visible("a\n\x1bb", keep="\n") == "a\n␛b"


@given(st.text(st.characters(codec=None)))
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    shown = visible(text)
    assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in shown)
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert visible(shown) == shown
