"""Runs git on untrusted repositories: without network access or configured programs, and with limited output."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread, Timer
from typing import IO

from brvtui import faults, programs
from brvtui.tree.history.repository import GIT, ForeignRepository, own_repository

_PATIENCE_S = 60.0
_NEARLY = 0.95
"""The share of the time limit after which a failure is reported as too slow; the ``timeout`` program starts earlier."""
_MOST_MEMORY = 1 << 30
"""The limit on git's own memory in bytes, because a link in a repository may lead to an endless file."""
_SETTINGS = (
    "core.attributesFile=/dev/null", "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.warnAmbiguousRefs=true",
    "diff.orderFile=/dev/null", "i18n.logOutputEncoding=UTF-8", "log.follow=false", "log.mailmap=false",
    "log.showRoot=true", "log.showSignature=false", "mailmap.file=/dev/null", "protocol.allow=never",
    "safe.bareRepository=explicit", "submodule.recurse=false",
)  # fmt: skip
_NO_PROGRAMS = ("--no-ext-diff", "--no-textconv")
_COMMANDS: dict[str, tuple[str, ...]] = {
    "blame": ("--no-ignore-revs-file", "--no-textconv"), "diff": _NO_PROGRAMS, "log": _NO_PROGRAMS,
    **dict.fromkeys(("cat-file", "for-each-ref", "ls-files", "ls-tree", "rev-parse"), ()),
}  # fmt: skip
"""The allowed commands, with the options that keep each from running other programs. No command writes."""
_OWN = {
    "GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}  # fmt: skip
"""Variables that override all settings, so that no setting such as ``protocol.ext.allow`` can open a transport."""
_CONFIG = "GIT_CONFIG"
"""The prefix of the git variables that are passed on: the user's settings. Others could name another repository."""
_LONGEST_MESSAGE = 200


class RevisionError(ValueError):
    """Raised if a revision cannot be read. The message is one line: the revision, the reason and the remedy."""


class GitFailed(RevisionError):
    """Raised if a command failed, usually because the named object does not exist."""


class GitTooSlow(RevisionError):
    """Raised if a command was killed after a minute."""


class NoGit(RevisionError):
    """Raised if this machine has no git outside the project."""


def git(
    folder: Path, *arguments: str, most: int, given: bytes = b"", bare: bool = False, warnings: list[str] | None = None
) -> bytes:
    """Runs ``git`` in ``folder`` with the input ``given``, and returns its output, at most ``most`` bytes.

    ``bare`` permits a repository without a work tree; use it only for a repository that the user named. If git
    succeeds, its messages are added to ``warnings``, one per line, without the words ``warning:``. Only commands that
    read objects are allowed, because they run no filters, hooks or monitors. Raises :class:`RevisionError` if git is
    missing, fails, prints more, takes more than a minute, or would read a repository that is not the folder's own
    (:mod:`brvtui.tree.history.repository`), and KeyError for any other command.
    """
    name, *rest = arguments
    variables = [*programs.BASIC, *(variable for variable in os.environ if variable.startswith(_CONFIG))]
    try:
        repository = own_repository(folder, bare)
        if repository and os.pathsep in str(repository.parent) and own_repository(repository.parent, bare=True):
            why = "the path has a colon, so git may read a repository above it; rename the folder"
            raise ForeignRepository(f"{repository}: {why}")
    except ForeignRepository as error:
        raise RevisionError(str(error)) from error
    place = {"GIT_CEILING_DIRECTORIES": str(repository.parent)} if repository else {}
    if repository and os.path.lexists(repository / GIT):  # else core.worktree or core.bare could name another folder
        place["GIT_WORK_TREE"] = str(repository)
    environment = programs.environment(folder, keep=variables, more={**_OWN, **place})
    program = programs.find_program("git", environment)
    if program is None:
        raise NoGit("git is not installed outside the project, so no revision can be read; install it")
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
            output, message = _output(running, name, most, given)
    except OSError as error:
        raise RevisionError(f"git {name} ended early ({faults.reason(error)}); try again") from error
    if warnings is not None:
        warnings += (line.removeprefix("warning: ") for line in message.splitlines())
    return output


def _limit(environment: programs.Environment) -> tuple[str, ...]:
    """The words before a command that limit it to 1 GiB and one minute, even if this process is killed.

    Leaves out ``prlimit`` and ``timeout`` if they are not installed.
    """
    wanted = (("prlimit", f"--data={_MOST_MEMORY}"), ("timeout", "--signal=KILL", f"{_PATIENCE_S:g}"))
    found = ((programs.find_program(name, environment), options) for name, *options in wanted)
    return tuple(part for program, options in found if program is not None for part in (program, *options))


def _output(running: programs.Process, name: str, limit: int, input_data: bytes) -> tuple[bytes, str]:
    assert running.stdin is not None
    assert running.stdout is not None
    assert running.stderr is not None
    began = time.monotonic()
    timer = Timer(_PATIENCE_S, programs.end, (running,))
    giving = Thread(target=_give, args=(running.stdin, input_data), daemon=True)
    timer.start()
    giving.start()  # in parallel with reading, or each would wait for the other
    try:
        output = running.stdout.read(limit + 1)
        if len(output) > limit:
            raise RevisionError(f"git {name} prints more than {limit} bytes; is this the right repository?")
        message = running.stderr.read(_LONGEST_MESSAGE).decode("utf-8", "replace")
        if running.wait() == 0:
            return output, message
        if time.monotonic() - began > _PATIENCE_S * _NEARLY:
            waits = "is a file in .git, or one that git's settings include, a pipe or a device?"
            raise GitTooSlow(f"git {name} took more than {_PATIENCE_S:g} seconds; {waits}")
    finally:
        timer.cancel()
        programs.end(running)
        giving.join()
    line = next(iter(message.strip().splitlines()), "no reason given").removeprefix("fatal: ")
    raise GitFailed(f"git {name} failed: {line}")


def _give(stdin: IO[bytes], data: bytes) -> None:
    with suppress(OSError):
        stdin.write(data)
    with suppress(OSError):
        stdin.close()
