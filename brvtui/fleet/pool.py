"""Asks members on this machine's cores: each process keeps the members that it was asked for open."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Protocol

from brvtui import programs
from brvtui.fleet.asking import MemberQuestion, MemberReply, ask
from brvtui.fleet.fleet_file import AbsenceKind, Member

# Which worker a member is asked on: by weight, and the same one as long as it lives.


SLACK = 1.1
"""How much more than its share a worker may be given, so that members can stay where they were."""


def placed(members: Sequence[Member], workers: Sequence[str]) -> Mapping[str, str]:
    """The worker of each member, by the member's name.

    Rendezvous hashing with bounded loads: each member goes to the worker for which the hash of both is highest and
    whose weight stays within :data:`SLACK` of its share. It depends on nothing else, so that another process places
    alike, and a worker that comes or goes moves few members but its own.
    """
    if not workers:
        return {}
    most = SLACK * sum(member.weight for member in members) / len(workers)
    loads = dict.fromkeys(workers, 0.0)
    made: dict[str, str] = {}
    for member in sorted(members, key=lambda one: (-one.weight, one.name)):
        preferred = sorted(workers, key=lambda worker: _hash(member.name, worker), reverse=True)
        fitting = (worker for worker in preferred if loads[worker] + member.weight <= most)
        chosen = next(fitting, min(preferred, key=loads.__getitem__))
        loads[chosen] += member.weight
        made[member.name] = chosen
    return made


def _hash(member: str, worker: str) -> bytes:
    return blake2b(f"{member}\0{worker}".encode("utf-8", "surrogatepass"), digest_size=8).digest()


_STARTS_WITHIN_S = 60.0
_LOOK_S = 0.1
"""Seconds between two looks at whether the replies are still wanted."""

Stopped = Callable[[], bool]
"""Tells whether the replies are not wanted any more; it is called in the thread that asks."""


def never_stopped() -> bool:
    """All replies are wanted."""
    return False


class Asks(Protocol):
    """Where questions are put to members: processes of this machine, or a cluster."""

    def ask(
        self, questions: Sequence[MemberQuestion], timeout_s: float, stopped: Stopped = never_stopped
    ) -> Iterator[MemberReply]:
        """One reply for each of ``questions``, as they come; ``stopped``, or closing the iterator, cancels the rest.

        A member that does not answer within ``timeout_s`` seconds has a reply that says so.
        """

    def close(self) -> None:
        """Ends what was started for asking."""


@dataclass(eq=False)
class _Worker:
    """One process, the questions that wait for it, and the one that it answers now."""

    process: programs.Worker
    waiting: deque[MemberQuestion] = field(default_factory=deque)
    current: MemberQuestion | None = None
    since: float = 0.0
    is_wanted: bool = True
    """Whether somebody waits for its answer; else it is dropped when it comes, and the members stay open."""
    is_ready: bool = False
    """Whether the process has started: only then does a member's time run."""


class ProcessPool:
    """A pool of processes. A member is always asked in the same one; one that hangs is ended and started again."""

    def __init__(self, members: Sequence[Member], workers: int) -> None:
        """A pool for ``members``, which starts no process yet; ``workers`` 0: as many as this machine has cores."""
        count = min(workers or os.cpu_count() or 1, max(1, len(members)))
        self._places = placed(members, [f"process {number}" for number in range(1, count + 1)])
        self._workers: dict[str, _Worker] = {}

    def ask(
        self, questions: Sequence[MemberQuestion], timeout_s: float, stopped: Stopped = never_stopped
    ) -> Iterator[MemberReply]:
        """One reply for each of ``questions``, as they come, until ``stopped``.

        Whoever stops, or closes the iterator, waits for nobody: an answer that is being made is dropped when it comes,
        and its process keeps its members open for the next question.
        """
        try:
            for one in questions:
                self._worker(self._places[one.member.name]).waiting.append(one)
            while (busy := [name for name in self._workers if self._is_busy(name)]) and not stopped():
                yield from self._replies(busy, timeout_s)
        finally:
            for worker in self._workers.values():
                worker.waiting.clear()
                worker.is_wanted = False

    def close(self) -> None:
        """Ends all processes."""
        for name in list(self._workers):
            self._end(name)

    def _worker(self, name: str) -> _Worker:
        if name not in self._workers:
            self._workers[name] = _Worker(programs.Worker(__name__))
        return self._workers[name]

    def _is_busy(self, name: str) -> bool:
        worker = self._workers[name]
        if worker.current is None and worker.waiting:
            worker.current, worker.since, worker.is_wanted = worker.waiting.popleft(), time.monotonic(), True
            with suppress(OSError):  # it ended: reading from it says so
                worker.process.connection.send(worker.current)
        return worker.current is not None and (worker.is_wanted or bool(worker.waiting))

    def _replies(self, busy: Sequence[str], timeout_s: float) -> Iterator[MemberReply]:
        """The replies that are there, once there is one, a process has run out of time, or it is time to look."""
        first = min(self._patience_ends(name, timeout_s) for name in busy)
        patience = min(max(0.0, first - time.monotonic()), _LOOK_S)
        ready = programs.wait_for([self._workers[name].process.connection for name in busy], patience)
        for name in busy:
            worker = self._workers[name]
            asked = worker.current
            assert asked is not None
            if worker.process.connection in ready:
                try:
                    reply: MemberReply | None = worker.process.connection.recv()
                    if reply is None:
                        worker.is_ready, worker.since = True, time.monotonic()
                        continue
                    worker.current = None
                except (EOFError, OSError):
                    why, kind = "the process that asked it was ended", AbsenceKind.PROCESS_ENDED
                    reply = MemberReply(asked.member.name, failure=why, kind=kind)
                    self._start_again(name)
            elif time.monotonic() >= self._patience_ends(name, timeout_s):
                self._start_again(name)
                why = f"no answer within {timeout_s:g} s"
                reply = MemberReply(asked.member.name, failure=why, kind=AbsenceKind.TIMEOUT)
            else:
                continue
            if worker.is_wanted:
                yield reply

    def _patience_ends(self, name: str, timeout_s: float) -> float:
        worker = self._workers[name]
        return worker.since + (timeout_s if worker.is_ready else max(timeout_s, _STARTS_WITHIN_S))

    def _start_again(self, name: str) -> None:
        waiting = self._workers[name].waiting
        self._end(name)
        if waiting:
            self._worker(name).waiting = waiting

    def _end(self, name: str) -> None:
        self._workers.pop(name).process.kill()


def main() -> None:
    """Answers questions until the process that asks them ends this one."""
    connection = programs.connect_to_parent()
    with suppress(EOFError, OSError):
        connection.send(None)  # it is ready
        while True:
            connection.send(ask(connection.recv()))


if __name__ == "__main__":
    main()
