"""The Chat Completions protocol of OpenAI, Ollama, LM Studio, vLLM, OpenRouter and others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from brvtui.providers.chat import REFUSED, ChatService, PartialCall, Reader, counted, index_in, text_in
from brvtui.providers.http import Endpoint, bearer
from brvtui.services.model import FromModel, FromTool, FromUser, Message, ModelRequest, Reply, TextPiece

BASE = "https://api.openai.com/v1"


def endpoint(base: str, key: str) -> Endpoint:
    """Returns the endpoint of the Chat Completions service at ``base``."""
    return bearer("llm", base, "/chat/completions", key)


class ChatCompletions(ChatService):
    """A client for ``POST /chat/completions``, with streaming."""

    def payload(self, request: ModelRequest) -> dict[str, Any]:
        """Returns the body of the HTTP request."""
        functions = [
            {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
            for tool in request.tools
        ]
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": "system", "content": request.system}, *map(_message, request.messages)],
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if functions:
            body["tools"] = [{"type": "function", "function": function} for function in functions]
            body |= {} if request.may_call else {"tool_choice": "none"}
        return body

    def reader(self) -> Reader:
        """Returns a reader of streamed chunks."""
        return _Chunks()


def _message(message: Message) -> dict[str, Any]:
    match message:
        case FromUser(text):
            return {"role": "user", "content": text}
        case FromTool(call, text):
            return {"role": "tool", "tool_call_id": call, "content": text}
        case FromModel(text, calls):
            tool_calls = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments or "{}"},
                }
                for call in calls
            ]
            return {"role": "assistant", "content": text or None, "tool_calls": tool_calls}


class _Chunks(Reader):
    def __init__(self) -> None:
        super().__init__()
        self._places: dict[int, int] = {}
        """For each index, the key in ``_calls`` of the newest call with that index."""
        self._ended = ""
        self._refused = False

    def read(self, event: Mapping[str, Any]) -> Iterator[TextPiece]:
        usage = event.get("usage") or {}
        self._sent = counted(usage.get("prompt_tokens")) if usage else self._sent
        self._received = counted(usage.get("completion_tokens")) if usage else self._received
        for choice in event.get("choices") or ():
            delta = choice.get("delta") or {}
            for call in delta.get("tool_calls") or ():
                self._add(call)
            refusal = text_in(delta.get("refusal"))
            self._refused = self._refused or bool(refusal)
            text = _content_text(delta.get("content")) or refusal
            if text:
                yield TextPiece(text)
            self._ended = text_in(choice.get("finish_reason")) or self._ended

    def _add(self, piece: Mapping[str, Any]) -> None:
        """Adds a piece of a tool call.

        The pieces of one call share an index. But some services send whole calls without an index, or all with the same
        one.
        """
        index, id, function = piece.get("index"), text_in(piece.get("id")), piece.get("function") or {}
        name = text_in(function.get("name"))
        place = len(self._calls) if index is None else self._places.get(index_in(index), index)
        if name and place in self._calls and id not in ("", self._calls[place].id):
            place = max(self._calls) + 1
        if index is not None:
            self._places[index] = place
        call = self._calls.setdefault(place, PartialCall(f"call_{place}"))
        call.id = id or call.id
        self._extend(call, name, text_in(function.get("arguments")))

    def reply(self) -> Reply | None:
        if not self._ended:
            return None
        notices = {"the service filtered the answer": self._ended == "content_filter", REFUSED: self._refused}
        return self._reply(self._ended == "length", tuple(notice for notice, holds in notices.items() if holds))


def _content_text(content: Any) -> str:
    """Returns the text of the answer in ``content``.

    Reasoning models send a list of parts. Only the text parts belong to the answer.
    """
    if not isinstance(content, list):
        return text_in(content)
    return "".join(text_in(part["text"]) for part in content if part["type"] == "text")
