"""From what the user set to the services themselves (``docs/configuration.md``)."""

from __future__ import annotations

from dataclasses import dataclass, field

from brvtui.providers.local_models import CrossEncoderReranker, LocalEmbedder
from brvtui.providers.openai_compatible import OpenAIEmbedder, OpenAIReranker
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


def embedder_of(settings: ServiceSettings, requests: RequestPolicy) -> Embedder | None:
    """The embedder: at ``url`` when that is set, else a local model; None when no model is named.

    Nothing is loaded or asked yet. Raises :class:`ServiceError`.
    """
    if not _is_named(settings, EMBEDDER):
        return None
    if not settings.url:
        return LocalEmbedder(settings.model)
    try:
        return OpenAIEmbedder(settings.url, settings.model, requests, settings.key)
    except ValueError as error:
        raise _wrong_url(EMBEDDER, error) from error


def reranker_of(settings: ServiceSettings, requests: RequestPolicy, rules: RerankRules) -> Reranker | None:
    """The reranker, likewise. Raises :class:`ServiceError`."""
    if not _is_named(settings, RERANKER):
        return None
    if not settings.url:
        return CrossEncoderReranker(settings.model)
    try:
        return OpenAIReranker(settings.url, settings.model, requests, rules, settings.key)
    except ValueError as error:
        raise _wrong_url(RERANKER, error) from error


def _is_named(settings: ServiceSettings, which: str) -> bool:
    if settings.url and not settings.model:
        raise ServiceError(
            f"the {which} has a url but no model: set services.{which}.model, or BRV_TUI_{which.upper()}_MODEL"
        )
    return bool(settings.model)


def _wrong_url(which: str, error: ValueError) -> ServiceError:
    return ServiceError(f"the {which}'s url: {error}")
