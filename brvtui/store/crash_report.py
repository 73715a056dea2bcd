"""Writes crash reports to the tool's own data folder: the type of the exception, and where in the program it occurred.

A report contains no exception messages and no values of variables, because they may quote a note, a query or a key.
"""

from __future__ import annotations

import os
import platform
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from brvtui import __version__, faults
from brvtui.disk import writing
from brvtui.store.folders import data_folder

KEPT = 10
"""The number of reports to keep; older ones are removed."""
_PACKAGES = ("site-packages", "dist-packages", f"python{sys.version_info.major}.{sys.version_info.minor}")
_OWN = Path(__file__).parent.parent.parent


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The state of the program when it crashed: its task and, in the app, the screen and its size in cells."""

    doing: str
    screen: str = ""
    size: tuple[int, int] | None = None


def write_crash_report(error: BaseException, circumstances: Circumstances) -> str:
    """Writes a report of ``error``. Returns one line with the error and the path of the report. Raises no errors."""
    what = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
    try:
        return f"failed: {what}; a report is in {_write(error, circumstances)}"
    except OSError as failure:
        return f"failed: {what}; no report could be written: {faults.error_line(failure)}"


def _write(error: BaseException, circumstances: Circumstances) -> Path:
    """Writes the report and returns its path. Raises OSError."""
    folder = data_folder() / "crashes"
    now = time.time()
    moment = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
    place = folder / f"crash-{moment}-{int(now % 1 * 1000):03d}-{os.getpid()}.txt"
    writing.write(place, ("\n".join(report(error, circumstances, moment)) + "\n").encode("utf-8", "replace"))
    for old in sorted(folder.glob("crash-*.txt"))[:-KEPT]:
        with suppress(OSError):
            writing.remove(old)
    return place


def report(error: BaseException, circumstances: Circumstances, moment: str) -> Iterator[str]:
    """Yields the lines of a report of ``error``, which occurred at ``moment`` (UTC)."""
    yield f"brv-tui {__version__}"
    yield f"Python {platform.python_version()}, {platform.platform()}"
    yield f"at {moment} UTC"
    yield f"doing {circumstances.doing}"
    if circumstances.screen:
        yield f"screen {circumstances.screen}"
    if circumstances.size:
        yield f"size {circumstances.size[0]}x{circumstances.size[1]}"
    yield ""
    yield from _stack_lines(traceback.TracebackException.from_exception(error, lookup_lines=True), error)


def _stack_lines(found: traceback.TracebackException, error: BaseException) -> Iterator[str]:
    """Yields the stack of ``error``, after the stacks of the exceptions that led to it."""
    before, how = error.__cause__, "which led to"
    if before is None and not error.__suppress_context__:
        before, how = error.__context__, "while that was being handled"
    if before is not None and (chained := found.__cause__ or found.__context__) is not None:
        yield from _stack_lines(chained, before)
        yield f"-- {how}:"
    for frame in found.stack:
        yield f'  File "{_shortened(frame.filename)}", line {frame.lineno}, in {frame.name}'
        if frame.line:
            yield f"    {frame.line}"
    number = f", errno {error.errno}: {os.strerror(error.errno)}" if isinstance(error, OSError) and error.errno else ""
    yield f"{type(error).__module__}.{type(error).__qualname__}{number}"
    for one, inner in zip(getattr(error, "exceptions", ()), found.exceptions or (), strict=False):
        yield "-- one of them:"
        yield from _stack_lines(inner, one)


def _shortened(file: str) -> str:
    """Returns the path of a source file without the installation folder, which may contain the user's name."""
    path = Path(file)
    if path.is_relative_to(_OWN):
        return path.relative_to(_OWN).as_posix()
    place = next((place for place, part in enumerate(path.parts) if part in _PACKAGES), None)
    return Path(*path.parts[place + 1 :]).as_posix() if place is not None else path.name
