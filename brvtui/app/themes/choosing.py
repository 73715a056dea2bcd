"""The searchable list of themes; the highlighted theme is shown as a preview."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol, cast

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.theme import Theme
from textual.widgets import Input

from brvtui.app.styles import sheet
from brvtui.app.themes.library import OURS, Library


@dataclass(frozen=True, slots=True)
class UseTheme:
    """The command that chooses the theme ``name``; ``keep`` saves the choice."""

    name: str
    keep: Callable[[str], None]

    def __call__(self) -> None:
        """Chooses the theme."""
        self.keep(self.name)


class KeepsThemes(Protocol):
    """The part of the app that the list of themes uses."""

    @property
    def theme(self) -> str:
        """The name of the theme in use."""
        ...

    @property
    def available_themes(self) -> dict[str, Theme]:
        """Every theme by its name."""
        ...

    @property
    def library(self) -> Library:
        """The user's own themes."""
        ...

    def keep_theme(self, name: str) -> None:
        """Uses the theme ``name`` from now on."""


class ThemeProvider(Provider):
    """Offers every theme as a command, the one in use first."""

    def _commands(self) -> Iterator[tuple[UseTheme, str]]:
        app = cast("KeepsThemes", self.app)
        ordered = sorted(
            app.available_themes.values(), key=lambda theme: (theme.name != app.theme, _rank(theme), theme.name)
        )
        for theme in ordered:
            whose = "yours" if theme.name in app.library.files else "brv-tui's" if theme.name in OURS else "Textual's"
            yield UseTheme(theme.name, app.keep_theme), f"{ground_of(theme)}, {whose}"

    async def discover(self) -> Hits:
        """Yields all themes."""
        for place, (command, about) in enumerate(self._commands()):
            yield DiscoveryHit(command.name, command, text=f"{place:04}", help=about)

    async def search(self, query: str) -> Hits:
        """Yields the themes whose name or description matches ``query``."""
        matcher = self.matcher(query)
        for command, about in self._commands():
            score = max(matcher.match(command.name), matcher.match(about) / 2)
            if score > 0:
                yield Hit(score, matcher.highlight(command.name), command, text=command.name, help=about)


def _rank(theme: Theme) -> int:
    return OURS.index(theme.name) if theme.name in OURS else len(OURS)


def ground_of(theme: Theme) -> str:
    """Returns what the theme is made for: a dark or light screen, and whether in the terminal's own colours."""
    ground = "dark" if theme.dark else "light"
    return f"{ground}, terminal colours" if theme.ansi else ground


class ThemePalette(CommandPalette):
    """The list of themes over the screen, which is not dimmed because it is the preview."""

    CSS_PATH = sheet("modal")

    def __init__(self) -> None:
        """A list of every theme."""
        super().__init__(providers=[ThemeProvider], placeholder="Theme: enter keeps it, esc goes back")

    def on_mount(self) -> None:
        """Stops the cursor from blinking, which would write to the terminal without end."""
        self.query_one(Input).cursor_blink = False
