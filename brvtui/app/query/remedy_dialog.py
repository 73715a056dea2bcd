"""The dialog that explains a note's place in the answer and lists changes that would raise or lower it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult

from brvtui.app.actions.panes import REMEDIES
from brvtui.app.keys.bindings import bindings
from brvtui.app.screens.dialog import Dialog
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.lines import wrapped
from brvtui.engines.advice import NOTHING_HELPS, extent, remarks, side_effects
from brvtui.engines.registry import presentation
from brvtui.paint.hits import lead_text
from brvtui.paint.line import Line
from brvtui.paint.text import cut, wrap
from brvtui.text.visible import visible
from brvtui.trace import Remedy, RemedySearch
from brvtui.tree.editing.archive import stub_of
from brvtui.tree.reading.files import Role, role_of
from brvtui.wording import ordinal

if TYPE_CHECKING:
    from brvtui.trace import Explanation

_TRYING = "trying other wordings, {edits}, and words in its title…"
_TRYING_OF_FOLDER = "trying other wordings…"
_OF_FOLDER = (
    "none of the other wordings that were tried helps. This result represents its folder, so a note in that folder "
    "that matches better would help"
)
_NONE = "nothing that was tried helps: other wordings, {edits}, its title"
_NO_MORE = "what helps is shown above; no other change that was tried helps"
_FIRST = (
    "it is already first. If another note should be first, press {dialog.back}, select that note, and press "
    "{results.why} to see what would help it"
)
_ANSWERS = (
    "it is already first in an answer that needs no model. If it should not answer this query, press {remedies.tab} "
    "to see changes that lower it"
)
_TRYING_TO_LOWER = "trying changes that lower it, and their effect on judged and logged queries…"
_NOT_LOWERED = "it is not a result of a new search, so nothing can lower it"
_TABS = ((False, "raise"), (True, "lower"))
_FROM_CACHE = "the answer came from the cache; without the cache ({cache.clear} on the Query screen clears it), "
_WITHOUT_MODEL = (0, 1, 2)
_RANK_ROOM, _TIER_ROOM, _QUERY_ROOM = 9, 7, 32


class RemedyDialog(Dialog[Remedy | str]):
    """Shows reasons and lists remedies; returns the selected remedy or None."""

    AUTO_FOCUS = "#remedies"

    def __init__(self, explanation: Explanation, find: Callable[[bool], None], hint: str = "") -> None:
        """Creates a dialog; ``hint`` is shown below the reasons.

        ``find`` starts the search for remedies when a tab is first shown: for lowering ones if its argument is True.
        """
        super().__init__(title_of(explanation), *filter(None, (*reasons_of(explanation), hint)), wide=True)
        self._pane = RemedyPane(explanation, find, id="remedies")

    def make_parts(self) -> ComposeResult:
        """Yields the reasons, then the list of remedies."""
        yield from super().make_parts()
        yield self._pane

    def put(self, lower: bool, search: RemedySearch) -> None:
        """Lists the remedies in ``search``, which lower the note or raise it."""
        self._pane.put(lower, search)
        self.show_keys()  # Enter works only if the list has entries


class RemedyPane(ChoicePane):
    """Two tabs of remedies, raising and lowering ones, each with its effect, the change, and how to make it."""

    TITLE = "What would help it"
    HELP_TEXT = (
        "The tab raise lists changes to the note or to the query that would rank the note higher, get it quoted, or "
        "avoid a model. The tab lower lists changes after which the note ranks lower, is no longer used in a direct "
        "answer, or is not in the answer. Each was tried on an in-memory copy; you see the resulting rank, tier and "
        "score, and the judged and logged queries whose answers would change. Press {remedies.tab} to change the tab, "
        "and {remedies.take} to go to the place where you can make the change; nothing is changed yet."
    )
    BINDINGS = bindings(REMEDIES)

    def __init__(self, explanation: Explanation, find: Callable[[bool], None], *, id: str) -> None:
        super().__init__(id=id)
        self.lower = explanation.rank == 1
        """True if the tab with lowering changes is in front."""
        self._explanation = explanation
        self._find = find
        self._shown = presentation(explanation.trace.engine)
        self._searches: dict[bool, RemedySearch | None] = {}
        """The search of each tab that was shown; None while it runs."""
        self._edges: list[tuple[int, bool]] = []

    @property
    def _remedies(self) -> Sequence[Remedy]:
        """The remedies in the tab in front, or the engine's own advice if that was tried and there are no others."""
        search, advised = self._searches.get(self.lower), self._explanation.remedy
        if search is None or search.remedies or self.lower:
            return search.remedies if search is not None else ()
        return [advised] if advised is not None and advised.verified else ()

    def on_mount(self) -> None:
        """Starts the search of the tab in front."""
        self.show_tab(self.lower)

    def show_tab(self, lower: bool) -> None:
        """Brings a tab to the front, and starts its search if it was not shown before."""
        self.lower, self.cursor, self.offset_row = lower, 0, 0
        if lower not in self._searches:
            self._searches[lower] = None
            self._find(lower)
        self.rebuild(force=True)
        self.show_keys()

    def action_tab(self) -> None:
        """Switches to the other tab."""
        self.show_tab(not self.lower)

    def on_click(self, event: events.Click) -> None:
        """Switches to the clicked tab, or selects the clicked remedy."""
        content = event.get_content_offset(self)
        if content is not None and content.y == 0 and self.pinned:
            self.show_tab(next((lower for edge, lower in self._edges if content.x < edge), self.lower))
        else:
            super().on_click(event)

    def heading(self, view: View) -> str:
        """Returns the title of the list."""
        if self.lower:
            return "What would lower it"
        if not self._explanation.found:
            return "What would make it a result"
        if not self._answers:
            return self.TITLE
        return "It answers when the query is run again" if self._is_cached else "It answers"

    @property
    def _answers(self) -> bool:
        """True if no change can improve the note's place: it is first and quoted, and needed no model."""
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

    def put(self, lower: bool, search: RemedySearch) -> None:
        """Lists the remedies in ``search`` in one of the tabs."""
        self._searches[lower] = search
        self.rebuild(force=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables Enter while the list is empty."""
        return bool(self.choices) if action == "take" else super().check_action(action, parameters)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns two or more lines for each remedy."""
        self.choices, self.owner = [], []
        self.pinned = 0 if self.word_filter else 1
        lines: list[Line] = []
        self.add_rows(lines, [self._tabs()])
        search = self._searches.get(self.lower)
        better = self._explanation.trace.better_match if self._explanation.rank == 1 else None
        if self.lower and better is not None:
            text = f"“{better.title}” ({ordinal(better.rank)}) matches better: Enter shows what would raise it"
            self.add_rows(lines, wrapped(text, width, "accent"), better.file)
        for place, remedy in enumerate(self._remedies):
            self.add_rows(lines, self._rows(remedy, width), str(place))
        if search is None:
            trying = _TRYING_OF_FOLDER if self._is_folder else _TRYING.format(edits=self._shown.tried_edits)
            self.add_rows(lines, wrapped(_TRYING_TO_LOWER if self.lower else trying, width))
        else:
            texts = [search.notice, extent(search)]
            texts += [] if self._remedies or any(texts) else [_NOT_LOWERED if self.lower else self._no_remedy_text()]
            self.add_rows(lines, [row for text in texts if text for row in wrapped(text, width)])
        return lines

    def _tabs(self) -> Line:
        row = Line().gap()
        self._edges = []
        for lower, label in _TABS:
            is_front = lower == self.lower
            row.add(f"[{label}]" if is_front else f" {label} ", "bold accent" if is_front else "muted").gap()
            self._edges.append((row.width, lower))
        return row

    def _no_remedy_text(self) -> str:
        if self._explanation.rank == 1 and not self._shown.has_tiers:  # with tiers, it may need a model
            return self.services.with_keys(_FIRST)
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
        rank = f"rank {remedy.rank}" if remedy.rank is not None else "left out"
        tier = f"tier {remedy.tier}" if remedy.tier is not None else ""
        score = f"{remedy.score:.{decimals}f}" if remedy.score is not None else ""
        head = Line().gap().fit(rank, _RANK_ROOM, "bold ok").fit(tier, _TIER_ROOM, "strong")
        head.fit(score, decimals + 4, "strong")
        room = head.width
        rows = [
            (head if place == 0 else Line().gap(room)).add(part, "text")
            for place, part in enumerate(wrap(remedy.text, max(width - room - 1, 1)))
        ]
        effects = side_effects(remedy)
        remarked = (str(remedy.kind or ""), *remarks(self._explanation, remedy), effects, remedy.how)
        details = " · ".join(filter(None, remarked))
        return [
            *rows,
            *(Line().gap(room).add(part, "muted") for part in wrap(details, max(width - room - 1, 1)) if details),
        ]

    def action_take(self) -> None:
        """Closes the dialog, and returns the remedy under the cursor or the path of the note that matches better."""
        if self.chosen:  # a filter may have removed the selected choice
            self.screen.dismiss(self._remedies[int(self.chosen)] if self.chosen.isdigit() else self.chosen)


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
