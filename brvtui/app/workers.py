"""Tasks in threads that return results to the event loop, and a queue that keeps only the newest request."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Generic, ParamSpec, TypeVar

from textual.app import App
from textual.message_pump import MessagePump
from textual.worker import Worker, get_current_worker

PAUSE_S = 0.08
"""The pause in seconds that ends a burst of requests."""
_ERROR_S = 10
Request = TypeVar("Request")
Result = TypeVar("Result")
Given = ParamSpec("Given")


class Refusal(Exception):
    """Raised if a task is impossible. The message is one line for the user: the problem, its reason, and advice."""


class Workers:
    """Runs tasks in worker threads of the app."""

    def __init__(self, app: App[Any], error_line: Callable[[BaseException, str], str]) -> None:
        """Creates the runner; ``error_line`` returns one line about an exception and the task's name."""
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
        """Runs ``task`` in a worker thread, then calls ``on_result`` with its result in the event loop.

        An exception becomes one line for ``on_error``; without ``on_error``, the line is shown as a message. ``on_end``
        is called in both cases. All three are called in the context of ``owner`` (by default the app), unless ``owner``
        no longer exists. If they return an awaitable, it is awaited. An ``exclusive`` task cancels running tasks of its
        ``group``: their threads continue, but results and errors are dropped.
        """
        tell = (owner or self._app).call_later

        def work() -> None:
            worker = get_current_worker()
            try:
                result = task()
            except Exception as error:  # every exception is shown, or reported as a crash, in the event loop
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
        """Cancels the running tasks of ``group``."""
        self._app.workers.cancel_group(self._app, group)

    def relay(self, callback: Callable[Given, object]) -> Callable[Given, None]:
        """Returns a function that calls ``callback`` in the event loop, for tasks that report progress.

        The function can be called from any thread and does not wait.
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
    from brvtui.session import NotLoaded  # loads engines

    return isinstance(error, NotLoaded)


def is_cancelled() -> bool:
    """True if the task that calls this in its thread was cancelled."""
    return get_current_worker().is_cancelled


class Newest(Generic[Request]):
    """Works on one request at a time. If several requests arrive during work or in a burst, only the newest is kept.

    ``begin`` starts work on a request. ``pause`` starts or restarts a timer that calls :meth:`go`; without ``pause``,
    requests do not wait for a burst to end.
    """

    def __init__(self, begin: Callable[[Request], object], pause: Callable[[], None] | None = None) -> None:
        self._begin = begin
        self._pause = pause
        self._in_burst = False
        self._waiting: Request | None = None
        self.is_busy = False
        """True while a request is being processed."""

    def want(self, request: Request) -> None:
        """Starts work on ``request`` now, or after the current work or burst."""
        self._waiting = request
        if not self._in_burst:
            self._in_burst = self._pause is not None
            self._next()
        if self._pause is not None:
            self._pause()

    def go(self) -> None:
        """Ends the burst of requests."""
        self._in_burst = False
        self._next()

    def finished(self) -> None:
        """Records that the current work has ended, with or without success."""
        self.is_busy = False
        if not self._in_burst:
            self._next()

    def _next(self) -> None:
        if self._waiting is not None and not self.is_busy:
            request, self._waiting = self._waiting, None
            self.is_busy = True
            self._begin(request)
