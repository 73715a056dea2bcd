"""From what the user set to the language model itself (``docs/configuration.md``, "A model")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType

from brvtui.providers import anthropic_messages, chat_completions
from brvtui.providers.chat import ChatService
from brvtui.providers.http import check_service
from brvtui.providers.model_settings import ModelSettings
from brvtui.services.failures import ServiceError
from brvtui.services.requests import RequestPolicy

OPENAI, ANTHROPIC = "openai", "anthropic"
_WIRES: Mapping[str, tuple[ModuleType, type[ChatService]]] = {
    OPENAI: (chat_completions, chat_completions.ChatCompletions),
    ANTHROPIC: (anthropic_messages, anthropic_messages.AnthropicMessages),
}


def address_of(settings: ModelSettings) -> str:
    """The address that would be asked."""
    wire, _ = _WIRES[settings.protocol]
    base: str = settings.url.strip() or wire.BASE
    return base.rstrip("/")


def address_to_show(settings: ModelSettings) -> str:
    """The address that would be asked, or what was set for one; empty where a password or a key may stand in it."""
    base = address_of(settings)
    return "" if any(sign in base for sign in "@?#") else base


def model_of(settings: ModelSettings, rules: RequestPolicy) -> ChatService | None:
    """The model, of which nothing is asked yet; None when none is named. The library is imported by its first turn.

    Raises :class:`ServiceError`, which says what to set.
    """
    if not settings.model:
        if settings.url:
            raise ServiceError("llm.url is set but no model: set llm.model, or BRV_TUI_LLM_MODEL")
        return None
    base, key = address_of(settings), settings.key.strip()
    check_service("llm", settings.model, base, key, settings.key_env)
    policy = replace(rules, timeout_seconds=settings.timeout_seconds)
    wire, kind = _WIRES[settings.protocol]
    return kind(wire.endpoint(base, key), settings.model, policy)
