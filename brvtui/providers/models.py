"""Creates the language model from the settings (``docs/reference/settings.md``, "A model")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType

from brvtui.providers import anthropic_messages, chat_completions
from brvtui.providers.chat import ChatService
from brvtui.providers.http import check_service
from brvtui.providers.settings import ModelSettings
from brvtui.services.legs import RequestPolicy, ServiceError

OPENAI, ANTHROPIC = "openai", "anthropic"
_WIRES: Mapping[str, tuple[ModuleType, type[ChatService]]] = {
    OPENAI: (chat_completions, chat_completions.ChatCompletions),
    ANTHROPIC: (anthropic_messages, anthropic_messages.AnthropicMessages),
}


def address_of(settings: ModelSettings) -> str:
    """Returns the base address for requests to the model."""
    wire, _ = _WIRES[settings.protocol]
    base: str = settings.url.strip() or wire.BASE
    return base.rstrip("/")


def address_to_show(settings: ModelSettings) -> str:
    """Returns the base address for requests to the model; empty if it may contain a password or a key."""
    base = address_of(settings)
    return "" if any(sign in base for sign in "@?#") else base


def model_of(settings: ModelSettings, rules: RequestPolicy) -> ChatService | None:
    """Returns the language model; None if none is set. Sends no request. The first turn imports the HTTP library.

    Raises :class:`ServiceError`, whose message names the setting to change.
    """
    if not settings.model:
        if settings.url:
            raise ServiceError("llm.url is set but no model: set llm.model, or BRV_TUI_LLM_MODEL")
        return None
    base = address_of(settings)
    key = check_service("llm", base, settings)
    policy = replace(rules, timeout_seconds=settings.timeout_seconds)
    wire, kind = _WIRES[settings.protocol]
    return kind(wire.endpoint(base, key), settings.model, policy)
