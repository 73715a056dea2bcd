"""Asks members on a Dask cluster. Each worker keeps its members open.

Only addresses, questions and answers are sent. Access control and encryption are configured in Dask itself.
"""

from __future__ import annotations

import logging
import queue
import re
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from brvtui.fleet.asking import MemberQuestion, MemberReply, ask_each
from brvtui.fleet.fleet_file import AbsenceKind, FleetError, Member
from brvtui.fleet.pool import Stopped, never_stopped, placed
from brvtui.installation import install_command
from brvtui.tree.reading.json_file import read_json

AUTO = "auto"
"""The value that means the scheduler in Dask's own configuration."""
_ADDRESS = re.compile(r"(?:(tcp|tls)://)?([\w.-]+|\[[0-9A-Fa-f:.]+\])(?::\d+)?", re.ASCII)
_AT_ONCE = 16
"""The number of members per task. Smaller values give earlier results; larger values create fewer tasks."""
_LOOK_S = 0.5
"""The interval in seconds between checks that all workers are alive."""
_CONNECT_S = 10.0
_LEAST_S = 2.0
"""The minimum time to wait for the scheduler, in seconds."""
_FETCH_S = 5.0
"""The maximum time to wait for the replies of a finished task, in seconds."""


class ClusterError(FleetError):
    """Raised if the cluster cannot be used because it has no scheduler or no worker. The message is one line."""


class UntrustedScheduler(ClusterError):
    """Raised if the scheduler is on another machine and could run code in this process. The message is one line."""


@dataclass(eq=False)
class _Task:
    worker: str
    questions: Sequence[MemberQuestion]
    future: Any


class Cluster:
    """The workers of one scheduler. If a worker dies, others answer its questions."""

    def __init__(self, scheduler: str, members: Sequence[Member], trusted: bool = False) -> None:
        """Connects to ``scheduler``: an address, a scheduler file, or :data:`AUTO`.

        The scheduler can run code in this process. Raises :class:`ClusterError`, or :class:`UntrustedScheduler` unless
        the address is on this machine, uses TLS, or is ``trusted`` by the user.
        """
        self._members = tuple(members)
        self._client = _connected(scheduler, trusted)
        self.address = str(self._client.scheduler.address)
        self._silent: set[str] = set()
        """Workers that did not answer in time. They receive no questions until they have answered, unless no others are
        left.
        """
        self._late: list[_Task] = []
        self._known: frozenset[str] = frozenset()
        self.places: dict[str, str] = {}
        """The worker of each member."""

    def ask(
        self, questions: Sequence[MemberQuestion], timeout_s: float, stopped: Stopped = never_stopped
    ) -> Iterator[MemberReply]:
        """Yields one reply per question, in the order of arrival, until ``stopped`` returns True.

        Stopping, or closing the iterator, cancels the other questions. If a worker sends no reply for ``timeout_s``
        seconds, each of its members gets a reply with this error. Raises :class:`ClusterError` if there is no scheduler
        or no worker at the start.
        """
        workers = self._workers(min(_CONNECT_S, timeout_s))
        if not workers:
            raise ClusterError(f"{self.address}: no worker answers; start some with dask worker {self.address}")
        done: queue.SimpleQueue[_Task] = queue.SimpleQueue()
        open_tasks = self._submit(questions, workers, done)
        heard = dict.fromkeys(workers, time.monotonic())
        looked = time.monotonic()
        try:
            while open_tasks and not stopped():
                try:
                    task: _Task | None = done.get(timeout=_LOOK_S)
                except queue.Empty:
                    task = None
                now = time.monotonic()
                if task in open_tasks and (replies := _replies(task, min(_FETCH_S, timeout_s))):
                    heard[task.worker] = now
                    open_tasks.remove(task)
                    yield from replies
                if now - looked < _LOOK_S:
                    continue
                looked = now
                left_s = max(heard.values()) + timeout_s - now
                try:
                    workers = self._workers(min(_CONNECT_S, max(_LEAST_S, left_s)))
                except ClusterError as error:
                    left = [one for open_task in open_tasks for one in open_task.questions]
                    open_tasks.clear()
                    yield from (MemberReply(one.member.name, failure=str(error)) for one in left)
                    return
                yield from self._reassign_lost(open_tasks, workers, heard, timeout_s, done)
        finally:
            self._cancel(open_tasks)

    def _reassign_lost(
        self,
        open_tasks: list[_Task],
        workers: Collection[str],
        heard: dict[str, float],
        timeout_s: float,
        done: queue.SimpleQueue[_Task],
    ) -> Iterator[MemberReply]:
        """Moves questions from dead workers to other workers. Yields error replies for workers that were silent for too
        long.
        """
        for task in open_tasks:
            if task.future.done():
                done.put(task)  # the worker's replies could not be fetched
        now = time.monotonic()
        silent = {task.worker for task in open_tasks if now - heard[task.worker] >= timeout_s}
        self._silent |= silent
        lost = [task for task in open_tasks if task.worker in silent or task.worker not in workers]
        for task in lost:
            open_tasks.remove(task)
        self._late += [task for task in lost if task.worker in silent]
        self._cancel([task for task in lost if task.worker not in silent])
        others = [worker for worker in workers if worker not in silent]
        again = [one for task in lost if task.worker not in silent for one in task.questions]
        for worker in others:
            heard.setdefault(worker, now)
        if again and others:
            open_tasks += self._submit(again, others, done)
        elif again:
            yield from (MemberReply(one.member.name, failure="its worker ended, and no other is left") for one in again)
        for task in lost:
            if task.worker in silent:
                why = f"no answer from the worker {task.worker} within {timeout_s:g} s"
                kind = AbsenceKind.TIMEOUT
                yield from (MemberReply(one.member.name, failure=why, kind=kind) for one in task.questions)

    def close(self) -> None:
        """Closes the connection. The workers keep their members open."""
        self._client.close(timeout=2)

    @property
    def workers(self) -> tuple[str, ...]:
        """The addresses of the workers. Raises the errors of :meth:`ask`."""
        return tuple(sorted(self._workers()))

    def _workers(self, patience_s: float = _CONNECT_S) -> list[str]:
        """Returns the addresses of the available workers. Raises ClusterError if the scheduler is gone or too slow."""
        try:
            info = self._client.sync(self._client.scheduler.identity, callback_timeout=patience_s)
        except TimeoutError as error:
            line = f"the scheduler at {self.address} did not answer within {patience_s:.0f} s: it has stopped or"
            raise ClusterError(f"{line} hangs, or the network is too slow") from error
        except Exception as error:  # Dask raises many kinds of exceptions for a lost connection
            line = f"the scheduler at {self.address} has stopped: start it again, or leave out --scheduler"
            raise ClusterError(line) from error
        self._silent -= {task.worker for task in self._late if task.future.done()}
        self._late = [task for task in self._late if not task.future.done()]
        return [worker for worker in info["workers"] if worker not in self._silent] or list(info["workers"])

    def _submit(
        self, questions: Sequence[MemberQuestion], workers: Collection[str], done: queue.SimpleQueue[_Task]
    ) -> list[_Task]:
        if frozenset(workers) != self._known:
            self._known, self.places = frozenset(workers), dict(placed(self._members, sorted(workers)))
        by_worker: dict[str, list[MemberQuestion]] = {}
        for one in questions:
            by_worker.setdefault(self.places[one.member.name], []).append(one)
        tasks = []
        for worker, own in by_worker.items():
            for start in range(0, len(own), _AT_ONCE):
                part = own[start : start + _AT_ONCE]
                future = self._client.submit(ask_each, part, workers=[worker], pure=False, retries=0)
                task = _Task(worker, part, future)
                future.add_done_callback(lambda _, task=task: done.put(task))
                tasks.append(task)
        return tasks

    def _cancel(self, tasks: Sequence[_Task]) -> None:
        if tasks and self._client.status == "running":
            with suppress(Exception):  # without a scheduler, there is nothing to cancel
                self._client.cancel([task.future for task in tasks], force=True)


