"""The modal that says why one note is, or is not, in an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brvtui.app.screens.message import Entry, MessageScreen

if TYPE_CHECKING:
    from brvtui.trace import Explanation


def why_screen(explanation: Explanation) -> MessageScreen:
    """The explanation: verdict, numbers, and the remedy that was tried."""
    if explanation.found:
        return MessageScreen("Why it is in the answer", explanation.title, _found(explanation))
    return MessageScreen("Why it is not in the answer", explanation.title, _lost(explanation))


def _found(explanation: Explanation) -> list[Entry]:
    score = f", {explanation.hit.score:.{explanation.trace.scale.decimals}f}" if explanation.hit else ""
    return [("note", explanation.path), ("rank", f"{explanation.rank}{score}"), ("then", explanation.use)]


def _lost(explanation: Explanation) -> list[Entry]:
    made: list[Entry] = [("note", explanation.path)]
    if explanation.reason is not None:
        made.append(("why", f"{explanation.reason.number}. {explanation.reason.text}"))
    made.append(("numbers", explanation.numbers))
    remedy = explanation.remedy
    if remedy is not None:
        made.append(("remedy", f"{remedy.text} (re-run and seen)" if remedy.verified else remedy.text))
        if remedy.query:
            made.append(("ask", remedy.query))
    return made
