"""Runs git over a repository that may come from anybody: no programs that it names, no network, bounded output."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path
from threading import Thread, Timer
from typing import IO

from brvtui import faults

_PIPE = subprocess.PIPE
_PATIENCE_S = 60.0
_OPTIONS = (
    "--no-optional-locks", "--no-replace-objects", "--no-pager", "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null", "-c", "safe.bareRepository=explicit", "-c", "log.showSignature=false",
)  # fmt: skip
_KEPT = ("GIT_CONFIG",)
"""Variables of git's own that are handed on: the user's settings. Others would name another repository."""
_LONGEST_MESSAGE = 200


class RevisionError(ValueError):
    """A revision that cannot be read. The message is one line: which one, why, and what to do."""


def git(folder: Path, *arguments: str, most: int, given: bytes = b"", bare: bool = False) -> bytes:
    """What ``git`` prints in ``folder``, at most ``most`` bytes; ``given`` is its input.

    Only with ``bare``, for a repository that the user named, may the folder be a repository without a work tree.

    Only commands that read objects belong here: these run no filters, hooks or monitors. Raises :class:`RevisionError`
    when git is missing, fails, prints more, or takes more than a minute.
    """
    environment = {name: value for name, value in os.environ.items() if _is_handed_on(name)}
    environment |= {"GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    named = ("-c", "safe.bareRepository=all") if bare else ()
    command = ["git", *_OPTIONS, *named, "-C", str(folder), *arguments]
    try:
        with subprocess.Popen(command, stdin=_PIPE, stdout=_PIPE, stderr=_PIPE, env=environment) as running:
            return _output(running, arguments[0], most, given)
    except FileNotFoundError as error:
        raise RevisionError("git is not installed, so no revision can be read; install it") from error
    except OSError as error:
        raise RevisionError(f"git {arguments[0]} ended early ({faults.reason(error)}); try again") from error


def _output(running: subprocess.Popen[bytes], name: str, most: int, given: bytes) -> bytes:
    assert running.stdin is not None
    assert running.stdout is not None
    assert running.stderr is not None
    timer = Timer(_PATIENCE_S, running.kill)
    giving = Thread(target=_give, args=(running.stdin, given), daemon=True)
    timer.start()
    giving.start()  # beside reading, or each would wait for the other
    try:
        made = running.stdout.read(most + 1)
        if len(made) > most:
            raise RevisionError(f"git {name} prints more than {most} bytes; is this the right repository?")
        said = running.stderr.read(_LONGEST_MESSAGE).decode("utf-8", "replace")
        if running.wait() == 0:
            return made
    finally:
        timer.cancel()
        running.kill()
        giving.join()
    line = next(iter(said.strip().splitlines()), "no reason given").removeprefix("fatal: ")
    raise RevisionError(f"git {name} failed: {line}")


def _give(stdin: IO[bytes], given: bytes) -> None:
    with suppress(OSError):
        stdin.write(given)
    with suppress(OSError):
        stdin.close()


def _is_handed_on(name: str) -> bool:
    return not name.startswith("GIT_") or name.startswith(_KEPT)
