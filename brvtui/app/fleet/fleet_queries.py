"""The controller of the Fleet screen: sends questions to the members, stops them, and collects the replies."""

from __future__ import annotations

import time
from bisect import insort
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from textual.timer import Timer

from brvtui.app.fleet import asking
from brvtui.app.fleet.asking import FleetBatch, FleetRanked, FleetRead, FleetRequest
from brvtui.app.fleet.headline import EACH, what_to_do
from brvtui.app.project.open_fleet import OpenFleet
from brvtui.app.project.project import settle_memory
from brvtui.app.services import AppServices
from brvtui.app.states import Covering, FleetSelection, FleetState, FleetWork
from brvtui.fleet.fleet_file import AbsenceKind, Member
from brvtui.fleet.questions import MemberAnswer

_PAUSE_S = 0.3
"""The pause in typing, in seconds, before a question is sent; hundreds of members cannot answer at every keystroke."""
_GROUP = "fleet"
_DIRECT, _NO_TIER = 2, 9
_FROM_GIT = "is read from git, so there is no folder to open: check it out, and open it with brv-tui FOLDER"


class FleetQueries:
    """Sends questions to the members of the open fleet. A new question replaces the previous one."""

    def __init__(
        self,
        services: AppServices,
        opened: OpenFleet | None,
        open_member: Callable[[Member, str, str], Awaitable[None]],
    ) -> None:
        """Creates the controller; ``open_member`` opens a member's memory with a query and a selected note."""
        self._services = services
        self._opened = opened
        self._open_member = open_member
        self._number = 0
        self._begun = 0.0
        self._pause: Timer | None = None
        self.typed = ""
        """The text in the question's field."""

    @property
    def state(self) -> FleetState:
        """The state of the fleet that the screen shows."""
        return self._services.store.view.fleet

    def begin(self, opened: str, alone: bool) -> None:
        """Restores the screen's state.

        ``opened`` names the member whose memory is the open project; ``alone`` is True if no project is open.
        """
        if self._opened is not None:
            self.typed = self._opened.state.text
            state = self._opened.state._replace(opened=opened, alone=alone)
            self._services.store.update(state, self._opened.selection)

    def leave(self) -> None:
        """Cancels the query and saves the screen's state, to be restored when the user returns."""
        self._drop()
        if self._opened is not None:
            view = self._services.store.view
            self._opened.interrupted = view.fleet.is_busy
            work = FleetWork.STOPPED if view.fleet.is_busy else view.fleet.work
            self._opened.state, self._opened.selection = view.fleet._replace(work=work), view.fleet_selection

    # asking

    def resume(self) -> None:
        """Opens the members when the screen is first shown; continues a question that :meth:`leave` stopped."""
        if self._opened is None:
            return
        interrupted, self._opened.interrupted = self._opened.interrupted, False
        if interrupted and self.typed:
            self.ask()
        elif interrupted or self.state.work is FleetWork.IDLE:
            self._open_rest()

    def type(self, text: str) -> None:
        """Stops the current question, and sends ``text`` after a pause in typing."""
        if text.strip() == self.typed.strip():
            return
        self.typed = text
        self._drop()
        state = self.state
        if self._opened is None:
            return
        if not text.strip():
            self._services.store.update(_without_question(state), FleetSelection())
            self._open_rest()
        else:
            if state.is_busy:
                self._services.store.update(state._replace(work=FleetWork.STOPPED))
            self._pause = self._services.set_timer(_PAUSE_S, self.ask)

    def ask(self, again: bool = False) -> None:
        """Sends the typed question now, unless every member has replied to it.

        After a stop, only members without a reply are queried. If ``again``, first reads the fleet and changed files,
        then queries every member.
        """
        text, state = self.typed.strip(), self.state
        if again:
            self._read_fleet()
        elif text and (text != state.text or state.work is FleetWork.STOPPED or not _is_answered(state)):
            self._ask(text)

    def _read_fleet(self) -> None:
        """Reads the fleet again, then queries all its members."""
        if self._opened is None:
            return
        self._drop()
        work = FleetWork.ASKING if self.typed.strip() else FleetWork.OPENING
        self._services.store.update(self.state._replace(work=work, step="", done=0, total=len(self._members)))
        read, failed = partial(asking.read_fleet, self._opened, self._number), partial(self._failed, self._number)
        self._services.background.run(read, self._read, group=_GROUP, exclusive=True, on_error=failed)

    def _read(self, read: FleetRead) -> None:
        if read.number != self._number or self._opened is None:
            return
        same = {one.name for one in set(self._members).intersection(read.fleet.members)}
        self._opened.fleet, state = read.fleet, self.state
        known = {name: one for name, one in state.known.items() if name in same}
        opened = state.opened if state.opened in same else ""
        self._services.store.update(state._replace(fleet=read.fleet, known=known, opened=opened))
        self._ask(self.typed.strip(), again=True)

    def switch(self) -> None:
        """Switches between one ranking and each member's own answer."""
        state = self.state
        self._drop()
        work = FleetWork.IDLE if state.is_busy else state.work
        state = state._replace(together=not state.together, work=work, problem="", took_s=0.0)
        self._services.store.update(state, FleetSelection())
        self.ask()
        self._open_rest()

    def _open_rest(self) -> None:
        """If there is no question, opens the members that are neither open nor known to be unreadable."""
        state = self.state
        if not self.typed and not state.text and _unopened(state, self._members):
            self._ask("")

    @property
    def _members(self) -> tuple[Member, ...]:
        return self._opened.fleet.members if self._opened is not None else ()

    def stop(self) -> bool:
        """Cancels the query. Returns True if there was one."""
        state = self.state
        waits = self._pause is not None
        self._drop()
        if state.is_busy:
            settle_memory()
            self._services.store.update(state._replace(work=FleetWork.STOPPED, took_s=self._since))
        return waits or state.is_busy

    def _drop(self) -> None:
        """Cancels the question; later replies are ignored."""
        self._number += 1
        if self._pause is not None:
            self._pause.stop()
            self._pause = None
        self._services.background.cancel(_GROUP)

    @property
    def _since(self) -> float:
        return time.monotonic() - self._begun

    def _ask(self, text: str, again: bool = False) -> None:
        if self._opened is None:
            return
        self._drop()
        self._begun = time.monotonic()
        state, same = self.state, text == self.state.text and not again
        goes_on = bool(text) and same and not state.together
        members = [one for one in self._members if not (goes_on and one.name in state.answers)]
        if not text and same:
            members = _unopened(state, self._members)
        request = FleetRequest(self._number, tuple(members), text, again)
        new_state = state._replace(
            text=text,
            work=FleetWork.ASKING if text else FleetWork.OPENING,
            step="",
            done=len(self._members) - len(members),
            total=len(self._members),
            answers=state.answers if same else {},
            covering=state.covering if same else (),
            ranking=state.ranking if goes_on else None,
            missing=state.missing if same and not goes_on else {},
            left_out={},
            problem="",
        )
        self._services.store.update(new_state, *(() if same else (FleetSelection(),)))
        tell = self._services.background.relay(self._received)
        run = self._services.background.run
        failed = partial(self._failed, request.number)
        if text and state.together:
            rank = partial(asking.rank_together, self._opened, request, tell)
            run(rank, self._ranked, group=_GROUP, exclusive=True, on_error=failed)
        else:
            ask = partial(asking.ask_members, self._opened, request, tell)
            run(ask, self._ended, group=_GROUP, exclusive=True, on_error=failed)

    # replies

    def _received(self, batch: FleetBatch) -> None:
        if batch.number != self._number:
            return
        state = self.state
        step = batch.step or state.step
        ranks = state.together and bool(state.text)
        again = ranks and step != state.step  # each step of one ranking queries every member again
        done = batch.replies + (0 if again else state.done)
        state = state._replace(
            done=min(done, state.total),
            step=step,
            took_s=self._since,
            known={**state.known, **batch.states} if batch.states else state.known,
            missing=state.missing if ranks else {**state.missing, **batch.missing},
        )
        if batch.answers:
            state = state._replace(
                answers={**state.answers, **batch.answers}, covering=self._with(state.covering, batch.answers)
            )
        self._services.store.update(state)

    def _with(self, covering: tuple[Covering, ...], answers: dict[str, MemberAnswer]) -> tuple[Covering, ...]:
        """Returns ``covering`` and the ``answers`` that cover the question, sorted."""
        places = {member.name: place for place, member in enumerate(self._members) if member.name in answers}
        result = list(covering)
        for name, answer in answers.items():
            if answer.covered:
                matched = len({word.query for word in answer.hits[0].words}) if answer.hits else 0
                tier = answer.tier if answer.tier is not None else _NO_TIER
                lacks = max(0, len(self.state.text.split()) - matched)
                insort(result, Covering(tier > _DIRECT, lacks, tier, places[name], name))
        return tuple(result)

    def _ended(self, number: int | None) -> None:
        if number == self._number:
            self._end(self.state)

    def _ranked(self, ranked: FleetRanked | None) -> None:
        if ranked is None or ranked.number != self._number:
            return
        if ranked.ranking is None:
            self._failed(ranked.number, f"{ranked.why_not}; {self._services.with_keys(EACH)}")
        else:
            left_out = {one.member: one for one in ranked.ranking.missing}
            self._end(self.state._replace(ranking=ranked.ranking, left_out=left_out, step=""))

    def _failed(self, number: int, why: str) -> None:
        if number == self._number:
            self._end(self.state._replace(problem=why))

    def _end(self, state: FleetState) -> None:
        settle_memory()
        self._services.store.update(state._replace(work=FleetWork.IDLE, took_s=self._since))

    # selection

    def select(self, member: str, file: str = "") -> None:
        """Selects a result of the fleet."""
        store = self._services.store
        if (member, file) != store.view.fleet_selection:
            store.update(FleetSelection(member, file))

    def is_from_git(self, name: str) -> bool:
        """True if a member is read from git and has no folder to open."""
        return any(one.name == name and one.repository for one in self._members)

    def why_not_open(self, name: str) -> str:
        """Returns the reason why a member's memory cannot be opened, with advice; empty if none is known."""
        if self.is_from_git(name):
            return f"{name} {_FROM_GIT}"
        absence = self.state.missing.get(name)
        if absence is None or absence.kind is not AbsenceKind.NO_FOLDER:
            return ""
        return f"{absence.why}: {self._services.with_keys(what_to_do(self.state, absence))}"

    async def open(self, name: str, file: str = "") -> None:
        """Opens a member's memory on the Query screen, with the question and the note at ``file``."""
        member = next((one for one in self._members if one.name == name), None)
        if member is None:
            return
        if why := self.why_not_open(name):
            self._services.notify(why, severity="warning", timeout=8)
            return
        await self._open_member(member, self.state.text or self.typed.strip(), file)


def _is_answered(state: FleetState) -> bool:
    """True if all members have replied to the question in the current mode, or if their replies are still arriving."""
    if state.work is FleetWork.ASKING or state.fleet is None:
        return True
    if state.together:
        return state.ranking is not None
    return all(one.name in state.answers or one.name in state.missing for one in state.fleet.members)


def _unopened(state: FleetState, members: Sequence[Member]) -> list[Member]:
    """Returns the ``members`` that are neither open nor known to be unreadable."""
    return [one for one in members if one.name not in state.known and one.name not in state.missing]


def _without_question(state: FleetState) -> FleetState:
    cleared = FleetState(state.fleet, state.alone, state.opened, together=state.together)
    return cleared._replace(known=state.known, missing=state.missing)
