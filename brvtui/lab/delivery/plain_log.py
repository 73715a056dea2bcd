"""Reads recalls from a plain log of any host: JSON lines ``{"time": …, "prompt": …, "delivered": …}``."""

from __future__ import annotations

from typing import Any

from brvtui.lab.delivery.rows import RowReader, TranscriptBudget, moment, parsed
from brvtui.lab.delivery.turns import DeliveryChannel, Recall
from brvtui.tree.reading.json_file import moment_of


class PlainLogReader(RowReader):
    """Collects recalls from rows with the time (ISO 8601, or ms since 1970), the prompt, and the delivered text."""

    def __init__(self, session: str, budget: TranscriptBudget) -> None:
        """``session`` is the name of the session to which all prompts in the file are assigned."""
        super().__init__(budget)
        self._session = session
        self._recalls: list[Recall] = []

    def recalls(self, is_cut_off: bool = False) -> list[Recall]:
        """The recalls read so far, in the order of their rows."""
        return list(self._recalls)

    def read(self, row: bytes) -> None:
        """Reads one row. Counts rows in any other form."""
        value = parsed(row)
        if not is_plain(value) or self._budget.is_spent:
            self.miss()
            return
        self._budget.recalls -= 1
        prompt, delivered, time = self._budget.kept(value["prompt"]), value["delivered"], value.get("time")
        received = self._budget.kept(delivered) if isinstance(delivered, str) and delivered else None
        at_ms = moment_of(time) or moment(time)
        self._recalls.append(Recall(self._session, at_ms, DeliveryChannel.HOOK, prompt, prompt, received, ran=True))


def is_plain(value: Any) -> bool:
    """True if ``value`` is a row of a plain log."""
    return isinstance(value, dict) and isinstance(value.get("prompt"), str) and "delivered" in value
