"""The dialog that asks for permission before a session's first request to a language model."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from brvtui.app.actions.dialogs import PERMISSION
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.widgets.lines import Paragraphs
from brvtui.services.model import Budget
from brvtui.trace import Trace
from brvtui.trace.routing import Outcome, Route
from brvtui.wording import counted

ALLOW, NOT_NOW = "allow", "not now"


class PermissionDialog(Dialog[str]):
    """Returns ``ALLOW``, ``NOT_NOW``, or None to cancel the run."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(PERMISSION)

    def __init__(self, model: str, address: str, trace: Trace, budget: Budget) -> None:
        """Creates the dialog for ``model`` at ``address``, which could answer the query of the preview ``trace``."""
        super().__init__("Ask the model?")
        self._model, self._address, self._trace, self._budget = model, address, trace, budget

    def make_parts(self) -> ComposeResult:
        """Yields the model, the data that would be sent to it, and the number of calls."""
        yield Paragraphs(
            (f"{self._model}  {self._address}", "bold strong"), (what_is_asked(self._trace, self._budget), "text"),
            (("If you allow it, runs in this session call the model; llm.allowed in the settings allows it "
             "permanently."), "muted"),
            id="question",
        )  # fmt: skip


def what_is_asked(trace: Trace, budget: Budget) -> str:
    """Describes the data that a run of the preview ``trace`` would send to a model."""
    prompt = trace.answer.prompt
    assert prompt is not None
    limit = f" It uses at most {budget.words}." if budget.words else ""
    max_calls, tokens = prompt.max_iterations, f"about {prompt.tokens} tokens of your notes"
    comes = "This query needs " + ("a model" if trace.tier is None else f"tier {trace.tier}")
    route = trace.find(Route)
    if route is not None and route.outcome is not Outcome.SINGLE_CALL:
        calls = f"up to {counted(max_calls, 'call', 'calls')}, the first with {tokens}"
        return f"{comes}: {calls}; the model may read more notes in this tree.{limit}"
    text = f"{comes}: one call with {tokens}"
    more = f", or up to {max_calls} if the model first wants to read more notes in this tree" if max_calls > 1 else ""
    return f"{text}{more}.{limit}"
