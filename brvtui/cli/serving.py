"""The app in a browser."""

from __future__ import annotations

import errno
import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from brvtui import faults, programs
from brvtui.cli.failure import (
    BAD_USAGE,
    FAILED,
    NO_PROJECT,
    NOT_THERE,
    OK,
    PROJECT_OR_REPO,
    Failure,
    check_engine,
    check_terminal,
    check_trace,
    is_there,
)
from brvtui.cli.options import NamedPath, WholeNumber, engine_option, project_argument, shared, space_options
from brvtui.cli.sessions import ProjectRequest, project_request
from brvtui.text.visible import visible

# Opening the app in this terminal.


@click.command("open", epilog="\b\nExample:\n  brv-tui open sample-tree --profile docs")
@project_argument
@click.option("--repo", type=NamedPath(), help="Open the code of this repository (needs the code extra).")
@click.option(
    "--corpus",
    type=click.Choice(["notes", "code"]),
    default="notes",
    show_default=True,
    help="code opens the code of PROJECT, or of this folder.",
)
@space_options
@engine_option
@shared
@project_request
def open_app(request: ProjectRequest, corpus: str) -> int:
    """Open the app on PROJECT, on a space, on the code of a repository, or on a saved trace (FILE.json)."""
    if request.repo is not None and request.project is not None:
        raise Failure(PROJECT_OR_REPO, BAD_USAGE)
    repository = request.repo or ((request.project or Path()) if corpus == "code" else None)
    if repository is not None and (request.space or request.root is not None):
        raise Failure("choose either a space or the code of a repository", BAD_USAGE)
    of_code = corpus if corpus != "notes" else None
    _check_trace(request, of_code)
    check_engine(request.engine, repository)
    check_terminal(request.project)
    from brvtui.app import run
    from brvtui.app.project.opening import Opening

    project, engine, space = request.project, request.engine, request.space
    return run(
        Opening(project, request.profile, request.now, request.signals, repository, space, request.root, engine=engine)
    )


_LAST_OF_SYSTEM = 1023
"""The last port number that systems reserve for privileged services."""


@click.command(
    epilog="""
\b
Examples:
  brv-tui serve sample-tree
  brv-tui serve --repo ../shop
  brv-tui serve --port 0
  ssh -L 8000:127.0.0.1:8000 HOST brv-tui serve PROJECT
"""
)
@project_argument
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=WholeNumber(0, 65535), default=8000, show_default=True, help="The port (0: any free port)."
)
@click.option("--repo", type=NamedPath(), help="Show the code of this repository (needs the code extra).")
@engine_option
@shared
@project_request
@click.pass_context
def serve(ctx: click.Context, request: ProjectRequest, host: str, port: int) -> int:
    """Serve the app for PROJECT, a saved trace or a repository to a browser, at the printed address.

    Needs the "web" extra.

    The address contains a token: anyone who has it can use the app as you.
    """
    try:
        from brvtui.web.server import AppServer, is_loopback, listen
    except ImportError as error:
        from brvtui.installation import install_command

        raise Failure(
            f"serve needs the web extra ({error.name} is missing): {install_command('web')}", FAILED
        ) from error
    project, repo = request.project, request.repo
    if repo is not None and project is not None:
        raise Failure(PROJECT_OR_REPO, BAD_USAGE)
    _check_trace(request)
    check_engine(request.engine, repo)
    if project is not None and not is_there(project):
        raise Failure(f"{project}: {NO_PROJECT}", NOT_THERE)
    name = visible(_name_of(project, repo))
    _check_opening(request)
    try:
        listening = listen(host, port)
    except (OSError, UnicodeError) as error:
        is_taken = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        raise Failure(_cannot_listen(host, port, error), FAILED if is_taken else BAD_USAGE) from error
    command = programs.python("brvtui", "open", *_passed_on(ctx), utf8=True)  # every browser shows all signs
    server = AppServer(command, listening, host, f"brv-tui · {name}")
    if not is_loopback(host):
        click.echo(
            f"warning: other machines can reach this address (with this machine's name in place of {host}), and "
            "nothing is encrypted: anyone who can read the network traffic can use the app as you; a tunnel is "
            "safer (ssh -L)",
            err=True,
        )
    click.echo(f"{name} is at {server.url} (Ctrl+C stops it)")
    sys.stdout.flush()
    server.serve()
    return OK


def _passed_on(ctx: click.Context) -> list[str]:
    """The arguments that make another process open the project in the same way."""
    values = ctx.params
    arguments = ["--engine", values["engine"]] if values["engine"] else []
    if values["profile"]:
        arguments += ["--profile", values["profile"]]
    if values["now"] is not None:
        arguments += ["--now", datetime.fromtimestamp(values["now"] / 1000, UTC).isoformat()]
    if values["signals"]:
        arguments += ["--signals", str(values["signals"])]
    if values["repo"] is not None:
        arguments += ["--repo", str(values["repo"])]
    from brvtui.tree.reading.project import NotesFolder

    if isinstance(values["project"], NotesFolder):
        return [*arguments, "--tree", str(values["project"])]
    return [*arguments, "--", str(values["project"])] if values["project"] else arguments


def _cannot_listen(host: str, port: int, error: OSError | UnicodeError) -> str:
    """An error message that says why the server cannot listen on ``host`` and ``port``, and what to use instead."""
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.EADDRINUSE:
        return f"port {port} on {host} is in use: stop the program using it, or choose another with --port (0: any)"
    if number == errno.EACCES:
        return f"you lack permission for port {port}: choose one above {_LAST_OF_SYSTEM} with --port (0: any free port)"
    is_unknown = number is None or number < 0  # the resolver uses its own error numbers, even inside an OSError
    if number == errno.EADDRNOTAVAIL or is_unknown:
        return f"{host} is not an address of this machine: leave out --host, or give one that is, such as 127.0.0.1"
    return f"cannot listen on {host}, port {port} ({faults.reason(error)}): choose others with --host and --port"


def _check_trace(request: ProjectRequest, corpus: str | None = None) -> None:
    """Checks the options of ``request`` with :func:`check_trace`, and raises its exceptions."""
    names = ("engine", "profile", "now", "signals", "space", "root")
    check_trace(request.project, **{name: getattr(request, name) for name in names}, corpus=corpus)


def _check_opening(request: ProjectRequest) -> None:
    """Raises an error that has an exit code if every page would fail because of the profile or the signals file."""
    from brvtui.saved import is_saved
    from brvtui.saved.traces import read
    from brvtui.session import Session
    from brvtui.tree.reading.signals import defaults, read_signals_file

    project, engine, profile, signals = request.project, request.engine, request.profile, request.signals
    if project is not None and is_saved(project):
        read(project)
        return
    session = Session.open(
        project, profile, request.now, signals, tolerant=True, engine=engine, repository=request.repo
    )
    try:
        if signals is not None:
            read_signals_file(signals, defaults(session.profile.signals))
        if engine and profile:
            session.engines.use_profile(engine, profile)
    finally:
        session.close()


def _name_of(project: Path | None, repo: Path | None) -> str:
    from brvtui.saved import is_saved
    from brvtui.tree.spaces.project import find_any_project

    if project is not None and is_saved(project):
        return project.name
    if repo is not None:
        from brvtui.publishing.repository import find_repository

        return find_repository(repo).name
    return find_any_project(project).name
