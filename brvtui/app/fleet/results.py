"""The results of a fleet: each member's best note with its matching words, or the results of one ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from brvtui.app.actions.panes import FLEET_RESULTS
from brvtui.app.fleet.headline import missing_words, what_to_do
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import FleetSelection, FleetState, FleetWork
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import NOTHING, ChoicePane
from brvtui.app.widgets.lines import LazyLines, wrapped
from brvtui.engines.registry import has
from brvtui.engines.together import OneRanking, RanksTogether
from brvtui.fleet.fleet_file import Absence
from brvtui.fleet.questions import MemberAnswer
from brvtui.paint.glyphs import glyph_of
from brvtui.paint.hits import ResultRow, chips, hit_lines, marks_explained, near_miss_lines
from brvtui.paint.line import Line, line, rule
from brvtui.paint.sentence import tier_role
from brvtui.paint.text import cut_left, wrap
from brvtui.text.visible import visible
from brvtui.trace import Scale
from brvtui.wording import counted, first_of

_LEAST_NAME, _MOST_NAME = 8, 26
_TITLE = "Results"
_TIER = 4
_CORNERS = 4
BY_ITS_ENGINE, BY_ITSELF = "each by its own engine", "each separately"
"""The names of the mode, in full and for narrow panes."""
_ROOMY = 62
_HINT = 7
"""The number of cells before a hint's text."""
_LEAST_PATH = 12
_MOST_REASONS, _MOST_MISSES = 40, 10
_HINTS = (
    ("Type", "and all memories are queried when you pause; Enter queries them at once"),
    ("{fleet.merge}", "switches between each engine's own answer and one ranking of all notes"),
    ("Enter", "on a result opens it in its own memory; {screens.fleet} comes back here"),
    ("Esc", "stops asking"),
)
_NO_FLEET = (
    "No fleet is open. brv-tui fleet open opens the fleet in fleet.toml; brv-tui fleet open --over '~/repos/*' "
    "opens the memories in a folder. brv-tui fleet add writes a fleet.toml."
)
_WAY_OUT = (
    "Rephrase the query, or add a note about it to a member: {fleet.members} lists the members, and Enter opens one."
)


