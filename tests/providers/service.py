"""A local HTTP server with replies set by the test."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    hold: threading.Event | None = None


@dataclass
class Service:
    """Requests received and replies to send; the last reply is repeated."""

    answers: list[Answer | Callable[[Any], Answer]]
    asked: list[tuple[str, Any, dict[str, str]]] = field(default_factory=list)
    base: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, path: str, payload: Any, headers: dict[str, str]) -> Answer:
        with self._lock:
            self.asked.append((path, payload, headers))
            result = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return result if isinstance(result, Answer) else result(payload)


@contextmanager
def serving(*answers: Answer | Callable[[Any], Answer]) -> Iterator[Service]:
    service = Service(list(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            made = service.answer(self.path, payload, dict(self.headers))
            if made.hold:
                made.hold.wait(30)
            data = made.raw if made.raw is not None else json.dumps(made.body).encode()
            try:
                self.send_response(made.status)
                for name, value in made.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                pass  # the client disconnected, as some tests intend

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.base = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
