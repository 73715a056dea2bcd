"""Services that answer with bombs, drips and floods, asked by the command line."""

from __future__ import annotations

import gzip
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
_PAUSE_S = 0.2
_FILLER = "words " * 50_000

Answer = Callable[[socket.socket, bytes], None]
"""Answers a request on its connection."""


def service(answer: Answer) -> str:
    """The address of a service that hands each connection to ``answer`` once a request has come, until the end."""
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


def project(folder: Path) -> None:
    """A project whose query ``gate`` comes to a model, which may read further notes."""
    tree = folder / ".brv" / "context-tree"
    (tree / "yard").mkdir(parents=True)
    for number in range(40):
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
    "a line without end": _repeating(f"{_OK}{_STREAM}data: ", b"x" * 65_536, 0),
    "lists without end": _repeating(f"{_OK}{_STREAM}data: ", b"[]," * 20_000, 0),
    "text without end": _repeating(
        f"{_OK}{_STREAM}", b'data: {"choices": [{"delta": {"content": "' + b"word " * 1_000 + b'"}}]}\n\n', 0
    ),
}


@dataclass
class Reached:
    """An answer of a service that must be reached, or the attack shows nothing."""

    answer: Answer
    times: int = 0

    def __call__(self, connection: socket.socket, request: bytes) -> None:
        self.times += 1
        self.answer(connection, request)

    def check(self) -> str:
        """What is wrong when nobody asked."""
        return "" if self.times else "the service was not asked: this shows nothing"


def _asked(what: str, reached: Reached) -> Attack:
    def prepare(folder: Path) -> Sequence[str | Path]:
        _bomb()
        project(folder)
        settings(folder, f'[llm]\nmodel = "mini"\nurl = "{service(reached)}"\ntimeout = {_TIMEOUT_S}\n')
        return ["ask", "how does the gate open", "--llm", "--project", folder]

    return Attack(f"a model answers with {what}", prepare, check=reached.check)


def _embedding(what: str, reached: Reached) -> Attack:
    def prepare(folder: Path) -> Sequence[str | Path]:
        _bomb()
        project(folder)
        fast = f"[profile.service]\ntimeout_seconds = {_TIMEOUT_S}\ntries = 2\nwait_seconds = 0.1\n"
        settings(folder, f'[services.embedder]\nmodel = "mini"\nurl = "{service(reached)}"\n{fast}')
        return ["query", "gate", "--engine", "jeffs_brain", "--project", folder]

    return Attack(f"an embedder answers with {what}", prepare, check=reached.check)


def _all() -> Iterator[Attack]:
    for what, answer in ANSWERS.items():
        yield _asked(what, Reached(answer))
        yield _embedding(what, Reached(answer))


ATTACKS = tuple(_all())

if __name__ == "__main__":
    sys.exit(bool(report(ATTACKS)))
