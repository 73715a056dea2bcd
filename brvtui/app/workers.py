"""Blocking work in threads, whose results come back to the event loop."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

from textual.message_pump import MessagePump
from textual.worker import Worker, get_current_worker

from brvtui.app.crashing import ReportingApp

_ERROR_S = 10
Result = TypeVar("Result")
Given = ParamSpec("Given")


class Refusal(Exception):
    """A task cannot be done. The message is one line for the user: what, why, what to do."""


class Workers:
    """Runs tasks in worker threads of the app."""

    def __init__(self, app: ReportingApp) -> None:
        """Workers of ``app``, without a task."""
        self._app = app

    def run(
        self,
        task: Callable[[], Result],
        on_result: Callable[[Result], object] | None = None,
        *,
        group: str,
        exclusive: bool = False,
        on_error: Callable[[str], object] | None = None,
        on_end: Callable[[], object] | None = None,
        owner: MessagePump | None = None,
    ) -> Worker[None]:
        """Runs ``task`` in a worker thread and calls ``on_result`` with what it returns, in the event loop.

        What it raises becomes one line for ``on_error``; without that, the line is a toast. ``on_end`` is called after
        either. All three are called for ``owner``, the app unless given, and not at all once that is gone; what they
        return is awaited when it can be. An ``exclusive`` task cancels those of its ``group`` that are under way: their
        threads go on, but neither result nor error is told of.
        """
        tell = (owner or self._app).call_later

        def work() -> None:
            worker = get_current_worker()
            try:
                result = task()
            except Exception as error:  # whatever a task raises is shown, or reported as a crash, in the event loop
                if not worker.is_cancelled:
                    tell(partial(self._failed, error, group, on_error))
            else:
                if on_result is not None and not worker.is_cancelled:
                    tell(partial(on_result, result))
            if on_end is not None:
                tell(on_end)

        return self._app.run_worker(
            work, name=group, group=group, description=group, exit_on_error=False, exclusive=exclusive, thread=True
        )

    def cancel(self, group: str) -> None:
        """Cancels the tasks of ``group`` that are under way."""
        self._app.workers.cancel_group(self._app, group)

    def relay(self, callback: Callable[Given, object]) -> Callable[Given, None]:
        """Returns a function that calls ``callback`` in the event loop, for tasks that report progress.

        It may be called from any thread, and does not wait.
        """

        def tell(*args: Given.args, **kwargs: Given.kwargs) -> None:
            self._app.call_later(partial(callback, *args, **kwargs))

        return tell

    def _failed(self, error: Exception, doing: str, on_error: Callable[[str], object] | None) -> None:
        line = str(error) if _is_told(error) else self._app.error_line(error, doing)
        if on_error is not None:
            on_error(line)
        else:
            self._app.notify(line, severity="error", timeout=_ERROR_S)


def _is_told(error: Exception) -> bool:
    """Whether what ``error`` says is for the user, and no report of a crash."""
    if isinstance(error, Refusal):
        return True
    from brvtui.session.opened import NotLoaded  # engines are loaded with it

    return isinstance(error, NotLoaded)


def is_cancelled() -> bool:
    """Returns whether the task that calls this, in its thread, was cancelled."""
    return get_current_worker().is_cancelled
