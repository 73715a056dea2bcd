"""A trace that was saved, shown again where its project is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from brvtui.app import messages as news
from brvtui.app.pipelines import PipelinesApp
from brvtui.app.project import settle_memory
from brvtui.app.view import AnyTrace, NoteText, Phase, constants_of, selectable
from brvtui.retrieve.jeffs_brain.trace import HybridTrace
from brvtui.trace import Trace

if TYPE_CHECKING:
    from brvtui.saved.traces import Saved

_NOT_HERE = "a saved trace: its project is not open, so there is nothing to ask"
_NO_TEXT = "the text of the note is not saved with the trace: open its project to read it"


class ReopeningApp(PipelinesApp):
    """An app that may hold a saved trace instead of a project. What would ask the engine then says that it cannot."""

    saved: Saved | None = None

    @on(news.Reopened)
    def _reopened(self, event: news.Reopened) -> None:
        settle_memory()
        self.saved, trace = event.saved, event.trace
        moment = f" at {event.saved.saved_at}" if event.saved.saved_at else ""
        self.typed = trace.query
        self.show(
            phase=Phase.READY, problem="", overview=event.overview, profile=trace.profile, frozen=True,
            saved=f"saved by {event.saved.saved_by or 'brv-tui'}{moment}", query=trace.query, **_answer(trace),
        )  # fmt: skip
        self.select(next(iter(selectable(trace)), ""))

    def action_pipeline(self) -> None:
        """Switches to the next pipeline, and asks it the same query."""
        if self.saved is None:
            super().action_pipeline()
        else:
            self.notify(_NOT_HERE, timeout=4)

    def action_legs(self) -> None:
        """Asks for other legs."""
        if self.saved is None:
            super().action_legs()
        else:
            self.notify(_NOT_HERE, timeout=4)

    def put(self, query: str, run: bool = False) -> None:
        """Puts ``query`` to the engine, or shows the empty state when it is blank."""
        if self.saved is None:
            super().put(query, run)

    def scope_to(self, folder: str) -> None:
        """Keeps queries to ``folder``; empty for the whole tree."""
        if self.saved is None:
            super().scope_to(folder)
        else:
            self.notify(_NOT_HERE, timeout=4)

    def select(self, file: str) -> None:
        """Makes ``file`` the selected note, on every screen."""
        if self.saved is None:
            super().select(file)
        elif file != self.view.selected:
            self.show(selected=file, detail=self.saved.detail.get(file), own=self.saved.missed.get(file))

    def want_text(self, file: str) -> None:
        """Reads the text of ``file`` into the view, unless that is under way."""
        if self.saved is None:
            super().want_text(file)
        else:
            self.call_later(self.show, note=NoteText(file, "", _NO_TEXT))

    def explain(self, file: str) -> None:
        """Finds out why ``file`` is, or is not, in the answer, and shows that in a modal."""
        if self.saved is None:
            super().explain(file)
        else:
            self.notify(_NOT_HERE, timeout=4)

    def want_takes(self) -> None:
        """Finds out what it would take that the query needs no model."""
        if self.saved is None:
            super().want_takes()
        else:
            self.notify(_NOT_HERE, timeout=4)


def _answer(trace: AnyTrace) -> dict[str, object]:
    """What of the view is made of ``trace``."""
    match trace:
        case Trace():
            return {"trace": trace, "scope": trace.scope_option, "constants": constants_of(trace)}
        case HybridTrace():
            return {"foreign": trace, "pipeline": trace.pipeline, "mode": trace.requested_mode.value}
