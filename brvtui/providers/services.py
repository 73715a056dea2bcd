"""Makes the embedder and the reranker that the settings name (``docs/configuration.md``).

The modules for HTTP are imported only for a service at an address.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from brvtui.providers.local_models import CrossEncoderReranker, LocalEmbedder
from brvtui.providers.settings import EmbedderSettings, ServiceSettings
from brvtui.services.legs import Embedder, RequestPolicy, Reranker, RerankRules, ServiceError

EMBEDDER, RERANKER = "embedder", "reranker"


@dataclass(frozen=True, slots=True)
class EmbeddingProvider:
    """The defaults of one provider of embeddings (``docs/soleri.md``, "Vectors")."""

    url: str
    model: str
    batch: int
    key_variable: str


PROVIDERS = {
    "openai": EmbeddingProvider("https://api.openai.com/v1", "text-embedding-3-small", 2048, "OPENAI_API_KEY"),
    "voyage": EmbeddingProvider("https://api.voyageai.com/v1", "voyage-3.5", 128, "VOYAGE_API_KEY"),
}
_COMPATIBLE = EmbeddingProvider("", "", 2048, "")


def embedder_of(settings: EmbedderSettings, requests: RequestPolicy) -> Embedder | None:
    """The embedder: a provider's or at ``url`` when one is set, else a local model; None when no model is named.

    Neither loads a model nor sends a request. Raises :class:`ServiceError`.
    """
    provider = PROVIDERS.get(settings.provider, _COMPATIBLE)
    settings = replace(settings, url=settings.url or provider.url, model=settings.model or provider.model)
    if not _is_named(settings, EMBEDDER):
        return None
    if not settings.url:
        return LocalEmbedder(settings.model)
    from brvtui.providers.openai_compatible import OPENAI_EXTRA, OpenAIEmbedder

    extra = OPENAI_EXTRA
    if settings.provider == "voyage":  # it has no field for the format, and one for the kind of text
        extra = {} if settings.input_type == "none" else {"input_type": settings.input_type}
    keys = [_checked_key(replace(settings, key=key), EMBEDDER) for key in settings.key.split(",") if key.strip()] or [
        _checked_key(settings, EMBEDDER)
    ]
    return OpenAIEmbedder(settings.url, settings.model, requests, keys, settings.batch_size or provider.batch, extra)


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
