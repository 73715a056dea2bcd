"""Actions and the places where they act, as data."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, Flag, auto
from typing import NamedTuple

AS_PICTURE = "as SVG in your pictures folder, or your browser's downloads"


class Need(Flag):
    """Things that an action acts on: it is offered only where they are there."""

    NOTHING = 0
    PROJECT = auto()
    """A project to query or change; a saved trace that was opened alone has none."""
    ANSWER = auto()
    """An answer or its notes."""
    RESULT = auto()
    """A result of the open query."""
    NOTES = auto()
    """Notes that are changed: code is only read."""
    TREE = auto()
    """A context tree: topics of a space are edited in place."""
    TIERS = auto()
    """An engine with tiers."""
    CACHE = auto()
    """An engine that keeps answers."""
    GRAPH = auto()
    """An engine that ranks over a graph."""
    LEARNING = auto()
    """An engine that learns what became of a result."""
    MODES = auto()
    """An engine with several modes."""
    ENGINES = auto()
    """Another engine to switch to."""
    FLEET = auto()
    NOTE = auto()
    """A note at hand, which on the screen of a fleet may be in a memory that is not open."""
    EXPLAINED = auto()
    """A note at hand, and an answer that it is explained in."""
    TERMINAL = auto()
    """A terminal to hand to another program, which a browser cannot show."""


class Action(NamedTuple):
    """Something that the user can do in one place of the app, by a key or from the command palette."""

    name: str
    """Unique; the name under which the setting ``keys`` gives it other keys."""
    keys: str
    """The default keys, separated by commas: ``j,down``."""
    call: str
    """The method that does it, as Textual writes actions: ``page(1)`` is ``action_page(1)`` of whatever has the place,
    ``app.copy('path')`` one of the app."""
    label: str
    """A word or two for the key bar."""
    description: str
    """A phrase for help, palette, settings and docs/reference/keys.md."""
    bar: bool = False
    """Whether the key bar shows it."""
    first: bool = False
    """Whether it acts before the focused widget sees the key. Keys that move the focus do, so that keys typed ahead
    reach the pane that was asked for."""
    span: str = ""
    """The keys in the key bar, if the action stands for several there: ``F2-F8``."""
    needs: Need = Need.NOTHING
    """Without all of this it can do nothing."""


class PlaceKind(Enum):
    """The kind of a place."""

    APP = auto()
    EVERY_SCREEN = auto()
    SCREEN = auto()
    EVERY_PANE = auto()
    PANE = auto()
    FIELD = auto()
    """A field to type or choose in. Its actions need its text, so the palette does not offer them."""
    DIALOG = auto()
    """A dialog. Its actions answer a question, so the palette does not offer them."""


class Place(NamedTuple):
    """A place where actions act: a class of the app that declares ``BINDINGS = bindings(place)``."""

    name: str
    """Unique; of a screen, also the name of its mode."""
    title: str
    kind: PlaceKind
    actions: tuple[Action, ...]
    within: Place | None = None
    """The place whose actions work here too, because the class inherits them."""
    screens: tuple[str, ...] = ()
    """The screens that have the pane or field; none if only dialogs have it."""
    aside: str = ""
    """Words that tell it from another place with the same title."""
    needs: Need = Need.NOTHING
    """Needed by all its actions but those that show a pane."""

    @property
    def heading(self) -> str:
        """The title over its table of keys."""
        return f"{self.title} ({self.aside})" if self.aside else self.title

    @property
    def chain(self) -> Iterator[Place]:
        """The place itself, the place that it is within, and so on."""
        place: Place | None = self
        while place is not None:
            yield place
            place = place.within

    def meets(self, other: Place) -> bool:
        """Whether one key can mean an action of both at the same moment."""
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
