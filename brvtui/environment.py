"""The environment of processes, without programs that are inside a project."""

from __future__ import annotations

import os
import pwd
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NewType

Variables = Mapping[str, str] | None
Environment = NewType("Environment", dict[str, str])
"""The environment of a child process. Only :func:`environment` creates one, so all of its variables are checked."""
BASIC = ("HOME", "LANG", "LOGNAME", "TMPDIR", "USER", "XDG_CONFIG_HOME")
"""The variables that every program may receive, in addition to PATH."""
_PYTHON = "PYTHON"
_MARKS = (".brv", ".git")


def environment(
    *projects: Path, keep: Collection[str] | None = None, of: Variables = None, more: Variables = None
) -> Environment:
    """Returns the environment for a child process: the variables in ``of`` that are named in ``keep``, and ``more``.

    ``of`` is by default the environment of this process. If ``keep`` is None, all variables except Python's are kept.
    PATH entries are removed if they are relative, or inside the working folder or one of ``projects``. PATH is never
    empty, because an empty PATH means the working folder.
    """
    own = os.environ if of is None else of
    variables = {name: value for name, value in own.items() if (keep is None or name in keep) and name[:6] != _PYTHON}
    places = own.get("PATH", os.defpath).split(os.pathsep)
    roots = [root for folder in (Path(), *projects) if (root := _root(folder)) is not None]
    path = [
        place for place in places if Path(place).is_absolute() and not any(is_inside(place, root) for root in roots)
    ]
    return Environment(
        {**variables, "PATH": os.pathsep.join(path) or os.devnull, "PYTHONSAFEPATH": "1", **(more or {})}
    )


def is_inside(place: str | Path, folder: Path) -> bool:
    """True if ``place``, or a link on the path to it, is ``folder`` or is inside it."""
    root, path = os.path.realpath(folder).rstrip("/") + "/", Path(place)
    return any(f"{os.path.realpath(each)}/".startswith(root) for each in (path, *path.parents))


def _root(folder: Path) -> Path | None:
    """Returns the outermost project that contains ``folder``, or ``folder`` itself if there is none.

    Returns None for the user's home and folders above it. Programs in a home folder are the user's own, even if the
    home folder itself is a git repository.
    """
    outermost = home = None
    with suppress(KeyError):  # the system does not know the user, as in some containers
        home = Path(os.path.realpath(pwd.getpwuid(os.getuid()).pw_dir))
    with suppress(OSError):  # the working folder was removed
        own = Path(os.path.realpath(folder))
        for each in (own, *own.parents):
            if home is not None and home.is_relative_to(each):
                break
            if outermost is None or any((each / mark).exists() for mark in _MARKS):
                outermost = each
    return outermost
