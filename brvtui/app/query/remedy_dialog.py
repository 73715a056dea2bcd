"""The dialog that explains a note's place in the answer and lists changes that would improve it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from brvtui.app.actions.panes import REMEDIES
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.lines import wrapped
from brvtui.engines.advice import NOTHING_HELPS, remarks
from brvtui.engines.registry import presentation
from brvtui.paint.hits import lead_text
from brvtui.paint.line import Line
from brvtui.paint.text import cut, wrap
from brvtui.text.visible import visible
from brvtui.trace import Remedy
from brvtui.tree.editing.archive import stub_of
from brvtui.tree.reading.files import Role, role_of

if TYPE_CHECKING:
    from brvtui.trace import Explanation

_TRYING = "trying other wordings, {edits}, and words in its title…"
_TRYING_OF_FOLDER = "trying other wordings…"
_OF_FOLDER = (
    "no other wording that was tried helps. It stands for its folder, so it helps if a note in that folder "
    "matches better"
)
_NONE = "nothing that was tried helps: other wordings, {edits}, its title"
_LACKS = "what it lacks is shown above: correct that or ask in its words, then look again"
_NOT_TRIED = (
    "with this engine, changes are tried only for notes that are not results (brv-tui why tries to move a "
    f"result above another): {_LACKS}"
)
_NO_MORE = "what helps is shown above; no other change that was tried helps"
_NOT_BROUGHT_IN = f"nothing that was tried makes it a result: {_LACKS}"
_FIRST = (
    "it is already first. If another note should be first, press {dialog.back}, select that note, and press "
    "{results.why} to see what would help it"
)
_ANSWERS = (
    "it is first in an answer that needs no model, so it cannot be higher. If it should not answer this query: "
    "{dialog.back}, then {note.new} begins a note about it, {note.edit} edits this note, {note.archive} "
    "archives it, and {note.signals} sets its maturity and importance (only in brv-tui: ByteRover's own values "
    "are not changed)"
)
_FROM_CACHE = "the answer came from the cache; without the cache ({cache.clear} on the Query screen clears it), "
_WITHOUT_MODEL = (0, 1, 2)
_RANK_ROOM, _TIER_ROOM, _QUERY_ROOM = 9, 7, 32


class RemedyDialog(Dialog[Remedy]):
    """Shows reasons and lists remedies; returns the selected remedy or None."""

    AUTO_FOCUS = "#remedies"

    def __init__(self, explanation: Explanation, hint: str = "") -> None:
        """Creates a dialog that waits for remedies; ``hint`` is shown below the reasons."""
        super().__init__(title_of(explanation), *filter(None, (*reasons_of(explanation), hint)), wide=True)
        self._pane = RemedyPane(explanation, id="remedies")

    def make_parts(self) -> ComposeResult:
        """Yields the reasons, then the list of remedies."""
        yield from super().make_parts()
        yield self._pane

    def put(self, remedies: Sequence[Remedy] | None) -> None:
        """Lists ``remedies``, all of which were tried, or the engine's own advice if there are none."""
        self._pane.put(remedies)
        self.show_keys()  # Enter works only if the list has entries