class FleetResultsPane(ChoicePane):
    """Two lines per member or result, then the number of members without an answer, and the missing members."""

    TITLE = "Fleet results"
    READS = (FleetState, FleetSelection)
    HELP_TEXT = (
        "This pane shows which memories in the fleet answer your question, in one of two ways; press {fleet.merge} to "
        "switch. In “each by its own engine”, every row is a member that covers the question, with the tier that "
        "answers, its best note, that note's score from the member's own engine, and the words of your question in it "
        "(= the same word, ^ a longer word, ~ a word that differs in some letters, / another form). These scores are "
        "not comparable, because each member counts words only in its own notes: a word that is rare in one may be "
        "common in another. Members that answer without a model (tier 2) come first, then those whose best note "
        "contains the most of your words; ties are sorted by tier, then as listed. In “one ranking”, the notes of all "
        "members are ranked as if they were in one tree, so the scores are comparable. Press {fleet_results.open} to "
        "open a result in its own memory; there, {screens.fleet} takes you back."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(FLEET_RESULTS)

    @dataclass
    class ResultSelected(Message):
        """Posted when the cursor moves to another result."""

        member: str
        file: str

    @dataclass
    class ResultWanted(Message):
        """Posted to open a result in its own memory."""

        member: str
        file: str

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._chosen: dict[str, tuple[str, str]] = {}
        """The member and file of each choice, used only for one ranking."""
        self._name_cells = _LEAST_NAME

    @property
    def tab_name(self) -> str:
        """The name on the pane's tab, without "Fleet", which the screen shows."""
        return _TITLE

    def heading(self, view: View) -> str:
        """Returns the title with the number of results and the mode."""
        state = view.fleet
        if not state.text:
            return _TITLE
        if state.together:
            count = len(state.ranking.hits) if state.ranking is not None else 0
            return f"{_TITLE} {count} · one ranking"
        each = BY_ITS_ENGINE if self.room >= _ROOMY else BY_ITSELF
        return f"{_TITLE} {len(state.covering)} · {each}"

    def tally(self) -> str:
        """Returns the number of rows that match the filter; without a filter, the meaning of the marks before words."""
        if self.word_filter:
            return super().tally()
        state = self.view.fleet
        if state.together:
            hits = [one.hit for one in state.ranking.hits] if state.ranking is not None else []
        else:
            hits = [hit for one in state.covering[:50] for hit in state.answers[one.member].hits[:1]]
        return marks_explained([word.kind for hit in hits for word in hit.words], "", self.room - _CORNERS)

    def filtered(self, lines: Sequence[Line]) -> Sequence[Line]:
        """Returns the lines unchanged, since only matching rows were built."""
        return lines

    def build(self, view: View, width: int) -> Sequence[Line]:
        """Returns the results, then the number of members that do not cover the question, and missing members."""
        state, chosen = view.fleet, view.fleet_selection
        self.choices, self.owner, self.all = [], [], 0
        if state.fleet is None:
            return self._message_lines(["", *(part.plain for part in wrapped(_NO_FLEET, width))])
        if not state.text:
            return self._hints(state, width)
        head = self._ranked(state, chosen, width) if state.together else []
        rows = range(0) if state.together else self._rows(state)
        if self.word_filter and not self.choices:
            return self._message_lines([part.plain for part in wrapped(NOTHING, width)])
        tail = self._tail(state, width)
        key = self._key(view)
        self.cursor = self.choices.index(key) if key in self.choices else 0
        return LazyLines(head, rows, tail, lambda row: self._row(state, row, width))

    def changed(self) -> None:
        """Follows the selected result while the pane has the focus."""
        super().changed()
        if self.has_focus:
            self._follow()

    def on_focus(self, event: events.Focus) -> None:
        """Selects the result under the cursor, since the member selected in another pane may have no result."""
        self._follow()

    def _follow(self) -> None:
        """Selects the result under the cursor if the selected result is not in the list."""
        if self.chosen and self.chosen != self._key(self.view):
            self.moved(self.chosen)

    def _message_lines(self, texts: Sequence[str]) -> list[Line]:
        self.owner = [-1] * len(texts)
        return [line(text, "muted") for text in texts]

    def _hints(self, state: FleetState, width: int) -> list[Line]:
        lines = [Line()]
        for head, text in (map(self.services.with_keys, hint) for hint in _HINTS):
            first, *rest = wrap(text, width - _HINT - 1)
            lines.append(line(f" {head:<{_HINT - 1}}", "bold strong").add(first, "muted"))
            lines += [Line().gap(_HINT).add(part, "muted") for part in rest]
        lines += [Line(), *self._missing_lines(state, width)]
        self.owner = [-1] * len(lines)
        return lines

    # each member by its own engine

    def _rows(self, state: FleetState) -> range:
        """Sets the choices to the members that match the filter, and returns their line numbers, two per member."""
        self.all = len(state.covering)
        names = [one.member for one in state.covering]
        if self.word_filter:
            names = [name for name in names if self.word_filter.keeps(_searched(name, state.answers[name]))]
        self.choices = names
        self.owner = [place for place in range(len(names)) for _ in range(2)]
        longest = max((len(name) for name in names), default=0)
        self._name_cells = max(_LEAST_NAME, min(longest, _MOST_NAME, self.room // 3))
        return range(2 * len(names))

    def _row(self, state: FleetState, number: int, width: int) -> Line:
        """Returns line ``number``: even lines have a member and its best note, odd lines that note's words and path."""
        name = self.choices[number // 2]
        answer = state.answers[name]
        if number % 2 == 0:
            return self._best(name, answer, width)
        row = Line().gap(self._name_cells + _TIER + 2)
        if not answer.hits:
            return row
        hit = answer.hits[0]
        engine = "" if has(answer.engine, RanksTogether) else answer.engine
        room = width - row.width - (len(engine) + 2 if engine else 0)
        row.extend(chips(hit.words, room).spans)
        row.gap(2 if hit.words and engine else 0).add(engine, "accent")
        left = width - row.width - 2
        if left >= _LEAST_PATH:
            row.gap(2 if row.plain.strip() else 0).add(cut_left(visible(hit.path), left), "muted")
        return row.cut(width)

    def _best(self, name: str, answer: MemberAnswer, width: int) -> Line:
        row = Line().gap().fit(name, self._name_cells, "bold accent").gap()
        tier = f"T{answer.tier}" if answer.tier is not None else "–"
        row.fit(tier, _TIER, tier_role(answer.tier))
        if not answer.hits:
            return row.add("no note: ", "muted").add(answer.sentence, "muted").cut(width)
        hit = answer.hits[0]
        sign, role = glyph_of(hit.kind, hit.maturity, self.glyphs)
        score = Line().add(f"{hit.score:.{answer.scale.decimals}f}", "strong").add(" own", "muted")
        return row.add(f"{sign} ", role).add(hit.title, "text").right(width, score)

    # one ranking

    def _ranked(self, state: FleetState, chosen: FleetSelection, width: int) -> list[Line]:
        lines: list[Line] = []
        self._chosen = {}
        ranking = state.ranking
        if ranking is None:
            return []
        scale = Scale()
        self.all = len(ranking.hits) + len(ranking.near_misses[:_MOST_MISSES])
        for rank, ranked in enumerate(ranking.hits, start=1):
            hit, key = ranked.hit, f"{ranked.member}\n{ranked.hit.file}"
            if self.word_filter and not self.word_filter.keeps(f"{key} {hit.title} {hit.path}".lower()):
                continue
            is_selected = (ranked.member, hit.file) == chosen
            row = ResultRow(hit.title, hit.maturity, ranked.member, "", is_selected)
            self._chosen[key] = (ranked.member, hit.file)
            self.add_rows(lines, hit_lines(hit, rank, row, scale, width, self.glyphs), key)
        self._near(lines, ranking, chosen, width)
        return lines

    def _near(self, lines: list[Line], ranking: OneRanking, chosen: FleetSelection, width: int) -> None:
        reason = ""
        for near in ranking.near_misses[:_MOST_MISSES]:
            miss, key = near.miss, f"{near.member}\n{near.miss.file}"
            if self.word_filter and not self.word_filter.keeps(f"{key} {miss.title} {miss.path}".lower()):
                continue
            if miss.reason != reason:
                reason = miss.reason
                self.add_rows(lines, [rule(width, f"not in the ranking: {reason}", dash=self.glyphs.dash)])
            is_selected = (near.member, miss.file) == chosen
            row = ResultRow(f"{near.member}: {miss.title}", miss.maturity, "", "", is_selected)
            self._chosen[key] = (near.member, miss.file)
            self.add_rows(lines, near_miss_lines(miss, row, Scale(), width, self.glyphs), key)

    # lines below the results

    def _tail(self, state: FleetState, width: int) -> list[Line]:
        lines: list[Line] = []
        if self.word_filter:
            return lines
        if _found_nothing(state):
            lines += [Line(), *wrapped(self.services.with_keys(_WAY_OUT), width, "text")]
        if not state.together:
            silent = len(state.answers) - len(state.covering)
            if silent:
                does = counted(silent, "member does not cover it", "members do not cover it")
                lines += [
                    Line(),
                    line(f" {does}", "muted")
                    .add(f": {self.services.shown_key('fleet.members')} lists all", "faint")
                    .cut(width),
                ]
            left = state.total - state.done
            if state.work is FleetWork.STOPPED and left > 0:
                lines.append(line(f" {counted(left, 'member was', 'members were')} not asked: ", "warn"))
                lines[-1].add("Enter in the field continues", "muted").cut(width)
        lines += self._missing_lines(state, width)
        self.owner += [-1] * len(lines)
        return lines

    def _missing_lines(self, state: FleetState, width: int) -> list[Line]:
        """Returns a rule and the missing members, grouped by reason."""
        assert state.fleet is not None
        missing = [*state.unread.values(), *state.fleet.absent]
        if not missing:
            return []
        reasons: dict[str, list[Absence]] = {}
        for one in missing:
            reasons.setdefault(one.why, []).append(one)
        lines = [Line(), rule(width, missing_words(state, len(missing)), dash=self.glyphs.dash)]
        for why, absences in list(reasons.items())[:_MOST_REASONS]:
            todo = self.services.with_keys(what_to_do(state, absences[0]))
            lines += _missing([one.member for one in absences], why, todo, width, self.glyphs.warn)
        if len(reasons) > _MOST_REASONS:
            lists = self.services.with_keys("other reasons: {fleet.members} lists all members")
            lines.append(line(f" {len(reasons) - _MOST_REASONS} {lists}", "muted"))
        return lines

    # selection

    def _key(self, view: View) -> str:
        """Returns the choice of the selected result, or of the best result if none is selected."""
        member, file = view.fleet_result
        return f"{member}\n{file}" if view.fleet.together else member

    def _at(self, choice: str) -> tuple[str, str]:
        state = self.view.fleet
        if state.together:
            return self._chosen[choice]
        hits = state.answers[choice].hits
        return choice, hits[0].file if hits else ""

    @property
    def member(self) -> str:
        """The member of the result under the cursor; empty if there is none."""
        return self.chosen.partition("\n")[0]

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing now: opening a result if none is selected."""
        return frozenset() if self.chosen else frozenset({"fleet_results.open"})

    def moved(self, choice: str) -> None:
        """Posts :class:`ResultSelected` for the result under the cursor."""
        self.post_message(self.ResultSelected(*self._at(choice)))

    def action_take(self) -> None:
        """Opens the result under the cursor in its own memory."""
        if self.chosen:
            self.post_message(self.ResultWanted(*self._at(self.chosen)))
        elif self.word_filter:
            self.services.notify(NOTHING, timeout=4)
        else:
            message = "there is no result: {fleet.field} goes to the question"
            self.services.notify(self.services.with_keys(message), timeout=4)


def _found_nothing(state: FleetState) -> bool:
    """True if all available members have replied and none covers the question."""
    if state.together:
        return state.ranking is not None and not state.ranking.hits
    return state.work is FleetWork.IDLE and bool(state.answers) and not state.covering


def _searched(name: str, answer: MemberAnswer) -> str:
    best = f"{answer.hits[0].title}\n{answer.hits[0].path}" if answer.hits else ""
    return f"{name}\n{best}\n{answer.engine}".lower()


def _missing(names: Sequence[str], why: str, todo: str, width: int, sign: str) -> list[Line]:
    who = first_of(names)
    head = f"{who}: {why}" if names[0] and names[0] not in why else why
    lines = [line(f" {sign} ", "warn").add(part, "text") if not place else line(f"   {part}")
            for place, part in enumerate(wrap(visible(head), width - 4))]  # fmt: skip
    return [*lines, *(line(f"   {part}", "muted") for part in wrap(todo, width - 4))]
