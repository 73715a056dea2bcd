"""The part of a screen that contains its panes, placed by the arrangement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from textual import events
from textual.content import Content
from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.message import Message
from textual.widget import Widget

from brvtui.app import arrangement
from brvtui.app.arrangement import (
    AS_DESIGNED,
    Area,
    Arrangement,
    PaneEdge,
    Tiled,
    arrange,
    edge_at,
    edges_beside,
    moved,
)
from brvtui.app.services import services_of

_LEAST_FOR_TABS = 41
_AROUND_TABS = 5
_ANY = 100
_TITLE_AT = 3
"""The number of columns before a title: corner, line and space."""


@runtime_checkable
class Framed(Protocol):
    """A pane: a widget with a title or a row of tabs in its border."""

    tabs: Content | None

    @property
    def id(self) -> str | None:
        """The name of the pane in the arrangement."""

    @property
    def tab_name(self) -> str:
        """The name on the pane's tab."""

    def retitle(self) -> None:
        """Updates the title, or the row of tabs, in the border."""

    def arranged(self, shown: frozenset[str]) -> None:
        """Called with the ids of all visible panes when other panes become visible or hidden."""


class _Placed(Layout):
    """Places children in the areas computed by their parent."""

    name = "placed"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        """Returns a placement for each child that has an area."""
        assert isinstance(parent, Body)
        areas = parent.areas(size)
        return [
            WidgetPlacement(Region(*areas[child.id or ""]), NULL_OFFSET, NULL_SPACING, child)
            for child in children
            if child.id in areas
        ]


