"""Creates the embedder and the reranker from the settings (``docs/reference/settings.md``).

Local models use sentence-transformers (extra ``[vectors]``), which is imported when a model is first used. The HTTP
modules are imported only for a service at an address.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from brvtui.installation import install_command
from brvtui.providers.settings import EmbedderSettings, ServiceSettings
from brvtui.services.legs import (
    Embedder,
    LegError,
    RequestPolicy,
    RerankDocument,
    Reranked,
    Reranker,
    RerankRules,
    ServiceError,
    Vector,
)
from brvtui.text.visible import visible

_LIBRARY = "sentence_transformers"
_NO_BARS = "HF_HUB_DISABLE_PROGRESS_BARS"
"""The environment variable that turns off the library's progress bars, which would overwrite the screen.

The library reads it at import.
"""


class _Model:
    """A model that is loaded when it is first used. Only one thread uses it at a time."""

    def __init__(self, kind: str, model: str) -> None:
        self.kind = kind
        self.model = model
        self._loaded: Any = None
        self._lock = threading.Lock()

    def use(self, method: str, *values: Any, **options: Any) -> Any:
        """Calls ``method`` of the model. Raises LegError if the library raises any exception."""
        with self._lock:
            try:
                if self._loaded is None:
                    os.environ.setdefault(_NO_BARS, "1")
                    self._loaded = getattr(import_module(_LIBRARY), self.kind)(self.model)
                return getattr(self._loaded, method)(*values, **options)
            except ImportError:
                raise LegError(f"sentence-transformers is not installed: {install_command('vectors')}") from None
            except Exception as error:  # the library's exceptions have no common base class
                message = visible(" ".join(str(error).split()))[:200]
                raise LegError(f"{self.model}: {message or type(error).__name__}") from error


class LocalEmbedder:
    """An embedder that runs a sentence-transformers model, given by its name or folder."""

    def __init__(self, model: str) -> None:
        self._model = _Model("SentenceTransformer", model)

    @property
    def name(self) -> str:
        """The name or folder of the model."""
        return self._model.model

    @property
    def is_remote(self) -> bool:
        """Always False, because the model runs in this process."""
        return False

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Returns one vector per text. Raises :class:`brvtui.services.legs.LegError`."""
        if not texts:
            return []
        vectors = self._model.use("encode", list(texts), show_progress_bar=False, convert_to_numpy=True)
        return [[float(number) for number in vector] for vector in vectors]


class CrossEncoderReranker:
    """A reranker that runs a cross-encoder, given by its name or folder."""

    def __init__(self, model: str) -> None:
        self._model = _Model("CrossEncoder", model)

    @property
    def name(self) -> str:
        """The name or folder of the model."""
        return self._model.model

    def rerank(self, query: str, documents: Sequence[RerankDocument]) -> list[Reranked]:
        """Returns all documents, best first. Documents with equal scores keep their order. NaN scores come last.

        Raises :class:`brvtui.services.legs.LegError`.
        """
        if not documents:
            return []
        pairs = [(query, document.text) for document in documents]
        predictions = [float(score) for score in self._model.use("predict", pairs, show_progress_bar=False)]
        scores = [-math.inf if math.isnan(score) else score for score in predictions][: len(documents)]
        order = sorted(range(len(scores)), key=lambda place: -scores[place])
        return [Reranked(place, scores[place]) for place in order]


EMBEDDER, RERANKER = "embedder", "reranker"


@dataclass(frozen=True, slots=True)
class EmbeddingProvider:
    """The defaults for one provider of embeddings (``docs/reference/soleri.md``, "Vectors")."""

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
    """Returns an embedder at the address given by the settings or the provider; a local one if there is no address.

    Returns None if no model is set. Neither loads a model nor sends a request. Raises :class:`ServiceError`.
    """
    provider = PROVIDERS.get(settings.provider, _COMPATIBLE)
    settings = replace(settings, url=settings.url or provider.url, model=settings.model or provider.model)
    if not _is_named(settings, EMBEDDER):
        return None
    if not settings.url:
        return LocalEmbedder(settings.model)
    from brvtui.providers.openai_compatible import OPENAI_EXTRA, OpenAIEmbedder

    extra = OPENAI_EXTRA
    if settings.provider == "voyage":  # instead of a format, this provider has a field for the kind of text
        extra = {} if settings.input_type == "none" else {"input_type": settings.input_type}
    keys = [_checked_key(replace(settings, key=key), EMBEDDER) for key in settings.key.split(",") if key.strip()] or [
        _checked_key(settings, EMBEDDER)
    ]
    return OpenAIEmbedder(settings.url, settings.model, requests, keys, settings.batch_size or provider.batch, extra)


def reranker_of(settings: ServiceSettings, requests: RequestPolicy, rules: RerankRules) -> Reranker | None:
    """Returns the reranker at an address or, if none is set, a local model; None if no model is set.

    Raises :class:`ServiceError`.
    """
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
    from brvtui.providers.http import check_service

    return check_service(f"services.{kind}", settings.url, settings)
