"""Makes the embedder and the reranker that the settings name (``docs/configuration.md``).

The modules for HTTP are imported only for a service at an address.
"""

from __future__ import annotations

from brvtui.providers.local_models import CrossEncoderReranker, LocalEmbedder
from brvtui.providers.settings import ServiceSettings
from brvtui.services.embedding import Embedder
from brvtui.services.requests import RequestPolicy, ServiceError
from brvtui.services.reranking import Reranker, RerankRules

EMBEDDER, RERANKER = "embedder", "reranker"


def embedder_of(settings: ServiceSettings, requests: RequestPolicy) -> Embedder | None:
    """The embedder: at ``url`` when that is set, else a local model; None when no model is named.

    Neither loads a model nor sends a request. Raises :class:`ServiceError`.
    """
    if not _is_named(settings, EMBEDDER):
        return None
    if not settings.url:
        return LocalEmbedder(settings.model)
    from brvtui.providers.openai_compatible import OpenAIEmbedder

    return OpenAIEmbedder(settings.url, settings.model, requests, _checked_key(settings, EMBEDDER))


def reranker_of(settings: ServiceSettings, requests: RequestPolicy, rules: RerankRules) -> Reranker | None:
    """The reranker, by the same rules. Raises :class:`ServiceError`."""
    if not _is_named(settings, RERANKER):
        return None
    if not settings.url:
        return CrossEncoderReranker(settings.model)
    from brvtui.providers.openai_compatible import OpenAIReranker

    return OpenAIReranker(settings.url, settings.model, requests, rules, _checked_key(settings, RERANKER))


def _is_named(settings: ServiceSettings, kind: str) -> bool:
    if settings.url and not settings.model:
        raise ServiceError(
            f"the {kind} has a url but no model: set services.{kind}.model, or BRV_TUI_{kind.upper()}_MODEL"
        )
    return bool(settings.model)


def _checked_key(settings: ServiceSettings, kind: str) -> str:
    """The service's key. Raises :class:`ServiceError` when the service cannot be asked."""
    from brvtui.providers.http import check_service

    return check_service(f"services.{kind}", settings.url, settings)
