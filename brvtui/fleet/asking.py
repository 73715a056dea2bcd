"""Asks members questions, in any process or on any machine.

A *question* is a frozen dataclass with a method ``of``. The question is sent to the member's process, which returns the
answer. Members stay open in that process while there is enough memory, so that the next question does not reopen them.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from brvtui import faults
from brvtui.config import ConfigError
from brvtui.engines.contract import EngineError, UnknownEngine
from brvtui.fleet.fleet_file import Absence, AbsenceKind, FleetError, Member
from brvtui.fleet.opening import FRESH_S, OpenMember
from brvtui.lab.judgments.model import JudgmentsError
from brvtui.tree.history.git import RevisionError
from brvtui.tree.reading.project import OR_A_TREE, ProjectError
from brvtui.tree.reading.signals import SignalsError
from brvtui.typed_tables import ProfileError

# Limits the number of members that one process keeps open, so that thousands of them do not fill the memory.


_NOTE_BYTES = 8_000
"""The memory, in bytes, that one note of 120 words needs in an open member, as measured
(docs/how-to/watch-many-memories.md).
"""
_SHARE = 0.5
"""The share of the machine's memory that open members may use, in all processes together."""
IDLE_S = 600.0
"""The number of seconds without a question after which a member may be closed to free memory."""


def most_notes() -> int:
    """Returns the maximum number of notes in the open members of one process, assuming one process per core."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # the system cannot tell
        memory = 8 << 30
    return int(memory * _SHARE / (os.cpu_count() or 1) / _NOTE_BYTES)


@dataclass
class OpenMembers:
    """The open members of one process, with at most ``most`` notes in total. Thread-safe.

    Every query goes to all members in turn, so if the least recently used member were closed, each one would be closed
    just before its next question. Instead, open members stay open, and a member that does not fit is opened for a
    single question. Members without a question for :data:`IDLE_S` seconds are closed to free memory.
    """

    most: int = field(default_factory=most_notes)
    _open: dict[Member, OpenMember] = field(default_factory=dict)
    _last_used: dict[Member, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, member: Member) -> OpenMember | None:
        """Returns the open member; None if ``member`` is not open."""
        with self._lock:
            if member in self._open:
                self._last_used[member] = time.monotonic()
            return self._open.get(member)

    def keep(self, opened: OpenMember) -> bool:
        """Keeps ``opened`` for the next question if it fits. Returns True if it was kept."""
        now = time.monotonic()
        with self._lock:
            total = _notes(opened) + sum(_notes(one) for one in self._open.values())  # members may have grown
            for member in sorted(self._last_used, key=self._last_used.__getitem__):
                if total <= self.most or now - self._last_used[member] < IDLE_S:
                    break
                total -= _notes(self._open.pop(member))
                del self._last_used[member]
            if self._open and total > self.most:
                return False
            self._open[opened.member], self._last_used[opened.member] = opened, now
            return True

    def clear(self) -> None:
        """Closes all members."""
        with self._lock:
            self._open.clear()
            self._last_used.clear()


def _notes(opened: OpenMember) -> int:
    return len(opened.project.snapshot.notes)


_LINES = (
    FleetError, ProjectError, ConfigError, ProfileError, EngineError, RevisionError, SignalsError, JudgmentsError,
)  # fmt: skip
"""Exceptions whose message is a line for the user."""
_OR_A_REPOSITORY = ", or a git repository with the folder of its notes: brv-tui fleet add REPOSITORY --folder PATH"


class FleetQuestion(Protocol):
    """A question to a member."""

    def of(self, opened: OpenMember) -> Any:
        """Returns the open member's answer. Raises the errors of its engine."""


@dataclass(frozen=True, slots=True)
class MemberQuestion:
    """A question to one member at the time ``now_ms``.

    The member's files are checked for changes if the last check was more than ``fresh_s`` seconds ago.
    """

    member: Member
    question: FleetQuestion
    now_ms: float
    fresh_s: float = FRESH_S


@dataclass(frozen=True, slots=True)
class MemberReply:
    """A member's answer, or the reason why there is none."""

    member: str
    value: Any = None
    failure: str = ""
    """The error in one line; empty if there is an answer."""
    kind: AbsenceKind = AbsenceKind.OTHER
    """The kind of the error."""
    ms: float = 0.0
    """The time that the member's process took, in milliseconds."""

    @property
    def absence(self) -> Absence:
        """The member's absence, with the error as its reason."""
        return Absence(self.member, self.failure, self.kind)


def ask(request: MemberQuestion) -> MemberReply:
    """Answers one question in this process. Raises no errors."""
    begun = time.perf_counter()
    value, failure, kind = None, "", AbsenceKind.OTHER
    try:
        opened = _open(request)
        with opened.lock:
            opened.look(request.now_ms, request.fresh_s)
            value = request.question.of(opened)
    except _LINES as error:
        failure, kind = " ".join(str(error).replace(OR_A_TREE, _OR_A_REPOSITORY).split()), _kind(error)
    except OSError as error:
        failure = faults.error_line(error)
    except Exception as error:  # a broken member must not prevent the other members' answers
        message = " ".join(f"{type(error).__name__}: {error}".split())
        failure = f"failed unexpectedly ({message}); query it on its own with brv-tui query"
    return MemberReply(request.member.name, value, failure, kind, (time.perf_counter() - begun) * 1000)


def _kind(error: Exception) -> AbsenceKind:
    if isinstance(error, FleetError):
        return error.kind
    return AbsenceKind.ONLY_ALONE if isinstance(error, UnknownEngine) else AbsenceKind.OTHER


def ask_each(requests: Sequence[MemberQuestion]) -> list[MemberReply]:
    """Answers several questions in this process, in order."""
    return [ask(one) for one in requests]


def close_members() -> None:
    """Closes all members that this process has opened."""
    _open_members.clear()


_open_members = OpenMembers()
_member_locks: dict[Member, threading.Lock] = {}
_opening = threading.Lock()


def _open(request: MemberQuestion) -> OpenMember:
    if (known := _open_members.get(request.member)) is not None:
        return known
    with _opening:
        lock = _member_locks.setdefault(request.member, threading.Lock())
    with lock:
        known = _open_members.get(request.member)
        if known is None:
            known = OpenMember(request.member, request.now_ms)
            _open_members.keep(known)
        return known
