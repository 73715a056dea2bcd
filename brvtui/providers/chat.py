"""Clients for language models: the code that both protocols share (``docs/reference/settings.md``, "A model")."""

from __future__ import annotations

import asyncio
import json
import re
from abc import ABC, abstractmethod
from codecs import getincrementaldecoder
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterable, Iterator, Mapping
from contextlib import aclosing, closing, suppress
from dataclasses import dataclass
from itertools import takewhile
from time import monotonic
from typing import TYPE_CHECKING, Any

from brvtui.providers.http import (
    AnswerMask,
    Endpoint,
    PrivateLoop,
    ServiceRefusal,
    answered,
    body_of,
    error_message,
    masked,
    refusal_in,
)
from brvtui.services.legs import RequestPolicy
from brvtui.services.model import (
    Cancellation,
    ModelCancelled,
    ModelError,
    ModelRequest,
    Reply,
    TextPiece,
    ToolCall,
    Wait,
)
from brvtui.text.visible import visible

if TYPE_CHECKING:
    import httpx

# Streamed answers (server-sent events), with retries and immediate cancellation.
#
# Each turn has its own event loop in the calling thread, which must not run another one.


_LAST_STEP_S = 0.5
"""The time in seconds that a step may take to end after Ctrl+C."""
_LONGEST_TURN = 10
"""The maximum duration of an answer, as a multiple of the time-out, which limits only the wait for the next piece."""
_EVENT_BYTES = 100
"""The number of bytes that each event is assumed to have. It turns a limit on bytes into a limit on events.

Real events have at least 119 bytes.
"""
_DONE = "[DONE]"

_Piece = Wait | dict[str, Any]
_Arrived = Wait | list[dict[str, Any]]
"""A wait, or the events that arrived together. Each step of the event loop takes longer than reading a short event."""
Sleep = Callable[[float], Awaitable[None]]
Payload = Callable[[ServiceRefusal | None], Mapping[str, Any] | None]
"""A function that returns the body of a request.

Its argument is None for the first request, and otherwise the service's refusal. It returns None if no other body would
help.
"""


def stream(
    endpoint: Endpoint,
    payload: Payload,
    policy: RequestPolicy,
    cancellation: Cancellation,
    sleep: Sleep = asyncio.sleep,
) -> Generator[_Piece, None, None]:
    """Yields the JSON objects in the events that answer ``payload``. Closing the iterator ends the connection.

    Raises :class:`ModelError` and :class:`ModelCancelled`.
    """
    loop = PrivateLoop()
    pieces = _with_retries(endpoint, payload, policy, sleep)
    try:
        while not cancellation.asked:
            arrived = _result(loop, loop.create_task(_next(pieces)), cancellation)
            if arrived is None:
                return
            yield from arrived if isinstance(arrived, list) else [arrived]
        raise ModelCancelled
    finally:
        with suppress(RuntimeError):  # the current step never ends
            loop.run_until_complete(pieces.aclose())
            loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def _result(
    loop: asyncio.AbstractEventLoop, task: asyncio.Task[_Arrived | None], cancellation: Cancellation
) -> _Arrived | None:
    """Returns the result of ``task``. Raises :class:`ModelCancelled` as soon as cancellation is requested."""

    def wake() -> None:
        with suppress(RuntimeError):  # the loop has been closed
            loop.call_soon_threadsafe(task.cancel)

    try:
        with cancellation.waking(wake):
            return loop.run_until_complete(task)
    except asyncio.CancelledError:
        raise ModelCancelled from None
    except BaseException:
        # Ctrl+C leaves the task suspended, and the connection can be closed only after the task has ended. A task that
        # was itself ended by Ctrl+C must not run again, because the loop would never stop for it. If Ctrl+C comes while
        # the loop schedules a step, that step never runs. The time-out is for this case.
        if task.cancel():
            with suppress(Exception, asyncio.CancelledError, KeyboardInterrupt):
                loop.run_until_complete(asyncio.wait((task,), timeout=_LAST_STEP_S))
        raise


async def _next(pieces: AsyncIterator[_Arrived]) -> _Arrived | None:
    return await anext(pieces, None)


