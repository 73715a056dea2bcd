"""Opening the app in this terminal."""

from __future__ import annotations

from pathlib import Path

import click

from brvtui.cli.checks import PROJECT_OR_REPO, check_engine, check_terminal, check_trace
from brvtui.cli.failure import BAD_USAGE, Failure
from brvtui.cli.options import engine_option, project_argument, shared, space_options


@click.command("open", epilog="\b\nExample:\n  brv-tui open sample-tree --profile docs")
@project_argument
@click.option("--repo", type=click.Path(path_type=Path), help="Open the code of this repository (extra code).")
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
def open_app(
    project: Path | None,
    repo: Path | None,
    corpus: str,
    space: str,
    root: Path | None,
    engine: str,
    profile: str | None,
    now: float | None,
    signals: Path | None,
) -> int:
    """Open the app on PROJECT, on a space, on the code of a repository, or on a saved trace (FILE.json)."""
    if repo is not None and project is not None:
        raise Failure(PROJECT_OR_REPO, BAD_USAGE)
    repository = repo or ((project or Path()) if corpus == "code" else None)
    if repository is not None and (space or root is not None):
        raise Failure("give either a space or the code of a repository", BAD_USAGE)
    of_code = corpus if corpus != "notes" else None
    check_trace(
        project, engine=engine, profile=profile, now=now, signals=signals, space=space, root=root, corpus=of_code
    )
    check_engine(engine, repository is not None)
    check_terminal(project)
    from brvtui.app import run
    from brvtui.app.project.opening import Opening

    return run(Opening(project, profile, now, signals, repository, space, root, engine=engine))
