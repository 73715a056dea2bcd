"""The models and services from the settings, with their keys from the environment."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from brvtui.providers.session_model import SessionModel
from brvtui.providers.settings import EmbedderSettings, ModelSettings, ServiceSettings
from brvtui.services.legs import LegError
from brvtui.store.folders import runs_file

if TYPE_CHECKING:
    from brvtui.config.schema import Llm, Settings
    from brvtui.services.legs import Embedder, RequestPolicy, RerankDocument, Reranked, Reranker, Vector, VectorCache
    from brvtui.services.model import Budget, ChatModel
    from brvtui.services.provided import EngineServices, KeptState
    from brvtui.trace.feedback import FeedbackLog


_WITHHELD = "your services are not called, because only the project's settings chose this engine; choose it yourself"


def session_model(settings: Callable[[], Settings], requests: Callable[[], RequestPolicy]) -> SessionModel:
    """The model for a session, according to the current ``settings``."""
    return SessionModel(lambda: _model_settings(settings()), requests)


def budget_of(llm: Llm) -> Budget:
    """The prices of the model in ``llm``, and the limits for one answer of the model."""
    from brvtui.services.model import Budget

    return Budget(llm.sent_cents, llm.received_cents, llm.answer_tokens, llm.answer_cents)


def _model_settings(settings: Settings) -> ModelSettings:
    llm = settings.llm
    key, is_listed = _key(settings, llm.key_env)
    return ModelSettings(llm.model, llm.url, key, llm.key_env, is_listed, llm.protocol, llm.timeout, llm.allowed)


def _key(settings: Settings, variable: str) -> tuple[str, bool]:
    """The key in the environment variable ``variable``, and True if that variable may be read."""
    is_listed = not variable or settings.may_read_key(variable)
    return os.environ.get(variable, "") if variable and is_listed else "", is_listed


class SessionServices:
    """The :class:`brvtui.services.provided.EngineServices` of one tree, rebuilt when the settings change."""

    def __init__(
        self, tree: Path, settings: Callable[[], Settings], requests: Callable[[], RequestPolicy], held: SessionModel
    ) -> None:
        """Services are imported only when an engine needs them. ``settings`` and ``requests`` return current values."""
        self._tree = tree
        self._settings = settings
        self._requests = requests
        self._held = held
        self._made: tuple[object, Embedder | None, Reranker | None] | None = None
        self._making = threading.Lock()

    @property
    def model(self) -> ChatModel | None:
        """The language model if a run may call one now; otherwise None."""
        return self._held.allowed_model()

    @property
    def model_is_set(self) -> bool:
        """True if the settings name a model."""
        return bool(self._settings().llm.model)

    def why_no_model(self, run: bool) -> str:
        """The reason, in one or two lines, why a preview or a run that reaches the model does not call it."""
        return self._held.why_not_asked(run)

    @property
    def budget(self) -> Budget:
        """The prices and limits in the settings."""
        return budget_of(self._settings().llm)

    @property
    def embedder(self) -> Embedder | None:
        """The embedder; None if none is set. Raises :class:`brvtui.services.legs.ServiceError`."""
        return self._services()[1]

    @property
    def reranker(self) -> Reranker | None:
        """The reranker; None if none is set. Raises :class:`brvtui.services.legs.ServiceError`."""
        return self._services()[2]

    @cached_property
    def withheld(self) -> EngineServices:
        """The same services, except that those on a network raise an error with the reason instead of being called."""
        return _WithheldServices(self._tree, self._settings, self._requests, self._held)

    def vectors(self, model: str) -> VectorCache:
        """The vectors of this tree's texts, computed by ``model``."""
        from brvtui.store.vectors import VectorStore

        return VectorStore(self._tree, model)

    def feedback(self, engine: str) -> FeedbackLog:
        """The users' feedback on results of ``engine`` over this tree."""
        from brvtui.store.feedback import FeedbackFile

        return FeedbackFile(self._tree, engine)

    def state(self, engine: str) -> KeptState:
        """The state that ``engine`` saved from its runs over this tree, in the tool's own data folder."""
        from brvtui.store.state_file import StateFile

        return StateFile(runs_file(self._tree, engine))

    def _services(self) -> tuple[object, Embedder | None, Reranker | None]:
        settings, requests = self._settings(), self._requests()
        wanted = settings.services, settings.key_variables, requests
        with self._making:
            if self._made is None or self._made[0] != wanted:
                self._made = (wanted, *_made(settings, requests))
            return self._made


class _WithheldServices(SessionServices):
    """Services that send no requests over a network."""

    @property
    def embedder(self) -> Embedder | None:
        embedder = super().embedder
        return _Withheld(embedder.name) if embedder is not None and embedder.is_remote else embedder

    @property
    def reranker(self) -> Reranker | None:
        reranker = super().reranker
        return _Withheld(reranker.name) if reranker is not None else None


class _Withheld:
    """An embedder and reranker whose calls always fail. Their name differs, so that their vectors are not mixed."""

    is_remote = True

    def __init__(self, name: str) -> None:
        self.name = f"{name}, not called"

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        raise LegError(_WITHHELD)

    def rerank(self, query: str, documents: Sequence[RerankDocument]) -> Sequence[Reranked]:
        raise LegError(_WITHHELD)


def _made(settings: Settings, requests: RequestPolicy) -> tuple[Embedder | None, Reranker | None]:
    from brvtui.providers import services as providers
    from brvtui.services.legs import RerankRules

    wanted = settings.services.reranker
    key, is_listed = _key(settings, wanted.key_env)
    reranker = ServiceSettings(wanted.model, wanted.url, key, wanted.key_env, is_listed)
    embedder = providers.embedder_of(embedder_settings(settings), requests)
    return embedder, providers.reranker_of(reranker, requests, RerankRules())


def embedder_settings(settings: Settings) -> EmbedderSettings:
    """The embedder's settings. A provider's own key variable is read only if the settings give no other address."""
    from brvtui.providers.services import PROVIDERS

    wanted = settings.services.embedder
    variable = wanted.key_env
    key, is_listed = _key(settings, variable)
    provider = PROVIDERS.get(wanted.provider)
    if provider is not None and not wanted.url and not key:
        variable = provider.key_variable
        key, is_listed = os.environ.get(variable, ""), True
    about = wanted.provider, wanted.batch_size, wanted.input_type
    return EmbedderSettings(wanted.model, wanted.url, key, variable, is_listed, *about)
