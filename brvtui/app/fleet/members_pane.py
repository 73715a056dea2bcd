"""The Members pane: every memory of the fleet with its state and answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from brvtui.app.actions.panes import FLEET_MEMBERS
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import FleetState, FleetWork
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import NOTHING, ChoicePane
from brvtui.app.widgets.lines import LazyLines, wrapped
from brvtui.fleet.fleet_file import AbsenceKind, Member
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, line
from brvtui.paint.sentence import tier_role
from brvtui.wording import counted

_ORDERS = ("as listed", "by state", "most notes first")
_LEAST_NAME, _MOST_NAME, _OWNER, _ENGINE, _NOTES = 8, 28, 10, 13, 7
_LEAST_STATE = 17
_MISSING, _COVERS, _SILENT, _OPEN, _WAITING = range(5)


class FleetMembersPane(ChoicePane):
    """A line for each member, below the column names.

    Lines are built when they become visible, as there may be thousands.
    """

    TITLE = "Members"
    READS = (FleetState,)
    HELP_TEXT = (
        "This pane lists the members of the fleet, each with its name, owner, engine, number of notes and state: "
        "whether it is open, its answer to the question, or why it cannot be read. Press Enter to open a member's "
        "memory. Press {fleet_members.order} to sort the members as listed, by state (missing ones first) or by number "
        "of notes. Press {pane.filter} to filter them by name, owner, engine, location or state. To find "
        "near-duplicates, contradictions and stale notes across members, run brv-tui fleet health."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(FLEET_MEMBERS)

    @dataclass
    class MemberSelected(Message):
        """Posted when the cursor moves to another member."""

        name: str

    @dataclass
    class MemberWanted(Message):
        """Posted to open the memory of a member."""

        name: str

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.order = 0

    def also_reads(self) -> tuple[object, ...]:
        """Returns the inputs of :meth:`build` that are not in the view, including the order of members."""
        return (self.order, *super().also_reads())

    def heading(self, view: View) -> str:
        """Returns the title with the number of members and their order."""
        fleet = view.fleet.fleet
        return f"{self.TITLE} {len(fleet.members)} · {_ORDERS[self.order]}" if fleet is not None else self.TITLE

    def filtered(self, lines: Sequence[Line]) -> Sequence[Line]:
        """Returns the lines unchanged, since only matching rows were built."""
        return lines

    def build(self, view: View, width: int) -> Sequence[Line]:
        """Returns the column names, then the members that match the filter."""
        state, before = view.fleet, self.chosen
        self.pinned, self.choices, self.owner, self.all = 0, [], [], 0
        if state.fleet is None:
            return []
        members = self._ordered(state)
        self.all = len(state.fleet.members)
        if not members:
            self.owner = [-1]
            return wrapped(NOTHING, width) if self.word_filter else [line(" no member is available", "muted")]
        self.pinned = 1
        self.choices = [member.name for member in members]
        self.owner = [-1, *range(len(members))]
        self.cursor = self.choices.index(before) if before in self.choices else 0
        longest = max(len(member.name) for member in members)
        name = max(_LEAST_NAME, min(longest, _MOST_NAME, width // 3))
        left = width - name - 1 - _NOTES - _LEAST_STATE
        owner = _OWNER if left >= _OWNER and any(member.owner for member in members) else 0
        engine = _ENGINE if left - owner >= _ENGINE else 0
        columns = (name + 1, owner, engine)
        head = line(" ").fit("member", columns[0], "faint").fit("owner", owner, "faint").fit("engine", engine, "faint")
        head.add(f"{'notes':>{_NOTES - 2}}  state", "faint").cut(width)
        return LazyLines([head], members, [], lambda member: self._row(state, member, columns, width))

    def _ordered(self, state: FleetState) -> list[Member]:
        assert state.fleet is not None
        members = list(state.fleet.members)
        if self.word_filter:
            keeps = self.word_filter.keeps
            members = [one for one in members if keeps(_searched(state, one, self.glyphs))]
        if self.order == 1:
            members.sort(key=lambda one: _kind(state, one.name))
        elif self.order == 2:
            members.sort(key=lambda one: -(_notes(state, one.name) or 0))
        return members

    def _row(self, state: FleetState, member: Member, columns: tuple[int, int, int], width: int) -> Line:
        name, owner, engine = columns
        row = Line().gap().fit(member.name, name - 1, "bold accent" if member.name == state.opened else "text").gap()
        row.fit(member.owner, owner, "muted").fit(_engine(state, member), engine, "muted")
        notes = _notes(state, member.name)
        row.add(f"{notes if notes is not None else '':>{_NOTES - 2}}  ", "text")
        sign, text, role = _state(state, member, self.glyphs)
        return row.add(f"{sign} ", role).add(text, role).cut(width)

    def moved(self, choice: str) -> None:
        """Posts :class:`MemberSelected` for the member under the cursor."""
        self.post_message(self.MemberSelected(choice))

    def action_take(self) -> None:
        """Opens the memory of the member under the cursor."""
        if self.chosen:
            self.post_message(self.MemberWanted(self.chosen))

    def action_order(self) -> None:
        """Switches to the next order."""
        self.order = (self.order + 1) % len(_ORDERS)
        self.rebuild()


def _kind(state: FleetState, name: str) -> int:
    """Returns the member's state as a sort key; members that need attention are first."""
    if name in state.unread:
        return _MISSING
    ranked = state.ranked(name)
    if ranked is not None:
        return _COVERS if ranked else _SILENT
    if name in state.answers:
        return _COVERS if state.answers[name].covered else _SILENT
    return _OPEN if name in state.known else _WAITING


def _state(state: FleetState, member: Member, glyphs: Glyphs) -> tuple[str, str, str]:
    """Returns the symbol, text and role of a member's state. The text omits the member's place, which may be long."""
    name = member.name
    kind = _kind(state, name)
    if kind == _MISSING:
        return glyphs.warn, state.unread[name].why.removeprefix(f"{member.place}: "), "warn"
    ranked = state.ranked(name)
    if ranked is not None:
        text = f"{counted(ranked, 'result', 'results')} in the ranking"
        return (glyphs.check, text, "ok") if ranked else (glyphs.minus, "none in the ranking", "muted")
    if kind == _COVERS:
        tier = state.answers[name].tier
        return glyphs.check, "covers it" if tier is None else f"covers, tier {tier}", tier_role(tier)
    if kind == _SILENT:
        return glyphs.minus, "not covered", "muted"
    if state.work is FleetWork.ASKING and not state.together:
        return " ", "waiting", "faint"
    return (glyphs.check, "open", "ok") if kind == _OPEN else (" ", "not opened yet", "faint")


def _notes(state: FleetState, name: str) -> int | None:
    """Returns a member's note count; None if the member is not open yet or its folder is missing."""
    if (absence := state.unread.get(name)) is not None and absence.kind is AbsenceKind.NO_FOLDER:
        return None
    reply = state.answers.get(name) or state.known.get(name)
    return reply.notes if reply is not None else None


def _engine(state: FleetState, member: Member) -> str:
    reply = state.answers.get(member.name) or state.known.get(member.name)
    return reply.engine if reply is not None else member.engine


def _searched(state: FleetState, member: Member, glyphs: Glyphs) -> str:
    state_text = _state(state, member, glyphs)[1]
    return f"{member.name}\n{member.owner}\n{_engine(state, member)}\n{member.place}\n{state_text}".lower()
