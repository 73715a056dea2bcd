"""From what the user set to the language model itself (``docs/configuration.md``, "A model")."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from types import ModuleType

from brvtui.providers import anthropic_messages, chat_completions
from brvtui.providers.chat import ChatService
from brvtui.providers.model_settings import ModelSettings
from brvtui.providers.streaming import Patience
from brvtui.services.failures import ServiceError
from brvtui.services.requests import RequestPolicy
from brvtui.text.address import why_no_address

OPENAI, ANTHROPIC = "openai", "anthropic"
_LIBRARY = "httpx"
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
    if find_spec(_LIBRARY) is None:
        raise ServiceError(f"{settings.model} is set but the extra llm is missing: pip install 'brv-tui[llm]'")
    base = address_of(settings)
    problem = why_no_address(base, "llm.url")
    if problem:
        raise ServiceError(problem)
    _check_key(settings)
    patience = Patience(
        settings.timeout_seconds, rules.tries, rules.wait_seconds, rules.longest_wait_seconds, rules.max_bytes
    )
    wire, kind = _WIRES[settings.protocol]
    return kind(wire.endpoint(base, settings.key.strip()), settings.model, patience)


def _check_key(settings: ModelSettings) -> None:
    key = settings.key.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ServiceError(f"the key in {settings.key_env} holds characters that no header can carry: set it anew")
