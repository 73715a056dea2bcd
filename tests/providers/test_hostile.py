"""Services that answer with bombs, drips and floods: bounded in time and memory, whatever the status."""

from __future__ import annotations

import gzip
import socket
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache

import pytest

from brvtui.providers.models import model_of
from brvtui.providers.openai_compatible import OpenAIEmbedder
from brvtui.providers.settings import ModelSettings
from brvtui.services.legs import LegError, RequestPolicy
from brvtui.services.model import Cancellation, ModelError, TextPiece
from tests.providers.chat import ASKED
from tests.support.trees import BRV3

POLICY = replace(BRV3.service, tries=1)
HURRIED = replace(POLICY, timeout_seconds=0.5)
MOST_BYTES = 64 * 1_048_576
AT_MOST_S = 25
"""What has no end of its own has ended by then, however busy the machine is."""
HEADS = ("HTTP/1.1 {status} Reason\r\n", "Content-Type: {kind}\r\n")


@contextmanager
def raw_service(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """The address of a service that hands each connection to ``answer`` once a request has come."""
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
    """Zeros, twice as many as may be held, compressed twice."""
    return gzip.compress(gzip.compress(bytes(2 * MOST_BYTES)))


def chat(base: str, policy: RequestPolicy = POLICY) -> str:
    """What a chat model at ``base`` comes to."""
    model = model_of(ModelSettings("mini", base, timeout_seconds=policy.timeout_seconds), policy)
    assert model is not None
    try:
        pieces = list(model.turn(ASKED, Cancellation()))
    except ModelError as error:
        return str(error)
    return "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))


def embed(base: str, policy: RequestPolicy = POLICY) -> str:
    """What an embedder at ``base`` comes to."""
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


@pytest.mark.parametrize("ask", [chat, embed])
@pytest.mark.parametrize("status", [200, 301, 400, 429, 500])
@pytest.mark.parametrize("layers", ["gzip", "gzip, gzip", "deflate", "br"])
def test_a_compressed_answer_is_never_unpacked(ask: Callable[[str], str], status: int, layers: str) -> None:
    kind = "text/event-stream" if ask is chat else "application/json"
    with raw_service(bomb(status, kind, layers)) as base:
        tracemalloc.start()
        began = time.monotonic()
        try:
            said = ask(base)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert time.monotonic() - began < AT_MOST_S
    assert peak < MOST_BYTES
    assert "compressed" in said if status == 200 else str(status) in said


@pytest.mark.parametrize("ask", [chat, embed])
@pytest.mark.parametrize("slowly", [drip, drip_hints, drip_refusal])
def test_a_dripping_answer_ends_in_time(ask: Callable[..., str], slowly: Callable[[socket.socket], None]) -> None:
    with raw_service(slowly) as base:
        began = time.monotonic()
        assert ask(base, HURRIED)
        assert time.monotonic() - began < AT_MOST_S


@pytest.mark.long
def test_events_without_end_end_in_time() -> None:
    with raw_service(drip_events) as base:
        began = time.monotonic()
        assert "it was incomplete after 5 s" in chat(base, HURRIED)
        assert time.monotonic() - began < AT_MOST_S


def test_an_answer_in_crumbs_costs_little_time() -> None:
    with raw_service(crumbs) as base:
        began = time.process_time()
        assert "more than 50000 pieces" in embed(base)
        assert time.process_time() - began < 4.0


def test_a_flood_is_cut_at_the_limit() -> None:
    with raw_service(flood) as base:
        tracemalloc.start()
        try:
            assert f"larger than {POLICY.max_bytes} bytes" in chat(base)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < MOST_BYTES
