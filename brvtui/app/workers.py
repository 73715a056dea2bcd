"""Tasks in threads that return results to the event loop, and work that skips all but the newest request."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Generic, ParamSpec, TypeVar

from textual.app import App
from textual.message_pump import MessagePump
from textual.worker import Worker, get_current_worker

PAUSE_S = 0.08
"""Requests that follow each other more quickly than that are a burst."""
_ERROR_S = 10
Request = TypeVar("Request")
Result = TypeVar("Result")
Given = ParamSpec("Given")


class Refusal(Exception):
    """A task cannot be done. The message is one line for the user: what, why, what to do."""


class Workers:
    """Runs tasks in worker threads of the app."""

    def __init__(self, app: App[Any], error_line: Callable[[BaseException, str], str]) -> None:
        """Starts with no tasks. ``error_line`` turns an error, and the name of what was being done, into one line."""
        self._app = app
        self._error_line = error_line

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
        threads go on, but their results and errors are dropped.
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
        line = str(error) if _is_told(error) else self._error_line(error, doing)
        if on_error is not None:
            on_error(line)
        else:
            self._app.notify(line, severity="error", timeout=_ERROR_S)


def _is_told(error: Exception) -> bool:
    """True if ``error`` has a message for the user and needs no crash report."""
    if isinstance(error, Refusal):
        return True
    from brvtui.session import NotLoaded  # engines are loaded with it

    return isinstance(error, NotLoaded)


def is_cancelled() -> bool:
    """Returns whether the task that calls this, in its thread, was cancelled."""
    return get_current_worker().is_cancelled


class Newest(Generic[Request]):
    """Begins one piece of work at a time. Of what is wanted meanwhile, or in a burst after the first, only the last.

    ``begin`` starts work on a request; ``pause`` calls :meth:`go` after a pause, again from the start if it is called
    again. Without it there are no bursts.
    """

    def __init__(self, begin: Callable[[Request], object], pause: Callable[[], None] | None = None) -> None:
        """Nothing is under way."""
        self._begin = begin
        self._pause = pause
        self._in_burst = False
        self._waiting: Request | None = None
        self.is_busy = False
        """True while work is under way."""

    def want(self, request: Request) -> None:
        """Begins at once, after the work that is under way, or after the burst."""
        self._waiting = request
        if not self._in_burst:
            self._in_burst = self._pause is not None
            self._next()
        if self._pause is not None:
            self._pause()

    def go(self) -> None:
        """The burst is over."""
        self._in_burst = False
        self._next()

    def finished(self) -> None:
        """The work under way has ended, well or not."""
        self.is_busy = False
        if not self._in_burst:
            self._next()

    def _next(self) -> None:
        if self._waiting is not None and not self.is_busy:
            request, self._waiting = self._waiting, None
            self.is_busy = True
            self._begin(request)
