"""Answers to queries, and reasons why a note is or is not in one, as plain data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from brvtui.engines.advice import with_remedies
from brvtui.engines.registry import verdict_sentence
from brvtui.trace import SCHEMA, Explanation, RemedySearch, Trace, to_plain

if TYPE_CHECKING:
    from brvtui.session import Session


class TrialLimit:
    """A function that returns True once it has been called more than ``most`` times, to end a search for changes.

    Unlike a time limit, it makes the same search find the same changes.
    """

    def __init__(self, most: int) -> None:
        self._left = most

    def __call__(self) -> bool:
        """Counts one trial."""
        self._left -= 1
        return self.is_reached

    @property
    def is_reached(self) -> bool:
        """True if the search was ended."""
        return self._left < 0


def _never() -> bool:
    return False


def explain_note(
    session: Session, trace: Trace, note: str, cancelled: Callable[[], bool] = _never
) -> tuple[Explanation, RemedySearch]:
    """The reason why ``note`` is, or is not, in the answer ``trace``, with the changes that raise it; and their search.

    Each change was tried, until ``cancelled`` returned True. Raises :class:`brvtui.snapshot.naming.UnknownNote` and
    :class:`brvtui.engines.contract.EngineError`.
    """
    from brvtui.session.remedies import find_remedies

    explanation = session.explainer.explain(trace.query, note, trace=trace)
    search = find_remedies(session, explanation, lower=False, cancelled=cancelled)
    return with_remedies(explanation, search.remedies, search.notice), search


def answer_as_plain(trace: Trace) -> dict[str, Any]:
    """The JSON of ``brv-tui query``."""
    sentence = verdict_sentence(trace)
    return {"schema": trace.schema, "engine": trace.engine, "verdict_sentence": sentence, "trace": to_plain(trace)}


def explanation_as_plain(explanation: Explanation) -> dict[str, Any]:
    """The JSON of ``brv-tui explain`` for one note."""
    return {"schema": SCHEMA, "verdict_sentence": verdict_sentence(explanation.trace), **to_plain(explanation)}
