"""An app as the user set it: signs, animations, and what is said about settings that cannot be used."""

from __future__ import annotations

import os

from textual.app import App

from brvtui.app.glyphs import for_terminal
from brvtui.config import Configuration, configure
from brvtui.config.schema import AUTO, ON

_REMOTE = ("SSH_CONNECTION", "SSH_TTY", "TMUX", "STY")
_PROBLEM_S = 12


class ConfiguredApp(App[None]):
    """Begins with the user's own settings; those of a project are adopted when it is open."""

    def __init__(self) -> None:
        """An app with the settings of the user's file and of the environment."""
        super().__init__()
        self.configuration = configure()
        self.glyphs = for_terminal(self.configuration.settings.ascii)
        self._told: set[str] = set()
        self._settle_animations()
        self.set_class(not self.glyphs.unicode, "-letters")

    def adopt(self, configuration: Configuration) -> None:
        """Puts the settings ``configuration`` into effect, as far as they differ from those so far."""
        self.configuration = configuration
        self._settle_animations()
        self.tell_problems()

    def tell_problems(self) -> None:
        """Says in one line what is wrong with the settings; once."""
        messages = [problem.message for problem in self.configuration.problems if problem.message not in self._told]
        if messages:
            self._told.update(messages)
            rest = f" (and {len(messages) - 1} more: brv-tui config lists them)" if len(messages) > 1 else ""
            self.notify(f"{messages[0]}; left out{rest}", severity="warning", timeout=_PROBLEM_S)

    def _settle_animations(self) -> None:
        wanted = self.configuration.settings.animations
        moves = not any(os.environ.get(name) for name in _REMOTE) if wanted == AUTO else wanted == ON
        self.animation_level = "full" if moves else "none"
