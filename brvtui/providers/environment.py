"""The services that the environment names (``docs/configuration.md``, "Environment")."""

from __future__ import annotations

from collections.abc import Mapping

from brvtui.profile_jeffs_brain import HybridProfile
from brvtui.providers.local_models import CrossEncoderReranker, LocalEmbedder
from brvtui.providers.openai_compatible import OpenAIEmbedder, OpenAIReranker
from brvtui.retrieve.failures import ServiceError
from brvtui.retrieve.jeffs_brain.protocols import Embedder, Reranker

_EMBEDDER = ("BRV_TUI_EMBEDDER_URL", "BRV_TUI_EMBEDDER_MODEL", "BRV_TUI_EMBEDDER_KEY")
_RERANKER = ("BRV_TUI_RERANKER_URL", "BRV_TUI_RERANKER_MODEL", "BRV_TUI_RERANKER_KEY")


def embedder_of(environ: Mapping[str, str], rules: HybridProfile) -> Embedder | None:
    """The embedder that ``BRV_TUI_EMBEDDER_MODEL`` names: at ``_URL`` when that is set, else a local model; or None.

    Raises :class:`ServiceError`.
    """
    url, model, key = _named(environ, _EMBEDDER)
    if not model:
        return None
    try:
        return OpenAIEmbedder(url, model, rules.service, key) if url else LocalEmbedder(model)
    except ValueError as error:
        raise ServiceError(f"{_EMBEDDER[0]}: {error}") from error


def reranker_of(environ: Mapping[str, str], rules: HybridProfile) -> Reranker | None:
    """The reranker that ``BRV_TUI_RERANKER_MODEL`` names, likewise; or None. Raises :class:`ServiceError`."""
    url, model, key = _named(environ, _RERANKER)
    if not model:
        return None
    try:
        return OpenAIReranker(url, model, rules.service, rules.rerank, key) if url else CrossEncoderReranker(model)
    except ValueError as error:
        raise ServiceError(f"{_RERANKER[0]}: {error}") from error


def _named(environ: Mapping[str, str], names: tuple[str, str, str]) -> tuple[str, str, str]:
    url, model, key = (environ.get(name, "") for name in names)
    if url and not model:
        raise ServiceError(f"{names[0]} is set, but {names[1]} is not: name the model that it serves")
    return url, model, key
