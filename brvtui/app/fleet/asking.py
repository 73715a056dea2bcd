"""Queries the members of a fleet and passes on their replies in batches. Every function blocks."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from brvtui import faults
from brvtui.app.project.open_fleet import OpenFleet
from brvtui.app.workers import Refusal, is_cancelled
from brvtui.engines.registry import declaration
from brvtui.engines.together import FinishedPart, OneRanking, TermCounts
from brvtui.fleet.answering import AskingStopped
from brvtui.fleet.asking import MemberReply
from brvtui.fleet.fleet_file import Absence, AbsenceKind, Fleet, FleetError, Member
from brvtui.fleet.one_ranking import one_ranking
from brvtui.fleet.opening import FRESH_S
from brvtui.fleet.questions import Answering, MemberAnswer, MemberState, StateRequest

MOST_HITS = 3
"""The number of results kept for each member: the list shows the best one, the score pane the others."""
_BATCH_S = 0.1


class FleetRequest(NamedTuple):
    """One question to some members."""

    number: int
    """The number of the request; later requests have higher numbers."""
    members: tuple[Member, ...]
    text: str = ""
    """The question; empty to only open the members."""
    again: bool = False
    """True to read files again even if they were read a moment ago."""


class FleetBatch(NamedTuple):
    """The members' replies since the last batch."""

    number: int
    answers: dict[str, MemberAnswer]
    states: dict[str, MemberState]
    missing: dict[str, Absence]
    replies: int
    step: str
    """The members' current step as shown on screen, such as ``ranking notes``; empty if all failed."""


class FleetRead(NamedTuple):
    """The current list of members."""

    number: int
    fleet: Fleet


class FleetRanked(NamedTuple):
    """One ranking of all notes, or the reason why the members can only answer separately."""

    number: int
    ranking: OneRanking | None
    why_not: str = ""


class _Batches:
    """Collects replies, and passes them on every :data:`_BATCH_S` seconds."""

    def __init__(self, number: int, tell: Callable[[FleetBatch], None]) -> None:
        self._number, self._tell = number, tell
        self._last = 0.0
        self._replies: list[MemberReply] = []

    def replied(self, reply: MemberReply) -> None:
        """Adds ``reply``, reduced to the number of results that the screen shows."""
        value = reply.value
        if isinstance(value, MemberAnswer):
            reply = replace(reply, value=replace(value, hits=value.hits[:MOST_HITS]))
            declaration(value.engine)  # loads the engine, so that panes do not wait for it
        self._replies.append(reply)
        self._flush_if_due()

    def stopped(self) -> bool:
        """True if the task was cancelled.

        Also passes on replies that are due, because this is called even if no new reply arrives.
        """
        self._flush_if_due()
        return is_cancelled()

    def _flush_if_due(self) -> None:
        if self._replies and time.monotonic() - self._last >= _BATCH_S:
            self.flush()

    def flush(self) -> None:
        """Passes on the collected replies now."""
        replies, self._replies = self._replies, []
        self._last = time.monotonic()
        if not replies or is_cancelled():
            return
        values = {one.member: one.value for one in replies if not one.failure}
        self._tell(
            FleetBatch(
                self._number,
                {name: value for name, value in values.items() if isinstance(value, MemberAnswer)},
                {name: value for name, value in values.items() if isinstance(value, MemberState)},
                {one.member: one.absence for one in replies if one.failure},
                len(replies),
                next((step for reply in reversed(replies) if (step := _step(reply))), ""),
            )
        )


def _step(reply: MemberReply) -> str:
    if reply.failure:
        return ""
    if isinstance(reply.value, TermCounts):
        return "counting words"
    if isinstance(reply.value, FinishedPart):
        return "adding up scores"
    return "opening" if isinstance(reply.value, MemberState) else "ranking notes"


def read_fleet(opened: OpenFleet, number: int) -> FleetRead:
    """Reads the fleet again for the request ``number``. Raises :class:`Refusal` on errors."""
    try:
        return FleetRead(number, opened.read())
    except (FleetError, OSError) as error:
        raise _refusal(error) from error


def ask_members(opened: OpenFleet, request: FleetRequest, tell: Callable[[FleetBatch], None]) -> int | None:
    """Asks each member for its own answer, or only opens it without a question; passes batches of replies to ``tell``.

    Returns the number of the request, or None if the request was stopped. Raises :class:`Refusal` on errors.
    """
    batches = _Batches(request.number, tell)
    question = Answering(request.text) if request.text else StateRequest()
    try:
        with opened.asker(batches.replied, batches.stopped, 0.0 if request.again else FRESH_S) as asker:
            asker.ask(request.members, question)
    except AskingStopped:
        return None
    except (FleetError, OSError) as error:
        raise _refusal(error) from error
    batches.flush()
    return request.number


def rank_together(opened: OpenFleet, request: FleetRequest, tell: Callable[[FleetBatch], None]) -> FleetRanked | None:
    """Ranks the notes of all members in one list, and reports the progress to ``tell``.

    Returns None if the ranking was stopped. Raises :class:`Refusal` on errors.
    """
    batches = _Batches(request.number, tell)
    try:
        with opened.asker(batches.replied, batches.stopped, 0.0 if request.again else FRESH_S) as asker:
            ranking = one_ranking(asker, request.members, request.text)
    except AskingStopped:
        return None
    except (FleetError, OSError) as error:
        if isinstance(error, FleetError) and error.kind is AbsenceKind.NOT_RANKED:
            return FleetRanked(request.number, None, str(error))
        raise _refusal(error) from error
    batches.flush()
    return FleetRanked(request.number, ranking)


def _refusal(error: FleetError | OSError) -> Refusal:
    message = str(error) if isinstance(error, FleetError) else faults.error_line(error)
    return Refusal(message)
