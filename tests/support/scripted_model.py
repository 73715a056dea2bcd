"""A model in this process whose answers are scripted by a test."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from typing import Any

from brvtui.services.model import Cancellation, ModelCancelled, ModelRequest, Reply, TextPiece, ToolCall, Wait

ANSWER = "## Summary\nYes.\n\n## Details\nIt is so.\n\n## Sources\n- x/n.md\n\n## Gaps\nNone."

Piece = TextPiece | Wait | Reply | Exception


def says(*texts: str, is_cut: bool = False, sent: int | None = 100, received: int | None = 10) -> list[Piece]:
    """A turn that writes ``texts`` and calls no tool."""
    return [*map(TextPiece, texts), Reply((), is_cut, sent, received)]


def calls(*asked: tuple[str, Any], text: str = "") -> list[Piece]:
    """A turn that calls tools; arguments that are strings are sent unchanged."""
    result = tuple(
        ToolCall(f"call-{number}", name, given if isinstance(given, str) else json.dumps(given))
        for number, (name, given) in enumerate(asked)
    )
    return [*([TextPiece(text)] if text else []), Reply(result, False, 100, 10)]


class ScriptedModel:
    """Answers each turn with the next of ``turns``; the last one is repeated."""

    name = "scripted at nowhere"

    def __init__(self, *turns: Sequence[Piece]) -> None:
        self._turns = list(turns)
        self.asked: list[ModelRequest] = []

    def turn(
        self, request: ModelRequest, cancellation: Cancellation
    ) -> Generator[TextPiece | Wait | Reply, None, None]:
        """The next turn of the script."""
        self.asked.append(request)
        for piece in self._turns.pop(0) if len(self._turns) > 1 else self._turns[0]:
            if cancellation.asked:
                raise ModelCancelled
            if isinstance(piece, Exception):
                raise piece
            yield piece
