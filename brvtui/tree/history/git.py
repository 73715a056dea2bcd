"""Runs git over a repository that may come from anybody: no programs that it names, no network, bounded output."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread, Timer
from typing import IO

from brvtui import faults, programs
from brvtui.tree.history.repository import ForeignRepository, own_repository

_PATIENCE_S = 60.0
_NEARLY = 0.95
"""The system's ``timeout`` begins a little earlier."""
_MOST_MEMORY = 1 << 30
"""Bytes that git may take for itself: a link of a repository may lead to a file without end."""
_SETTINGS = (
    "core.attributesFile=/dev/null", "core.fsmonitor=false", "core.hooksPath=/dev/null",
    "diff.orderFile=/dev/null", "log.follow=false", "log.mailmap=false", "log.showSignature=false",
    "mailmap.file=/dev/null", "protocol.allow=never", "safe.bareRepository=explicit", "submodule.recurse=false",
)  # fmt: skip
_NO_PROGRAMS = ("--no-ext-diff", "--no-textconv")
_COMMANDS: dict[str, tuple[str, ...]] = {
    "blame": ("--no-ignore-revs-file", "--no-textconv"), "diff": _NO_PROGRAMS, "log": _NO_PROGRAMS,
    **dict.fromkeys(("cat-file", "for-each-ref", "ls-files", "ls-tree", "rev-parse"), ()),
}  # fmt: skip
"""The commands that may be run, with the options that keep each from running others. None of them writes."""
_OWN = {
    "GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}  # fmt: skip
"""Above all settings: no setting of a repository opens a transport again, as ``protocol.ext.allow`` would."""
_CONFIG = "GIT_CONFIG"
"""The variables of git's own that are handed on begin so: the user's settings. Others would name another repository."""
_LONGEST_MESSAGE = 200


class RevisionError(ValueError):
    """A revision that cannot be read. The message is one line: which one, why, and what to do."""


class GitFailed(RevisionError):
    """A command that ended by itself with an error: usually what was named is not there."""


class GitTooSlow(RevisionError):
    """A command that was ended after a minute."""


class NoGit(RevisionError):
    """There is no git on this machine, or none but the project's."""


def git(folder: Path, *arguments: str, most: int, given: bytes = b"", bare: bool = False) -> bytes:
    """What ``git`` prints in ``folder``, at most ``most`` bytes; ``given`` is its input.

    Only with ``bare``, for a repository that the user named, may the folder be a repository without a work tree.

    Only commands that read objects belong here: these run no filters, hooks or monitors. Raises :class:`RevisionError`
    when git is missing, fails, prints more, takes more than a minute, or would read a repository that is not the
    folder's own (:mod:`brvtui.tree.history.repository`), and KeyError for any other command.
    """
    name, *rest = arguments
    kept = [*programs.BASIC, *(variable for variable in os.environ if variable.startswith(_CONFIG))]
    try:
        repository = own_repository(folder, bare)
        if repository and os.pathsep in str(repository.parent) and own_repository(repository.parent, bare=True):
            why = "the path has a colon, so git may read a repository above it; rename the folder"
            raise ForeignRepository(f"{repository}: {why}")
    except ForeignRepository as error:
        raise RevisionError(str(error)) from error
    ceiling = {"GIT_CEILING_DIRECTORIES": str(repository.parent)} if repository else {}
    environment = programs.environment(folder, keep=kept, more={**_OWN, **ceiling})
    program = programs.find_program("git", environment)
    if program is None:
        raise NoGit("git is not installed outside of the project, so no revision can be read; install it")
    settings = (*_SETTINGS, "safe.bareRepository=all") if bare else _SETTINGS
    options = (
        "--no-optional-locks",
        "--no-replace-objects",
        "--no-pager",
        *(part for each in settings for part in ("-c", each)),
    )
    command = [*_limit(environment), program, *options, "-C", str(folder), name, *_COMMANDS[name], *rest]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), programs.PIPE)
    try:
        with programs.start(command, environment, start_new_session=True, **pipes) as running:
            return _output(running, name, most, given)
    except OSError as error:
        raise RevisionError(f"git {name} ended early ({faults.reason(error)}); try again") from error


def _limit(environment: programs.Environment) -> tuple[str, ...]:
    """The beginning of a command that may take a GiB, and ends after a minute even if this process is killed.

    A program for that which is missing is left out.
    """
    wanted = (("prlimit", f"--data={_MOST_MEMORY}"), ("timeout", "--signal=KILL", f"{_PATIENCE_S:g}"))
    found = ((programs.find_program(name, environment), options) for name, *options in wanted)
    return tuple(part for program, options in found if program is not None for part in (program, *options))


def _output(running: programs.Process, name: str, most: int, given: bytes) -> bytes:
    assert running.stdin is not None
    assert running.stdout is not None
    assert running.stderr is not None
    began = time.monotonic()
    timer = Timer(_PATIENCE_S, programs.end, (running,))
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
        if time.monotonic() - began > _PATIENCE_S * _NEARLY:
            waits = "is a file in .git, or one that git's settings include, a pipe or a device?"
            raise GitTooSlow(f"git {name} took more than {_PATIENCE_S:g} seconds; {waits}")
    finally:
        timer.cancel()
        programs.end(running)
        giving.join()
    line = next(iter(said.strip().splitlines()), "no reason given").removeprefix("fatal: ")
    raise GitFailed(f"git {name} failed: {line}")


def _give(stdin: IO[bytes], given: bytes) -> None:
    with suppress(OSError):
        stdin.write(given)
    with suppress(OSError):
        stdin.close()
