"""Language models behind a service: the parts that both protocols share (``docs/configuration.md``, "A model")."""

from __future__ import annotations

import asyncio
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from brvtui.providers.http import Endpoint, ServiceRefusal
from brvtui.providers.masking import AnswerMask
from brvtui.providers.streaming import Sleep, stream
from brvtui.services.model import Cancellation, ModelError, ModelRequest, Reply, TextPiece, ToolCall, Wait
from brvtui.services.requests import RequestPolicy

REFUSED = "the model refused to answer"
_NOT_UNDERSTOOD = frozenset({400, 422})
_OPTIONAL = ("temperature", "stream_options", "tool_choice")
"""Parts of a request that a service can answer without."""


@dataclass
class PartialCall:
    """A tool call, as far as it has come."""

    id: str
    name: str = ""
    arguments: str = ""


class Reader(ABC):
    """Reads the events of one turn in a protocol."""

    def __init__(self) -> None:
        """Before the first event."""
        self._calls: dict[int, PartialCall] = {}
        self._sent: int | None = None
        self._received: int | None = None

    @abstractmethod
    def read(self, event: Mapping[str, Any]) -> Iterator[TextPiece]:
        """The text in ``event``. Keeps the rest of it for :meth:`reply`."""

    @abstractmethod
    def reply(self) -> Reply | None:
        """How the turn ended; None before its end. Raises nothing, whatever the events held."""

    def _reply(self, is_cut: bool, notices: tuple[str, ...]) -> Reply:
        calls = tuple(ToolCall(call.id, call.name, call.arguments) for _, call in sorted(self._calls.items()))
        return Reply(calls, is_cut, self._sent, self._received, notices)


class ChatService(ABC):
    """A model at an address. Methods may be called from any thread that runs no event loop."""

    def __init__(self, endpoint: Endpoint, model: str, policy: RequestPolicy, sleep: Sleep = asyncio.sleep) -> None:
        """Sends no request yet."""
        self._endpoint = endpoint
        self._model = model
        self._policy = policy
        self._sleep = sleep
        self._learned: dict[str, str] = {}
        """Parts of a request that the service refused, each with the notice of what happened instead."""

    @property
    def name(self) -> str:
        """Model and host."""
        return f"{self._model} at {self._endpoint.host}"

    @abstractmethod
    def payload(self, request: ModelRequest) -> dict[str, Any]:
        """``request`` as the protocol encodes it."""

    @abstractmethod
    def reader(self) -> Reader:
        """A new reader of the events of a turn."""

    def turn(
        self, request: ModelRequest, cancellation: Cancellation
    ) -> Generator[TextPiece | Wait | Reply, None, None]:
        """The pieces of the turn, then its :class:`brvtui.services.model.Reply`.

        Raises :class:`brvtui.services.model.ModelError` and :class:`brvtui.services.model.ModelCancelled`.
        """

        def payload(refusal: ServiceRefusal | None) -> Mapping[str, Any] | None:
            if refusal is not None and not self._learn(refusal):
                return None
            return self._adapted(self.payload(request))

        reader, mask = self.reader(), AnswerMask(self._endpoint.key)
        try:
            with closing(stream(self._endpoint, payload, self._policy, cancellation, self._sleep)) as pieces:
                for piece in pieces:
                    if isinstance(piece, Wait):
                        yield piece
                    else:
                        yield from self._texts(reader, piece, mask)
        except ModelError:
            # Some services close the connection instead of ending the stream: a turn that is complete by then counts.
            if cancellation.asked or reader.reply() is None:
                raise
        reply = reader.reply()
        if reply is None:
            raise ModelError(f"{self._endpoint.host}: the answer broke off before its end")
        rest = mask.rest(reply.is_cut)
        if rest:
            yield TextPiece(rest)
        notices = tuple(notice for notice in self._learned.values() if notice)
        calls = tuple(
            ToolCall(call.id, mask.whole(call.name, reply.is_cut), mask.whole(call.arguments, reply.is_cut))
            for call in reply.calls
        )
        yield Reply(calls, reply.is_cut, reply.sent, reply.received, (*reply.notices, *notices))

    def _texts(self, reader: Reader, event: Mapping[str, Any], mask: AnswerMask) -> Iterator[TextPiece]:
        try:
            for piece in reader.read(event):
                text = mask.add(piece.text)
                if text:
                    yield TextPiece(text)
        except (KeyError, IndexError, TypeError, AttributeError):
            raise ModelError(f"{self._endpoint.host}: an event is not of this protocol") from None

    def _learn(self, refusal: ServiceRefusal) -> bool:
        """Whether the service refused an optional part of the request for the first time; remembers that part."""
        if refusal.status not in _NOT_UNDERSTOOD:
            return False
        message = str(refusal)
        found: dict[str, str] = {}
        if "max_completion_tokens" in message:
            found["max_tokens"] = ""
        elif re.search(r"not support (?:tools|function|tool)", message, re.IGNORECASE):
            found["tools"] = "this model calls no tools: it answers from the prompt alone"
        else:
            part = next((part for part in _OPTIONAL if re.search(rf"\b{part}\b", message)), "")
            if part:
                found[part] = f"this model takes no {part}: it was asked without" if part == "temperature" else ""
        new = {part: notice for part, notice in found.items() if part not in self._learned}
        self._learned |= new
        return bool(new)

    def _adapted(self, payload: dict[str, Any]) -> dict[str, Any]:
        made = {part: value for part, value in payload.items() if part not in self._learned}
        if "tools" in self._learned:
            made.pop("tool_choice", None)
        if "max_tokens" in self._learned:
            made["max_completion_tokens"] = payload["max_tokens"]
        return made


def counted(value: Any) -> int | None:
    """``value`` if it is a number of tokens, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def text_in(value: Any) -> str:
    """``value`` if it is a text, empty for None. Raises TypeError for anything else.

    Half a surrogate pair, valid in JSON and not in UTF-8, becomes a replacement character.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def index_in(value: Any) -> int:
    """``value`` if it is an index. Raises TypeError for anything else."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    return value


def object_in(arguments: str) -> dict[str, Any]:
    """The arguments of a tool call, parsed."""
    value = json.loads(arguments or "{}")
    assert isinstance(value, dict)
    return value