async def _with_retries(
    endpoint: Endpoint, payload: Payload, policy: RequestPolicy, sleep: Sleep
) -> AsyncGenerator[_Arrived, None]:
    wait, left, sent = policy.wait_seconds, policy.tries, payload(None)
    while sent is not None:
        began = False
        try:
            async with aclosing(_once(endpoint, sent, policy)) as values:
                async for value in values:
                    began = True
                    yield value
            return
        except ServiceRefusal as refusal:
            why = visible(masked(str(refusal), endpoint.key))
            if began:
                raise ModelError(f"{endpoint.host}: the answer was cut off: {why}") from None
            instead = payload(refusal)
            if instead is not None:
                sent = instead
                continue
            left -= 1
            if not refusal.passing or not left or refusal.waits_too_long(policy):
                raise ModelError(f"{endpoint.host}: {refusal.advised(endpoint, policy)}") from None
            pause = min(wait if refusal.wait is None else refusal.wait, policy.longest_wait_seconds)
            yield Wait(pause, why)
            await sleep(pause)
            wait *= 2


async def _once(
    endpoint: Endpoint, payload: Mapping[str, Any], policy: RequestPolicy
) -> AsyncGenerator[list[dict[str, Any]], None]:
    async with answered(endpoint, payload, "text/event-stream", policy.timeout_seconds, policy.max_bytes) as answer:
        if "text/event-stream" not in answer.headers.get("content-type", ""):
            reason = await refusal_in(answer, endpoint.key, policy.timeout_seconds)
            why = f"the answer is not a stream of events: check {endpoint.setting}.url ({reason})"
            raise ServiceRefusal(why, answer.status_code)
        async with aclosing(data_of(answer, policy.max_bytes)) as batches:
            deadline = monotonic() + _LONGEST_TURN * policy.timeout_seconds
            while texts := await _within(policy.timeout_seconds, batches):
                if monotonic() > deadline:
                    raise ServiceRefusal(
                        f"the answer was incomplete after {_LONGEST_TURN * policy.timeout_seconds:g} s"
                    )
                events, refusal = _objects(texts, endpoint.key)
                if events:
                    yield events
                if refusal is not None:
                    raise refusal
                if _DONE in texts:
                    return


async def _within(seconds: float, batches: AsyncGenerator[list[str], None]) -> list[str] | None:
    """Returns the next texts, or None after the last ones.

    Data that contains no text, such as comments, does not extend the time-out.
    """
    async with asyncio.timeout(seconds):
        return await anext(batches, None)


async def data_of(answer: httpx.Response, limit: int) -> AsyncGenerator[list[str], None]:
    """Yields the data fields of the events that each piece of the answer completes, if there are any. All other fields
    only repeat parts of the data.

    Raises :class:`ServiceRefusal` under the same conditions as :func:`body_of`, and if there are more events than fit
    into ``limit`` bytes.
    """
    decoder = getincrementaldecoder("utf-8")("replace")
    pieces: list[str] = []
    lines: list[str] = []
    left = limit // _EVENT_BYTES
    async for piece in body_of(answer, limit):
        texts: list[str] = []
        text = decoder.decode(piece)
        pieces.append(text)
        if "\n" not in text:  # joined only once, because a single line may be as large as the limit
            continue
        *whole, rest = "".join(pieces).replace("\r\n", "\n").split("\n")
        pieces = [rest]
        for line in whole:
            if line.startswith("data:"):
                lines.append(line[5:].removeprefix(" "))
            elif not line:
                if any(lines):  # an event without data is skipped
                    texts.append("\n".join(lines))
                lines = []
        if texts[:left]:
            yield texts[:left]
        left -= len(texts)
        if left < 0:
            raise ServiceRefusal(f"the answer has more than {limit // _EVENT_BYTES:,} events")


def _objects(texts: Iterable[str], key: str) -> tuple[list[dict[str, Any]], ServiceRefusal | None]:
    """The objects in ``texts`` up to the end of the answer or the first refusal, which is returned, too."""
    events: list[dict[str, Any]] = []
    for text in takewhile(_DONE.__ne__, texts):
        try:
            events.append(_object(text, key))
        except ServiceRefusal as refusal:
            return events, refusal
    return events, None


