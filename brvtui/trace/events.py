"""Events of answering a query, in the order in which they happen: plain frozen data.

The order is: :class:`Routed`; for every turn of the model :class:`TurnBegun`, then :class:`TextDelta` and
:class:`Waiting` as they come, :class:`TurnEnded`, and a :class:`StepBegun` with its :class:`StepEnded` for each tool
that it called; at last :class:`Finished` or :class:`CompletionFailed`. A query that
asks no model has the first and the last.
"""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.trace import ModelTurn, ToolStep, Trace


@dataclass(frozen=True, slots=True)
class Routed:
    """The route is decided. ``model`` is asked next; empty where no model is."""

    trace: Trace
    model: str


@dataclass(frozen=True, slots=True)
class TurnBegun:
    """The model is asked, for the ``number``-th time. Text of earlier turns was no answer yet."""

    number: int


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of what the model writes. It is text: make it visible before it is shown."""

    text: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """The service is asked again after so many seconds; ``why`` is one line."""

    seconds: float
    why: str


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The model's turn is over, after so many milliseconds."""

    turn: ModelTurn
    ms: float


@dataclass(frozen=True, slots=True)
class StepBegun:
    """The model calls ``tool`` with ``arguments``, as it wrote them."""

    number: int
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True)
class StepEnded:
    """The tool has answered, after so many milliseconds."""

    step: ToolStep
    ms: float


@dataclass(frozen=True, slots=True)
class Finished:
    """The query is answered; ``trace`` holds the answer."""

    trace: Trace


@dataclass(frozen=True, slots=True)
class CompletionFailed:
    """The model gave no answer, or was cancelled; ``why`` is one line. ``trace`` holds what stands in for it."""

    trace: Trace
    why: str
    cancelled: bool


Event = Routed | TurnBegun | TextDelta | Waiting | TurnEnded | StepBegun | StepEnded | Finished | CompletionFailed
