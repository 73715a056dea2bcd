"""The common parts of all screens: status line, panes and key bar; sizes, focus and help."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import events, on
from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding, BindingType
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from brvtui.app.actions.action import Need
from brvtui.app.actions.everywhere import EVERY_SCREEN
from brvtui.app.arrangement import Arrangement, is_too_small, is_wide
from brvtui.app.keys.bindings import bindings, declared, own_bindings
from brvtui.app.services import AppServices, services_of
from brvtui.app.view import View, needing
from brvtui.app.widgets.body import Body
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.key_bar import KeyBar
from brvtui.app.widgets.lines import Lines, restyle, selected_in_one
from brvtui.app.widgets.pane import FilterField, Pane, own_keys
from brvtui.app.widgets.status_line import StatusLine

if TYPE_CHECKING:
    from brvtui.app.project.layouts import Layouts
    from brvtui.app.screens.message import Entry, JumpTarget


class QueryAtHand(NamedTuple):
    """A query that a new note can answer."""

    text: str
    scope: str
    is_covered: bool
    """True if a note answers the query, or if that is not known yet."""


class FrameScreen(Screen[None]):
    """A screen that shows the app's :class:`View`; its panes are initially arranged by :attr:`PLAN`."""

    TITLE: ClassVar[str] = ""
    PLAN: ClassVar[Arrangement]
    STOPS: ClassVar[tuple[str, ...]] = ()
    """The ids of widgets that precede the panes in the order of focus."""
    BINDINGS: ClassVar[list[BindingType]] = bindings(EVERY_SCREEN)
    validate_selections = selected_in_one

    def __init__(self, layouts: Layouts) -> None:
        """Creates a screen whose layout is stored in ``layouts``."""
        super().__init__()
        self._layouts = layouts
        self.is_made = False
        """True once the screen's panes exist; until then, the screen cannot show anything."""
        self._lacks_panes = False
        """True until :meth:`make_more_panes` is used."""

    def make_head(self) -> ComposeResult:
        """Yields the widgets between the status line and the panes."""
        yield from ()

    def make_panes(self) -> ComposeResult:
        """Yields the panes, in any order, and the head of :attr:`PLAN`, if any. Subclasses define this."""
        raise NotImplementedError

    def make_more_panes(self) -> ComposeResult:
        """Yields the remaining panes, which the first frame leaves out while they are hidden."""
        yield from ()

    def compose(self) -> ComposeResult:
        """Yields the status line, the head, the body with all panes, and the key bar."""
        width, height = self.app.size
        self.set_class(is_wide(width, height), "-wide")
        yield StatusLine(id="status")
        yield from self.make_head()
        shared, wide = self._layouts.of(self.TITLE, self.PLAN), self._shows_all(width, height)
        self._lacks_panes = self.services.is_starting and wide and self.PLAN.aside <= shared.hidden
        panes = [*self.make_panes(), *(() if self._lacks_panes else self.make_more_panes())]
        plan = self.PLAN._replace(digested={})  # there is no answer yet that could be summarised
        yield Body(*panes, plan=plan, wide=wide, shared=shared, id="body")
        yield KeyBar(id="keys", idle=lambda: self.idle, renamed=lambda: self.renamed)

    @property
    def services(self) -> AppServices:
        """The services of the app."""
        return services_of(self)

    @property
    def view(self) -> View:
        """The displayed view."""
        return self.services.store.shown

    def shares_itself(self, what: str) -> bool:
        """Copies or exports ``what`` and returns True if the screen shows another answer than the open query's."""
        return False

    def explains_itself(self) -> bool:
        """If the screen shows a query that is not the open one, explains a note for that query and returns True."""
        return False

    @property
    def marked_notes(self) -> list[str]:
        """The notes that are marked to be archived together."""
        return []

    @property
    def why_notice(self) -> str:
        """A notice that explanations of the current note may not match the screen; empty if they match."""
        return ""

    @property
    def note_at_hand(self) -> str:
        """The current note, on which keys act: the one under the cursor of the focused pane, or else the selected one.

        Empty if that pane's filter matches nothing, since an invisible note must not be changed.
        """
        if self.hides_all:
            return ""
        return getattr(self.pane or self.focused, "note", "") or self.view.selection.file

    def undo_own(self) -> bool:
        """Undoes the screen's own last change, if it came after all changes of notes; returns True if there was one."""
        return False

    @property
    def hides_all(self) -> bool:
        """True if the filter of the focused pane matches nothing."""
        return isinstance(self.pane, ChoicePane) and bool(self.pane.word_filter) and not self.pane.choices

    @property
    def idle(self) -> frozenset[str]:
        """The names of actions without effect, which the key bar leaves out."""
        idle, note = self.services.idle, self.note_at_hand
        idle |= self.pane.idle if self.pane is not None else frozenset()
        if not note or not self.view.knows(note):
            idle |= needing(Need.NOTE | Need.EXPLAINED)
        elif self.view.answered is None:
            idle |= needing(Need.EXPLAINED)
        return idle if self.leads_back else idle | {"panes.back"}

    @property
    def renamed(self) -> Mapping[str, str]:
        """The key bar's labels for actions whose effect is currently different, keyed by action name."""
        return self.pane.renamed if self.pane is not None else {}

    @property
    def leads_back(self) -> bool:
        """True if the key for going back has an effect."""
        is_filtered = self.pane is not None and self.pane.field is not None
        return bool(self.view.live or is_filtered or self.body.maximised or self.stop != self.home)

    @property
    def query_at_hand(self) -> QueryAtHand:
        """The query on which keys act: the open query."""
        query, trace = self.view.query, self.view.answer.trace
        return QueryAtHand(query.text.strip(), query.scope, trace is None or trace.covered)

    @property
    def pane(self) -> Pane | None:
        """The pane that has the focus, or whose filter field has the focus."""
        focused = self.focused
        within = focused.pane if isinstance(focused, FilterField) else focused
        return within if isinstance(within, Pane) else None

    @property
    def stop(self) -> str:
        """The id of the focused pane or of the focused widget in :attr:`STOPS`; empty if there is none."""
        at = self.pane or self.focused
        return (at.id or "") if at is not None else ""

    @property
    def body(self) -> Body:
        """The parent of the panes."""
        return self.query_one(Body)

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """The active bindings; if a pane key is rebound, pane keys are no longer displayed together as ``F2-F8``."""
        active = super().active_bindings
        panes = {binding.id for binding in own_bindings(type(self)) if binding.action.startswith("pane(")}
        if panes.isdisjoint(self.services.keymap):
            return active
        return {
            key: one._replace(binding=replace(one.binding, key_display=None)) if one.binding.id in panes else one
            for key, one in active.items()
        }

    def show(self, view: View) -> None:
        """Shows ``view`` in all parts of the screen."""
        for part in self.query(Lines).results(Lines):
            part.update(view)

    def _compositor_refresh(self) -> None:
        """Skips frames that Textual would discard while the app starts and when screens are switched."""
        if not self.app._batch_count:
            super()._compositor_refresh()

    def on_mount(self) -> None:
        """Shows the current view, since the screen may be created long after the view last changed."""
        self.is_made = True
        if not self.services.is_starting:
            self.complete()
        self.show(self.view)

    def complete(self) -> None:
        """Creates the panes that the first frame has left out."""
        if self._lacks_panes and self.is_made:
            self._lacks_panes = False
            self.body.add(*self.make_more_panes())
            self.show(self.view)

    def show_keys(self) -> None:
        """Updates the key bar, if the screen has been composed and not yet removed."""
        for bar in self.query(KeyBar):
            bar.show_keys()

    def on_screen_resume(self) -> None:
        """Shows everything that has changed since the screen was last in front, in the current colours."""
        restyle(self)
        self.take_layout()
        self.show(self.view)
        self.show_keys()

    def take_layout(self) -> None:
        """Applies the stored layout."""
        shared = self._layouts.of(self.TITLE, self.PLAN)
        if self.body.shared != shared:
            self.body.adopt(shared)
            self.show_keys()

    @on(Body.LayoutChanged)
    def _shares_changed(self, event: Body.LayoutChanged) -> None:
        self._layouts.remember(self.TITLE, event.layout)
        self.show_keys()

    def on_resize(self, event: events.Resize) -> None:
        """Shows all panes, or tabs on a narrow screen."""
        width, height = event.size
        small = is_too_small(width, height)
        self.set_class(small, "-small")
        if small and not self.query("#too-small"):
            from brvtui.app.widgets.lines import TooSmall

            self.mount(TooSmall(id="too-small"))
        self.set_class(is_wide(width, height), "-wide")
        wide = self._shows_all(width, height)
        if self.body.wide != wide:
            if self.stop in self.body.plan.tabs:
                self.body.tab = self.stop
            self.body.wide = wide
            self.body.settle()

    def _shows_all(self, width: int, height: int) -> bool:
        return self.PLAN.wide is not None and is_wide(width, height)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Updates the key bar with the keys of the focused pane."""
        self.show_keys()

    def holder_of(self, action: str) -> DOMNode | None:
        """Returns the screen or pane that has ``action``, or None. A pane is shown and focused first."""
        if _has_action(self, action):
            return self
        panes = [pane for pane in self.query(Pane).results(Pane) if _has_action(pane, action)]
        panes.sort(key=lambda pane: (pane is not self.pane, not pane.display))
        at = next(iter(panes), None)
        if at is not None and at is not self.pane and at.id:
            self.action_pane(at.id)
        return at

    # actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables priority bindings of letter keys while a field has the focus, so that letters can be typed."""
        return not (self.services.takes_letters and self.services.acts_by_letter(type(self), action, parameters))

    async def action_back(self) -> None:
        """Clears the selection, then stops a model, or leaves the filter or maximised pane, or goes home."""
        self.clear_selection()
        if self.services.stop_model():
            return
        if self.pane is not None and self.pane.clear_filter():
            return
        in_pane = self.pane is not None
        if self.body.maximised:
            self.action_maximise()
            if in_pane:
                return
        self.action_pane(self.home)

    @property
    def home(self) -> str:
        """The main pane, which going back leads to."""
        return self.body.plan.panes[0]

    def action_pane(self, pane: str) -> None:
        """Shows and focuses a pane."""
        self.body.bring(pane)
        self.set_focus(
            self.query_one(f"#{pane}"), scroll_visible=False
        )  # immediately, since the next key is for this pane

    def action_cycle(self, step: int) -> None:
        """Moves the focus to the next or previous pane or stop."""
        stops = [stop for stop in self.STOPS if not self.query_one(f"#{stop}").disabled]
        order = [*stops, *(pane for pane in self.body.plan.panes if pane not in self.body.shared.hidden)]
        current = self.stop if self.stop in order else order[-1]
        next_stop = order[(order.index(current) + step) % len(order)]
        self._go_to(next_stop)

    def action_jump(self) -> None:
        """Shows a letter on every pane and field; pressing a letter moves the focus there."""
        from brvtui.app.screens.message import JumpScreen

        self.app.push_screen(JumpScreen(self._targets()), self._go_to)

    def _targets(self) -> list[JumpTarget]:
        from brvtui.app.screens.message import JumpTarget

        targets: list[JumpTarget] = []
        tabs = self.body.tab_spots()
        for name in (*self.STOPS, *self.body.plan.panes):
            widget = self.query_one(f"#{name}")
            x, y = widget.region.offset
            if name in tabs:
                targets.append(JumpTarget(name, *tabs[name], 1))
            elif widget.display and not widget.disabled and widget.region:
                # on a pane's corner, before its title; or before the text of a field
                targets.append(JumpTarget(name, x if name in self.body.plan.panes else max(0, x - 3), y, 3))
        return targets

    def _go_to(self, chosen: str | None) -> None:
        if chosen in self.STOPS:
            self.set_focus(self.query_one(f"#{chosen}"), scroll_visible=False)
        elif chosen:
            self.action_pane(chosen)

    def action_maximise(self) -> None:
        """Maximises the focused pane, or restores all panes."""
        if self.body.maximised:
            self.body.maximised = ""
        elif self.stop in self.body.plan.panes:
            self.body.maximised = self.stop
        self.body.settle()

    def action_resize(self, across: bool, by: int) -> None:
        """Grows or shrinks the focused pane."""
        if self.stop in self.body.plan.panes and not self.body.resize_pane(self.stop, across, by):
            self.notify("no pane beside it can give up space", timeout=3)

    def action_hide(self) -> None:
        """Hides the focused pane; its own key shows it again."""
        hidden = self.stop
        if hidden not in self.body.plan.panes:
            return
        if self.body.hide(hidden):
            self.action_pane(next(pane for pane in self.body.plan.panes if pane not in self.body.shared.hidden))
            shows = [one.id or "" for one in own_bindings(type(self)) if one.action == f"pane('{hidden}')"]
            again = self.services.shown_key(shows[0]) if shows else "its key"  # the key that shows the pane
            self.notify(
                f"{hidden} is hidden: {again} shows it again, and {self.services.shown_key('layout.reset')} shows all",
                timeout=4,
            )
        else:
            self.notify("the last pane cannot be hidden", timeout=3)

    def action_few(self) -> None:
        """Shows only the most important panes, or all of them."""
        self.body.show_few()
        if self.stop in self.body.shared.hidden:
            self.action_pane(next(pane for pane in self.body.plan.panes if pane not in self.body.shared.hidden))

    def action_reset_layout(self) -> None:
        """Restores the default layout."""
        self.body.reset()

    def action_help(self) -> None:
        """Shows the help of the focused pane, with the parts for the current engine."""
        from brvtui.app.screens.message import MessageScreen

        focused = self.focused
        text = getattr(focused, "HELP_TEXT", "")
        if focused is not None and text:
            own = self._entries(own_keys(type(focused)))
            title = getattr(focused, "TITLE", "") or self.TITLE
            text = f"{text} {self.view.presentation.pane_help.get(title, '')}".rstrip()
            worded = self.view.worded
            keys = [(key, worded(what)) for key, what in (("", "Keys"), *own)] if own else []
            self.app.push_screen(MessageScreen(f"{worded(title)} · help", worded(self.services.with_keys(text)), keys))

    def action_keys(self) -> None:
        """Shows all keys."""
        from brvtui.app.screens.message import MessageScreen

        self.app.push_screen(MessageScreen("All keys", "", self._all_keys()))

    def action_glossary(self) -> None:
        """Shows the meanings of the words on screen."""
        from brvtui.app.screens.message import MessageScreen, glossary

        def show(entries: list[Entry]) -> None:
            self.app.push_screen(MessageScreen("Glossary", "", entries))

        self.services.background.run(glossary, show, group="glossary", exclusive=True)

    def _all_keys(self) -> list[Entry]:
        """Returns the keys of the focused pane, the screen, the app and other panes, with their descriptions."""
        stops = [self.query_one(f"#{stop}") for stop in self.STOPS]
        panes = [self.query_one(f"#{pane}") for pane in self.body.plan.panes]
        kinds: list[type[Widget]] = [*dict.fromkeys(type(part) for part in (*stops, *panes)), FilterField]
        kinds.sort(key=lambda kind: kind is not type(self.focused))
        first, *others = [(f"In {getattr(kind, 'TITLE', '') or kind.__name__}", [*own_keys(kind)]) for kind in kinds]
        groups: list[tuple[str, Sequence[BindingType]]] = [
            first,
            (self.TITLE, list(type(self).BINDINGS)),
            ("Everywhere", [*FrameScreen.BINDINGS, *self.app.BINDINGS]),
            ("In every pane", list(Pane.BINDINGS)),
            *others,
        ]
        entries_of_all: list[Entry] = []
        for name, keys in groups:
            entries = [(key, self.view.worded(what)) for key, what in self._entries(keys)]
            entries_of_all += [("", self.view.worded(name)), *entries, ("", "")] if entries else []
        return entries_of_all

    def _entries(self, keys: Iterable[BindingType]) -> list[Entry]:
        """Returns the keys and descriptions of the actions in ``keys`` that have an effect now."""
        from brvtui.app.screens.message import entries_of

        idle = self.services.idle
        return entries_of(
            [item for item in keys if isinstance(item, Binding) and item.id not in idle], self.services.keymap
        )


def _has_action(node: DOMNode, action: str) -> bool:
    return any(binding.id == action for binding in declared(type(node)))
