"""The screens of the app, in the order of their keys."""

from __future__ import annotations

from typing import NamedTuple


class Mode(NamedTuple):
    """One screen: its name, the key that shows it, and its title."""

    name: str
    key: str
    title: str
    listed: bool = True
    """True if the status line lists the screen while another one is in front."""


QUERY = Mode("query", "1", "Query")
MATURITY = Mode("maturity", "3", "Maturity")
LAB = Mode("lab", "5", "Lab")
FLEET = Mode("fleet", "6", "Fleet")
"""The Fleet screen, which the status line lists while a fleet is open."""
HEALTH = Mode("health", "7", "Health")
SETTINGS = Mode("settings", "comma", "Settings", listed=False)
SCREENS = (QUERY, Mode("notes", "2", "Notes"), MATURITY, Mode("log", "4", "Log"), LAB, FLEET, HEALTH, SETTINGS)
EDITOR = Mode("edit", "", "Edit")
"""The editor, which has no key. Editing a note opens this screen, and the status line then lists it."""
