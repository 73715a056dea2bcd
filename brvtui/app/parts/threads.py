"""Blocking work of parts, in threads of the app."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ParamSpec

from textual.app import App
from textual.worker import Worker, WorkerState

_ENDS = (WorkerState.SUCCESS, WorkerState.CANCELLED, WorkerState.ERROR)
Given = ParamSpec("Given")


@dataclass(frozen=True, slots=True)
class Job:
    """A kind of work. A new piece of an ``exclusive`` one cancels those of its group that are under way."""

    group: str
    exclusive: bool = False
    ended: Callable[[], object] | None = None
    """Called when a piece has ended, well or not."""


class Threads:
    """Begins work in threads; what becomes of it is told in the thread of the app."""

    def __init__(self, app: App[None]) -> None:
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

    def changed(self, event: Worker.StateChanged) -> None:
        """Something became of a worker."""
        if event.state in _ENDS and (job := self._jobs.pop(event.worker, None)) is not None and job.ended is not None:
            job.ended()
