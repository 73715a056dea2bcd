"""What the command palette offers, as data, and which of it a text finds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from brvtui.app.actions.action import Action
from brvtui.app.widgets.sieve import Sieve


@dataclass(frozen=True, slots=True)
class Act:
    """An action where it acts."""

    action: Action
    mode: str
    """The screen that must be in front; empty when any will do."""


@dataclass(frozen=True, slots=True)
class Command:
    """One row of the palette: an action, or with its path the note that it shows."""

    title: str
    aside: str
    """Where the action acts; of a note its path."""
    keys: str = ""
    act: Act | None = None
    note: str = ""

    @property
    def low(self) -> str:
        """What is searched, in lower case."""
        return f"{self.title}\n{self.aside}\n{self.act.action.label if self.act else ''}".lower()


def found(sieve: Sieve, commands: Iterable[Command]) -> list[Command]:
    """Those that hold every word of ``sieve``. First whose title begins with the words as they stand, then whose title
    has words that begin so, then whose title holds them; equals stay in their order."""
    kept = [command for command in commands if sieve.keeps(command.low)]
    return sorted(kept, key=lambda command: _rank(sieve, command.title.lower()))


def _rank(sieve: Sieve, title: str) -> int:
    if title.startswith(" ".join(sieve.words)):
        return 0
    if all(title.startswith(word) or f" {word}" in title for word in sieve.words):
        return 1
    return 2 if sieve.keeps(title) else 3