class Body(Widget):
    """Contains the panes; keeps track of the front tab and of the maximised pane."""

    @dataclass
    class LayoutChanged(Message):
        """Posted when the user changes the sizes or the visibility of panes."""

        layout: arrangement.Layout

        def can_replace(self, message: Message) -> bool:
            """True if ``message`` is a newer layout, which replaces this one in the queue."""
            return isinstance(message, Body.LayoutChanged)

    def __init__(self, *panes: Widget, plan: Arrangement, wide: bool, shared: arrangement.Layout, id: str) -> None:
        """Creates a body of ``panes`` and hides panes without an area, so that the first layout is already final."""
        super().__init__(*panes, id=id)
        self._placed = _Placed()
        self._panes = panes
        self.plan = plan
        self.wide = wide
        self.maximised = ""
        self.shared = shared
        """The layout with the user's changes to the plan."""
        self._collapsed: frozenset[str] = frozenset()
        self.tab = (self._shown_tabs() or plan.tabs)[0]
        self._dragged: PaneEdge | None = None
        self._drag_from = shared
        self._shown: frozenset[str] = frozenset()
        self._display(self.areas(Size(_ANY, _ANY)))

    def add(self, *panes: Widget) -> None:
        """Adds ``panes``, which are shown if they have an area."""
        self._panes += panes
        self._display(self.areas(self.size))
        self.mount(*panes)

    @property
    def layout(self) -> Layout:
        """The layout that places the panes."""
        return self._placed

    def tiled(self, size: Size) -> Tiled:
        """Returns the areas of the panes in ``size``, and the edges between them."""
        layout = self.shared._replace(collapsed=self._collapsed)
        return arrange(self.plan, size.width, size.height, self.wide, self.tab, self.maximised, layout)

    def areas(self, size: Size) -> Mapping[str, Area]:
        """Returns the areas of the panes in ``size``, keyed by id."""
        return self.tiled(size).areas

    @property
    def panes(self) -> Iterable[Framed]:
        """The panes, without other widgets such as the head."""
        return [pane for pane in self._panes if isinstance(pane, Framed)]

    def on_resize(self, event: events.Resize) -> None:
        """Shows the panes that have an area in the new size."""
        self.settle()

    def settle(self) -> None:
        """Shows the panes that have an area and hides the others; on a narrow screen, shows the tabs in the border."""
        areas = self.areas(self.size)
        if self._shown != areas.keys():
            self._display(areas)
            self.refresh(layout=True)
        for pane in self.panes:
            in_tabs = not self.wide and not self.maximised and pane.id in self.plan.tabs and len(self._shown_tabs()) > 1
            pane.tabs = self._tabs(pane, areas) if in_tabs and pane.id in areas else None
            pane.retitle()

    def _display(self, areas: Mapping[str, Area]) -> None:
        self._shown = frozenset(areas)
        for child in self._panes:
            child.display = child.id in areas
            if isinstance(child, Framed):
                child.arranged(self._shown)

    def _tabs(self, front: Framed, areas: Mapping[str, Area]) -> Content:
        width = areas[front.id or ""].width
        tabs = self._shown_tabs()
        if self._is_too_narrow(width):
            number = tabs.index(front.id or "") + 1
            return Content.from_markup(f"[b]{front.tab_name}[/] {number}/{len(tabs)} tab")
        called = self._tab_names()
        names = [
            f"[@click=screen.pane('{name}')]{'[b $accent reverse]' if name == front.id else ''}{called[name]}"
            f"{'[/]' if name == front.id else ''}[/]"
            for name in tabs
        ]
        unicode = services_of(self).glyphs.unicode
        return Content.from_markup(("│" if unicode else "|").join(names))

    def _is_too_narrow(self, width: int) -> bool:
        names = self._tab_names()
        return width < min(_LEAST_FOR_TABS, sum(len(names[tab]) + 1 for tab in self._shown_tabs()) + _AROUND_TABS)

    def tab_spots(self) -> dict[str, tuple[int, int]]:
        """Returns the screen cell where each tab's name begins; empty if tab names are not shown."""
        areas = self.areas(self.size)
        tabs = self._shown_tabs()
        narrow = self.tab in areas and self._is_too_narrow(areas[self.tab].width)
        if self.wide or self.maximised or self.tab not in areas or narrow or len(tabs) < 2:
            return {}
        spots: dict[str, tuple[int, int]] = {}
        names = self._tab_names()
        x, y = self.region.x + areas[self.tab].x + _TITLE_AT, self.region.y + areas[self.tab].y
        for name in tabs:
            spots[name] = (x - 1, y)
            x += len(names[name]) + 1
        return spots

    def _tab_names(self) -> dict[str, str]:
        return {pane.id or "": pane.tab_name for pane in self.panes}

    def _shown_tabs(self) -> list[str]:
        return [name for name in self.plan.tabs if name not in self.shared.hidden]

    def bring(self, pane: str) -> None:
        """Makes ``pane`` visible, even if it is hidden or behind another tab."""
        if pane in self.shared.hidden:
            self._change(self.shared._replace(hidden=self.shared.hidden - {pane}))
        if self.maximised and self.maximised != pane:
            self.maximised = pane
        elif pane in self.plan.tabs:
            self.tab = pane
        self.settle()

    def peek(self, pane: str) -> Callable[[], None]:
        """Makes ``pane`` visible temporarily, and returns a function that restores the layout."""
        shared, tab, maximised = self.shared, self.tab, self.maximised

        def restore() -> None:
            self.tab, self.maximised = tab, maximised
            self.adopt(shared)

        self.adopt(shared._replace(hidden=shared.hidden - {pane}))
        return restore

    def collapse(self, panes: frozenset[str]) -> None:
        """Collapses ``panes``, which have nothing to show, to strips, and restores all others."""
        if panes != self._collapsed:
            self._collapsed = panes
            self._panes[0].refresh(layout=True)  # the areas are cached until a child requests a new layout
            self.settle()

    # changes by the user

    def adopt(self, layout: arrangement.Layout) -> None:
        """Applies ``layout``; if it hides every pane, none is hidden."""
        nothing = not set(self.plan.panes) - layout.hidden
        self.shared = layout._replace(hidden=frozenset()) if nothing else layout
        tabs = self._shown_tabs()
        if self.tab not in tabs and tabs:
            self.tab = tabs[0]
        self._panes[0].refresh(layout=True)  # the areas are cached until a child requests a new layout
        self.settle()

    def follow(self, plan: Arrangement) -> None:
        """Switches to ``plan``, which has as many tabs as the current plan; the same tab position stays in front."""
        if plan == self.plan:
            return
        self.tab = plan.tabs[self.plan.tabs.index(self.tab)] if self.tab in self.plan.tabs else plan.tabs[0]
        self.maximised = self.maximised if self.maximised in plan.panes else ""
        self.plan = plan
        self.adopt(self.shared)

    def _change(self, layout: arrangement.Layout) -> None:
        if layout != self.shared:
            self.adopt(layout)
            self.post_message(self.LayoutChanged(self.shared))

    def reset(self) -> None:
        """Restores the default layout."""
        self.maximised = ""
        self._change(AS_DESIGNED)

    def show_few(self) -> None:
        """Hides the panes that the plan lists as ``aside``; if all of them are hidden, shows them again."""
        hidden, aside = self.shared.hidden, self.plan.aside
        self.maximised = ""
        self._change(self.shared._replace(hidden=hidden - aside if aside <= hidden else hidden | aside))

    def hide(self, pane: str) -> bool:
        """Hides ``pane``; returns False if it is the last visible one."""
        hidden = self.shared.hidden | {pane}
        if not set(self.plan.panes) - hidden:
            return False
        self.maximised = ""
        self._change(self.shared._replace(hidden=hidden))
        return True

    def resize_pane(self, pane: str, across: bool, by: int) -> bool:
        """Grows ``pane`` by ``by`` cells, or shrinks it if negative; returns False if that is impossible."""
        for edge, direction in edges_beside(self.tiled(self.size), pane, across):
            shared = moved(self.shared, edge, by * direction)
            if shared is not self.shared:
                self._change(shared)
                return True
        return False

    # the mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Starts to drag the border under the mouse, if there is one."""
        x, y = event.screen_x - self.region.x, event.screen_y - self.region.y
        self._dragged = None if self.maximised or event.button != 1 else edge_at(self.tiled(self.size), x, y)
        if self._dragged is not None:
            self._drag_from = self.shared
            self.screen.clear_selection()  # the mouse moves the border and selects no text
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Moves the dragged border."""
        edge = self._dragged
        if edge is not None:
            at = event.screen_x - self.region.x if edge.across else event.screen_y - self.region.y + 1
            self.adopt(moved(self._drag_from, edge, at - edge.at))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Ends dragging and posts the new layout."""
        if self._dragged is not None:
            self._dragged = None
            self.release_mouse()
            if self.shared != self._drag_from:
                self.post_message(self.LayoutChanged(self.shared))
