"""Checks with one short turn whether a model answers and calls tools."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from brvtui.services.model import (
    Cancellation,
    ChatModel,
    FromUser,
    ModelCancelled,
    ModelError,
    ModelRequest,
    Reply,
    Tool,
)

_TOOL = Tool("answer", "Takes the answer.", {"type": "object", "properties": {"word": {"type": "string"}}})
_REQUEST = ModelRequest(
    "You are asked whether you can be reached.", (FromUser("Call the tool answer with the word ready."),), (_TOOL,),
    True, 1024, 0.0,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """The result of a short question to a model."""

    model: str
    answered: bool
    why: str
    """The reason for no answer, in one line."""
    calls_tools: bool
    """Whether it called the tool as asked; tier 4 needs tool calls."""
    sent: int | None
    received: int | None
    ms: float
    notices: tuple[str, ...] = ()


def check(model: ChatModel, cancellation: Cancellation) -> ModelCheck:
    """Asks ``model`` a short question and returns the result. Raises nothing."""
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
