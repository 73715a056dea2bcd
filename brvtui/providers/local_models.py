"""Local embeddings and reranking by sentence-transformers (extra ``[vectors]``; ``docs/jeffs_brain.md``, "Services").

The first use of a model imports the library.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from brvtui.services.legs import LegError, RerankDocument, Reranked, Vector
from brvtui.text.visible import visible

_LIBRARY = "sentence_transformers"
_NO_BARS = "HF_HUB_DISABLE_PROGRESS_BARS"
"""Read by the library at import. Its progress bars would be written over the screen."""


class _Model:
    """A model that is loaded at its first use, and used by one thread at a time."""

    def __init__(self, kind: str, model: str) -> None:
        self.kind = kind
        self.model = model
        self._loaded: Any = None
        self._lock = threading.Lock()

    def use(self, method: str, *values: Any, **options: Any) -> Any:
        """Calls ``method`` of the model. Raises LegError for any exception of the library."""
        with self._lock:
            try:
                if self._loaded is None:
                    os.environ.setdefault(_NO_BARS, "1")
                    self._loaded = getattr(import_module(_LIBRARY), self.kind)(self.model)
                return getattr(self._loaded, method)(*values, **options)
            except ImportError:
                raise LegError("sentence-transformers is not installed: pip install 'brv-tui[vectors]'") from None
            except Exception as error:  # the library's exceptions have no common class
                message = visible(" ".join(str(error).split()))[:200]
                raise LegError(f"{self.model}: {message or type(error).__name__}") from error


class LocalEmbedder:
    """A sentence-transformers model, by name or folder."""

    def __init__(self, model: str) -> None:
        """Does not load the model yet."""
        self._model = _Model("SentenceTransformer", model)

    @property
    def name(self) -> str:
        """The model."""
        return self._model.model

    @property
    def is_remote(self) -> bool:
        """False: it runs in this process."""
        return False

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector for each text. Raises :class:`brvtui.services.legs.LegError`."""
        if not texts:
            return []
        made = self._model.use("encode", list(texts), show_progress_bar=False, convert_to_numpy=True)
        return [[float(number) for number in vector] for vector in made]


class CrossEncoderReranker:
    """A cross-encoder, by name or folder."""

    def __init__(self, model: str) -> None:
        """Does not load the model yet."""
        self._model = _Model("CrossEncoder", model)

    @property
    def name(self) -> str:
        """The model."""
        return self._model.model

    def rerank(self, query: str, documents: Sequence[RerankDocument]) -> list[Reranked]:
        """All documents, best first, ties in the given order; NaN comes last.

        Raises :class:`brvtui.services.legs.LegError`.
        """
        if not documents:
            return []
        pairs = [(query, document.text) for document in documents]
        made = [float(score) for score in self._model.use("predict", pairs, show_progress_bar=False)]
        scores = [-math.inf if math.isnan(score) else score for score in made][: len(documents)]
        order = sorted(range(len(scores)), key=lambda place: -scores[place])
        return [Reranked(place, scores[place]) for place in order]
