"""Which members stay open in one process, so that thousands of them do not fill the machine's memory."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass, field

from brvtui.fleet.members import Member
from brvtui.fleet.opening import OpenMember

_NOTE_BYTES = 8_000
"""What an open note of 120 words takes, as measured (docs/fleet.md)."""
_SHARE = 0.5
"""How much of the machine's memory all its processes together may fill with open members."""
IDLE_S = 600.0
"""A member that nobody asked for so many seconds may be closed to make room."""


def most_notes() -> int:
    """How many notes of open members a process holds: as if there was one process for each core."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # a system that does not tell
        memory = 8 << 30
    return int(memory * _SHARE / (os.cpu_count() or 1) / _NOTE_BYTES)


@dataclass
class OpenMembers:
    """The open members of one process, with at most ``most`` notes among them. Threads may share it.

    Each query asks all members, one after the other: to close the one that was asked least recently would close each
    just before it is asked again. So those that are open stay, and one that finds no room is opened for one question;
    room is made by closing members that nobody asked for :data:`IDLE_S` seconds.
    """

    most: int = field(default_factory=most_notes)
    _open: dict[Member, OpenMember] = field(default_factory=dict)
    _asked: dict[Member, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, member: Member) -> OpenMember | None:
        """The member, where it is open."""
        with self._lock:
            if member in self._open:
                self._asked[member] = time.monotonic()
            return self._open.get(member)

    def keep(self, opened: OpenMember) -> bool:
        """Keeps ``opened`` for the next question where there is room. Returns whether there is."""
        now = time.monotonic()
        with self._lock:
            total = _notes(opened) + sum(_notes(one) for one in self._open.values())  # members grow while they are open
            for member in sorted(self._asked, key=self._asked.__getitem__):
                if total <= self.most or now - self._asked[member] < IDLE_S:
                    break
                total -= _notes(self._open.pop(member))
                del self._asked[member]
            if self._open and total > self.most:
                return False
            self._open[opened.member], self._asked[opened.member] = opened, now
            return True

    def clear(self) -> None:
        """Forgets all."""
        with self._lock:
            self._open.clear()
            self._asked.clear()


def _notes(opened: OpenMember) -> int:
    return len(opened.project.snapshot.notes)
