#!/usr/bin/env python3
"""Writes the generated parts of cli.md, keys.md and settings.md in docs/reference/ from the code.

    python tools/make_tables.py [--check]

With --check, nothing is written, and the exit code is 1 if a page does not match the code.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click

from brvtui.app.actions.registry import PLACES
from brvtui.app.keys.bindings import key_name, split
from brvtui.cli.program import cli
from brvtui.config.schema import ValueKind, entries, value_text

PAGES = Path(__file__).resolve().parent.parent / "docs" / "reference"


def settings() -> str:
    """Every setting."""
    rows = []
    for entry in entries().values():
        default = (
            ""
            if entry.kind is ValueKind.KEYS
            else f"`{value_text(entry.name, entry.default)}`"
            if entry.default != ""
            else "empty"
        )
        mark = " \\*" if entry.personal else ""
        variable = f"`{entry.variable}`" if entry.variable else ""
        rows.append((f"`{entry.name}`{mark}", entry.summary, entry.allowed, default, variable))
    return table(("setting", "what it is for", "values", "default", "variable"), rows)


def keys() -> str:
    """All keys, in a table for each place."""
    parts = []
    for place in PLACES:
        rows = [
            (" ".join(f"`{key_name(key)}`" for key in split(action.keys)), action.description, f"`{action.name}`")
            for action in place.actions
        ]
        parts.append(f"### {place.heading}\n\n{table(('keys', 'what they do', 'name'), rows)}")
    return "\n\n".join(parts)


_WIDTH = 110


def commands() -> str:
    """Every command with its options, from its help."""
    with click.Context(cli, info_name="brv-tui", terminal_width=_WIDTH, max_content_width=_WIDTH) as context:
        return "\n\n".join(_sections(cli, context))


def _sections(group: click.Group, context: click.Context) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        with click.Context(command, info_name=name, parent=context) as inner:
            yield "\n\n".join(_section(command, inner))
            if isinstance(command, click.Group):
                yield from _sections(command, inner)


def _section(command: click.Command, context: click.Context) -> Iterator[str]:
    path = context.command_path.removeprefix("brv-tui ")
    yield f"### {path}"
    yield _fenced(command.get_usage(context).removeprefix("Usage: "), "text")
    for paragraph in inspect.cleandoc(command.help or "").replace("``", "`").split("\n\n"):
        yield _preformatted(paragraph) if paragraph.startswith("\b") else _escaped(" ".join(paragraph.split()))
    records = [parameter.get_help_record(context) for parameter in command.params]
    rows = [(f"`{_escaped(name)}`", _escaped(" ".join(text.split()))) for name, text in filter(None, records) if text]
    if rows:
        yield table(("option", "what it does"), rows)
    if command.epilog:
        yield _preformatted(command.epilog)


def _preformatted(text: str) -> str:
    """Lines that the help does not wrap: a title, if there is one, and a block of examples."""
    lines = [line for line in inspect.cleandoc(text.replace("\b", "")).splitlines() if line.strip()]
    title = "" if lines[0].startswith(" ") or len(lines) == 1 else f"{lines.pop(0)}\n\n"
    return title + _fenced(inspect.cleandoc("\n".join(["", *lines])))


def _fenced(text: str, language: str = "sh") -> str:
    return f"```{language}\n{text}\n```"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<=", " ≤ ")


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A markdown table."""
    columns = list(head)
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cell or ' ' for cell in line)} |" for line in lines)


TABLES: dict[str, dict[str, Callable[[], str]]] = {
    "cli.md": {"commands": commands},
    "settings.md": {"settings": settings},
    "keys.md": {"keys": keys},
}
"""The functions that make the tables, by page and by the name in the page's markers."""


def fresh(page: str, text: str) -> str:
    """``text`` of ``page`` with up-to-date tables. Raises ValueError if a marker is missing."""
    for name, make in TABLES[page].items():
        first, last = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        if first not in text or last not in text:
            raise ValueError(f"{page} has no marks for the table {name}")
        before, _, rest = text.partition(first)
        text = f"{before}{first}{make()}\n{last}{rest.partition(last)[2]}"
    return text


def main() -> int:
    """Writes the pages, or checks them."""
    stale = []
    for page in TABLES:
        file = PAGES / page
        text = file.read_text(encoding="utf-8")
        made = fresh(page, text)
        if made != text:
            stale.append(page)
            if "--check" not in sys.argv[1:]:
                file.write_text(made, encoding="utf-8")
    for page in stale:
        print(f"docs/reference/{page}: {'not what the code says' if '--check' in sys.argv[1:] else 'written'}")
    return int(bool(stale) and "--check" in sys.argv[1:])


if __name__ == "__main__":
    raise SystemExit(main())