def _object(text: str, key: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise ServiceRefusal("an event is not JSON") from None
    if not isinstance(value, dict):
        raise ServiceRefusal("an event is not a JSON object")
    if value.get("error"):
        raise ServiceRefusal(error_message(value, key))
    return value


REFUSED = "the model refused to answer"
_NOT_UNDERSTOOD = frozenset({400, 422})
_OPTIONAL = ("temperature", "stream_options", "tool_choice")
"""The parts of a request that a service need not support."""


LONGEST_CALLS = 65_536
"""The maximum number of characters of all tool calls of a turn. They contain only queries and paths."""


@dataclass
class PartialCall:
    """A tool call that is still arriving in pieces."""

    id: str
    name: str = ""
    arguments: str = ""


class Reader(ABC):
    """A reader for the events of one turn in one protocol."""

    def __init__(self) -> None:
        self._calls: dict[int, PartialCall] = {}
        self._left = LONGEST_CALLS
        self._sent: int | None = None
        self._received: int | None = None

    @abstractmethod
    def read(self, event: Mapping[str, Any]) -> Iterator[TextPiece]:
        """Yields the text in ``event``, and stores everything else for :meth:`reply`."""

    @abstractmethod
    def reply(self) -> Reply | None:
        """The end of the turn; None if the turn has not ended. Raises no errors for any content of the events."""

    def _extend(self, call: PartialCall, name: str, arguments: str) -> None:
        """Adds pieces to ``call``. Raises :class:`brvtui.services.model.ModelError` if the calls become too long."""
        self._left -= len(name) + len(arguments)
        if self._left < 0:
            raise ModelError(
                f"the model's tool calls have more than {LONGEST_CALLS:,} characters; choose another model"
            )
        call.name += name
        call.arguments += arguments

    def _reply(self, is_cut: bool, notices: tuple[str, ...]) -> Reply:
        calls = tuple(ToolCall(call.id, call.name, call.arguments) for _, call in sorted(self._calls.items()))
        return Reply(calls, is_cut, self._sent, self._received, notices)


class ChatService(ABC):
    """A client for a model at an address. Its methods must not be called in a thread that runs an event loop."""

    def __init__(self, endpoint: Endpoint, model: str, policy: RequestPolicy, sleep: Sleep = asyncio.sleep) -> None:
        self._endpoint = endpoint
        self._model = model
        self._policy = policy
        self._sleep = sleep
        self._learned: dict[str, str] = {}
        """The parts of a request that the service refused, each with a notice about its replacement."""

    @property
    def name(self) -> str:
        """The names of the model and the host."""
        return f"{self._model} at {self._endpoint.host}"

    @abstractmethod
    def payload(self, request: ModelRequest) -> dict[str, Any]:
        """Returns ``request`` in the format of the protocol."""

    @abstractmethod
    def reader(self) -> Reader:
        """Returns a new reader for the events of one turn."""

    def turn(
        self, request: ModelRequest, cancellation: Cancellation
    ) -> Generator[TextPiece | Wait | Reply, None, None]:
        """Yields the pieces of the turn, then a :class:`brvtui.services.model.Reply`.

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
            # Some services close the connection instead of ending the stream. If the turn is complete by then, it is
            # valid.
            if cancellation.asked or reader.reply() is None:
                raise
        reply = reader.reply()
        if reply is None:
            raise ModelError(f"{self._endpoint.host}: the answer was cut off before its end")
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
            raise ModelError(f"{self._endpoint.host}: an event does not follow this protocol") from None

    def _learn(self, refusal: ServiceRefusal) -> bool:
        """Records an optional part of the request that the service refused. Returns True if it is refused for the first
        time.
        """
        if refusal.status not in _NOT_UNDERSTOOD:
            return False
        message = str(refusal)
        parts: dict[str, str] = {}
        if "max_completion_tokens" in message:
            parts["max_tokens"] = ""
        elif re.search(r"not support (?:tools|function|tool)", message, re.IGNORECASE):
            parts["tools"] = "this model cannot call tools: it answers only from the prompt"
        else:
            part = next((part for part in _OPTIONAL if re.search(rf"\b{part}\b", message)), "")
            if part:
                parts[part] = (
                    f"this model does not accept a {part}: the request was sent without one"
                    if part == "temperature"
                    else ""
                )
        new = {part: notice for part, notice in parts.items() if part not in self._learned}
        self._learned |= new
        return bool(new)

    def _adapted(self, payload: dict[str, Any]) -> dict[str, Any]:
        adapted = {part: value for part, value in payload.items() if part not in self._learned}
        if "tools" in self._learned:
            adapted.pop("tool_choice", None)
        if "max_tokens" in self._learned:
            adapted["max_completion_tokens"] = payload["max_tokens"]
        return adapted


def counted(value: Any) -> int | None:
    """Returns ``value`` if it is a valid number of tokens; otherwise None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def text_in(value: Any) -> str:
    """Returns ``value`` if it is a string; empty for None. Raises TypeError for anything else.

    Half a surrogate pair, which is valid in JSON but not in UTF-8, becomes a replacement character.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def index_in(value: Any) -> int:
    """Returns ``value`` if it is an index. Raises TypeError for anything else."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    return value


def object_in(arguments: str) -> dict[str, Any]:
    """Parses the arguments of a tool call."""
    value = json.loads(arguments or "{}")
    assert isinstance(value, dict)
    return value
