"""The Delivery pane of the Log screen, and the dialog that permits reading transcripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from brvtui.app.screens.dialog import FieldDialog
from brvtui.app.states import LogState
from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.lab.delivery.outcomes import context_of
from brvtui.lab.delivery.turns import ARRIVED, LOST, DeliveryChannel, Turn
from brvtui.paint.line import Line, hanging, line, rule
from brvtui.report.delivery import ROLES, next_step
from brvtui.store.folders import shown_path
from brvtui.tree.engine_files.query_log import LoggedQuery

_MOST_LINES = 500
_PRIVATE = "Transcripts are private and were not read. {log.lost} permits reading them."
_ASKING = "{log.take} in the log runs it again"
_CHANNELS = {
    DeliveryChannel.HOOK: "the hook",
    DeliveryChannel.MCP: "an MCP tool",
    DeliveryChannel.SHELL: "a shell command",
}


class TranscriptsDialog(FieldDialog[Path]):
    """Asks which folder of transcripts may be read; returns the folder, or None."""

    def __init__(self, folder: Path) -> None:
        """Creates a dialog that proposes ``folder``."""
        hint = (
            "Transcripts contain everything that you and your agent wrote. brv-tui reads only the turns of this "
            "project.\nNothing from them is stored or sent. The folder is remembered for this project."
        )
        super().__init__("Read your agent's transcripts?", shown_path(folder), hint)

    def submit(self, text: str) -> None:
        """Returns the folder ``text``, or shows that there is no such folder."""
        folder = Path(text.strip()).expanduser()
        if text.strip() and folder.is_dir():
            self.dismiss(folder.resolve())
        else:
            self.show_problem(f"{text.strip() or 'nothing'}: there is no such folder")


class DeliveryPane(Pane):
    """The outcome of the answer to the selected query: whether and why it reached the agent, and its text."""

    TITLE = "Delivery"
    READS = (LogState,)
    HELP_TEXT = (
        "This pane shows what reached the agent for the selected query: the outcome, its evidence, the prompt, and "
        "the text that arrived or was lost. “used” marks notes that the agent's reply mentions or quotes; this is an "
        "estimate. Turns from the last 30 days are read, and new ones appear while this screen is open."
    )

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._entry: LoggedQuery | None = None

    def also_reads(self) -> tuple[object, ...]:
        """Returns the selected entry. The view does not store it."""
        return (self._entry, *super().also_reads())

    def put(self, entry: LoggedQuery | None) -> None:
        """Shows the turn of ``entry``."""
        if entry != self._entry:
            self._entry, self.offset_row = entry, 0
            self.rebuild()

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the outcome, the evidence, the notes, and the text."""
        if view.log.delivery is None:
            return wrapped(self.services.with_keys(_PRIVATE), width)
        turn = view.log.turns.get(self._entry) if self._entry is not None else None
        if turn is None:
            return wrapped("no turn in the transcripts belongs to the selected query", width)
        return list(self._lines(turn, width))

    def _lines(self, turn: Turn, width: int) -> Iterator[Line]:
        recall = turn.recall
        name = Line().gap().add(turn.outcome.replace("_", " "), f"bold {ROLES.get(turn.outcome, 'text')}")
        yield from hanging(name.add(f": {turn.evidence}", "text"), width, 1)
        if step := next_step(turn, self.services.with_keys(_ASKING)):
            yield from wrapped(f"next: {step}", width, "accent")
        tokens = f", about {turn.tokens} tokens" if turn.tokens else ""
        yield from wrapped(f"asked by {_CHANNELS[recall.channel]}{tokens}, session {recall.session}", width, "muted")
        for path in turn.documents:
            arrived = "not used" if turn.outcome in ARRIVED else "lost" if turn.outcome in LOST else "unknown"
            used = "used" if path in turn.used else arrived
            yield line(f" {used:<9}", "muted").add(path, "text").cut(width)
        lost = (turn.entry.response if turn.entry is not None else "") or context_of(recall.printed)
        texts = {"the prompt": recall.prompt, "the agent's reply": recall.reply, "what arrived": recall.received or ""}
        if turn.outcome in LOST:
            texts["what was lost"] = lost
        for title, text in texts.items():
            if text.strip():
                yield rule(width, title, dash=self.glyphs.dash)
                for paragraph in text.splitlines()[:_MOST_LINES]:
                    yield from wrapped(paragraph, width, "text")
