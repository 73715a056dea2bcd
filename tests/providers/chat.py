"""A model at a local server, and one turn of it."""

from __future__ import annotations

from brvtui.providers.chat import ChatService
from brvtui.providers.models import model_of
from brvtui.providers.settings import ModelSettings
from brvtui.services.model import Cancellation, FromUser, ModelRequest, Reply, TextPiece, Tool, Wait
from tests.support.trees import BRV3

TOOL = Tool("read_note", "Reads.", {"type": "object", "properties": {}})
ASKED = ModelRequest("Be right.", (FromUser("Why?"),), (TOOL,), True, 64, 0.3)
KEY = "sk-very-secret"


def service(base: str, protocol: str = "openai", key: str = KEY, timeout: float = 5) -> ChatService:
    """The model at the address ``base``, with short retry waits."""
    result = model_of(ModelSettings("mini", base, key, "SOME_KEY", True, protocol, timeout), BRV3.service)
    assert result is not None

    async def no_sleep(seconds: float) -> None:
        return None

    result._sleep = no_sleep
    return result


def turn(made: ChatService, request: ModelRequest = ASKED) -> tuple[str, list[Wait], Reply]:
    pieces = list(made.turn(request, Cancellation()))
    assert isinstance(pieces[-1], Reply)
    text = "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))
    return text, [piece for piece in pieces if isinstance(piece, Wait)], pieces[-1]
