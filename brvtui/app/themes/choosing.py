"""The searchable list of themes, with a preview of the highlighted one."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.theme import Theme
from textual.widgets import Input

from brvtui.app.styles import sheet
from brvtui.app.themes.deriving import LEAST, weak_roles
from brvtui.app.themes.library import OURS, read_library, user_folder
from brvtui.text.visible import visible

_PRINTABLE = "[^\0-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]*"
"""The text that the search field accepts: no control, formatting or surrogate characters."""


@dataclass(frozen=True, slots=True)
class UseTheme:
    """A command that selects the theme ``name``; ``keep`` saves the choice."""

    name: str
    keep: Callable[[str], None]

    def __call__(self) -> None:
        """Selects the theme."""
        self.keep(self.name)


def theme_commands(
    themes: Iterable[Theme], current: str, user_themes: Container[str], keep: Callable[[str], None]
) -> list[tuple[UseTheme, str]]:
    """Returns a command and a description for each theme: the ``current`` theme first, then our own, then others."""
    ordered = sorted(themes, key=lambda theme: (theme.name != current, _rank(theme), theme.name))
    commands: list[tuple[UseTheme, str]] = []
    for theme in ordered:
        whose = "yours" if theme.name in user_themes else "brv-tui's" if theme.name in OURS else "Textual's"
        commands.append((UseTheme(theme.name, keep), f"{ground_of(theme)}, {whose}"))
    return commands


class ThemeProvider(Provider):
    """Provides the theme commands in the command palette; searches also match their descriptions."""

    @property
    def _commands(self) -> Sequence[tuple[UseTheme, str]]:
        palette = self.app.screen
        return palette.commands if isinstance(palette, ThemePalette) else ()

    async def discover(self) -> Hits:
        """Yields all themes."""
        for place, (command, about) in enumerate(self._commands):
            yield DiscoveryHit(command.name, command, text=f"{place:04}", help=about)

    async def search(self, query: str) -> Hits:
        """Yields the themes whose name or description matches ``query``."""
        matcher = self.matcher(query)
        for command, about in self._commands:
            score = max(matcher.match(command.name), matcher.match(about) / 2)
            if score > 0:
                yield Hit(score, matcher.highlight(command.name), command, text=command.name, help=about)


def _rank(theme: Theme) -> int:
    return OURS.index(theme.name) if theme.name in OURS else len(OURS)


def ground_of(theme: Theme) -> str:
    """Describes the theme's background: dark or light, and whether it uses the terminal's own colours."""
    ground = "dark" if theme.dark else "light"
    return f"{ground}, terminal colours" if theme.ansi else ground


class ThemePalette(CommandPalette):
    """The list of themes, shown over the screen. The screen is not dimmed, since it previews the highlighted theme."""

    CSS_PATH = sheet("modal")

    def __init__(self, commands: Sequence[tuple[UseTheme, str]]) -> None:
        """Creates a list of ``commands`` with their descriptions."""
        super().__init__(providers=[ThemeProvider], placeholder="Theme: Enter keeps it, Esc goes back")
        self.commands = commands

    def on_mount(self) -> None:
        """Turns off the cursor's blinking, which would write to the terminal all the time, and rejects escapes."""
        self.query_one(Input).cursor_blink = False
        self.query_one(Input).restrict = _PRINTABLE


# The list of themes that ``brv-tui themes`` prints.


def listed() -> tuple[list[dict[str, Any]], list[str]]:
    """Returns all themes as plain data, our own first, and the problems of the user's theme files."""
    library = read_library()
    ordered = sorted(library.themes.values(), key=lambda theme: (theme.name not in OURS, theme.name))
    themes = [
        {
            "name": theme.name,
            "ground": ground_of(theme),
            "file": str(library.files[theme.name]) if theme.name in library.files else None,
            "weak": weak_roles(theme),
        }
        for theme in ordered
    ]
    return themes, [line for lines in library.problems.values() for line in lines]


def themes_report(found: list[dict[str, Any]]) -> RenderableType:
    """Returns the themes as a table: name, background, the user's file, and roles that are hard to read."""
    table = Table.grid(padding=(0, 2))
    for theme in found:
        weak = ", ".join(f"{role} {ratio}" for role, ratio in theme["weak"].items())
        notes = Text(visible(theme["file"] or ""), "dim")
        if weak:
            blank = " " if notes.plain else ""
            notes.append(f"{blank}hard to read (contrast below {LEAST:g} to 1): {weak}", "yellow")
        table.add_row(Text(theme["name"], "bold"), theme["ground"], notes)
    return Group(table, Text(f"themes of your own: NAME.toml in {visible(str(user_folder()))}", "dim"))
