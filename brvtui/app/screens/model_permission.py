"""Whether a language model may be asked, before it is for the first time in a session."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from brvtui.app.screens.dialog import Dialog, answer
from brvtui.app.widgets.saying import Saying
from brvtui.trace import Trace

ALLOW, NOT_NOW = "allow", "not now"


class PermissionDialog(Dialog[str]):
    """Ends with one of these, or with None: then nothing is run."""

    BINDINGS: ClassVar[list[BindingType]] = [
        answer("y", ALLOW, "allow it", "permission.allow", "Let runs of this session ask the model"),
        answer("n", NOT_NOW, "run without", "permission.without", "Run this query without the model"),
    ]

    def __init__(self, model: str, address: str, trace: Trace) -> None:
        """Asks whether ``model`` at ``address`` may answer what ``trace`` is the probe of."""
        super().__init__("Ask the model?")
        self._model, self._address, self._trace = model, address, trace

    def make_parts(self) -> ComposeResult:
        """What would be sent, where, how often."""
        prompt = self._trace.answer.prompt
        tokens = f"about {prompt.tokens} tokens" if prompt is not None else "its prompt"
        calls = f"up to {prompt.max_iterations} calls" if prompt is not None else "calls of a model"
        said = (
            f"This query comes to tier {self._trace.tier}: {calls}, the first with {tokens} of your notes; "
            "it may read further notes of this tree."
        )
        yield Saying(
            (f"{self._model}  {self._address}", "bold strong"), (said, "text"),
            ("Allowed, runs of this session ask it; llm.allowed in the settings allows it for good.", "muted"),
            id="question",
        )  # fmt: skip
