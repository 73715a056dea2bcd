"""Commands for settings, themes and keys (``docs/reference/settings.md``)."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Container, Mapping
from pathlib import Path

import click
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from brvtui.cli.failure import BAD_USAGE, OK
from brvtui.cli.options import answer_format, project_option
from brvtui.cli.output import print_report, say, write_json
from brvtui.config import Configuration
from brvtui.config.schema import Entry, Layer, SettingSource, ValueKind, entries, value_text
from brvtui.text.visible import visible
from brvtui.wording import first_lines, shortened

_LONGEST = 1_000
"""The maximum number of characters of a name, a value or a place."""
# The merged settings as text, each with its value and source.


def settings_report(
    configuration: Configuration, remarks: Mapping[str, str], left_out: Mapping[str, SettingSource]
) -> RenderableType:
    """A table of all settings: the value, its source, a remark, and the source of a value that was ignored.

    ``remarks`` and ``left_out`` are keyed by the setting's name; ``left_out`` contains the sources of ignored values.
    """
    table = Table.grid(padding=(0, 2))
    table.add_row(Text("setting", "dim"), Text("value", "dim"), Text("from", "dim"))
    for entry in entries().values():
        for name, value in _values(configuration, entry, remarks):
            source = configuration.source(name)
            place = _from(source)
            if remark := remarks.get(name):
                place.append(f": {remark}", "yellow")
            if name in left_out:
                place.append(f"; ignored: {_from(left_out[name])}", "yellow")
            written = f'keys."{name.removeprefix("keys.")}"' if name.startswith("keys.") else name
            table.add_row(_plain(written, "" if source.layer is Layer.DEFAULT else "bold"), _plain(value), place)
    files = Table.grid(padding=(0, 2))
    files.add_row(Text("user", "dim"), _plain(str(configuration.user_file)))
    if configuration.project_file is not None:
        files.add_row(Text("project", "dim"), _plain(str(configuration.project_file)))
    return Group(table, Text(), files)


def _values(configuration: Configuration, entry: Entry, listed: Container[str]) -> list[tuple[str, str]]:
    """The name and value of ``entry``; for the table of keys, the names and values of the bindings in ``listed``."""
    value = configuration.value(entry)
    if entry.kind is ValueKind.KEYS and isinstance(value, Mapping) and value:
        return [(name, keys) for binding, keys in value.items() if (name := f"keys.{binding}") in listed]
    return [(entry.name, value_text(entry.name, value))]


def _from(source: SettingSource) -> Text:
    if source.layer is Layer.DEFAULT:
        return Text("default", "dim")
    if source.layer in (Layer.USER, Layer.PROJECT):
        return Text(f"{source.layer.value}'s file", "green")
    return _plain(source.place, "green")


def _plain(text: str, style: str = "") -> Text:
    """``text`` without markup and escapes, and cut if it is very long, since all rows are padded to its length."""
    return Text(visible(shortened(text, _LONGEST)), style=style)


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
@click.option("--print", "defaults", is_flag=True, help="Print a settings file with every default instead.")
@answer_format
def config(project: Path | None, defaults: bool, form: str) -> int:
    """Show the merged settings and where each comes from.

    Change them in the app (its Settings screen), or in the files named in the last lines. The exit code is 2 if a
    setting cannot be used.
    """
    from brvtui.app.settings.setting_rows import setting_rows
    from brvtui.app.themes.library import read_library
    from brvtui.config.writing import as_plain, default_file
    from brvtui.session.project_choice import unusable_engine

    if defaults:
        if form == "json":
            write_json([tomllib.loads(default_file())])
        else:
            click.echo(default_file(), nl=False)
        return OK
    merged = _merged(project)
    closing = unusable_engine(project, merged) if merged.root is not None else None
    rows = setting_rows(merged, read_library(), closing)
    problems = [why for row in rows for why in row.problem.splitlines()]
    if form == "json":
        write_json([{**as_plain(merged), "problems": problems}])
    else:
        remarks = {row.name: "cannot be used" if row.problem else row.remark for row in rows if not row.left_out}
        left_out = {row.name: row.left_out for row in rows if row.left_out}
        print_report(lambda _: settings_report(merged, remarks, left_out))
    return _print_problems(problems)


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
    """List the colour themes, and any errors in your own theme files.

    Your theme files are NAME.toml in the folder themes beside your settings file; the last line names that folder.

    The exit code is 2 if a theme file cannot be used.
    """
    from brvtui.app.themes.choosing import listed, themes_report

    found, problems = listed()
    if form == "json":
        write_json([{"themes": found, "problems": problems}])
    else:
        print_report(lambda _: themes_report(found))
    return _print_problems(first_lines(problems, "problem"))


@click.command(
    epilog="""
\b
Examples:
  brv-tui keys
  brv-tui keys --toml > keys.toml
  brv-tui keys --format json
"""
)
@project_option
@click.option("--toml", "as_toml", is_flag=True, help="Print a [keys] table with every default instead.")
@answer_format
def keys(project: Path | None, as_toml: bool, form: str) -> int:
    """List the app's keys, and the names by which [keys] in a settings file changes them.

    The exit code is 2 if an entry in that table cannot be used.
    """
    from brvtui.app.keys.checking import check_keys
    from brvtui.app.keys.listing import default_table, keys_report, listed

    if as_toml:
        click.echo(default_table(), nl=False)
        return OK
    merged = _merged(project)
    checked = check_keys(merged.settings.keys)
    found = listed(checked.usable)
    problems = [
        problem_text for each, problem_text in merged.left_out() if each.name.partition(".")[0] in ("keys", "")
    ]  # "": a file
    problems += [f"{problem}; ignored" for problem in checked.problems.values()]
    if form == "json":
        write_json([{"keys": found, "problems": problems}])
    else:
        print_report(lambda _: keys_report(found))
    return _print_problems(problems)


def _print_problems(problems: Collection[str]) -> int:
    """Prints ``problems`` to standard error, and returns the exit code."""
    for problem in problems:
        say(f"brv-tui: {visible(problem)}", err=True)
    return BAD_USAGE if problems else OK


def _merged(project: Path | None) -> Configuration:
    """The merged settings of the given project, of the project around the current folder, or else of the user."""
    from brvtui.config.layers import configure
    from brvtui.session.project_choice import settings_of_space
    from brvtui.tree.reading.project import ProjectError
    from brvtui.tree.spaces.project import find_any_project

    try:
        project_here = find_any_project(project)
    except ProjectError:
        if project is None:
            return configure()
        raise
    return settings_of_space(project_here, {}, {}) if project_here.kind.engine else configure(project_here.root)
