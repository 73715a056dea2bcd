"""Commands about settings (``docs/configuration.md``)."""

from __future__ import annotations

import tomllib
from pathlib import Path

import click

from brvtui.cli.common import (
    BAD_USAGE,
    NOT_THERE,
    OK,
    Failure,
    answer_format,
    console_here,
    project_option,
    write_json,
)
from brvtui.text.visible import visible


@click.command(
    epilog="""
\b
Examples:
  brv-tui config
  brv-tui config --project sample-tree --format json
  brv-tui config --print > defaults.toml
"""
)
@project_option
@click.option("--print", "defaults", is_flag=True, help="Print a settings file that holds every default instead.")
@answer_format
def config(project: Path | None, defaults: bool, form: str) -> int:
    """Show the merged settings and where each comes from.

    Exit code 2 when something in them cannot be used.
    """
    from brvtui.config.layers import configure
    from brvtui.config.printing import as_plain, default_file

    if defaults:
        if form == "json":
            write_json([tomllib.loads(default_file())])
        else:
            click.echo(default_file(), nl=False)
        return OK
    merged = configure(_root(project))
    if form == "json":
        write_json([as_plain(merged)])
    else:
        from brvtui.report.settings import settings_report

        console_here().print(settings_report(merged))
    for problem in merged.problems:
        click.echo(f"brv-tui: {visible(problem.message)}", err=True)
    return BAD_USAGE if merged.problems else OK


@click.command(
    epilog="""
\b
Examples:
  brv-tui themes
  brv-tui themes --format json
"""
)
@answer_format
def themes(form: str) -> int:
    """List the colour themes, and what is wrong with theme files of your own.

    Exit code 2 when one of them cannot be used.
    """
    from brvtui.app.themes.listing import listed, themes_report

    found, problems = listed()
    if form == "json":
        write_json([{"themes": found, "problems": problems}])
    else:
        console_here().print(themes_report(found))
    for problem in problems:
        click.echo(f"brv-tui: {visible(problem)}", err=True)
    return BAD_USAGE if problems else OK


def _root(project: Path | None) -> Path | None:
    """The root of the project that is named, or that is here; None when there is none here."""
    from brvtui.tree.project import ProjectError, find_project

    try:
        return find_project(project).root
    except ProjectError as error:
        if project is None:
            return None
        raise Failure(str(error), NOT_THERE) from error
