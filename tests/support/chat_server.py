"""A local HTTP server with scripted answers, which streams chat completions and Anthropic's messages."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar


@dataclass
class Streamed:
    """Events, sent one after another; ``[DONE]`` and comments (``: …``) are sent unchanged."""

    events: Iterable[Any]
    cut: bool = False
    """True if the connection breaks in the middle of the body."""
    hold: threading.Event | None = None
    """If set, the server waits for it after the first event."""
    status: int = 200
    kind: str = "text/event-stream; charset=utf-8"


@dataclass
class Refused:
    """An answer that is not a stream."""

    status: int
    body: Any = ""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class ChatServer:
    """A server that records its requests and sends the next answers; the last answer is repeated."""

    answers: list[Streamed | Refused]
    asked: list[tuple[str, dict[str, Any], dict[str, str]]] = field(default_factory=list)
    base: str = ""
    begun: threading.Event = field(default_factory=threading.Event)
    """Set when the first event of an answer has been written."""
    gone: threading.Event = field(default_factory=threading.Event)
    """Set when a client has disconnected before the end of an answer."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def next_answer(self, path: str, payload: dict[str, Any], headers: dict[str, str]) -> Streamed | Refused:
        """Records the request, and takes the next answer."""
        with self._lock:
            self.asked.append((path, payload, headers))
            return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def written(*pieces: str, ended: str = "stop", usage: tuple[int, int] | None = (100, 10)) -> Streamed:
    """A turn of chat completions that writes ``pieces``."""
    chunks: list[Any] = [{"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}]
    chunks += [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    return Streamed([*chunks, *_end(ended, usage)])


def called(*calls: tuple[str, Any], text: str = "") -> Streamed:
    """A turn of chat completions that calls tools, each in three pieces."""
    chunks: list[Any] = [{"choices": [{"delta": {"content": text}}]}] if text else []
    for number, (name, given) in enumerate(calls):
        arguments = given if isinstance(given, str) else json.dumps(given)
        half = len(arguments) // 2
        pieces = [
            {"index": number, "id": f"call-{number}", "type": "function", "function": {"name": name, "arguments": ""}},
            {"index": number, "function": {"arguments": arguments[:half]}},
            {"index": number, "function": {"arguments": arguments[half:]}},
        ]
        chunks += [{"choices": [{"delta": {"tool_calls": [piece]}}]} for piece in pieces]
    return Streamed([*chunks, *_end("tool_calls", (100, 10))])


def _end(ended: str, usage: tuple[int, int] | None) -> list[Any]:
    result: list[Any] = [{"choices": [{"delta": {}, "finish_reason": ended}]}]
    if usage:
        result.append({"choices": [], "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1]}})
    return [*result, "[DONE]"]


def messages(*pieces: str, calls: Sequence[tuple[str, Any]] = (), ended: str = "") -> Streamed:
    """A turn of Anthropic's messages."""
    result: list[Any] = [{"type": "message_start", "message": {"usage": {"input_tokens": 100, "output_tokens": 1}}}]
    result += [{"type": "ping"}, _block(0, {"type": "text", "text": ""})]
    result += [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}} for piece in pieces
    ]
    for number, (name, given) in enumerate(calls, start=1):
        result.append(_block(number, {"type": "tool_use", "id": f"toolu-{number}", "name": name, "input": {}}))
        arguments = json.dumps(given)
        for piece in (arguments[:5], arguments[5:]):
            delta = {"type": "input_json_delta", "partial_json": piece}
            result.append({"type": "content_block_delta", "index": number, "delta": delta})
        result.append({"type": "content_block_stop", "index": number})
    why = ended or ("tool_use" if calls else "end_turn")
    result.append({"type": "message_delta", "delta": {"stop_reason": why}, "usage": {"output_tokens": 10}})
    return Streamed([*result, {"type": "message_stop"}])


def _block(index: int, block: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


class _Handler(BaseHTTPRequestHandler):
    chat: ClassVar[ChatServer]
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = self.chat.next_answer(
            self.path, payload, {name.lower(): value for name, value in self.headers.items()}
        )
        self.close_connection = True
        try:
            if isinstance(answer, Refused):
                self._refuse(answer)
            else:
                self._stream(answer)
        except OSError:
            self.chat.gone.set()

    def _refuse(self, answer: Refused) -> None:
        data = answer.body.encode() if isinstance(answer.body, str) else json.dumps(answer.body).encode()
        self.send_response(answer.status)
        for name, value in {**answer.headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, answer: Streamed) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number, event in enumerate(answer.events):
            if number == 1:
                self.chat.begun.set()
            if number and answer.hold:
                self._wait(answer.hold)
            text = event if isinstance(event, str) else json.dumps(event)
            data = f"{'' if text.startswith(':') else 'data: '}{text}\r\n\r\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        if not answer.cut:
            self.wfile.write(b"0\r\n\r\n")

    def _wait(self, hold: threading.Event) -> None:
        """Waits for ``hold``, or until the client has disconnected."""
        self.connection.settimeout(0.02)
        while not hold.is_set():
            try:
                if not self.connection.recv(1):
                    self.chat.gone.set()
                    hold.set()
            except TimeoutError:
                continue

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def chatting(*answers: Streamed | Refused) -> Iterator[ChatServer]:
    """The server, which runs until the end of the block."""
    chat = ChatServer(list(answers))
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"chat": chat}))
    chat.base = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield chat
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
