"""The models and services that the settings name, with the keys that the environment holds."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from brvtui.providers.held_model import HeldModel
from brvtui.providers.model_settings import ModelSettings

if TYPE_CHECKING:
    from brvtui.config.schema import Llm, Service, Services
    from brvtui.engines.jeffs_brain.searcher import HybridSearcher
    from brvtui.services.requests import RequestPolicy


def held_model(settings: Callable[[], Llm], requests: Callable[[], RequestPolicy]) -> HeldModel:
    """The model of the ``settings`` of each moment, as a session holds it."""
    return HeldModel(lambda: _model_settings(settings()), requests)


def _model_settings(llm: Llm) -> ModelSettings:
    key = os.environ.get(llm.key_env, "") if llm.key_env else ""
    return ModelSettings(llm.protocol, llm.model, llm.url, key, llm.key_env, llm.timeout, llm.allowed)


class HeldSearcher:
    """The pipeline ``jeffs_brain`` over one tree, made anew when its services change."""

    def __init__(self, tree: Path) -> None:
        """Nothing is imported or asked before :meth:`of`."""
        self._tree = tree
        self._made: tuple[Services, HybridSearcher] | None = None
        self._making = threading.Lock()

    def of(self, wanted: Services) -> HybridSearcher:
        """The pipeline with the services ``wanted``. Raises :class:`brvtui.services.failures.ServiceError`."""
        with self._making:
            if self._made is None or self._made[0] != wanted:
                self._made = (wanted, _hybrid_searcher(wanted, self._tree))
            return self._made[1]


def _hybrid_searcher(wanted: Services, tree: Path) -> HybridSearcher:
    from brvtui.engines.jeffs_brain import profile as profile_jeffs_brain
    from brvtui.engines.jeffs_brain.searcher import HybridSearcher, Models
    from brvtui.providers import services as providers
    from brvtui.store.vectors import VectorStore

    def named(service: Service) -> providers.ServiceSettings:
        return providers.ServiceSettings(
            service.model, service.url, os.environ.get(service.key_env, ""), service.key_env
        )

    rules = profile_jeffs_brain.load()
    embedder = providers.embedder_of(named(wanted.embedder), rules.service)
    reranker = providers.reranker_of(named(wanted.reranker), rules.service, rules.rerank)
    return HybridSearcher(rules, Models(embedder, reranker, partial(VectorStore, tree)))
