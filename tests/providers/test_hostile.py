"""Hostile services: answers are limited in size and time, can be cancelled, and never reveal keys."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any, cast

import pytest
from httpx import ConnectError, Headers
from hypothesis import given
from hypothesis import strategies as st

from brvtui.providers.chat import data_of
from brvtui.providers.http import AnswerMask, ServiceRefusal, _InputLimit, error_message, masked, refusal_in, unreached
from brvtui.providers.models import model_of
from brvtui.providers.openai_compatible import OpenAIEmbedder
from brvtui.providers.settings import ModelSettings
from brvtui.services.legs import LegError, RequestPolicy
from brvtui.services.model import (
    Cancellation,
    ModelCancelled,
    ModelError,
    TextPiece,
    ToolCall,
    Wait,
)
from tests.providers.chat import ASKED, KEY, service, turn
from tests.support.chat_server import Refused, Streamed, called, chatting, messages, written
from tests.support.trees import BRV3

POLICY = replace(BRV3.service, tries=1)
HURRIED = replace(POLICY, timeout_seconds=0.5)
MOST_BYTES = 64 * 1_048_576
AT_MOST_S = 25
"""The time in seconds within which endless answers must be ended, even on a busy machine."""
HEADS = ("HTTP/1.1 {status} Reason\r\n", "Content-Type: {kind}\r\n")


@contextmanager
def raw_service(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """The address of a service that passes each connection to ``answer`` after it received a request."""
    ended = threading.Event()

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            request = b""
            while not request.partition(b"\r\n\r\n")[2].endswith(b"}"):
                request += connection.recv(65_536)
            answer(connection)

    def accept() -> None:
        while not ended.is_set():
            with suppress(OSError):
                connection, _ = listening.accept()
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.1)
        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        finally:
            ended.set()
            thread.join()


@cache
def packed() -> bytes:
    """Twice the permitted number of zeros, compressed twice."""
    return gzip.compress(gzip.compress(bytes(2 * MOST_BYTES)))


def chat(base: str, policy: RequestPolicy = POLICY) -> str:
    """Returns the result of a chat model at ``base``."""
    model = model_of(ModelSettings("mini", base, timeout_seconds=policy.timeout_seconds), policy)
    assert model is not None
    try:
        pieces = list(model.turn(ASKED, Cancellation()))
    except ModelError as error:
        return str(error)
    return "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))


def embed(base: str, policy: RequestPolicy = POLICY) -> str:
    """Returns the result of an embedder at ``base``."""
    with pytest.raises(LegError) as error:
        OpenAIEmbedder(base, "mini", policy).embed(["tea"])
    return str(error.value)


def bomb(status: int, kind: str, layers: str) -> Callable[[socket.socket], None]:
    head = "".join(HEADS).format(status=status, kind=kind)
    body = packed()
    return lambda connection: connection.sendall(
        f"{head}Content-Encoding: {layers}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    )


def drip(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Drip: ")
    while True:
        connection.sendall(b"x")
        time.sleep(0.2)


def drip_hints(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"HTTP/1.1 103 Early Hints\r\n\r\n")
        time.sleep(0.2)


def drip_refusal(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 500 Oh\r\nContent-Type: text/plain\r\n\r\n")
    while True:
        connection.sendall(b"x")
        time.sleep(0.2)


def drip_events(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    while True:
        connection.sendall(b'data: {"choices": []}\n\n')
        time.sleep(0.2)


def crumbs(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.sendall(b"1\r\n \r\n")


def flood(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    while True:
        connection.sendall(b"data: " + b"x" * 65_536)


def endless(begin: bytes, piece: bytes) -> Callable[[socket.socket], None]:
    def answer(connection: socket.socket) -> None:
        connection.sendall(begin)
        while True:
            connection.sendall(piece)

    return answer


CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
HEADS_WITHOUT_END = {
    "100": endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "102 with headers": endless(b"", b"HTTP/1.1 102 Processing\r\nX: " + b"a" * 500 + b"\r\n\r\n"),
    "103 in turn with 100": endless(b"", b"HTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"),
    "102 before a header": endless(b"HTTP/1.1 102 Processing\r\n\r\n" * 1000 + b"HTTP/1.1 200 OK\r\n", b"X: a\r\n"),
    "headers": endless(b"HTTP/1.1 200 OK\r\n", b"X-A: " + b"a" * 60_000 + b"\r\n"),
    "a reason": endless(b"HTTP/1.1 200 ", b"a" * 65_536),
}
BODIES_WITHOUT_END = {
    "trailers": endless(CHUNKED + b"0\r\n", b"X-T: " + b"a" * 900 + b"\r\n"),
    "long extensions": endless(CHUNKED, b"1;" + b"a" * 90_000 + b"\r\n \r\n"),
    "an extension": endless(CHUNKED + b"1;", b"a" * 65_536),
}


@pytest.mark.parametrize("ask", [chat, embed])
@pytest.mark.parametrize("answer", HEADS_WITHOUT_END.values(), ids=HEADS_WITHOUT_END)
def test_endless_response_head_is_refused_at_once(
    ask: Callable[[str], str], answer: Callable[[socket.socket], None]
) -> None:
    with raw_service(answer) as base:
        began = time.process_time()
        assert re.search("the answer's header is too large|Receive buffer too long", ask(base))
        assert time.process_time() - began < 4.0


@pytest.mark.parametrize("ask", [chat, embed])
@pytest.mark.parametrize("answer", BODIES_WITHOUT_END.values(), ids=BODIES_WITHOUT_END)
def test_endless_body_framing_is_refused_at_once(
    ask: Callable[[str], str], answer: Callable[[socket.socket], None]
) -> None:
    with raw_service(answer) as base:
        began = time.process_time()
        assert re.search("answer's HTTP framing is too large|Receive buffer too long", ask(base))
        assert time.process_time() - began < 4.0


def test_informational_responses_and_large_headers_are_accepted() -> None:
    body = b'{"data": [{"embedding": [1]}]}'
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 100
    headers = b"X-A: " + b"a" * 30_000 + b"\r\nContent-Length: %d\r\n\r\n" % len(body)
    with raw_service(lambda connection: connection.sendall(hints + b"HTTP/1.1 200 OK\r\n" + headers + body)) as base:
        assert OpenAIEmbedder(base, "mini", POLICY).embed(["tea"]) == [[1.0]]


@pytest.mark.parametrize("ask", [chat, embed])
@pytest.mark.parametrize("status", [200, 301, 400, 429, 500])
@pytest.mark.parametrize("layers", ["gzip", "gzip, gzip", "deflate", "br"])
def test_compressed_answer_is_never_decompressed(ask: Callable[[str], str], status: int, layers: str) -> None:
    kind = "text/event-stream" if ask is chat else "application/json"
    with raw_service(bomb(status, kind, layers)) as base:
        tracemalloc.start()
        began = time.monotonic()
        try:
            message = ask(base)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert time.monotonic() - began < AT_MOST_S
    assert peak < MOST_BYTES
    assert "compressed" in message if status == 200 else str(status) in message


@pytest.mark.parametrize("ask", [chat, embed])
@pytest.mark.parametrize("slowly", [drip, drip_hints, drip_refusal])
def test_slowly_dripping_answer_times_out(ask: Callable[..., str], slowly: Callable[[socket.socket], None]) -> None:
    with raw_service(slowly) as base:
        began = time.monotonic()
        assert ask(base, HURRIED)
        assert time.monotonic() - began < AT_MOST_S


@pytest.mark.long
def test_endless_events_time_out() -> None:
    with raw_service(drip_events) as base:
        began = time.monotonic()
        assert "the answer was incomplete after 5 s" in chat(base, HURRIED)
        assert time.monotonic() - began < AT_MOST_S


def test_answer_in_tiny_pieces_is_refused_cheaply() -> None:
    with raw_service(crumbs) as base:
        began = time.process_time()
        assert "more than 50000 pieces" in embed(base)
        assert time.process_time() - began < 4.0


@pytest.mark.parametrize("part", ["arguments", "name"])
def test_tool_call_without_end_is_refused_early(part: str) -> None:
    piece = {"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "a", "function": {part: "x" * 50}}]}}]}
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    with raw_service(endless(head, f"data: {json.dumps(piece)}\n\n".encode())) as base:
        began = time.process_time()
        assert "tool calls have more than 65,536 characters" in chat(base)
        assert time.process_time() - began < 2.0


def test_oversized_stream_is_cut_at_the_limit() -> None:
    with raw_service(flood) as base:
        tracemalloc.start()
        try:
            assert f"larger than {POLICY.max_bytes} bytes" in chat(base)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < MOST_BYTES


REPEATS = "abaabaabaaba"
"""A key in which some prefixes end with a shorter prefix."""


def shown(key: str, *pieces: str) -> list[str]:
    mask = AnswerMask(key)
    return [*map(mask.add, pieces), mask.rest(False)]


@given(
    parts=st.lists(st.one_of(st.just(REPEATS), st.text("abc", max_size=14)), max_size=5),
    cuts=st.lists(st.integers(0, 60), max_size=6),
)
def test_api_key_is_masked_however_the_text_is_split(parts: list[str], cuts: list[int]) -> None:
    text = "".join(parts)
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[start:end] for start, end in pairwise(places)]
    assert "".join(shown(REPEATS, *pieces)) == text.replace(REPEATS, "…")


def test_only_possible_key_prefixes_are_held_back() -> None:
    assert shown(KEY, "It is", " so: sk-", "ip the step", "s") == ["It i", "s so: ", "sk-ip the step", "", "s"]


def test_placeholder_key_is_not_masked() -> None:
    assert shown("ollama", "Run olla", "ma.") == ["Run olla", "ma.", ""]


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_api_key_in_an_answer_is_masked(protocol: str) -> None:
    pieces = ("## Summary you sent Bearer sk-ve", "ry-sec", f"ret, {KEY}, so say", "s")
    answer = written(*pieces) if protocol == "openai" else messages(*pieces)
    with chatting(answer) as server:
        assert turn(service(server.base, protocol))[0] == "## Summary you sent Bearer …, …, so says"


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_api_key_in_a_tool_call_is_masked(protocol: str) -> None:
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
def test_partial_api_key_at_the_end_is_masked(answer: Streamed, left: str) -> None:
    messages: list[Any] = []
    with chatting(answer) as server, pytest.raises(ModelError) if answer.cut else nullcontext():
        messages.extend(service(server.base).turn(ASKED, Cancellation()))
    assert "".join(piece.text for piece in messages if isinstance(piece, TextPiece)) == left


def test_events_before_a_refusal_in_the_same_piece_arrive() -> None:
    events = [*list(written("It is so").events)[:2], {"error": {"message": "too busy"}}, "[DONE]"]
    messages: list[Any] = []
    with chatting(Streamed(events)) as server, pytest.raises(ModelError, match="too busy"):
        messages.extend(service(server.base).turn(ASKED, Cancellation()))
    assert "".join(piece.text for piece in messages if isinstance(piece, TextPiece)).startswith("It")


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
def test_short_key_is_masked_only_as_a_whole_word(key: str, text: str, is_cut: bool, shown: str) -> None:
    assert masked(text, key, is_cut) == shown


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
        return [text async for batch in data_of(cast("Any", Body(*texts)), most) for text in batch]

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
def test_event_stream_is_parsed(body: str, found: list[str]) -> None:
    assert data(body) == found


@pytest.mark.parametrize("event", ["data:{}\n\n", "data: x\r\n\r\n", "id: 1\ndata: {}\n\n"])
def test_too_many_events_are_refused(event: str) -> None:
    assert len(data(event * 100)) == 100
    with pytest.raises(ServiceRefusal, match="more than 100 events"):
        data(event * 101)


@given(pieces=PIECES, ends=st.sampled_from(["\n", "\r\n"]), cuts=st.lists(st.integers(0, 120), max_size=5))
def test_events_are_read_however_the_stream_is_split(pieces: list[str], ends: str, cuts: list[int]) -> None:
    body = "".join(f"data: {piece}{ends}{ends}" for piece in pieces)
    places = [0, *sorted(min(cut, len(body)) for cut in cuts), len(body)]
    texts = [body[start:end] for start, end in pairwise(places)]
    assert data(*texts) == pieces


def test_oversized_answer_is_refused() -> None:
    with pytest.raises(ServiceRefusal, match="larger than 5 bytes"):
        data("data: ", "a\n\n", most=5)


def test_long_line_is_joined_in_linear_time() -> None:
    """Copying all bytes for every new piece would take a minute for 64 MB."""
    began = time.perf_counter()
    (line,) = data("data: ", *["x" * 4096] * 4096, "\n\n", most=1 << 25)
    assert len(line) == 1 << 24
    assert time.perf_counter() - began < 4


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"message": "no\nsuch  model", "code": 3}}, "no such model"),
        ({"error": "plain"}, "plain"),
        ({"message": "top"}, "top"),
        ({"detail": [1]}, json.dumps({"detail": [1]})),
        ([1, 2], "[1, 2]"),
        ({"error": {"message": "x" * 1000}}, "x" * 300),
    ],
)
def test_error_message_is_read_from_the_response_body(body: Any, message: str) -> None:
    assert error_message(body) == message


@pytest.mark.parametrize(
    ("before", "shown"), [("", "…"), ('{"error": {"message": "', '{"error": {"message": " …')], ids=["text", "JSON"]
)
@pytest.mark.parametrize("size", range(1, 15))
def test_partial_key_at_the_end_of_an_error_body_is_masked(before: str, shown: str, size: int) -> None:
    """White space is collapsed, so an error message may show a partial key from the end."""
    key = "sk-very-secret"
    texts = (before + " " * 5000 + key[:size], key[size:] + '"}}')
    message = str(asyncio.run(refusal_in(cast("Any", Body(*texts)), key, 5)))
    assert message == f"401 Unauthorized: {shown}"


def test_untrusted_certificate_is_reported_with_a_hint() -> None:
    error = ConnectError("")
    error.__cause__ = ssl.SSLCertVerificationError(1, "certificate verify failed: self-signed certificate")
    assert unreached(error, "llm") == (
        "cannot be reached (certificate verify failed: self-signed certificate); "
        "check that llm.url names the right host and that its certificate is trusted (SSL_CERT_FILE)"
    )


def test_cancelling_during_an_answer_closes_the_connection() -> None:
    never = threading.Event()
    with chatting(replace(written("one", "two"), hold=never)) as server:
        cancellation = Cancellation()
        pieces = service(server.base).turn(ASKED, cancellation)
        canceller = threading.Thread(target=lambda: server.begun.wait(30) and cancellation.cancel())
        canceller.start()
        with pytest.raises(ModelCancelled):
            list(pieces)
        canceller.join()
        assert server.gone.wait(30)
        never.set()


def test_cancelling_ends_the_wait_before_a_retry() -> None:
    with chatting(Refused(503, "", {"Retry-After": "8"})) as server:
        result = model_of(ModelSettings("mini", server.base), BRV3.service)
        cancellation = Cancellation()
        pieces = result.turn(ASKED, cancellation)
        assert next(pieces) == Wait(8.0, "503 Service Unavailable")
        threading.Timer(0.02, cancellation.cancel).start()
        with pytest.raises(ModelCancelled):
            next(pieces)


def test_cancelling_ends_a_name_lookup(monkeypatch: pytest.MonkeyPatch) -> None:
    looking, answered = threading.Event(), threading.Event()

    def hangs(*_: object) -> list[object]:
        looking.set()
        answered.wait()
        return []

    monkeypatch.setattr(socket, "getaddrinfo", hangs)
    cancellation = Cancellation()
    canceller = threading.Thread(target=lambda: looking.wait(30) and cancellation.cancel())
    canceller.start()
    with pytest.raises(ModelCancelled):
        list(service("http://a-name:9/v1").turn(ASKED, cancellation))
    canceller.join()
    answered.set()


@pytest.mark.parametrize(
    "ask",
    [
        "SessionModel(lambda: ModelSettings('mini', 'http://a-name:9/v1'), lambda: load().service).check()",
        "OpenAIEmbedder('http://a-name:9/v1', 'mini', load().service).embed(['tea'])",
    ],
    ids=["model", "embedder"],
)
def test_endless_name_lookup_does_not_delay_the_exit(ask: str) -> None:
    code = (
        "import signal, socket, threading; from brvtui.providers.session_model import *\n"
        "from brvtui.engines.byterover.profile import load\n"
        "from brvtui.providers.openai_compatible import OpenAIEmbedder\n"
        # background processes of a shell ignore this signal
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def hangs(*_): print('looking', flush=True); threading.Event().wait()\n"
        f"socket.getaddrinfo = hangs\n{ask}"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as asking:
        assert asking.stderr is not None
        assert asking.stdout.readline() == b"looking\n"
        asking.send_signal(signal.SIGINT)
        try:
            assert asking.wait(30) != 0
            assert asking.stderr.read().strip().endswith(b"KeyboardInterrupt")
        finally:
            asking.kill()


def test_endless_name_lookup_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: answered.wait() and [])
    asker = OpenAIEmbedder("http://a-name:9/v1", "mini", replace(BRV3.service, timeout_seconds=0.05, tries=1))
    with pytest.raises(LegError, match=r"^a-name:9: no answer within 0\.05 s$"):
        asker.embed(["tea"])
    answered.set()


@pytest.mark.parametrize("pending", [True, False], ids=["while it waits", "in the middle of a step"])
def test_ctrl_c_closes_every_connection(pending: bool) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    async def interrupted(seconds: float) -> None:
        if not pending:
            interrupt()
        asyncio.get_running_loop().call_soon(interrupt)
        await asyncio.Event().wait()

    with chatting(Refused(503)) as server:
        result = service(server.base)
        result._sleep = interrupted
        with pytest.raises(KeyboardInterrupt):
            list(result.turn(ASKED, Cancellation()))


def test_ctrl_c_does_not_wait_for_an_endless_step() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    async def never(seconds: float) -> None:
        asyncio.get_running_loop().call_soon(interrupt)
        while True:
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()

    with chatting(Refused(503)) as server:
        result = service(server.base)
        result._sleep = never
        with pytest.raises(KeyboardInterrupt):
            list(result.turn(ASKED, Cancellation()))


def test_closing_the_iterator_closes_the_connection() -> None:
    never = threading.Event()
    with chatting(Streamed([{"choices": [{"delta": {"content": "one"}}]}, "[DONE]"], hold=never)) as server:
        pieces = service(server.base).turn(ASKED, Cancellation())
        assert next(pieces) == TextPiece("one")
        pieces.close()
        assert server.gone.wait(30)
        never.set()


def test_cancelling_before_the_first_request_sends_nothing() -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    with chatting(written("x")) as server:
        with pytest.raises(ModelCancelled):
            list(service(server.base).turn(ASKED, cancellation))
        assert server.asked == []


def test_proxy_reads_count_towards_the_input_limit() -> None:
    """A SOCKS proxy handshake passes the parameter by name."""

    class Stream:
        async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
            return b"x" * max_bytes

    async def ask() -> bytes:
        stream = Stream()
        await _InputLimit(1).trace("connection.connect_tcp.complete", {"return_value": stream})
        return await stream.read(max_bytes=4096)

    assert len(asyncio.run(ask())) == 4096
