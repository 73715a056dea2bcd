"""A forked child that stops after each of its system calls (Linux's ``ptrace``, by ctypes)."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from functools import cache

_TRACE_ME, _RUN_TO_CALL, _SET_OPTIONS, _CALL_INFO = 0, 24, 0x4200, 0x420E
_MARK_CALLS, _KILL_WITH_TRACER = 0x1, 0x100000
_CALL_STOP = signal.SIGTRAP | 0x80
_LEFT = 2
_INFO_BYTES = 128


class CannotTrace(Exception):
    """The system does not allow tracing child processes. The message says why."""


class Child:
    """A child that runs ``act`` and exits with its result as the exit code. The child is stopped before it begins."""

    def __init__(self, act: Callable[[], int]) -> None:
        self._info = ctypes.create_string_buffer(_INFO_BYTES)
        gc.collect()
        self.process = os.fork()
        if self.process == 0:
            _run(act)
        self._status = self._wait()
        if not os.WIFSTOPPED(self._status):
            raise CannotTrace("the system refuses ptrace")
        _ptrace(_SET_OPTIONS, self.process, None, _MARK_CALLS | _KILL_WITH_TRACER)

    def calls(self) -> Iterator[int]:
        """Lets the child continue, and yields the number of its system calls so far after each of them."""
        count = 0
        while True:
            _ptrace(_RUN_TO_CALL, self.process, None, None)
            self._status = self._wait()
            if not os.WIFSTOPPED(self._status):
                return
            if os.WSTOPSIG(self._status) == _CALL_STOP and self._has_left():
                count += 1
                yield count

    def kill(self) -> None:
        """Kills the child at its current system call."""
        os.kill(self.process, signal.SIGKILL)
        while not os.WIFSIGNALED(self._status) and not os.WIFEXITED(self._status):
            self._status = self._wait()

    @property
    def exit_code(self) -> int:
        """The child's return code, or minus the signal number if a signal ended it."""
        return os.waitstatus_to_exitcode(self._status)

    def _wait(self) -> int:
        return os.waitpid(self.process, 0)[1]

    def _has_left(self) -> bool:
        _ptrace(_CALL_INFO, self.process, _INFO_BYTES, self._info)
        return self._info.raw[0] == _LEFT


def _run(act: Callable[[], int]) -> None:
    code = 99
    try:
        gc.disable()
        _ptrace(_TRACE_ME, 0, None, None)
        os.kill(os.getpid(), signal.SIGSTOP)
        code = act()
    finally:
        os._exit(code)


def _ptrace(request: int, process: int, address: object, data: object) -> None:
    if _call()(request, process, address, data) == -1:
        raise CannotTrace(f"ptrace: {os.strerror(ctypes.get_errno())}")


@cache
def _call() -> Callable[..., int]:
    if sys.platform != "linux":
        raise CannotTrace("ptrace is traced in Linux's way only")
    function = ctypes.CDLL(None, use_errno=True).ptrace
    function.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
    function.restype = ctypes.c_long
    return function
