"""Events that occur while a query is answered, as plain frozen data.

The first event is :class:`Routed`. Each turn of the model follows as :class:`TurnBegun`, any number of
:class:`TextDelta` and :class:`Waiting`, :class:`TurnEnded`, and a :class:`StepBegun` and a :class:`StepEnded` for each
tool that the model called. The last event is :class:`Finished` or :class:`CompletionFailed`. A query that calls no
model has only the first and the last event.
"""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.trace import ModelTurn, ToolStep, Trace


@dataclass(frozen=True, slots=True)
class Routed:
    """The route is decided. ``model`` is the model that is called next; empty if no model is called."""

    trace: Trace
    model: str


@dataclass(frozen=True, slots=True)
class TurnBegun:
    """The model is called for the ``number``-th time. Text from earlier turns was not the answer."""

    number: int


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the model's text. Pass the piece through ``visible`` before showing it."""

    text: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """The service will be called again after ``seconds``. ``why`` is the one-line reason."""

    seconds: float
    why: str


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The model's turn ended after ``ms`` milliseconds."""

    turn: ModelTurn
    ms: float


@dataclass(frozen=True, slots=True)
class StepBegun:
    """The model calls ``tool`` with ``arguments`` as the model wrote them."""

    number: int
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True)
class StepEnded:
    """The tool finished after ``ms`` milliseconds."""

    step: ToolStep
    ms: float


@dataclass(frozen=True, slots=True)
class Finished:
    """The query is answered. ``trace`` contains the answer."""

    trace: Trace


@dataclass(frozen=True, slots=True)
class CompletionFailed:
    """The model failed or was cancelled; ``why`` is the one-line reason. ``trace`` contains a substitute answer."""

    trace: Trace
    why: str
    cancelled: bool


Event = Routed | TurnBegun | TextDelta | Waiting | TurnEnded | StepBegun | StepEnded | Finished | CompletionFailed
