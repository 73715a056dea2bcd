"""Every binding there is, by the class that owns it."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache

from textual.binding import Binding
from textual.screen import ModalScreen, Screen

_ROOM = "brvtui.app"
_PACKAGES = ("brvtui.app.screens", "brvtui.app.widgets")


@dataclass(frozen=True, slots=True)
class Owner:
    """A class with bindings of its own. ``title`` says where they act."""

    kind: type
    title: str
    bindings: tuple[Binding, ...]


@cache
def owners() -> tuple[Owner, ...]:
    """Every owner, from the app down to single panes. Loads all screens and widgets."""
    from brvtui.app.app import BrvTui

    for name in _PACKAGES:
        package = importlib.import_module(name)
        for module in pkgutil.iter_modules(package.__path__, f"{name}."):
            importlib.import_module(module.name)
    kinds = {BrvTui, *(kind for name in list(sys.modules) if name.startswith(_ROOM) for kind in _defined_in(name))}
    kinds = {kind for kind in kinds if own_bindings(kind)}
    titles = Counter(_title(kind) for kind in kinds)
    found = [Owner(kind, _title(kind, titles[_title(kind)] > 1), own_bindings(kind)) for kind in kinds]
    return tuple(sorted(found, key=lambda owner: (_rank(owner.kind), owner.title)))


def own_bindings(kind: type) -> tuple[Binding, ...]:
    """The bindings that ``kind`` itself declares."""
    return tuple(item for item in kind.__dict__.get("BINDINGS", ()) if isinstance(item, Binding))


def declared(kind: type) -> list[Binding]:
    """The bindings of ``kind`` and of what it inherits from, the most general first, as Textual orders them."""
    held = [item for above in reversed(kind.__mro__) for item in above.__dict__.get("BINDINGS", ())]
    return [item for item in held if isinstance(item, Binding)]


def all_bindings() -> dict[str, Binding]:
    """Every binding by its name."""
    return {binding.id: binding for owner in owners() for binding in owner.bindings if binding.id}


def holds(screen: type, widget: type) -> bool:
    """Whether ``screen`` shows ``widget``: its module names it, or a kind of it; the frame shows all."""
    from brvtui.app.screens.frame import FrameScreen

    named = vars(sys.modules[screen.__module__]).values()
    return screen is FrameScreen or any(isinstance(kind, type) and issubclass(kind, widget) for kind in named)


def _defined_in(module: str) -> list[type]:
    held = vars(sys.modules[module]).values()
    return [kind for kind in held if isinstance(kind, type) and kind.__module__ == module and "BINDINGS" in vars(kind)]


def _rank(kind: type) -> int:
    from brvtui.app.app import BrvTui
    from brvtui.app.screens.frame import FrameScreen
    from brvtui.app.widgets.pane import Pane

    order = (BrvTui, FrameScreen, Pane)
    if kind in order:
        return order.index(kind) * 2
    return 3 if issubclass(kind, FrameScreen) else 6 if issubclass(kind, ModalScreen) else 5


def _title(kind: type, shared: bool = False) -> str:
    """Where the keys of ``kind`` act; the class's own name too where another has the same title."""
    rank = _rank(kind)
    if rank % 2 == 0 and rank < 6:
        return ("Everywhere", "Every screen", "Every pane")[rank // 2]
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).capitalize()
    title = getattr(kind, "TITLE", "") or words
    if issubclass(kind, Screen) and not issubclass(kind, ModalScreen):
        return f"Screen {title}"
    return f"{title} ({words.lower()})" if shared else title
