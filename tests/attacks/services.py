"""Services that answer with bombs, drips, floods and huge vectors, called by the command line."""

from __future__ import annotations

import gzip
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.attacks.harness import Attack, report

_OK, _STREAM = "HTTP/1.1 200 OK\r\n", "Content-Type: text/event-stream\r\n\r\n"
_FAILED = "HTTP/1.1 500 Oh\r\nContent-Type: text/plain\r\n"
_TIMEOUT_S = 1
_LONG_TIMEOUT_S = 20
"""A long timeout. An answer that uses all of it would need too much CPU time."""
_PAUSE_S = 0.2
_FILLER = "words " * 50_000

Answer = Callable[[socket.socket, bytes], None]
"""Answers a request on its connection."""


def service(answer: Answer) -> str:
    """The address of a service that passes each connection to ``answer`` once it has received a request."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            request = b""
            while not request.partition(b"\r\n\r\n")[2].endswith(b"}"):
                request += connection.recv(65_536)
            answer(connection, request)

    def accept() -> None:
        while True:
            connection, _ = listening.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return f"http://127.0.0.1:{listening.getsockname()[1]}/v1"


def project(folder: Path, notes: int = 40) -> None:
    """A project in which the query ``gate`` is answered by a model, which may read further notes."""
    tree = folder / ".brv" / "context-tree"
    (tree / "yard").mkdir(parents=True)
    for number in range(notes):
        text = f"The gate opens at {number}. {_FILLER * (number == 1)}"
        (tree / "yard" / f"gate_{number}.md").write_text(f"# Gate {number}\n\n{text}\n")
    (folder / ".brv" / "config.json").write_text("{}")


def settings(folder: Path, text: str) -> None:
    """The user's own settings file."""
    file = folder / "own" / "config" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text(text)


@cache
def _bomb() -> bytes:
    return gzip.compress(gzip.compress(bytes(1 << 29), 9), 9)


def _bombing(head: str, encoding: str) -> Answer:
    def answer(connection: socket.socket, _: bytes) -> None:
        length = f"Content-Encoding: {encoding}\r\nContent-Length: {len(_bomb())}\r\n"
        connection.sendall(f"{head}{length}\r\n".encode() + _bomb())

    return answer


def _repeating(begin: str, piece: bytes, pause: float) -> Answer:
    def answer(connection: socket.socket, _: bytes) -> None:
        connection.sendall(begin.encode())
        while True:
            connection.sendall(piece)
            time.sleep(pause)

    return answer


ANSWERS: dict[str, Answer] = {
    "a gzip bomb": _bombing(f"{_OK}Content-Type: text/event-stream\r\n", "gzip"),
    "a gzip bomb of status 500": _bombing(_FAILED, "gzip"),
    "a gzip bomb in a gzip bomb of status 500": _bombing(_FAILED, "gzip, gzip"),
    "a gzip bomb of status 301": _bombing("HTTP/1.1 301 Moved\r\n", "gzip"),
    "a header of 2 bytes a second": _repeating(f"{_OK}X-Drip: ", b"x", 0.5),
    "a header without end": _repeating(f"{_OK}X-Flood: ", b"x" * 65_536, 0),
    "headers without end": _repeating(_OK, b"X-Header: x\r\n" * 1_000, 0),
    "hints without end": _repeating("", b"HTTP/1.1 103 Early Hints\r\n\r\n", _PAUSE_S),
    "a refusal that drips": _repeating(f"{_FAILED}\r\n", b"x", _PAUSE_S),
    "a refusal without end": _repeating(f"{_FAILED}\r\n", b"x" * 65_536, 0),
    "comments without end": _repeating(f"{_OK}{_STREAM}", b": still here\n\n", _PAUSE_S),
    "events that say nothing without end": _repeating(f"{_OK}{_STREAM}", b'data: {"choices": []}\n\n', _PAUSE_S),
    "tiny events without end": _repeating(f"{_OK}{_STREAM}", b"data:{}\n\n" * 5_000, 0),
    "events without choices without end": _repeating(f"{_OK}{_STREAM}", b'data:{"choices":[]}\n\n' * 3_000, 0),
    "a line without end": _repeating(f"{_OK}{_STREAM}data: ", b"x" * 65_536, 0),
    "lists without end": _repeating(f"{_OK}{_STREAM}data: ", b"[]," * 20_000, 0),
    "text without end": _repeating(
        f"{_OK}{_STREAM}", b'data: {"choices": [{"delta": {"content": "' + b"word " * 1_000 + b'"}}]}\n\n', 0
    ),
}

