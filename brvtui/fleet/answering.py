"""Sends a question to all members of a fleet. Collects the replies in fleet order, and the members without a reply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from brvtui.fleet.asking import FleetQuestion, MemberQuestion, MemberReply
from brvtui.fleet.fleet_file import Absence, Member
from brvtui.fleet.opening import FRESH_S
from brvtui.fleet.pool import MemberExecutor, Stopped, never_stopped

Replied = Callable[[MemberReply], None]


class AskingStopped(Exception):
    """Raised when :attr:`Asker.stopped` reports that the replies are no longer wanted."""


def _unheard(reply: MemberReply) -> None:
    pass


@dataclass(frozen=True)
class Asker:
    """Sends questions to members through the executor ``where``.

    All questions have the same clock time ``now_ms``, and the same time limit per member.
    """

    where: MemberExecutor
    now_ms: float
    timeout_s: float = 60.0
    fresh_s: float = FRESH_S
    replied: Replied = _unheard
    """Called with each reply as it arrives."""
    stopped: Stopped = never_stopped
    """Called at least twice a second. Once it returns True, :class:`AskingStopped` is raised."""

    def ask(self, members: Sequence[Member], question: FleetQuestion) -> Replies:
        """Returns the replies of ``members`` to ``question``. Raises :class:`AskingStopped`."""
        return self.ask_each([(member, question) for member in members])

    def ask_each(self, pairs: Sequence[tuple[Member, FleetQuestion]]) -> Replies:
        """Returns the replies to ``pairs`` of a member and its question. Raises :class:`AskingStopped`."""
        questions = [MemberQuestion(member, question, self.now_ms, self.fresh_s) for member, question in pairs]
        replies: dict[str, MemberReply] = {}
        for reply in self.where.ask(questions, self.timeout_s, self.stopped):
            replies[reply.member] = reply
            self.replied(reply)
        if len(replies) < len(questions):
            raise AskingStopped
        return Replies(tuple(replies[member.name] for member, _ in pairs))


@dataclass(frozen=True, slots=True)
class Replies:
    """The reply of each member, in fleet order."""

    replies: tuple[MemberReply, ...]

    @property
    def values(self) -> dict[str, Any]:
        """The answers, keyed by member."""
        return {reply.member: reply.value for reply in self.replies if not reply.failure}

    @property
    def missing(self) -> tuple[Absence, ...]:
        """The members that did not answer, with the reasons."""
        return tuple(reply.absence for reply in self.replies if reply.failure)