def _replies(task: _Task, patience_s: float) -> list[MemberReply]:
    """Returns the replies of a finished task; empty if they cannot be fetched because its worker is gone."""
    try:
        if task.future.status == "error":
            why = f"the worker {task.worker} failed ({task.future.exception(timeout=patience_s)})"
            return [MemberReply(one.member.name, failure=why) for one in task.questions]
        replies: list[MemberReply] = task.future.result(timeout=patience_s) if task.future.status == "finished" else []
    except Exception:  # Dask raises many kinds; the worker is then checked, and its questions are sent again
        return []
    return replies


def trusted_address(scheduler: str, trusted: bool) -> str:
    """Returns the address of the scheduler. ``scheduler`` is an address, the path of a scheduler file, or :data:`AUTO`.

    Raises :class:`ClusterError` if there is no address, and :class:`UntrustedScheduler` under the same conditions as
    :class:`Cluster`.
    """
    address = scheduler
    if scheduler == AUTO:
        try:
            import dask
        except ImportError as error:
            raise ClusterError(_no_dask()) from error
        address = dask.config.get("scheduler-address", None)
        if not address:
            raise ClusterError(
                "Dask's configuration does not name a scheduler: set DASK_SCHEDULER_ADDRESS, or pass an address"
            )
    elif ":" not in scheduler:  # a text with a colon is an address, even if a file has that name
        try:
            address = read_json(Path(scheduler), follow_links=True)["address"]
        except (OSError, ValueError, TypeError, LookupError) as error:
            raise ClusterError(
                f"{scheduler}: neither a scheduler file nor an address such as tcp://HOST:PORT"
            ) from error
    parts = _ADDRESS.fullmatch(str(address))
    if not (trusted or (parts and (parts[1] == "tls" or _is_here(parts[2])))):
        raise UntrustedScheduler(
            f"{address}: a scheduler can run code in this process: use tls://, or add --trust-scheduler if you trust it"
        )
    return str(address)


def _is_here(host: str) -> bool:
    with suppress(ValueError):
        return host == "localhost" or ip_address(host.strip("[]")).is_loopback
    return False


def _no_dask() -> str:
    return f"a scheduler needs the fleet extra: {install_command('fleet')}"


def _connected(scheduler: str, trusted: bool) -> Any:
    address = trusted_address(scheduler, trusted)
    try:
        import distributed
    except ImportError as error:
        raise ClusterError(_no_dask()) from error
    for name in list(logging.root.manager.loggerDict):
        if name.startswith(("distributed", "asyncio")):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # the replies contain the errors
    client: Any = type("Client", (distributed.Client,), {"start": _start})
    try:
        return client(address=address, timeout=_CONNECT_S, set_as_default=False)
    except Exception as error:  # Dask raises many kinds of exceptions for this
        why = " ".join(str(error).split()) or f"no reply within {_CONNECT_S:g} s"
        raise ClusterError(f"{address}: no scheduler answers there ({why}); start one with dask scheduler") from error


def _start(client: Any, **options: Any) -> None:
    """Starts ``client`` within one time limit, and closes it if that fails.

    Dask's own method has a separate limit for each step.
    """
    client._loop_runner.start()
    try:
        client.sync(client._start, callback_timeout=_CONNECT_S, **options)
    except BaseException:
        with suppress(Exception):
            client.close(timeout=_LEAST_S)
        client.status = "closed"  # otherwise, its finalizer waits and prints a traceback
        raise
