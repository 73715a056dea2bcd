"""The steps of the guided tour, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from brvtui.app.view import View

ASKED = "how do I rotate the jwt keys"
JUDGMENT = "how-do-i-rotate-the-jwt-keys"
NOTE = "auth/tokens/signing_key_rotation.md"
"""The note that should answer the tour's query, according to its judgment."""
_ASK, _PROVE, _WRONG_RANK = 2, 6, 5
"""The steps that ask the query and prove its fix, and the rank of the right note before the fix."""


@dataclass(frozen=True, slots=True)
class TourStep:
    """One sentence, and the action to perform.

    When the step begins, ``note`` is selected and ``pane`` gets the focus, if the screen in front has it.
    """

    text: str
    action: str
    """The name of the action whose key the user should press; empty for the end."""
    mode: str
    """The screen on which the key works; empty for any."""
    is_done: Callable[[View, str, str], bool]
    """True for the view, the name of the screen in front, and the class of the dialog over it, if there is one."""
    pane: str = ""
    note: str = ""


def _first(view: View) -> str:
    """The note that answers the tour's query now; empty if another query is open."""
    trace = view.answer.trace
    return trace.hits[0].file if trace is not None and trace.query == ASKED and trace.hits else ""


def next_place(place: int, view: View) -> int | None:
    """The step after the one at ``place``: the proof if the right note already answers; None if the answer is neither
    right nor the sample's wrong answer.
    """
    trace = view.answer.trace
    if place != _ASK or trace is None or _first(view) == "":
        return place + 1
    rank, _ = trace.place_of(NOTE)
    return {1: _PROVE, _WRONG_RANK: place + 1}.get(rank or 0)


def _is_edited(view: View, mode: str, _: str) -> bool:
    return mode == "edit" and view.editor.edit is not None and view.editor.edit.path == NOTE


def _is_proven(view: View, mode: str, _: str) -> bool:
    return mode == "lab" and any(JUDGMENT in column.cells for column in view.lab.columns[:1])


STEPS = (
    TourStep("New here? Find and fix an agent's wrong answer in two minutes.",
         "app.tour", "", lambda *_: False),
    TourStep("An agent asked this memory 26 questions this week. The Log lists them with their answers.",
         "screens.log", "", lambda view, mode, _: mode == "log" and bool(view.log.entries), "results"),
    TourStep("The last answer is wrong: when the agent asked how to rotate the JWT keys, ByteRover answered from a "
         "note about refresh tokens. Run the query again.",
         "log.take", "log", lambda view, mode, _: mode == "query" and _first(view) != "", "log"),
    TourStep("The right note is only number 5, although it matches 8 times better. It is now selected: see "
         "why it lost.",
         "results.why", "query", lambda _, mode, dialog: dialog == "RemedyDialog", "results", NOTE),
    TourStep("The note is older and less mature (the sample keeps maturity in the frontmatter; ByteRover 3.14 keeps "
         "it in its own store). Edit it today to move it to number 1.",
         "note.edit", "", _is_edited),
    TourStep("Type something at the end of the note, such as “Checked today.”, and save it.",
         "editor.save", "edit", lambda view, mode, _: _first(view) == NOTE, "text"),
    TourStep("Now the right note answers. The Lab runs every judged query again, as the command brv-tui eval does.",
         "screens.lab", "", _is_proven),
    TourStep("Fixed and measured: nDCG rose from 0.39 to 1.00. The sample has another wrong answer for you to fix: "
         "“can consignees unsubscribe”.",
         "", "", lambda *_: False),
)  # fmt: skip
"""The offer, the six steps, and the end."""
