"""A key that a service says again is shown nowhere, however the answer is cut up."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.providers.http import AnswerMask, masked
from brvtui.services.model import Cancellation, ModelError, TextPiece, ToolCall
from tests.providers.chat import ASKED, KEY, service, turn
from tests.support.chat_server import Streamed, called, chatting, messages, written

REPEATS = "abaabaabaaba"
"""A key of whose beginnings some end with others."""


def shown(key: str, *pieces: str) -> list[str]:
    mask = AnswerMask(key)
    return [*map(mask.add, pieces), mask.rest(False)]


@given(
    parts=st.lists(st.one_of(st.just(REPEATS), st.text("abc", max_size=14)), max_size=5),
    cuts=st.lists(st.integers(0, 60), max_size=6),
)
def test_however_a_text_is_cut_the_key_is_taken_out(parts: list[str], cuts: list[int]) -> None:
    text = "".join(parts)
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[start:end] for start, end in pairwise(places)]
    assert "".join(shown(REPEATS, *pieces)) == text.replace(REPEATS, "…")


def test_only_what_may_be_the_keys_beginning_is_held() -> None:
    assert shown(KEY, "It is", " so: sk-", "ip the step", "s") == ["It i", "s so: ", "sk-ip the step", "", "s"]


def test_a_placeholder_is_a_word_like_others() -> None:
    assert shown("ollama", "Run olla", "ma.") == ["Run olla", "ma.", ""]


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_a_key_that_an_answer_repeats_is_not_shown(protocol: str) -> None:
    pieces = ("## Summary you sent Bearer sk-ve", "ry-sec", f"ret, {KEY}, so say", "s")
    answer = written(*pieces) if protocol == "openai" else messages(*pieces)
    with chatting(answer) as server:
        assert turn(service(server.base, protocol))[0] == "## Summary you sent Bearer …, …, so says"


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_a_key_that_a_call_repeats_is_not_shown(protocol: str) -> None:
    calls = [(f"read_{KEY}", {"path": f"x/{KEY}.md"})]
    with chatting(called(*calls) if protocol == "openai" else messages(calls=calls)) as server:
        (call,) = turn(service(server.base, protocol))[2].calls
    assert call == ToolCall(call.id, "read_…", '{"path": "x/….md"}')


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        (written("It is sk-very-se", ended="length"), "It is …"),
        (Streamed(list(written("It is sk-very-se").events)[:2], cut=True), "It is "),
    ],
    ids=["limit", "broken off"],
)
def test_a_key_that_an_end_cuts_is_not_shown(answer: Streamed, left: str) -> None:
    said: list[Any] = []
    with chatting(answer) as server, pytest.raises(ModelError) if answer.cut else nullcontext():
        said.extend(service(server.base).turn(ASKED, Cancellation()))
    assert "".join(piece.text for piece in said if isinstance(piece, TextPiece)) == left


@pytest.mark.parametrize(
    ("key", "text", "is_cut", "shown"),
    [
        ("a", "a bad key a", False, "a bad key a"),
        ("key", "no such key: key", True, "no such key: key"),
        ("none", "none given, nonetheless refused: Bearer none", False, "… given, nonetheless refused: Bearer …"),
        ("none", "the Wagnerian no", True, "the Wagnerian …"),
        ("none", "the casino", True, "the casino"),
        ("sk-very-secret", "xsk-very-secretx", False, "x…x"),
        ("sk-very-secret", "sent: sk-very", True, "sent: …"),
        ("", "nothing is set", True, "nothing is set"),
    ],
)
def test_a_short_key_garbles_no_message(key: str, text: str, is_cut: bool, shown: str) -> None:
    assert masked(text, key, is_cut) == shown
