"""The list of themes that ``brv-tui themes`` prints."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from brvtui.app.themes.choosing import ground_of
from brvtui.app.themes.deriving import LEAST, weak_roles
from brvtui.app.themes.library import OURS, read_library, user_folder
from brvtui.text.visible import visible


def listed() -> tuple[list[dict[str, Any]], list[str]]:
    """Returns every theme as plain data, ours first, and the problems of the user's files."""
    library = read_library()
    ordered = sorted(library.themes.values(), key=lambda theme: (theme.name not in OURS, theme.name))
    found = [
        {
            "name": theme.name,
            "ground": ground_of(theme),
            "file": str(library.files[theme.name]) if theme.name in library.files else None,
            "weak": weak_roles(theme),
        }
        for theme in ordered
    ]
    return found, [line for lines in library.problems.values() for line in lines]


def themes_report(found: list[dict[str, Any]]) -> RenderableType:
    """Returns the themes as a table: name, background, the user's file, roles that are hard to read; then the folder
    of the user's files."""
    table = Table.grid(padding=(0, 2))
    for theme in found:
        weak = ", ".join(f"{role} {ratio}" for role, ratio in theme["weak"].items())
        notes = Text(visible(theme["file"] or ""), "dim")
        if weak:
            blank = " " if notes.plain else ""
            notes.append(f"{blank}hard to read (contrast below {LEAST:g} to 1): {weak}", "yellow")
        table.add_row(Text(theme["name"], "bold"), theme["ground"], notes)
    return Group(table, Text(f"themes of your own: NAME.toml in {visible(str(user_folder()))}", "dim"))
