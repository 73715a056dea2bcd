"""The language model in the current settings, and the user's consent to its use.

Every session has a ``SessionModel``, so this module does not import anything that only a model needs.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from brvtui.providers.settings import ModelSettings
from brvtui.services.provided import NO_MODEL

if TYPE_CHECKING:
    from brvtui.services.legs import RequestPolicy
    from brvtui.services.model import Cancellation, ChatModel, ModelCheck, ModelStatus

_STANDS_IN = "These are sentences from notes."


class SessionModel:
    """The language model of a session. It is created again when the settings change. Methods are thread-safe."""

    def __init__(self, wanted: Callable[[], ModelSettings], requests: Callable[[], RequestPolicy]) -> None:
        """Takes functions that return the current settings (``wanted``), and the time-outs
        and retries (``requests``).
        """
        self._wanted = wanted
        self._requests = requests
        self._cached: tuple[ModelSettings, ChatModel | None, str] | None = None
        self._allowed: ModelSettings | None = None
        """The settings that the user consented to. A different model or address needs the user's consent again."""
        self._lock = threading.Lock()

    @property
    def state(self) -> ModelStatus:
        """The model's name, the problem if it cannot be used, and whether the user allows its use."""
        from brvtui.services.model import ModelStatus

        wanted = self._wanted()
        model, problem = self._model(wanted)
        return ModelStatus(model.name if model else wanted.model, problem, self._may_ask(wanted))

    @property
    def address(self) -> str:
        """The model's address, even if it is unusable; empty if no model is set or the address may contain a secret."""
        wanted = self._wanted()
        if not wanted.model and not wanted.url:
            return ""
        from brvtui.providers.models import address_to_show

        return address_to_show(wanted)

    @property
    def key_source(self) -> str:
        """The environment variable that contains the key, or the reason why there is no key. It never contains the key
        itself.
        """
        wanted = self._wanted()
        if not wanted.key_env:
            return "none: llm.key_env does not name a variable"
        if wanted.key:
            return f"from {wanted.key_env}"
        if wanted.key_env_is_listed or not os.environ.get(wanted.key_env):
            return f"none: {wanted.key_env} is not set"
        return f"none: {wanted.key_env} is set, but key_variables does not list it: add it there by hand"

    def allow(self) -> None:
        """Allows runs in this session to use the current model."""
        self._allowed = self._wanted()

    def _may_ask(self, wanted: ModelSettings) -> bool:
        allowed = self._allowed
        return wanted.allowed or (
            allowed is not None
            and (allowed.protocol, allowed.model, allowed.url) == (wanted.protocol, wanted.model, wanted.url)
        )

    def allowed_model(self) -> ChatModel | None:
        """Returns the model if a run may use it now; otherwise None."""
        wanted = self._wanted()
        return self._model(wanted)[0] if self._may_ask(wanted) else None

    def check(self, cancellation: Cancellation | None = None) -> ModelCheck | None:
        """Sends the model a short test message, even without consent. Returns None if no usable model is set."""
        from brvtui.services.model import Cancellation, check

        model, _ = self._model(self._wanted())
        return check(model, cancellation or Cancellation()) if model else None

    def why_not_asked(self, run: bool) -> str:
        """Returns the reason, in one or two lines, why the model is not used although the route reaches a model."""
        wanted = self._wanted()
        if not wanted.model and not wanted.url:
            return NO_MODEL
        state = self.state
        if state.problem:
            return f"The model cannot be used: {state.problem}. {_STANDS_IN}"
        if not state.allowed:
            return f"{state.name} is not allowed in this session. {_STANDS_IN}"
        return f"{state.name} is not called {'here' if run else 'in a preview'}. {_STANDS_IN}"

    def _model(self, wanted: ModelSettings) -> tuple[ChatModel | None, str]:
        """Returns the model and an empty string, or None and the reason. The reason is empty if no model is set."""
        if not wanted.model and not wanted.url:
            return None, ""
        with self._lock:
            if self._cached is None or self._cached[0] != wanted:
                self._cached = (wanted, *_new_model(wanted, self._requests()))
            return self._cached[1:]


def _new_model(wanted: ModelSettings, requests: RequestPolicy) -> tuple[ChatModel | None, str]:
    from brvtui.providers.models import model_of
    from brvtui.services.legs import ServiceError

    try:
        return model_of(wanted, requests), ""
    except ServiceError as error:
        return None, str(error)