_CHUNKED = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
FLOODS: dict[str, Answer] = {
    "informational responses without end": _repeating("", b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000, 0),
    "large informational responses without end": _repeating("", b"HTTP/1.1 102 X\r\nX: %b\r\n\r\n" % (b"x" * 500), 0),
    "hints in turn with others": _repeating("", b"HTTP/1.1 103 X\r\nL: x\r\n\r\nHTTP/1.1 199 X\r\n\r\n" * 1_000, 0),
    "one informational response, then headers": _repeating(f"HTTP/1.1 102 X\r\n\r\n{_OK}", b"X: x\r\n" * 1_000, 0),
    "a refusal's headers without end": _repeating("HTTP/1.1 429 X\r\nRetry-After: 0\r\n", b"X: x\r\n" * 1_000, 0),
    "trailers without end": _repeating(f"{_CHUNKED}0\r\n", b"X: x\r\n" * 1_000, 0),
    "an extension without end": _repeating(f"{_CHUNKED}1;", b"x" * 65_536, 0),
    "extensions without end": _repeating(_CHUNKED, b"1;%b\r\n \r\n" % (b"x" * 90_000), 0),
}
"""Answers that must be ended long before their timeout."""


def _replying(body: Callable[[int], bytes], headers: str = "HTTP/1.1 200 OK\r\n") -> Answer:
    """Sends the ``body`` for the number of texts in the request."""

    def answer(connection: socket.socket, request: bytes) -> None:
        texts = json.loads(request.partition(b"\r\n\r\n")[2]).get("input", [])
        data = body(len(texts))
        connection.sendall(f"{headers}Content-Length: {len(data)}\r\n\r\n".encode() + data)

    return answer


def _vectors(numbers: Callable[[int], int], number: bytes = b"1", beside: bytes = b"") -> Answer:
    def body(texts: int) -> bytes:
        vector = b",".join([number] * numbers(texts))
        return b'{"data":[' + b",".join([b'{"embedding":[%b]}' % vector] * texts) + b"]" + beside + b"}"

    return _replying(body)


