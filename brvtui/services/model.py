"""What the router needs of a language model: one turn of a conversation, streamed, that can be broken off."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from brvtui.trace import Usage

NO_MODEL = (
    "No model provider is set: these are sentences of notes. What would be sent is in the prompt (ByteRover's order and"
    " excerpts, our words)."
)


class ModelError(RuntimeError):
    """A turn that could not be had; the message says which service and why, in one line."""


class ModelCancelled(Exception):
    """A turn that was broken off because somebody asked for it."""


class Cancellation:
    """Asked for from any thread, once; whoever waits for a model notices at once."""

    def __init__(self) -> None:
        self._asked = False
        self._lock = threading.RLock()  # a signal's handler may cancel while its own thread holds it
        self._waiting: list[Callable[[], None]] = []

    @property
    def asked(self) -> bool:
        """Whether it was asked for."""
        return self._asked

    def cancel(self) -> None:
        """Asks for it, and wakes whoever waits."""
        with self._lock:
            self._asked = True
            waiting, self._waiting = self._waiting, []
        for wake in waiting:
            wake()

    @contextmanager
    def waking(self, wake: Callable[[], None]) -> Iterator[None]:
        """Calls ``wake``, from the thread that cancels, when that happens inside the block, or has happened."""
        with self._lock:
            late = self._asked
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
    """A tool that a model may call; ``parameters`` is a JSON Schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as the model wrote it: ``arguments`` should be a JSON object, and may be anything."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class FromUser:
    """A message of ours."""

    text: str


@dataclass(frozen=True, slots=True)
class FromModel:
    """What the model said in an earlier turn."""

    text: str
    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class FromTool:
    """The result of the call ``id``."""

    id: str
    text: str


Message = FromUser | FromModel | FromTool


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One turn: everything that was said so far, and what the model may do."""

    system: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]
    may_call: bool
    """False for a last turn: the tools are named, because the messages call them, and must not be called."""
    max_tokens: int
    temperature: float


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Wait:
    """The service will be asked again after so many seconds, because of ``why``."""

    seconds: float
    why: str


@dataclass(frozen=True, slots=True)
class Reply:
    """How a turn ended. Tokens are those that the service counted; None where it does not say."""

    calls: tuple[ToolCall, ...]
    is_cut: bool
    """Whether the answer reached its limit of tokens."""
    sent: int | None
    received: int | None
    notices: tuple[str, ...] = ()
    """What the service did not take as it was asked, a line each."""


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """Whether a model can be asked, as a screen says it."""

    name: str
    """Model and host; empty when none is set."""
    problem: str
    """Why the one that is set cannot be asked, and what to do; empty when it can."""
    allowed: bool
    """Whether runs may ask it in this session."""

    @property
    def is_asked(self) -> bool:
        """Whether a run would ask it."""
        return bool(self.name) and not self.problem and self.allowed


class ChatModel(Protocol):
    """A model behind some service."""

    @property
    def name(self) -> str:
        """Model and host."""
        ...

    def turn(
        self, request: ModelRequest, cancellation: Cancellation
    ) -> Generator[TextPiece | Wait | Reply, None, None]:
        """The pieces of the turn as they come, and a :class:`Reply` at last.

        Closing the generator breaks the turn off. Raises :class:`ModelError` and :class:`ModelCancelled`.
        """
        ...


_PER_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in cents; 0 for unknown."""

    sent_cents: int = 0
    received_cents: int = 0

    def of(self, usage: Usage) -> float | None:
        """What ``usage`` costs, in cents; None when no price is known."""
        if not self.sent_cents and not self.received_cents:
            return None
        return (usage.sent * self.sent_cents + usage.received * self.received_cents) / _PER_MILLION
