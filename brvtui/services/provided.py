"""The services that a session provides to engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from brvtui.faults import reading_reason
from brvtui.trace.feedback import FeedbackLog, NoFeedback

if TYPE_CHECKING:  # the first paint names engines, and must not import modules that only models need
    from brvtui.services.legs import Embedder, Reranker, VectorCache
    from brvtui.services.model import Budget, ChatModel

NO_MODEL = (
    "No model is set (llm.model): these are sentences from notes. The prompt shows what would be sent"
    " (in ByteRover's order, with its excerpts; the instructions are brv-tui's)."
)


class KeptState(Protocol):
    """The state that an engine stores for one tree: a JSON value that the next process can read."""

    def read(self) -> Any:
        """Returns the value that was written last; None if it is missing or damaged."""

    def write(self, value: Any) -> None:
        """Replaces the stored value. Raises OSError."""


class NoState:
    """A state that is not stored anywhere."""

    def read(self) -> Any:
        """Returns None."""

    def write(self, value: Any) -> None:
        """Does nothing."""


class EngineServices(Protocol):
    """The services in the user's settings. A model is loaded or called only when an engine uses it."""

    @property
    def model(self) -> ChatModel | None:
        """The language model if a run may use it now; otherwise None."""

    @property
    def model_is_set(self) -> bool:
        """True if the settings name a language model, whether or not the user allows calls."""

    def why_no_model(self, run: bool) -> str:
        """Returns the reason, in one or two lines, why a run or preview does not use the model."""

    @property
    def budget(self) -> Budget:
        """The language model's budget in the user's settings."""

    @property
    def embedder(self) -> Embedder | None:
        """The embedder; None if none is set. Raises :class:`brvtui.services.legs.ServiceError` for an
        invalid setting.
        """

    @property
    def reranker(self) -> Reranker | None:
        """The reranker; None if none is set. Raises :class:`brvtui.services.legs.ServiceError` for an
        invalid setting.
        """

    def vectors(self, model: str) -> VectorCache:
        """Returns the stored vectors of this tree's texts, which the embedder ``model`` computed."""

    def feedback(self, engine: str) -> FeedbackLog:
        """Returns the users' feedback on the results of ``engine`` for this tree."""

    def state(self, engine: str) -> KeptState:
        """Returns the stored state of ``engine`` for this tree."""


class NoServices:
    """The services of a session without any services."""

    model: ChatModel | None = None
    model_is_set = False
    embedder: Embedder | None = None
    reranker: Reranker | None = None

    @property
    def budget(self) -> Budget:
        """A budget without prices or limits."""
        from brvtui.services.model import Budget

        return Budget()

    def why_no_model(self, run: bool) -> str:
        """Returns the message that no model is set."""
        return NO_MODEL

    def vectors(self, model: str) -> VectorCache:
        """Raises LookupError because there is no embedder."""
        raise LookupError(model)

    def feedback(self, engine: str) -> FeedbackLog:
        """Returns an empty log that stores nothing."""
        return NoFeedback()

    def state(self, engine: str) -> KeptState:
        """Returns a state that stores nothing."""
        return NoState()


NO_SERVICES: EngineServices = NoServices()


def feedback_problem(error: OSError, effect: str = "it does not count") -> str:
    """Returns a message that the feedback cannot be read, with the reason and the ``effect``."""
    why = f"{error.filename}: {reading_reason(error)}"
    return f"the feedback cannot be read, so {effect}: {why}; brv-tui forget removes it"
