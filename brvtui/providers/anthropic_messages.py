"""Anthropic's Messages protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from brvtui.providers.chat import REFUSED, ChatService, PartialCall, Reader, counted, index_in, object_in, text_in
from brvtui.providers.http import Endpoint
from brvtui.services.model import FromModel, FromTool, FromUser, Message, ModelRequest, Reply, TextPiece

BASE = "https://api.anthropic.com/v1"
_VERSION = "2023-06-01"
_CUT = ("max_tokens", "model_context_window_exceeded")


def endpoint(base: str, key: str) -> Endpoint:
    """Returns the endpoint of the Messages service at ``base``."""
    return Endpoint(
        "llm", base, "/messages", {"anthropic-version": _VERSION, **({"x-api-key": key} if key else {})}, key
    )


class AnthropicMessages(ChatService):
    """A client for ``POST /messages``, with streaming."""

    def payload(self, request: ModelRequest) -> dict[str, Any]:
        """Returns the body of the HTTP request."""
        body: dict[str, Any] = {
            "model": self._model,
            "system": request.system,
            "messages": _messages(request.messages),
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "stream": True,
        }
        if request.tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
                for tool in request.tools
            ]
            body |= {} if request.may_call else {"tool_choice": {"type": "none"}}
        return body

    def reader(self) -> Reader:
        """Returns a reader of content blocks."""
        return _ContentBlocks()


def _messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Converts ``messages``. Merges consecutive messages with the same role, because roles must alternate."""
    converted: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if isinstance(message, FromModel) else "user"
        if not converted or converted[-1]["role"] != role:
            converted.append({"role": role, "content": []})
        converted[-1]["content"] += _blocks(message)
    return converted


def _blocks(message: Message) -> list[dict[str, Any]]:
    match message:
        case FromUser(text):
            return [{"type": "text", "text": text}]
        case FromTool(call, text):
            return [{"type": "tool_result", "tool_use_id": call, "content": text}]
        case FromModel(text, calls):
            texts = [{"type": "text", "text": text}] if text.strip() else []
            tool_uses = [
                {"type": "tool_use", "id": call.id, "name": call.name, "input": object_in(call.arguments)}
                for call in calls
            ]
            return [*texts, *tool_uses]


class _ContentBlocks(Reader):
    def __init__(self) -> None:
        super().__init__()
        self._why = ""
        self._ended = False

    def read(self, event: Mapping[str, Any]) -> Iterator[TextPiece]:
        match event.get("type"):
            case "message_start":
                self._sent = counted((event["message"].get("usage") or {}).get("input_tokens"))
            case "content_block_start":
                yield from self._begin(event["content_block"], event["index"])
            case "content_block_delta":
                delta = event["delta"]
                if delta["type"] == "text_delta":
                    yield TextPiece(text_in(delta["text"]))
                elif delta["type"] == "input_json_delta":
                    self._extend(self._calls[event["index"]], "", text_in(delta["partial_json"]))
            case "message_delta":
                self._why = text_in(event["delta"].get("stop_reason")) or self._why
                self._received = counted((event.get("usage") or {}).get("output_tokens"))
            case "message_stop":
                self._ended = True

    def _begin(self, block: Mapping[str, Any], index: Any) -> Iterator[TextPiece]:
        """Yields the text in the first event of a block, because some services send part or all of
        the content there.
        """
        if block["type"] == "tool_use":
            whole = block.get("input")
            arguments = json.dumps(whole) if whole else ""
            self._calls[index_in(index)] = call = PartialCall(text_in(block["id"]))
            self._extend(call, text_in(block["name"]), arguments)
        elif block["type"] == "text" and block.get("text"):
            yield TextPiece(text_in(block["text"]))

    def reply(self) -> Reply | None:
        if not self._ended:
            return None
        notices = (REFUSED,) if self._why == "refusal" else ()
        return self._reply(self._why in _CUT, notices)
