"""The app with colours: registers all themes, follows the user's theme files, and previews themes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import App
from textual.command import Command, CommandPalette
from textual.css.stylesheet import Stylesheet
from textual.theme import Theme
from textual.widgets._toast import ToastRack

from brvtui.app.ending import finished_in_time
from brvtui.app.services import AppServices
from brvtui.app.themes.library import DEFAULT, OURS, Library, our_theme, read_library, user_folder
from brvtui.app.themes.palette import PREFIX, ROLES, Palette, own_roles
from brvtui.app.widgets.lines import restyle
from brvtui.text.visible import visible

if TYPE_CHECKING:
    from brvtui.tree.watching.watch import Watcher

_PROBLEM_S = 12
_THEMES = "themes"


@dataclass(slots=True)
class _Painted:
    theme: Theme
    colours: dict[str, str]
    palette: Palette | None = None


class ThemeStylesheet(Stylesheet):
    """A stylesheet that, unlike Textual's, parses its sources again only if the theme's variables have changed."""

    def set_variables(self, variables: dict[str, str]) -> None:
        """Sets ``variables``, and drops the parsed sources if they have changed."""
        if variables != self._variables:
            super().set_variables(variables)

    def reparse(self) -> None:
        """Parses the sources that have not been parsed with these variables."""
        self.parse()


class ThemedApp(AppServices):
    """The app with its themes and the colour of every role in the current theme."""

    _painted: _Painted | None = None
    _variables: tuple[Theme, dict[str, str]] | None = None
    """The theme whose variables were computed last, and these variables."""
    _has_themes = False

    def __init__(self) -> None:
        """Creates an app in the default theme; all others are read after the first paint."""
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.stylesheet = ThemeStylesheet()
        self._has_themes = True
        self.register_theme(our_theme(DEFAULT))
        self.library = Library(dict(self.available_themes), {}, {})
        """All themes, including the user's own as last read."""
        self.theme = DEFAULT
        self._before = ""
        """The theme before a list of themes was opened; empty if none is open."""
        self._wanted = ("", "")
        self._shown_faults: set[str] = set()
        """The setting faults that have been shown."""
        self._fault = ""
        """The first fault in the last message."""
        self._faults = 0
        """The number of faults in the last message."""
        self._theme_watcher: Watcher | None = None

    @property
    def palette(self) -> Palette:
        """The styles of roles in the current theme."""
        painted = self._now_painted()
        if painted.palette is None:
            painted.palette = Palette(painted.colours, plain=self.native_ansi_color)
        return painted.palette

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Returns the colours of roles that the theme does not set itself."""
        return {f"{PREFIX}{role}": colour for role, colour in self._now_painted().colours.items()}

    def get_css_variables(self) -> dict[str, str]:
        """Returns the variables of the current theme; empty before one of the app's own themes is registered."""
        if not self._has_themes:
            return {}
        theme = self.current_theme
        if self._variables is None or self._variables[0] is not theme:
            self._variables = theme, super().get_css_variables()
        return self._variables[1]

    def _now_painted(self) -> _Painted:
        theme = self.current_theme
        if self._painted is None or self._painted.theme is not theme:
            self._painted = _Painted(theme, _roles(theme))
        return self._painted

    def on_mount(self) -> None:
        """Subscribes to changes of the theme."""
        self.theme_changed_signal.subscribe(self, self._recolour)

    def on_ready(self) -> None:
        """Starts to read the user's themes, after the first paint."""
        self._colour_page()
        read = partial(self.background.run, self._watch_themes, self._themes_read, group=_THEMES)
        self.screen.call_after_refresh(read)

    async def on_unmount(self) -> None:
        """Stops watching theme files."""
        if self._theme_watcher is not None:
            await finished_in_time(self._theme_watcher.stop, self.time_left.seconds)

    def _refresh_notifications(self) -> None:
        """Hides messages behind a dialog, which shows them too; Textual has no public method for this."""
        super()._refresh_notifications()
        self.call_later(self._hide_toasts_behind)
        self.call_later(self._place_toasts)

    def _hide_toasts_behind(self) -> None:
        for screen in self.screen_stack[:-1]:
            for rack in screen.query_children(ToastRack):
                rack.display = False

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Moves messages away from the field that now has the focus."""
        self._place_toasts()

    def on_text_area_selection_changed(self) -> None:  # named, since the class is imported only with the editor
        """Moves messages away from the cursor."""
        self._place_toasts()

    def _place_toasts(self) -> None:
        """Shows messages in the other half of the screen than the line that is being edited, usually at the bottom."""
        cursor = getattr(self.screen.focused, "cursor_screen_offset", None)  # only fields have it
        row = cursor.y if cursor is not None else 0
        for rack in self.screen.query_children(ToastRack):
            rack.set_class(2 * row >= self.size.height, "-high")

    def _recolour(self, _: object) -> None:
        self._colour_page()
        if isinstance(self.screen, CommandPalette):
            self.stylesheet.update(self.screen)  # Textual does not restyle its own modals
        for screen in self.screen_stack:
            restyle(screen)

    def _colour_page(self) -> None:
        """Gives the margins of the page in a browser the background of the theme (OSC 11)."""
        background = self.current_theme.background
        if self.is_web and self._driver is not None and background and background.startswith("#"):
            self._driver.write(f"\x1b]11;{background}\x1b\\")

    # the user's files

    def _watch_themes(self) -> Library:
        """Reads the user's themes, and starts to watch their folder. Blocks."""
        from brvtui.store.folders import config_folder
        from brvtui.tree.watching.watch import Watcher

        if config_folder().is_dir():
            self._theme_watcher = Watcher([user_folder()], self.background.relay(self._read_themes))
            self._theme_watcher.start()
        return read_library()

    def _read_themes(self, _: object) -> None:
        self.background.run(lambda: read_library(), self._themes_read, group=_THEMES, exclusive=True)

    def _themes_read(self, library: Library) -> None:
        problems_before = self.library.problems
        self._take(library.keeping(self.library))
        for file, lines in library.problems.items():
            if problems_before.get(file) != lines:
                more = f" (and {len(lines) - 1} more: brv-tui themes lists them all)" if len(lines) > 1 else ""
                self.notify(f"{lines[0]}{more}; ignored", severity="warning", timeout=_PROBLEM_S)
        self._look_for_wanted(last=True)

    def _take(self, library: Library) -> None:
        """Registers the themes of ``library``, and repaints if the current theme has changed."""
        shown = self.current_theme
        for name in self.library.files.keys() - library.files.keys():
            self.unregister_theme(name)
        for name, theme in library.themes.items():
            if self.available_themes.get(name) != theme:
                self.register_theme(theme)
        self.library = library
        if self.theme not in self.available_themes:
            self.notify(f"the theme {self.theme} is gone", severity="warning")
            self.theme = DEFAULT
        elif self.current_theme is not shown:
            self.mutate_reactive(App.theme)

    # choosing

    def want_theme(self, name: str, place: str) -> None:
        """Switches to the theme ``name`` that the settings at ``place`` request, or shows that there is none."""
        self._wanted = (name, place)
        if name not in self.available_themes and not self.is_running:
            self._take(read_library()._replace(problems={}))  # before the first paint; problems are shown after it
        self._look_for_wanted()

    def _look_for_wanted(self, last: bool = False) -> None:
        name, place = self._wanted
        if not name or (name not in self.available_themes and not last):
            return
        self._wanted = ("", "")
        if name in self.available_themes:
            self.theme = name
        elif not any(file.stem == name for file in self.library.problems):  # the problem with its file was shown
            self.tell_faults(self.library.why_missing(name, place))

    def tell_faults(self, lines: Sequence[str]) -> None:
        """Shows the first new fault in ``lines`` and the number of others, which grows while the message is visible."""
        new = [one for one in lines if one not in self._shown_faults]
        if not new:
            return
        self._shown_faults.update(new)
        shown = [one for one in self._notifications if self._fault and one.message.startswith(visible(self._fault))]
        for one in shown:
            self._unnotify(one)
        self._fault, self._faults = (self._fault, self._faults + len(new)) if shown else (new[0], len(new))
        more = f" (and {self._faults - 1} more: the Settings screen lists them first)" if self._faults > 1 else ""
        self.notify(f"{self._fault}{more}", severity="warning", timeout=_PROBLEM_S)

    def action_next_theme(self) -> None:
        """Switches to the next of the app's own themes for this session."""
        place = OURS.index(self.theme) if self.theme in OURS else -1
        next_theme = our_theme(OURS[(place + 1) % len(OURS)])
        self.register_theme(next_theme)
        self.theme = next_theme.name

    def action_choose_theme(self) -> None:
        """Shows the list of all themes."""
        from brvtui.app.themes.choosing import ThemePalette, theme_commands

        themes = self.available_themes.values()
        commands = theme_commands(themes, self.theme, self.library.files, self.keep_theme)
        self.push_screen(ThemePalette(commands))

    def keep_theme(self, name: str) -> None:
        """Switches to the theme ``name``."""
        self._before = ""
        self.theme = name

    @on(CommandPalette.Opened)
    def _palette_opened(self) -> None:
        self._before = self.theme

    @on(CommandPalette.OptionHighlighted)
    def _looked_at(self, event: CommandPalette.OptionHighlighted) -> None:
        """Previews the highlighted theme; for any other command, restores the previous theme."""
        from brvtui.app.themes.choosing import UseTheme

        option = event.highlighted_event.option
        command = option.hit.command if isinstance(option, Command) else None
        if self._before:
            self.theme = command.name if isinstance(command, UseTheme) else self._before

    @on(CommandPalette.Closed)
    def _palette_closed(self, event: CommandPalette.Closed) -> None:
        if self._before and not event.option_selected:
            self.theme = self._before
        self._before = ""


def _roles(theme: Theme) -> dict[str, str]:
    """Returns the colour of every role in ``theme``; nothing is imported for the app's own themes, which set all."""
    own = own_roles(theme)
    if len(own) == len(ROLES):
        return own
    from brvtui.app.themes.deriving import roles_of

    return roles_of(theme)
