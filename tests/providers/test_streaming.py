"""Server-sent events are the same however the network cuts them up."""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any, cast

import pytest
from httpx import ConnectError, Headers
from hypothesis import given
from hypothesis import strategies as st

from brvtui.providers.chat import data_of
from brvtui.providers.http import ServiceRefusal, error_message, refusal_in, unreached

PIECES = st.lists(st.text(alphabet="ab: {}ü\u2028", min_size=1), max_size=6)


class Body:
    """The body of an answer, in pieces."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    status_code, reason_phrase, headers = 401, "Unauthorized", Headers()

    async def aiter_raw(self) -> AsyncIterator[bytes]:
        for text in self.texts:
            yield text.encode()


def data(*texts: str, most: int = 10_000) -> list[str]:
    async def all_of() -> list[str]:
        return [text async for text in data_of(cast("Any", Body(*texts)), most)]

    return asyncio.run(all_of())


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("data: a\n\ndata: b\n\n", ["a", "b"]),
        ("data:a\r\n\r\n", ["a"]),
        ("event: x\nid: 3\ndata: a\n: a comment\n\n", ["a"]),
        ("data: a\ndata: b\n\n", ["a\nb"]),
        (": keep alive\n\n\n\ndata: a\n\n", ["a"]),
        ("data: a\n", []),
        ("data:\n\ndata: \n\ndata: a\n\n", ["a"]),
        ("", []),
    ],
)
def test_events(body: str, found: list[str]) -> None:
    assert data(body) == found


@given(pieces=PIECES, ends=st.sampled_from(["\n", "\r\n"]), cuts=st.lists(st.integers(0, 120), max_size=5))
def test_events_are_the_same_however_they_are_cut(pieces: list[str], ends: str, cuts: list[int]) -> None:
    body = "".join(f"data: {piece}{ends}{ends}" for piece in pieces)
    places = [0, *sorted(min(cut, len(body)) for cut in cuts), len(body)]
    texts = [body[start:end] for start, end in pairwise(places)]
    assert data(*texts) == pieces


def test_an_answer_that_is_too_large_is_refused() -> None:
    with pytest.raises(ServiceRefusal, match="larger than 5 bytes"):
        data("data: ", "a\n\n", most=5)


def test_a_line_as_large_as_an_answer_may_be_is_put_together_once() -> None:
    """Bytes that are copied with every piece that comes take a minute for 64 MB."""
    began = time.perf_counter()
    (line,) = data("data: ", *["x" * 4096] * 4096, "\n\n", most=1 << 25)
    assert len(line) == 1 << 24
    assert time.perf_counter() - began < 4


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": {"message": "no\nsuch  model", "code": 3}}, "no such model"),
        ({"error": "plain"}, "plain"),
        ({"message": "top"}, "top"),
        ({"detail": [1]}, json.dumps({"detail": [1]})),
        ([1, 2], "[1, 2]"),
        ({"error": {"message": "x" * 1000}}, "x" * 300),
    ],
)
def test_what_an_error_says(body: Any, said: str) -> None:
    assert error_message(body) == said


@pytest.mark.parametrize(
    ("before", "shown"), [("", "…"), ('{"error": {"message": "', '{"error": {"message": " …')], ids=["text", "JSON"]
)
@pytest.mark.parametrize("size", range(1, 15))
def test_no_part_of_a_key_stays_where_reading_ended(before: str, shown: str, size: int) -> None:
    """Space is not shown: what comes after it may be the last that was read."""
    key = "sk-very-secret"
    texts = (before + " " * 5000 + key[:size], key[size:] + '"}}')
    said = str(asyncio.run(refusal_in(cast("Any", Body(*texts)), key, 5)))
    assert said == f"401 Unauthorized: {shown}"


def test_a_certificate_that_is_not_trusted_is_what_to_look_at() -> None:
    error = ConnectError("")
    error.__cause__ = ssl.SSLCertVerificationError(1, "certificate verify failed: self-signed certificate")
    assert unreached(error, "llm") == (
        "cannot be reached (certificate verify failed: self-signed certificate); "
        "look whether llm.url names the right host, and its certificate is trusted (SSL_CERT_FILE)"
    )
