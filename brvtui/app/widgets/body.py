"""The part of a screen that holds its panes: puts each where the arrangement says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Protocol, cast, runtime_checkable

from textual import events
from textual.content import Content
from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

from brvtui.app.arrangement import Arrangement, Place, arrange

if TYPE_CHECKING:
    from brvtui.app.app import BrvTui

_LEAST_FOR_TABS = 41
_ANY = 100


@runtime_checkable
class Framed(Protocol):
    """A pane: a widget whose border holds its title or the row of tabs."""

    TITLE: ClassVar[str]
    tabs: Content | None

    @property
    def id(self) -> str | None:
        """Its name in the plan."""

    def retitle(self) -> None:
        """Puts the title, or the row of tabs, into the border."""

    def arranged(self, shown: frozenset[str]) -> None:
        """Called with the ids of everything that is shown, when that has changed."""


class _Placed(Layout):
    """Puts children where their parent says."""

    name = "placed"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        """The places of the children that have one."""
        assert isinstance(parent, Body)
        places = parent.places(size)
        return [
            WidgetPlacement(Region(*places[child.id or ""]), NULL_OFFSET, NULL_SPACING, child)
            for child in children
            if child.id in places
        ]


class Body(Widget):
    """Holds the panes; knows which tab is in front and which pane is maximised."""

    def __init__(self, *panes: Widget, plan: Arrangement, wide: bool, id: str) -> None:
        """A body over ``panes``, ready to be painted without being arranged twice."""
        super().__init__(*panes, id=id)
        self._placed = _Placed()
        self._panes = panes
        self.plan = plan
        self.wide = wide
        self.tab = plan.tabs[0]
        self.maximised = ""
        self._shown: frozenset[str] = frozenset()
        self._display(self.places(Size(_ANY, _ANY)))

    @property
    def layout(self) -> Layout:
        """Our own layout."""
        return self._placed

    def places(self, size: Size) -> dict[str, Place]:
        """Where the panes stand in ``size``."""
        return arrange(self.plan, size.width, size.height, self.wide, self.tab, self.maximised)

    @property
    def panes(self) -> Iterable[Framed]:
        """The panes, without the head."""
        return [pane for pane in self._panes if isinstance(pane, Framed)]

    def on_resize(self, event: events.Resize) -> None:
        """Shows what has a place in the new size."""
        self.settle()

    def settle(self) -> None:
        """Shows the panes that have a place, hides the others, and puts tabs into titles on a narrow screen."""
        places = self.places(self.size)
        if self._shown != places.keys():
            self._display(places)
            self.refresh(layout=True)
        for pane in self.panes:
            in_tabs = not self.wide and not self.maximised and pane.id in self.plan.tabs
            pane.tabs = self._tabs(pane, places) if in_tabs and pane.id in places else None
            pane.retitle()

    def _display(self, places: dict[str, Place]) -> None:
        self._shown = frozenset(places)
        for child in self._panes:
            child.display = child.id in places
            if isinstance(child, Framed):
                child.arranged(self._shown)

    def _tabs(self, front: Framed, places: dict[str, Place]) -> Content:
        width = places[front.id or ""].width
        if width < _LEAST_FOR_TABS:
            number = self.plan.tabs.index(front.id or "") + 1
            return Content.from_markup(f"[b]{front.TITLE}[/] {number}/{len(self.plan.tabs)} tab")
        names = [
            f"[@click=screen.pane('{name}')]{'[b $accent reverse]' if name == front.id else ''}{name.capitalize()}"
            f"{'[/]' if name == front.id else ''}[/]"
            for name in self.plan.tabs
        ]
        unicode = cast("BrvTui", self.app).glyphs.unicode
        return Content.from_markup(("│" if unicode else "|").join(names))

    def bring(self, pane: str) -> None:
        """Makes sure that ``pane`` is shown."""
        if self.maximised and self.maximised != pane:
            self.maximised = pane
        elif pane in self.plan.tabs:
            self.tab = pane
        self.settle()
