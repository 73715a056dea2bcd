"""The app: one project on one screen, and what all screens share."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.notifications import SeverityLevel
from textual.screen import Screen

from brvtui.app.glyphs import for_terminal
from brvtui.app.screens.query import QueryScreen
from brvtui.app.themes import DARK, DEFAULTS, THEMES, Palette
from brvtui.app.view import Phase
from brvtui.app.widgets.lines import Lines
from brvtui.text.visible import visible

NO_PROJECT = 3
"""The exit code when no project could be opened."""
_REMOTE = ("SSH_CONNECTION", "SSH_TTY", "TMUX", "STY")


@dataclass(frozen=True, slots=True)
class Opening:
    """What to open, as the command line said it."""

    start: Path | None = None
    profile: str | None = None
    now_ms: float | None = None
    signals_file: Path | None = None


class BrvTui(App[None]):
    """Shows why a query of a context tree got its answer."""

    TITLE = "brv-tui"
    CSS_PATH: ClassVar[list[str | PurePath]] = ["styles/base.tcss", "styles/query.tcss", "styles/modal.tcss"]
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "quit", id="app.quit", show=False, priority=True, tooltip="Quit, from anywhere"),
        Binding("q", "quit", "quit", id="app.quit_letter", show=False, tooltip="Quit"),
        Binding("t", "next_theme", "theme", id="app.theme", show=False, tooltip="The next colour theme"),
        Binding("s", "screenshot", "screenshot", id="app.screenshot", show=False, tooltip="Save the screen as SVG"),
    ]

    def __init__(self, opening: Opening) -> None:
        """An app that will open what ``opening`` says."""
        super().__init__()
        self.opening = opening
        self.glyphs = for_terminal()
        self.palette = Palette(DEFAULTS)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name
        if any(os.environ.get(name) for name in _REMOTE):
            self.animation_level = "none"
        self.set_class(not self.glyphs.unicode, "-letters")

    def get_default_screen(self) -> Screen[None]:
        """The Query screen."""
        return QueryScreen(self.opening)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Colours of roles for themes that do not set them."""
        return DEFAULTS

    def on_mount(self) -> None:
        """Follows changes of theme."""
        self.palette = Palette(self.theme_variables)
        self.theme_changed_signal.subscribe(self, self._recolour)

    def _recolour(self, _: object) -> None:
        self.palette = Palette(self.theme_variables)
        for screen in self.screen_stack:
            for widget in screen.query(Lines).results(Lines):
                widget.restyle()

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """A toast; what it quotes is text, never markup nor escapes."""
        super().notify(visible(message), title=title, severity=severity, timeout=timeout, markup=markup)

    def action_help_quit(self) -> None:
        """Ctrl+C copies in most terminals, so it does not end the app."""
        self.notify("press ctrl+q to quit", timeout=3)

    async def action_quit(self) -> None:
        """Ends the app: with the code for a missing project when there was none to open."""
        screen = self.screen_stack[0]
        failed = isinstance(screen, QueryScreen) and screen.view.phase is Phase.FAILED
        self.exit(return_code=NO_PROJECT if failed else 0)

    def action_next_theme(self) -> None:
        """The next of our own themes."""
        names = [theme.name for theme in THEMES]
        place = names.index(self.theme) if self.theme in names else -1
        self.theme = names[(place + 1) % len(names)]
        self.notify(f"theme {self.theme}", timeout=2, markup=False)

    def action_screenshot(self, filename: str | None = None, path: str | None = None) -> None:
        """Saves the screen as SVG and says where."""
        folder = path or str(Path.cwd())
        try:
            saved = self.save_screenshot(filename, folder)
        except OSError as error:
            self.notify(f"no screenshot: {error.strerror or error}", severity="error", markup=False)
        else:
            self.notify(f"saved {saved}", timeout=8, markup=False)
