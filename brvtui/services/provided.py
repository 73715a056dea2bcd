"""The services that an engine may ask, as a session provides them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from brvtui.faults import reading_reason
from brvtui.trace.feedback import FeedbackLog, NoFeedback

if TYPE_CHECKING:  # the first paint names engines, and must not import what only a model needs
    from brvtui.services.legs import Embedder, Reranker, VectorCache
    from brvtui.services.model import Budget, ChatModel


class KeptState(Protocol):
    """What an engine keeps of one tree for the next process: one value, as JSON has it."""

    def read(self) -> Any:
        """The value that was written last; None when there is none, or it is damaged."""

    def write(self, value: Any) -> None:
        """Replaces the value. Raises OSError."""


class NoState:
    """Nothing is kept."""

    def read(self) -> Any:
        """None."""

    def write(self, value: Any) -> None:
        """Keeps nothing."""


class EngineServices(Protocol):
    """Models that the user set. None is loaded or asked before an engine uses it."""

    @property
    def model(self) -> ChatModel | None:
        """The language model if a run may ask it now, else None."""

    @property
    def model_is_set(self) -> bool:
        """Whether the user named a language model, allowed or not."""

    def why_no_model(self, run: bool) -> str:
        """Why a preview or a run that reaches the model does not ask it, in a line or two."""

    @property
    def budget(self) -> Budget:
        """The budget of the language model, by the user's settings."""

    @property
    def embedder(self) -> Embedder | None:
        """None when none is set. Raises :class:`brvtui.services.legs.ServiceError` for a wrong setting."""

    @property
    def reranker(self) -> Reranker | None:
        """None when none is set. Raises :class:`brvtui.services.legs.ServiceError` for a wrong setting."""

    def vectors(self, model: str) -> VectorCache:
        """The stored vectors of this tree's texts, made by the embedder named ``model``."""

    def feedback(self, engine: str) -> FeedbackLog:
        """What users said of the results of ``engine`` over this tree."""

    def state(self, engine: str) -> KeptState:
        """What ``engine`` keeps of its runs over this tree."""


class NoServices:
    """Services of a session without any."""

    model: ChatModel | None = None
    model_is_set = False
    embedder: Embedder | None = None
    reranker: Reranker | None = None

    @property
    def budget(self) -> Budget:
        """No price is known."""
        from brvtui.services.model import Budget

        return Budget()

    def why_no_model(self, run: bool) -> str:
        """That none is set."""
        from brvtui.services.model import NO_MODEL

        return NO_MODEL

    def vectors(self, model: str) -> VectorCache:
        """Raises LookupError: there is no embedder."""
        raise LookupError(model)

    def feedback(self, engine: str) -> FeedbackLog:
        """Nothing was said, and nothing is kept."""
        return NoFeedback()

    def state(self, engine: str) -> KeptState:
        """Nothing is kept."""
        return NoState()


NO_SERVICES: EngineServices = NoServices()


def feedback_problem(error: OSError, effect: str = "it does not count") -> str:
    """That the judgments of users cannot be read, with the ``effect`` and the reason."""
    why = f"{error.filename}: {reading_reason(error)}"
    return f"the feedback cannot be read, so {effect}: {why}; brv-tui forget drops it"