VECTORS: dict[str, Answer] = {
    "vectors that fill each answer": _vectors(lambda texts: 3_900_000 // texts),
    "vectors of 8,193 numbers": _vectors(lambda texts: 8_193),
    "vectors of 60,000 numbers": _vectors(lambda texts: 60_000),
    "a long vector for the query alone": _vectors(lambda texts: 3_000_000 if texts == 1 else 8),
    "vectors of no numbers": _vectors(lambda texts: 8, b"NaN"),
    "lists beside the vectors": _vectors(lambda texts: 8, beside=b',"x":[' + b"[]," * 2_600_000 + b"[]]"),
}
_CHAT = b'{"choices": [{"message": {"content": "%b"}}]%b}'
SCORES: dict[str, Answer] = {
    "scores that are no numbers": _replying(lambda _: _CHAT % (b"[NaN, Infinity, 1e999]", b"")),
    "ids out of range": _replying(lambda _: _CHAT % (b'[{\\"id\\": -1, \\"score\\": %b}]' % (b"9" * 4_000), b"")),
    "integers of 5,000 digits": _replying(lambda _: _CHAT % (b"[%b]" % (b"9" * 5_000), b"")),
    "millions of scores": _replying(lambda _: _CHAT % (b"[" + b"1," * 4_000_000 + b"1]", b"")),
    "millions of lists": _replying(lambda _: _CHAT % (b"[" + b"[]," * 2_600_000 + b"[]]", b"")),
    "lists beside the scores": _replying(lambda _: _CHAT % (b"[1]", b', "x": [' + b"[]," * 2_600_000 + b"[]]")),
    "nested lists": _replying(lambda _: _CHAT % (b"[" * 400_000 + b"]" * 400_000, b"")),
}
WAITS: dict[str, Answer] = {
    f"a wait of {what}": _replying(lambda _: b"{}", f"HTTP/1.1 {status} Busy\r\nRetry-After: {seconds}\r\n")
    for what, status, seconds in (
        ("9 s", 429, "9"),
        ("a number of 400 digits", 503, "9" * 400),
        ("a number of 5,000 digits", 429, "9" * 5_000),
    )
}


@dataclass
class Reached:
    """An answer of a service that must be called; otherwise, the attack proves nothing."""

    answer: Answer
    most_times: int = 1_000
    times: int = 0

    def __call__(self, connection: socket.socket, request: bytes) -> None:
        self.times += 1
        self.answer(connection, request)

    def check(self) -> str:
        """The problem if the service was called too often or not at all."""
        if self.times > self.most_times:
            return f"the service was asked {self.times} times"
        return "" if self.times else "the service was not asked: this shows nothing"


def _asked(what: str, reached: Reached, seconds: int = _TIMEOUT_S) -> Attack:
    def prepare(folder: Path) -> Sequence[str | Path]:
        _bomb()
        project(folder)
        settings(folder, f'[llm]\nmodel = "mini"\nurl = "{service(reached)}"\ntimeout = {seconds}\n')
        return ["ask", "how does the gate open", "--llm", "--project", folder]

    return Attack(f"a model answers with {what}", prepare, check=reached.check)


def _leg(kind: str, what: str, reached: Reached, seconds: int = _TIMEOUT_S, notes: int = 40) -> Attack:
    """An ``embedder`` or a ``reranker`` that a query over ``notes`` calls."""

    def prepare(folder: Path) -> Sequence[str | Path]:
        _bomb()
        project(folder, notes)
        fast = f"[profile.service]\ntimeout_seconds = {seconds}\ntries = 2\nwait_seconds = 0.1\n"
        settings(folder, f'[services.{kind}]\nmodel = "mini"\nurl = "{service(reached)}"\n{fast}')
        reranked = ["--rerank"] if kind == "reranker" else []
        return ["query", "gate", "--engine", "jeffs_brain", *reranked, "--project", folder]

    return Attack(f"an {kind} answers with {what}".replace("an r", "a r"), prepare, check=reached.check)


def _all() -> Iterator[Attack]:
    for what, answer in ANSWERS.items():
        yield _asked(what, Reached(answer))
        yield _leg("embedder", what, Reached(answer))
    for what, answer in FLOODS.items():
        yield _asked(what, Reached(answer), _LONG_TIMEOUT_S)
        yield _leg("embedder", what, Reached(answer), _LONG_TIMEOUT_S)
        yield _leg("reranker", what, Reached(answer), _LONG_TIMEOUT_S)
    for what, answer in VECTORS.items():
        yield _leg("embedder", what, Reached(answer), _LONG_TIMEOUT_S, notes=400 if "fill" in what else 40)
    for what, answer in SCORES.items():
        yield _leg("reranker", what, Reached(answer), _LONG_TIMEOUT_S)
    for what, answer in WAITS.items():
        yield _asked(what, Reached(answer, most_times=1))
        yield _leg("embedder", what, Reached(answer, most_times=2))
        yield _leg("reranker", what, Reached(answer, most_times=4))


ATTACKS = tuple(_all())

if __name__ == "__main__":
    sys.exit(bool(report(ATTACKS)))
