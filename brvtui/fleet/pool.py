"""Asks members in processes on this machine. Each process keeps its members open."""

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

# Assigns members to workers by weight. A member keeps its worker as long as that worker exists.


SLACK = 1.1
"""The maximum load of a worker, relative to its fair share. A value above 1 lets more members keep their workers."""


def placed(members: Sequence[Member], workers: Sequence[str]) -> Mapping[str, str]:
    """Assigns a worker to each member. Returns the workers, keyed by member name.

    Uses rendezvous hashing with bounded loads: each member goes to the worker with the highest joint hash among the
    workers whose load stays within :data:`SLACK` of the fair share. The result depends only on the arguments, so it is
    the same in every process, and adding or removing a worker moves few other members.
    """
    if not workers:
        return {}
    limit = SLACK * sum(member.weight for member in members) / len(workers)
    loads = dict.fromkeys(workers, 0.0)
    places: dict[str, str] = {}
    for member in sorted(members, key=lambda one: (-one.weight, one.name)):
        preferred = sorted(workers, key=lambda worker: _hash(member.name, worker), reverse=True)
        fitting = (worker for worker in preferred if loads[worker] + member.weight <= limit)
        chosen = next(fitting, min(preferred, key=loads.__getitem__))
        loads[chosen] += member.weight
        places[member.name] = chosen
    return places


def _hash(member: str, worker: str) -> bytes:
    return blake2b(f"{member}\0{worker}".encode("utf-8", "surrogatepass"), digest_size=8).digest()


_STARTS_WITHIN_S = 60.0
_AT_ONCE = 8
"""The maximum number of questions in one message to a process. A process reads no message while it answers one."""
_LOOK_S = 0.1
"""The interval in seconds between checks whether the replies are still wanted."""

Stopped = Callable[[], bool]
"""A function that returns True if the replies are no longer wanted. It is called in the asking thread."""


def never_stopped() -> bool:
    """Returns False, so that asking never stops early."""
    return False


class MemberExecutor(Protocol):
    """Sends questions to members, in processes on this machine or on a cluster."""

    def ask(
        self, questions: Sequence[MemberQuestion], timeout_s: float, stopped: Stopped = never_stopped
    ) -> Iterator[MemberReply]:
        """Yields one reply per question, in the order of arrival, until ``stopped`` returns True.

        Stopping, or closing the iterator, cancels the other questions. A member that does not answer within
        ``timeout_s`` seconds gets a reply with this error.
        """

    def close(self) -> None:
        """Ends the executor's processes or connections."""


@dataclass(eq=False)
class _Worker:
    process: programs.Worker
    waiting: deque[MemberQuestion] = field(default_factory=deque)
    asked: deque[MemberQuestion] = field(default_factory=deque)
    """The questions that the process has received and not answered. It is answering the first one."""
    since: float = 0.0
    """The time of the last reply, or of sending the questions."""
    is_wanted: bool = True
    """True if the answers are still wanted. Unwanted answers are dropped when they arrive, but members stay open."""
    is_ready: bool = False
    """True once the process has started. The time limit of a question begins then."""


class ProcessPool:
    """A pool of processes. Questions to one member always go to the same process. A process that hangs is restarted."""

    def __init__(self, members: Sequence[Member], workers: int) -> None:
        """Starts no process yet. If ``workers`` is 0, the pool has one process per core."""
        count = min(workers or os.cpu_count() or 1, max(1, len(members)))
        self._places = placed(members, [f"process {number}" for number in range(1, count + 1)])
        self._workers: dict[str, _Worker] = {}

    def ask(
        self, questions: Sequence[MemberQuestion], timeout_s: float, stopped: Stopped = never_stopped
    ) -> Iterator[MemberReply]:
        """Yields one reply per question, in the order of arrival, until ``stopped`` returns True.

        Stopping, or closing the iterator, does not wait. Answers that are still being computed, at most
        :data:`_AT_ONCE` per process, are dropped when they arrive, and the process keeps its members open.
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
        """Ends all processes of the pool."""
        for name in list(self._workers):
            self._end(name)

    def _worker(self, name: str) -> _Worker:
        if name not in self._workers:
            self._workers[name] = _Worker(programs.Worker(__name__))
        return self._workers[name]

    def _is_busy(self, name: str) -> bool:
        worker = self._workers[name]
        if not worker.asked and worker.waiting:
            while worker.waiting and len(worker.asked) < _AT_ONCE:
                worker.asked.append(worker.waiting.popleft())
            worker.since, worker.is_wanted = time.monotonic(), True
            with suppress(OSError):  # if the process has ended, reading from it reports the error
                worker.process.connection.send(tuple(worker.asked))
        return bool(worker.asked) and (worker.is_wanted or bool(worker.waiting))

    def _replies(self, busy: Sequence[str], timeout_s: float) -> Iterator[MemberReply]:
        """Waits until a reply arrives, a process times out or the check interval ends. Yields the available replies."""
        first = min(self._deadline(name, timeout_s) for name in busy)
        patience = min(max(0.0, first - time.monotonic()), _LOOK_S)
        ready = programs.wait_for([self._workers[name].process.connection for name in busy], patience)
        for name in busy:
            worker = self._workers[name]
            question = worker.asked[0]
            if worker.process.connection in ready:
                try:
                    reply: MemberReply | None = worker.process.connection.recv()
                    if reply is None:
                        worker.is_ready, worker.since = True, time.monotonic()
                        continue
                    worker.asked.popleft()
                    worker.since = time.monotonic()
                except (EOFError, OSError):
                    why, kind = "the process that asked it was ended", AbsenceKind.PROCESS_ENDED
                    reply = MemberReply(question.member.name, failure=why, kind=kind)
                    self._restart(name)
            elif time.monotonic() >= self._deadline(name, timeout_s):
                self._restart(name)
                why = f"no answer within {timeout_s:g} s"
                reply = MemberReply(question.member.name, failure=why, kind=AbsenceKind.TIMEOUT)
            else:
                continue
            if worker.is_wanted:
                yield reply

    def _deadline(self, name: str, timeout_s: float) -> float:
        worker = self._workers[name]
        return worker.since + (timeout_s if worker.is_ready else max(timeout_s, _STARTS_WITHIN_S))

    def _restart(self, name: str) -> None:
        worker = self._workers[name]
        waiting = worker.waiting
        if worker.is_wanted:
            waiting.extendleft(list(worker.asked)[:0:-1])
        self._end(name)
        if waiting:
            self._worker(name).waiting = waiting

    def _end(self, name: str) -> None:
        self._workers.pop(name).process.kill()


def main() -> None:
    """Answers questions until the parent process ends this one."""
    connection = programs.connect_to_parent()
    with suppress(EOFError, OSError):
        connection.send(None)  # tells the parent that this process is ready
        while True:
            for question in connection.recv():
                connection.send(ask(question))


if __name__ == "__main__":
    main()
