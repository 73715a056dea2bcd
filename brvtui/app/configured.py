"""The app with the user's settings: symbols, animations, keys, and messages about invalid settings."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from functools import partial

from textual import events
from textual.driver import Driver

from brvtui import faults
from brvtui.app.keys.bindings import apart, read_alt
from brvtui.app.themed import ThemedApp
from brvtui.app.widgets.lines import rebuild
from brvtui.app.workers import Refusal
from brvtui.config import ConfigError, Configuration, configure
from brvtui.config.schema import AUTO, ON, Layer, Value, entries, value_text
from brvtui.paint.glyphs import for_terminal

_REMOTE = ("SSH_CONNECTION", "SSH_TTY", "TMUX", "STY")


class ConfiguredApp(ThemedApp):
    """Starts with the user's own settings; a project's settings are adopted when the project is opened."""

    def __init__(self) -> None:
        """Creates an app with the settings of the user's file and of the environment."""
        super().__init__()
        read_alt()
        self.configuration = configure()
        self.glyphs = for_terminal(self.configuration.settings.ascii)
        self._changing_setting = asyncio.Lock()
        self._use_keys(self.configuration.settings.keys)
        self._settle_animations()
        self._want_theme()
        self.set_class(not self.glyphs.unicode, "-letters")

    def get_driver_class(self) -> type[Driver]:
        """Returns the class that reads the terminal and, on Linux and macOS, recognises pasted text by its speed."""
        driver = super().get_driver_class()
        if "XTermParser" not in vars(sys.modules[driver.__module__]):  # this driver reads no terminal
            return driver
        from brvtui.app.pasting import PastingDriver, guard

        guard(driver)
        return PastingDriver if driver.__name__ == "LinuxDriver" else driver

    def adopt(self, configuration: Configuration) -> None:
        """Applies the settings in ``configuration`` that have changed."""
        before = self.configuration.settings
        self.configuration = configuration
        self._settle_animations()
        if configuration.settings.theme != before.theme:
            self._want_theme()
        if configuration.settings.keys != before.keys:
            self._use_keys(configuration.settings.keys)
            self._check_keys()
        self.tell_problems()

    def tell_problems(self) -> None:
        """Shows messages about invalid settings."""
        problems = [each.line for each in self.configuration.left_out()]
        self.tell_faults([*problems, *self.configuration.unusable_addresses()])

    # keys

    async def on_event(self, event: events.Event) -> None:
        """Splits an event into two if the terminal has merged Esc and another key into one event."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            for key in apart(event, self.keymap.values()):
                await super().on_event(key)
        else:
            await super().on_event(event)

    def _use_keys(self, keys: Mapping[str, str]) -> None:
        self.keymap = keys
        self._letters.clear()
        self.set_keymap(keys)
        for screen in self.screen_stack if self.is_running else ():
            rebuild(screen)

    def on_ready(self) -> None:
        """Checks the user's keys, after the first paint."""
        self._check_keys()

    def _check_keys(self) -> None:
        keys = self.configuration.settings.keys
        if not keys:
            return
        from brvtui.app.keys.checking import check_keys

        checked = check_keys(keys)
        if checked.problems:
            self._use_keys(checked.usable)
        problems = checked.problems.items()
        self.tell_faults(
            [f"{self.configuration.source(f'keys.{name}').place}: {why}; ignored" for name, why in problems]
        )

    # changing settings

    def action_next_theme(self) -> None:
        """Switches to the next built-in theme for this session; a message explains how to keep it."""
        super().action_next_theme()
        self.notify(f"theme {self.theme}, for this session; keep it with {self.shown_key('app.themes')}", timeout=2)

    def keep_theme(self, name: str) -> None:
        """Switches to the theme ``name`` and saves it in the settings."""
        super().keep_theme(name)
        self.keep_setting("theme", name)

    def keep_setting(self, name: str, value: Value | None) -> None:
        """Writes the setting ``name`` (dotted) to the user's settings file and applies it; None removes it."""
        self.change_setting(name, lambda _: value)

    def change_setting(self, name: str, value_in: Callable[[Configuration], Value | None]) -> None:
        """Changes the setting ``name`` to ``value_in(settings)``, which is called in a thread after earlier changes."""
        self.run_worker(self._change_in_turn(name, value_in), group="settings", exit_on_error=False)

    async def _change_in_turn(self, name: str, value_in: Callable[[Configuration], Value | None]) -> None:
        async with self._changing_setting:
            write = partial(_written, self.configuration, name, value_in)
            await self.background.run(write, partial(self._setting_kept, name), group="settings").wait()

    def _setting_kept(self, name: str, written: tuple[Value | None, Configuration]) -> None:
        from brvtui.app.actions.registry import ACTIONS

        value, configuration = written
        self.adopt(configuration)
        file = configuration.user_file
        source = configuration.source(name)
        later = "; takes effect at the next start" if name in entries() and entries()[name].restart else ""
        later += " where you have not changed panes" if name == "panes" else ""
        if source.layer not in (Layer.USER, Layer.DEFAULT):
            done = f"{name} is removed from" if value is None else f"{name} = {value_text(name, value)} is saved in"
            self.notify(f"{done} {file}, but {source.place} overrides it", severity="warning", timeout=8)
        elif value is None:
            known = name in entries() or name.removeprefix("keys.") in ACTIONS
            self.notify(f"{name} is {'reset to its default' if known else f'removed from {file}'}{later}", timeout=3)
        else:
            self.notify(f"{name} = {value_text(name, value)}, saved in {file}{later}", timeout=4)

    # effects

    def _settle_animations(self) -> None:
        setting = self.configuration.settings.animations
        moves = not any(os.environ.get(name) for name in _REMOTE) if setting == AUTO else setting == ON
        self.animation_level = "full" if moves else "none"

    def _want_theme(self) -> None:
        self.want_theme(self.configuration.settings.theme, self.configuration.source("theme").place)


def _written(
    configuration: Configuration, name: str, value_in: Callable[[Configuration], Value | None]
) -> tuple[Value | None, Configuration]:
    """Writes the setting ``name``; returns its value and the new settings.

    Blocks, and raises :class:`Refusal` on errors.
    """
    from brvtui.config.writing import write_setting

    configuration = configuration.read_again()
    why_not = configuration.why_read_only(name)
    if why_not:
        raise Refusal(why_not)
    value = value_in(configuration)
    try:
        write_setting(configuration.user_file, name, value)
    except ConfigError as error:
        raise Refusal(str(error)) from error
    except OSError as error:
        raise Refusal(faults.error_line(error, configuration.user_file)) from error
    return value, configuration.read_again()
