"""Answers of model, embedding and reranking services, sent in pieces by a real local service."""

from __future__ import annotations

import json
import random
import socket
import threading
import time
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from brvtui.session import Session
from brvtui.trace import Trace
from brvtui.trace.events import CompletionFailed, Finished
from tests.fuzz.targets.target import QUERY, Target, Wrong, hits, message_form, planted
from tests.fuzz.test_rendering import controls, shown
from tests.support.chat_server import Streamed, called, messages, written
from tests.support.settings import own

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nConnection: close\r\n\r\n"
_FAST = "[profile.service]\ntimeout_seconds = 1.0\ntries = 1\nwait_seconds = 0.0\nlongest_wait_seconds = 0.0\n"
_PIECES = 4
_LATER_S = 0.0005


class Service:
    """Answers the first request of a run with ``first``, later ones with ``later``; each in pieces of odd sizes."""

    def __init__(self, later: bytes) -> None:
        self.first = self.later = later
        self.asked = 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """The service's address."""
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}/v1"

    def _accept(self) -> None:
        while True:
            connection, _ = self._listening.accept()
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            request = b""
            while (b"\r\n\r\n" not in request) or not _is_whole(request):
                piece = connection.recv(65_536)
                if not piece:
                    return
                request += piece
            self.asked += 1
            data = self.first if self.asked == 1 else self.later
            pick = random.Random(zlib.crc32(data))
            cuts = sorted(pick.choices(range(len(data) + 1), k=_PIECES))
            for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
                connection.sendall(data[start:end])
                time.sleep(_LATER_S)
            connection.shutdown(socket.SHUT_WR)


def _is_whole(request: bytes) -> bool:
    head, _, body = request.partition(b"\r\n\r\n")
    sizes = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return bool(sizes) and len(body) >= int(sizes[0])


def _stream(answer: Streamed) -> bytes:
    texts = (event if isinstance(event, str) else json.dumps(event) for event in answer.events)
    return b"".join(f"data: {text}\n\n".encode() for text in texts)


class Chat(Target):
    """Each input is the body of a model's first response, after which the run continues."""

    PROTOCOL = "openai"

    def __init__(self, folder: Path) -> None:
        self.session = planted(folder).session()
        self.service = Service(_HEAD % b"text/event-stream" + _stream(self.answers()[0]))
        model = (
            f'model = "mini"\nurl = "{self.service.url}"\ntimeout = 1\nallowed = true\nprotocol = "{self.PROTOCOL}"\n'
        )
        own(f"[llm]\n{model}{_FAST}")
        self.session.close()
        self.session = Session.open(self.session.project.root, None, None)
        self.session.load()

    def answers(self) -> Sequence[Streamed]:
        """The output of the model: first text, then tool calls."""
        calls = [called(("read_note", {"path": "x/good.md"})), called(("search", {"query": "gate"}), text="let me see")]
        return [written("The quokka ", "is here [x/good.md]."), *calls]

    def whole(self, data: bytes) -> bytes:
        """The answer that is sent for the input ``data``."""
        return _HEAD % b"text/event-stream" + data

    def seeds(self) -> list[bytes]:
        return [_stream(answer) for answer in self.answers()]

    def run(self, data: bytes) -> str:
        self.service.first, self.service.asked = self.whole(data), 0
        self.session.engines.clear_caches()
        ended = ""
        for event in self.session.complete("what does the quokka do with its anchor at the gate"):
            if isinstance(event, (Finished, CompletionFailed)):
                ended = self._ended(event.trace)
        if not self.service.asked:
            raise Wrong("the service was not asked")
        return ended

    def _ended(self, trace: Trace) -> str:
        done = trace.answer.completion
        if done is None:
            raise Wrong("a run that asked a model does not say what came of it")
        shown(self.session.explainer.saved(trace), 100)
        for text in (done.why, *trace.notices):
            if controls(text):
                raise Wrong("a message holds controls")
        return f"{done.ended} {message_form(done.why) if done.why else ''} {self.service.asked}"


class Messages(Chat):
    """Same as :class:`Chat`, with the other protocol."""

    PROTOCOL = "anthropic"

    def answers(self) -> Sequence[Streamed]:
        return [
            messages("The quokka ", "is here [x/good.md]."),
            messages("let me see", calls=[("read_note", {"path": "x/good.md"}), ("search", {"query": "gate"})]),
        ]


class Head(Chat):
    """Each input is a whole response, including status line and headers."""

    def whole(self, data: bytes) -> bytes:
        return data

    def seeds(self) -> list[bytes]:
        body = _stream(self.answers()[0])
        chunked = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        refused = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nRetry-After: 1\r\n\r\n%s"
        message = b'{"error": {"message": "temperature is not supported", "type": "x"}}'
        result = [_HEAD % b"text/event-stream" + body, chunked + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)]
        result += [
            refused % (status, len(message), message) for status in (b"400 Bad", b"429 Slow", b"500 Oh", b"301 Moved")
        ]
        return result


class _Plain(Target):
    """Each input is the body of an embedder's or a reranker's response, used in a hybrid search."""

    TABLE = ""

    def __init__(self, folder: Path) -> None:
        self.tree = planted(folder)
        self.service = Service(b"")
        session = self.tree.session()
        self.expected = hits(session.preview(QUERY, engine="jeffs_brain", services=True))
        session.close()
        own(f'[services.{self.TABLE}]\nmodel = "mini"\nurl = "{self.service.url}"\n{_FAST}')

    def run(self, data: bytes) -> str:
        session = self.tree.session()
        try:
            self._forget(session)
            self.service.first = self.service.later = _HEAD % b"application/json" + data
            self.service.asked = 0
            trace = session.preview(QUERY, engine="jeffs_brain", services=True)
            for notice in trace.notices:
                message_form(notice)
            if controls(" ".join(trace.notices)):
                raise Wrong("a notice holds controls")
            shown(session.explainer.saved(trace), 100)
            return self._said(trace)
        finally:
            session.close()

    def _said(self, trace: Trace) -> str:
        forms = sorted({message_form(notice) for notice in trace.notices})
        same = hits(trace) == self.expected
        return f"{same} {forms}"

    def _forget(self, session: Session) -> None:
        from brvtui.store.folders import tree_cache

        for file in tree_cache(session.project.tree).rglob("*.npz"):
            file.unlink()


class Embeddings(_Plain):
    """Vectors: first of the notes, in batches, then of the query."""

    TABLE = "embedder"

    def seeds(self) -> list[bytes]:
        pick = random.Random(3)
        result: list[Any] = []
        for count in (14, 1):
            data = [{"index": place, "embedding": [pick.uniform(-1, 1) for _ in range(4)]} for place in range(count)]
            result.append({"object": "list", "data": data, "usage": {"total_tokens": 3}})
        return [json.dumps(value).encode() for value in result]


class Reranking(_Plain):
    """A model's scores in a message."""

    TABLE = "reranker"

    def seeds(self) -> list[bytes]:
        texts = ('[{"id": 0, "score": 9}, {"id": 1, "score": 2.5}]', "Here: [1, 2, 3]", "none")
        return [json.dumps({"choices": [{"message": {"content": text}}]}).encode() for text in texts]
