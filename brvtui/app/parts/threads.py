"""Blocking work of parts, in threads of the app."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ParamSpec

from textual.worker import Worker, WorkerState

from brvtui.app.crashing import ReportingApp

_ENDS = (WorkerState.SUCCESS, WorkerState.CANCELLED, WorkerState.ERROR)
_TOLD_S = 10
Given = ParamSpec("Given")


@dataclass(frozen=True, slots=True)
class Job:
    """A kind of work. A new piece of an ``exclusive`` one cancels those of its group that are under way."""

    group: str
    exclusive: bool = False
    ended: Callable[[], object] | None = None
    """Called when a piece has ended, well or not."""
    failed: Callable[[], object] | None = None
    """Called when a piece broke down."""
    tell: Callable[[str], object] | None = None
    """Given one line on a piece that broke down; without it, that is a toast."""


_OTHER = Job("")


class Threads:
    """Begins work in threads; what becomes of it is told in the thread of the app."""

    def __init__(self, app: ReportingApp) -> None:
        """Nothing is under way."""
        self._app = app
        self._jobs: dict[Worker[object], Job] = {}

    def start(
        self, job: Job, work: Callable[Given, object], *args: Given.args, **kwargs: Given.kwargs
    ) -> Worker[object]:
        """Calls ``work`` in a thread."""
        name = getattr(work, "__name__", job.group)
        worker = self._app.run_worker(
            partial(work, *args, **kwargs),
            name=name,
            group=job.group,
            description=name,
            exit_on_error=False,
            exclusive=job.exclusive,
            thread=True,
        )
        self._jobs[worker] = job
        return worker

    def cancel(self, job: Job) -> None:
        """Cancels the pieces of ``job``'s group that are under way."""
        self._app.workers.cancel_group(self._app, job.group)

    def changed(self, event: Worker.StateChanged) -> None:
        """Something became of a worker of the app: one that broke down is told of; the rest goes on."""
        if event.state not in _ENDS:
            return
        job = self._jobs.pop(event.worker, _OTHER)
        if job.ended is not None:
            job.ended()
        if event.state is WorkerState.ERROR:
            self._tell(job, self._app.told_of(event.worker.error, event.worker.name))

    def _tell(self, job: Job, what: str) -> None:
        if job.tell is not None:
            job.tell(what)
        else:
            self._app.notify(what, severity="error", timeout=_TOLD_S)
        if job.failed is not None:
            job.failed()