class RemedyPane(ChoicePane):
    """One choice per remedy, with its effect, the change, and how to make it."""

    TITLE = "What would help it"
    HELP_TEXT = (
        "This list shows changes to the note or to the query that would rank the note higher, get it quoted, or avoid "
        "a model. Each was tried on a copy in memory, with the rank, tier and score shown. Press {remedies.take} to go "
        "to the place where you can make the change; nothing is changed yet."
    )
    BINDINGS = bindings(REMEDIES)

    def __init__(self, explanation: Explanation, *, id: str) -> None:
        super().__init__(id=id)
        self._explanation = explanation
        self._shown = presentation(explanation.trace.engine)
        self._remedies: Sequence[Remedy] | None = None
        self._tried_all = False

    def heading(self, view: View) -> str:
        """Returns the title of the list."""
        if not self._explanation.found:
            return "What would make it a result"
        if not self._answers:
            return self.TITLE
        return "It answers when asked again" if self._is_cached else "It answers"

    @property
    def _answers(self) -> bool:
        """True if no change can improve the note's place: the note is the first result and quoted, without a model.

        A cached answer may have needed a model originally; then there are remedies.
        """
        hit, trace = self._explanation.hit, self._explanation.trace
        quotes = trace.answer.sources
        is_used = not quotes or (hit is not None and hit.path in quotes)
        return self._explanation.rank == 1 and trace.tier in _WITHOUT_MODEL and is_used and not self._remedies

    @property
    def _is_folder(self) -> bool:
        """True if the file represents its folder and has no searchable words of its own."""
        return self._shown.ranks_folders and role_of(self._explanation.path) is Role.SUMMARY

    @property
    def _is_cached(self) -> bool:
        return self._explanation.trace.answer.kind == "cached"

    def put(self, remedies: Sequence[Remedy] | None) -> None:
        """Lists ``remedies``, or else the remedy in the explanation if that was verified."""
        advised = self._explanation.remedy
        self._tried_all = remedies is not None
        self._remedies = remedies or ([advised] if advised is not None and advised.verified else [])
        self.rebuild(force=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables Enter while the list is empty."""
        return bool(self._remedies) if action == "take" else super().check_action(action, parameters)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns two or more lines for each remedy."""
        self.choices, self.owner = [], []
        lines: list[Line] = []
        if not self._remedies:
            trying = _TRYING_OF_FOLDER if self._is_folder else _TRYING.format(edits=self._shown.tried_edits)
            message = trying if self._remedies is None else self._no_remedy_text()
            self.add_rows(lines, wrapped(message, width))
            return lines
        for place, remedy in enumerate(self._remedies):
            self.add_rows(lines, self._rows(remedy, width), str(place))
        return lines

    def _no_remedy_text(self) -> str:
        is_all = self._tried_all and self._shown.has_tiers  # the first result may still need a model or not be quoted
        if not self._explanation.found and not is_all:
            return _NOT_BROUGHT_IN
        if self._explanation.rank == 1 and not is_all:
            return self.services.with_keys(_FIRST)
        if not self._tried_all:
            return _NOT_TRIED
        if role_of(self._explanation.path) is Role.ARCHIVED:
            back, archive = map(self.services.shown_key, ("dialog.back", "note.archive"))
            return (
                f"to restore it, press {back}, select its stub {stub_of(self._explanation.path)}, and press {archive}"
            )
        if self._is_folder:
            first = self.services.with_keys(_FIRST) if self._answers else _OF_FOLDER
            return first if self._explanation.found else _NO_MORE
        if not self._answers:
            return _NO_MORE if _advised(self._explanation) else _NONE.format(edits=self._shown.tried_edits)
        return self.services.with_keys(f"{_FROM_CACHE}{_ANSWERS}" if self._is_cached else _ANSWERS)

    def _rows(self, remedy: Remedy, width: int) -> list[Line]:
        decimals = self._explanation.trace.scale.decimals
        rank = f"rank {remedy.rank}" if remedy.rank is not None else ""
        tier = f"tier {remedy.tier}" if remedy.tier is not None else ""
        score = f"{remedy.score:.{decimals}f}" if remedy.score is not None else ""
        head = Line().gap().fit(rank, _RANK_ROOM, "bold ok").fit(tier, _TIER_ROOM, "strong")
        head.fit(score, decimals + 4, "strong")
        room = head.width
        rows = [
            (head if place == 0 else Line().gap(room)).add(part, "text")
            for place, part in enumerate(wrap(remedy.text, max(width - room - 1, 1)))
        ]
        details = " · ".join(filter(None, (str(remedy.kind or ""), *remarks(self._explanation, remedy), remedy.how)))
        return [
            *rows,
            *(Line().gap(room).add(part, "muted") for part in wrap(details, max(width - room - 1, 1)) if details),
        ]

    def action_take(self) -> None:
        """Closes the dialog and returns the remedy under the cursor."""
        if self._remedies and self.chosen:  # a filter may have removed the selected choice
            self.screen.dismiss(self._remedies[int(self.chosen)])


def title_of(explanation: Explanation) -> str:
    """Returns the title with the note's rank and the query."""
    query = f" for “{cut(visible(explanation.query), _QUERY_ROOM)}”"
    if not explanation.found:
        # a cached answer may use a note that a new search does not find
        return f"Why a new search does not find it{query}" if explanation.use else f"Why it is not in the answer{query}"
    return f"Why it is first{query}" if explanation.rank == 1 else f"Why it is number {explanation.rank}{query}"


def _advised(explanation: Explanation) -> str:
    """Returns the engine's advice if the engine tried no change itself; empty if there is no advice."""
    remedy = explanation.remedy
    return "" if remedy is None or remedy.verified or remedy.text == NOTHING_HELPS else remedy.text


def reasons_of(explanation: Explanation) -> list[str]:
    """Returns the note's name, then its rank and how it is used, or why it is not a result, with the numbers."""
    named, notice = f"{explanation.title} · {explanation.path}", explanation.notice
    if explanation.found:
        hit = explanation.hit
        score = f", score {hit.score:.{explanation.trace.scale.decimals}f}" if hit is not None else ""
        lead = lead_text(explanation.trace.hits, hit, explanation.trace.scale.decimals) if hit is not None else ""
        apart = f"{lead[:1].upper()}{lead[1:]}." if lead else ""
        return [part for part in (named, notice, f"Rank {explanation.rank}{score}: {explanation.use}.", apart) if part]
    why = explanation.reason.text if explanation.reason is not None else ""
    sentences = [f"{part[:1].upper()}{part[1:]}." for part in (explanation.use, why) if part]
    sentences.append(f"{explanation.numbers}." if explanation.numbers else "")
    if advised := _advised(explanation):  # the list below has other changes
        sentences.append(f"{advised[:1].upper()}{advised[1:]}.")
    return [part for part in (named, notice, *sentences) if part]
