"""White space is JavaScript's, however the words of a text are split."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from brvtui.tree.reading.javascript import SPACE, spaced_words
from tests.support.examples import examples

_ODD = st.text(st.sampled_from([*SPACE, *"\x1c\x1d\x1e\x1f\x85\x00\x7f", "a", "é", "漢"]), max_size=12)


@examples(1_000)
@given(text=st.text(max_size=12) | _ODD)
def test_words_are_split_at_the_white_space_of_javascript_alone(text: str) -> None:
    assert spaced_words(text) == [word for word in re.split(f"[{SPACE}]+", text) if word]
    assert spaced_words("a\x1cb\x1fc d") == ["a\x1cb\x1fc", "d"]
