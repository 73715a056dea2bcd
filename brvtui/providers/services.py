"""From what the user set to the services themselves (``docs/configuration.md``).

Modules that talk HTTP are imported for services at an address alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from brvtui.providers.local_models import CrossEncoderReranker, LocalEmbedder
from brvtui.services.embedding import Embedder
from brvtui.services.failures import ServiceError
from brvtui.services.requests import RequestPolicy
from brvtui.services.reranking import Reranker, RerankRules

EMBEDDER, RERANKER = "embedder", "reranker"


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """A model, local or behind an address. Without ``model`` there is no service."""

    model: str = ""
    url: str = ""
    """Of a service that speaks OpenAI's protocol; empty for a local model."""
    key: str = field(default="", repr=False)
    key_env: str = ""
    """The variable that the key came from."""


def embedder_of(settings: ServiceSettings, requests: RequestPolicy) -> Embedder | None:
    """The embedder: at ``url`` when that is set, else a local model; None when no model is named.

    Nothing is loaded or asked yet. Raises :class:`ServiceError`.
    """
    if not _is_named(settings, EMBEDDER):
        return None
    if not settings.url:
        return LocalEmbedder(settings.model)
    from brvtui.providers.openai_compatible import OpenAIEmbedder

    return OpenAIEmbedder(settings.url, settings.model, requests, _checked_key(settings, EMBEDDER))


def reranker_of(settings: ServiceSettings, requests: RequestPolicy, rules: RerankRules) -> Reranker | None:
    """The reranker, likewise. Raises :class:`ServiceError`."""
    if not _is_named(settings, RERANKER):
        return None
    if not settings.url:
        return CrossEncoderReranker(settings.model)
    from brvtui.providers.openai_compatible import OpenAIReranker

    return OpenAIReranker(settings.url, settings.model, requests, rules, _checked_key(settings, RERANKER))


def _is_named(settings: ServiceSettings, which: str) -> bool:
    if settings.url and not settings.model:
        raise ServiceError(
            f"the {which} has a url but no model: set services.{which}.model, or BRV_TUI_{which.upper()}_MODEL"
        )
    return bool(settings.model)


def _checked_key(settings: ServiceSettings, which: str) -> str:
    """The key of a service that can be asked. Raises :class:`ServiceError` when it cannot."""
    from brvtui.providers.http import check_service

    key = settings.key.strip()
    check_service(f"services.{which}", settings.model, settings.url, key, settings.key_env)
    return key
