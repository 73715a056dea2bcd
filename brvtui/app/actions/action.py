"""Actions and the places where they are available, as data."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, Flag, auto
from typing import NamedTuple

AS_PICTURE = "as SVG in your pictures folder (in a browser, as a download)"


class Need(Flag):
    """The requirements that must be met before an action is offered."""

    NOTHING = 0
    PROJECT = auto()
    """An open project, not only a saved trace."""
    ANSWER = auto()
    """An answer or its notes."""
    RESULT = auto()
    """A result of the open query."""
    NOTES = auto()
    """Notes that can be changed; code is read-only."""
    TREE = auto()
    """A context tree; topics of a space can only be edited in place."""
    TIERS = auto()
    """An engine with tiers."""
    CACHE = auto()
    """An engine with a cache."""
    GRAPH = auto()
    """An engine that ranks over a graph."""
    LEARNING = auto()
    """An engine that learns from feedback on results."""
    MODES = auto()
    """An engine with several modes."""
    ENGINES = auto()
    """Another engine to switch to."""
    FLEET = auto()
    NOTE = auto()
    """A current note; on the Fleet screen, the note may be in a memory that is not open."""
    EXPLAINED = auto()
    """A current note, and an answer that can explain the note's place."""
    TERMINAL = auto()
    """A terminal for other programs, which a browser does not have."""


class Action(NamedTuple):
    """A user action in one place of the app, run by a key or from the command palette."""

    name: str
    """The unique name, which the ``keys`` setting uses to assign other keys."""
    keys: str
    """The default keys, separated by commas: ``j,down``."""
    call: str
    """The call in Textual's syntax: ``page(1)`` for the class's ``action_page(1)``, ``app.quit`` for the app's."""
    label: str
    """A word or two for the key bar."""
    description: str
    """A phrase for help, palette, settings and docs/reference/keys.md."""
    bar: bool = False
    """True if the key bar shows the action."""
    first: bool = False
    """True if the action has priority over the focused widget.

    Actions that move the focus have priority, so that keys typed ahead reach the right pane.
    """
    span: str = ""
    """The keys that the key bar displays if the action represents several actions: ``F2-F8``."""
    needs: Need = Need.NOTHING
    """The requirements of the action."""


class PlaceKind(Enum):
    """The kind of a place."""

    APP = auto()
    EVERY_SCREEN = auto()
    SCREEN = auto()
    EVERY_PANE = auto()
    PANE = auto()
    FIELD = auto()
    """A text or option field. Its actions depend on its content, so the palette does not offer them."""
    DIALOG = auto()
    """A dialog. Its actions answer a question, so the palette does not offer them."""


class Place(NamedTuple):
    """A place with actions: a class of the app that declares ``BINDINGS = bindings(place)``."""

    name: str
    """The unique name of the place. For a screen, this is the name of its mode."""
    title: str
    kind: PlaceKind
    actions: tuple[Action, ...]
    within: Place | None = None
    """The place that provides further actions, which the class inherits."""
    screens: tuple[str, ...] = ()
    """The screens that contain the pane or field; empty if only dialogs do."""
    aside: str = ""
    """Words that distinguish the place from another place with the same title."""
    needs: Need = Need.NOTHING
    """The requirements of every action of the place, except actions that show a pane."""

    @property
    def heading(self) -> str:
        """The heading of the place's key table."""
        return f"{self.title} ({self.aside})" if self.aside else self.title

    @property
    def chain(self) -> Iterator[Place]:
        """The place itself, followed by the places that enclose it, innermost first."""
        place: Place | None = self
        while place is not None:
            yield place
            place = place.within

    def meets(self, other: Place) -> bool:
        """True if the same key press could trigger an action of either place."""
        if self in other.chain or other in self.chain:
            return True
        kinds = {self.kind, other.kind}
        if PlaceKind.DIALOG in kinds:
            return False
        if PlaceKind.APP in kinds:
            return True
        for screen, part in ((self, other), (other, self)):
            if screen.kind is PlaceKind.EVERY_SCREEN:
                return bool(part.screens)
            if screen.kind is PlaceKind.SCREEN:
                return screen.name in part.screens
        return False
