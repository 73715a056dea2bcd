"""The use of embedders by engines: finds the configured one, decides whether a query uses it, and loads local models in
advance.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from brvtui.engines.contract import Context, EngineError, Query
from brvtui.services.legs import LegError, ServiceError

if TYPE_CHECKING:  # the first paint names engines, and must not wait for the imports of models
    from brvtui.services.legs import Embedder

_ANY_TEXT = "ready"
_NOT_IN_PREVIEW = "previews do not call services, but runs do"
_UNDER_WAY = "the notes' vectors are still being computed"


def embedder_of(context: Context[Any]) -> Embedder | None:
    """The configured embedder; None if there is none. Raises :class:`EngineError` for an invalid setting."""
    try:
        return context.services.embedder
    except ServiceError as error:
        raise EngineError(str(error)) from error


def why_not_asked(embedder: Embedder, query: Query, has_vectors: bool) -> str:
    """The reason why ``query`` must not use ``embedder``; empty if it may.

    A preview sends no requests over a network, and does not wait for vectors that are being computed.
    """
    if query.may_ask:
        return ""
    if embedder.is_remote:
        return _NOT_IN_PREVIEW
    return "" if has_vectors else _UNDER_WAY


def load_ahead(embedder: Embedder) -> None:
    """Loads a local model, so that no query waits for it. Ignores errors; the first query reports them."""
    if not embedder.is_remote:
        with suppress(LegError):
            embedder.embed([_ANY_TEXT])


def never_cancelled() -> bool:
    """Returns False. Work that a query waits for is never cancelled."""
    return False
