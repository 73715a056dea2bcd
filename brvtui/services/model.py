"""The protocol for language models: one turn of a conversation, streamed and cancellable."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

from brvtui.trace import Usage


class ModelError(RuntimeError):
    """Raised if a turn failed. The message is one line with the service and the reason."""


class ModelCancelled(Exception):
    """Raised if a turn was cancelled."""


class Cancellation:
    """A request to cancel, which any thread can make, and which wakes threads that wait for a model."""

    def __init__(self) -> None:
        self._is_cancelled = False
        self._lock = threading.RLock()  # a signal handler may call this while its own thread holds the lock
        self._waiting: list[Callable[[], None]] = []

    @property
    def asked(self) -> bool:
        """True if cancellation was requested."""
        return self._is_cancelled

    def cancel(self) -> None:
        """Requests cancellation and wakes the waiting threads."""
        with self._lock:
            self._is_cancelled = True
            waiting, self._waiting = self._waiting, []
        for wake in waiting:
            wake()

    @contextmanager
    def waking(self, wake: Callable[[], None]) -> Iterator[None]:
        """Calls ``wake`` from the cancelling thread if cancellation is requested inside the block.

        If it was already requested, calls ``wake`` at once.
        """
        with self._lock:
            late = self._is_cancelled
            if not late:
                self._waiting.append(wake)
        if late:
            wake()
        try:
            yield
        finally:
            with self._lock:
                if wake in self._waiting:
                    self._waiting.remove(wake)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a model may call. ``parameters`` is a JSON Schema for its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call as the model wrote it. ``arguments`` should be a JSON object, but may be any text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class FromUser:
    """A message from the user."""

    text: str


@dataclass(frozen=True, slots=True)
class FromModel:
    """A message from the model, in an earlier turn."""

    text: str
    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class FromTool:
    """The result of the tool call ``id``."""

    id: str
    text: str


Message = FromUser | FromModel | FromTool


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """The input for one turn: the conversation so far, and the model's options."""

    system: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]
    may_call: bool
    """False in the last turn, which lists tools only because earlier messages refer to them."""
    max_tokens: int
    temperature: float


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Wait:
    """A pause of ``seconds`` before the next attempt. ``why`` is the reason."""

    seconds: float
    why: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The end of a turn. Numbers of tokens come from the service; None if the service does not report them."""

    calls: tuple[ToolCall, ...]
    is_cut: bool
    """True if the answer was cut at the token limit."""
    sent: int | None
    received: int | None
    notices: tuple[str, ...] = ()
    """A message for each part of the request that the service refused."""


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """The availability of a model, for display."""

    name: str
    """The names of the model and the host; empty if no model is set."""
    problem: str
    """The reason why the model cannot be used, with a remedy; empty if it can be used."""
    allowed: bool
    """True if runs in this session may use the model."""


class ChatModel(Protocol):
    """A language model that a service provides."""

    @property
    def name(self) -> str:
        """The names of the model and the host."""
        ...

    def turn(
        self, request: ModelRequest, cancellation: Cancellation
    ) -> Generator[TextPiece | Wait | Reply, None, None]:
        """Yields the pieces of the turn as they arrive, then a :class:`Reply`.

        Closing the generator cancels the turn. Raises :class:`ModelError` and :class:`ModelCancelled`.
        """
        ...


_PER_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Budget:
    """Prices per million tokens in cents (0: unknown), and the limits on one answer (0: no limit)."""

    sent_cents: int = 0
    received_cents: int = 0
    tokens: int = 0
    cents: int = 0

    @property
    def words(self) -> str:
        """The limits on one answer, in words; empty if there are none."""
        limits = (f"{self.tokens} tokens" if self.tokens else "", f"{self.cents} cents" if self._limits_cents else "")
        return " and ".join(filter(None, limits))

    @property
    def _limits_cents(self) -> bool:
        return bool(self.cents and (self.sent_cents or self.received_cents))

    def allows(self, sent: int, received: int) -> bool:
        """True if one answer may send and receive these total numbers of tokens."""
        cents = self.cost(Usage(sent, received, True)) or 0
        return (not self.tokens or sent + received <= self.tokens) and (not self.cents or cents <= self.cents)

    def cost(self, usage: Usage) -> float | None:
        """Returns the cost of ``usage`` in cents; None if no price is known."""
        if not self.sent_cents and not self.received_cents:
            return None
        return (usage.sent * self.sent_cents + usage.received * self.received_cents) / _PER_MILLION


# Checks in one short turn whether a model answers and calls tools.


_TOOL = Tool("answer", "Takes the answer.", {"type": "object", "properties": {"word": {"type": "string"}}})
_REQUEST = ModelRequest(
    "You are asked whether you can be reached.", (FromUser("Call the tool “answer” with the word “ready”."),), (_TOOL,),
    True, 1024, 0.0,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """The result of checking a model."""

    model: str
    answered: bool
    why: str
    """The reason, on one line, why the model did not answer."""
    calls_tools: bool
    """True if the model called the tool as requested. Tier 4 needs tool calls."""
    sent: int | None
    received: int | None
    ms: float
    notices: tuple[str, ...] = ()


def check(model: ChatModel, cancellation: Cancellation) -> ModelCheck:
    """Checks ``model`` with a short request. Raises no errors."""
    began = perf_counter()
    reply: Reply | None = None
    why = ""
    try:
        for piece in model.turn(_REQUEST, cancellation):
            if isinstance(piece, Reply):
                reply = piece
    except ModelError as error:
        why = str(error)
    except ModelCancelled:
        why = "cancelled"
    ms = round((perf_counter() - began) * 1000, 3)
    if reply is None:
        return ModelCheck(model.name, False, why, False, None, None, ms)
    calls_tools = any(call.name == _TOOL.name for call in reply.calls)
    return ModelCheck(model.name, True, "", calls_tools, reply.sent, reply.received, ms, reply.notices)
