"""Shell completion: its script, and the engines, their profiles and modes, folders of the tree, and notes.

A completion that fails must print nothing, because the shell would insert the error into the command line. bash inserts
names unquoted and would run commands in them, so only names without special characters are offered.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from brvtui.faults import OK

MOST = 500
"""The maximum number of names that are offered; a longer list would not help."""
_HIDDEN = "."
_NOTE = ".md"
_PLAIN = re.compile(r"\w[\w./@%+=:,-]*")
"""A name that every shell reads as a single word."""


def engines(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
    """Returns the installed engines whose names begin with ``typed``."""
    from brvtui.engines import registry

    return _beginning(registry.names(), typed)


def profiles(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
    """Returns the built-in profiles of the engine named earlier on the command line, or else of all engines."""
    return _beginning(_of_engines(ctx, "profiles"), typed)


def modes(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
    """Returns the modes of the engine named earlier on the command line, or else of all engines."""
    return _beginning(_of_engines(ctx, "modes"), typed)


def events(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
    """Returns the events of the engine named earlier on the command line, or else of all engines with forecasts."""
    return _beginning(_of_engines(ctx, "event_kinds"), typed)


def scopes(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
    """Returns the folders of the tree whose paths begin with ``typed``."""
    return _beginning((path for path in _below_tree(ctx) if not path.endswith(_NOTE)), typed)


def notes(ctx: click.Context, param: click.Parameter, typed: str) -> list[str]:
    """Returns the notes whose paths or names begin with ``typed``."""
    paths = [path for path in _below_tree(ctx) if path.endswith(_NOTE)]
    return _beginning(paths, typed) or _beginning((path.rpartition("/")[2] for path in paths), typed)


def _of_engines(ctx: click.Context, attribute: str) -> Iterator[str]:
    from brvtui.engines import registry

    engine = ctx.params.get("engine")
    for name in [engine] if engine else registry.names():
        yield from getattr(registry.declaration(name), attribute, ())


def _below_tree(ctx: click.Context) -> Iterator[str]:
    """Yields the paths of folders and notes in a tree.

    This is the tree of the project named earlier on the command line, or else of the project around the current folder.
    Yields nothing if the tree is a symlink that points outside its project.
    """
    from brvtui.tree.reading.project import ProjectError, find_project

    project: Any = ctx.params.get("project")
    try:
        found = find_project(Path(project) if project else None)
    except ProjectError:
        return
    if found.link:
        return
    tree = found.tree
    waiting = [tree]
    while waiting:
        folder = waiting.pop()
        with suppress(OSError):
            for entry in sorted(folder.iterdir(), reverse=True):
                if entry.name.startswith((_HIDDEN, "_")) or entry.is_symlink():
                    continue
                if entry.is_dir():
                    waiting.append(entry)
                    yield entry.relative_to(tree).as_posix()
                elif entry.name.endswith(_NOTE):
                    yield entry.relative_to(tree).as_posix()


def _beginning(names: Iterable[str], typed: str) -> list[str]:
    """Returns the first :data:`MOST` of ``names`` that begin with ``typed`` and need no quoting in a shell."""
    offered = dict.fromkeys(name for name in names if name.startswith(typed) and _PLAIN.fullmatch(name))
    return sorted(offered)[:MOST]


_ASKED = re.compile(r"((?:bash_complete|zsh_complete|\(commandline -t\)) )(?:\$1|brv-tui)\)")
"""The call of the program in click's scripts, by a name that a project's ``./brv-tui`` may have too."""
_FISH_FILES = "__fish_complete_path $metadata[2];"
"""The file completion in click's script for fish. It calls ``ls``, which would read ``-rf.json`` as an option."""
_OWN_FILES = """for name in $metadata[2]*;
                test -d "$name"; and set name "$name/";
                string match -v -- '-*' $name;
            end;"""


@click.command(epilog='\b\nExample:\n  eval "$(brv-tui completion bash)"')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> int:
    """Print the completion script for SHELL."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(ctx.find_root().command, {}, "brv-tui", "_BRV_TUI_COMPLETE").source()
    script = script.replace(_FISH_FILES, _OWN_FILES).replace("(env ", "(/usr/bin/env ")  # never a project's ./env
    command = Path(sys.argv[0]).absolute()
    if command.name == "brv-tui" and command.is_file():
        script = _ASKED.sub(lambda found: f"{found[1]}{shlex.quote(str(command))})", script)
    click.echo(script)
    return OK
