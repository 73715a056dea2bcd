"""The query field with its history, scope and mode, and a line with the engine's interpretation of the query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.widget import Widget

from brvtui.app.actions.panes import QUERY_FIELD, SCOPE_TREE
from brvtui.app.keys.bindings import bindings
from brvtui.app.modes import QUERY, SCREENS
from brvtui.app.states import AnswerState, EngineState, Phase, ProjectState, QueryState
from brvtui.app.text_entry import types_text
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.app.widgets.ordered_keys import OrderedInput
from brvtui.app.widgets.tree import ASIDE, ROOT, UNSEEN, TreePane
from brvtui.paint.line import Line, line, spread
from brvtui.paint.text import cut_left

# The tree of the Query screen: Enter on a folder limits the query to it.


class ScopeTree(TreePane):
    """The tree with the scores of results; follows the selected result while the tree does not have the focus."""

    HELP_TEXT = (
        "This pane shows the context tree, in which you can limit the query to a folder. Each folder has its number "
        "of notes by maturity (○ draft, ◐ validated, ● core). Press {tree.take} on a folder to limit the query to it; "
        "on the same folder again, or on the whole tree, the key removes the limit. In a saved trace, it opens or "
        "closes the folder, as the right and left arrows do. The last row lists files that the engine does not read, "
        "each with its reason."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(SCOPE_TREE)

    @dataclass
    class ScopeWanted(Message):
        """Posted to limit queries to ``folder``; empty for the whole tree."""

        folder: str

    def heading(self, view: View) -> str:
        """Returns the title with the folder that limits the query."""
        return f"Tree · in {view.query.scope}" if view.query.scope else "Tree"

    def head(self, view: View, width: int) -> list[Line]:
        """Returns the row for the whole tree, which remains visible while a filter is set."""
        mark = self.glyphs.here if not view.query.scope else " "
        right = Line().extend(self.held(view.project.overview.counts) if view.project.overview else [])
        name = view.worded("whole tree") if width > right.width + 12 else "all"
        if view.project.saved:  # a trace contains only parts of the tree
            name = "the trace"
        return [line(mark, "accent").add(name, "bold strong").right(width, right)]

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing now, including Enter on the whole tree without a scope, or on a saved folder."""
        is_saved_folder = bool(self.view.project.saved) and self.branch is not None and self.branch.is_folder
        lifts_nothing = self.chosen == ROOT and not self.view.query.scope
        return super().idle | {"tree.take"} if is_saved_folder or lifts_nothing else super().idle

    def followed(self, before: str) -> str:
        """Returns the selected note, or the current choice while the tree has the focus."""
        return before if self.has_focus else self.view.selection.file

    def action_take(self) -> None:
        """Limits the query to the folder under the cursor, or shows the note; in a saved trace, opens the folder."""
        branch = self.branch
        if self.chosen in (UNSEEN, ASIDE):
            super().action_take()
        elif branch is not None and not branch.is_folder:
            self.post_message(self.NoteWanted(branch.path))
        elif self.view.project.saved:
            self.toggle(self.chosen)
        elif branch is not None or self.chosen == ROOT:
            scope = ROOT if self.chosen == self.view.query.scope else self.chosen
            if scope:
                self.toggle(self.chosen, True)
            self.post_message(self.ScopeWanted(scope))


_DATE = len("2026-11-24")
_TERMS = 6
"""The weight of the query's terms in the line below the field. Groups of at least this weight are cut, not left out."""


class QueryInput(OrderedInput):
    """A one-line field with a history, which up and down go through; the unfinished text is preserved."""

    TITLE = "Query"
    HELP_TEXT = (
        "Type a question here to see how the engine answers it. While you type, all panes preview the answer, and "
        "nothing is changed. Press {query.run} to run the query as the engine would and to go to its results; there, "
        "{panes.query} takes you back to the query. The up and down arrows recall earlier queries. The line below the "
        "field shows how the engine reads the query."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(QUERY_FIELD)

    def __init__(self, *, id: str) -> None:
        super().__init__(placeholder="Ask a question", select_on_focus=False, compact=True, id=id)
        self.cursor_blink = False
        self.history: tuple[str, ...] = ()
        self._place = 0
        self._draft = ""

    def remember(self, history: tuple[str, ...]) -> None:
        """Replaces the history, oldest query first. The position moves to the end of a new history."""
        if history is not self.history:
            self.history = history
            self._place = len(history)

    def action_history(self, step: int) -> None:
        """Shows an earlier or later query; after the last one, the unfinished text."""
        if self._place >= len(self.history):
            self._draft = self.value
        place = max(0, min(self._place + step, len(self.history)))
        if place == self._place:
            return
        self._place = place
        self.value = self.history[place] if place < len(self.history) else self._draft
        self.cursor_position = len(self.value)


class Prompt(Lines):
    """The prompt symbol before the field."""

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the prompt symbol."""
        return [line(f" {self.glyphs.prompt} ", "bold accent")]


class QueryBadge(Lines):
    """The query's scope, the engine's mode or the day of a saved trace, and a badge: preview, run or saved.

    Without a scope or mode, the key that leads to the field is shown while letters are keys.
    """

    READS = (QueryState, AnswerState, EngineState, ProjectState)

    def on_mount(self) -> None:
        """Updates the line when the focus moves: in a field, letters are text."""
        self.watch(self.screen, "focused", lambda: self.rebuild(), init=False)

    def also_reads(self) -> tuple[object, ...]:
        """Returns the id of the focused widget, since the line depends on it."""
        return (self.screen.focused.id if self.screen.focused is not None else "",)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns one right-aligned line with the scope, the mode and the badge; the badge needs an answer."""
        badge, saved = Line(), view.project.saved
        if saved is not None and not view.query.scope:  # a narrow status line does not show the date
            badge.add(f"{saved.saved_at[:_DATE]}  ", "text")
        elif not view.engine.mode:
            named = view.presentation.named_folder(view.answered) if view.answered is not None else ""
            scope = view.query.scope or named
            if scope:
                badge.add("in ", "muted").add(cut_left(scope, max(8, width - 18)), "bold accent").add("  ")
            elif saved is None and view.project.phase is Phase.READY and not types_text(self.screen.focused):
                badge.add(self.services.shown_key("panes.query"), "bold accent").add(" new question  ", "text")
        else:
            badge.add("mode ", "muted").add(view.engine.mode, "text").add("  ")
        if view.query.followed is not None and view.query.followed.query == view.query.text:
            badge.add(" ENGINE'S, RE-COMPUTED ", "bold badge-text on accent")
        elif view.answered is not None:
            state = "SAVED" if saved else "RUN" if view.ran else "PREVIEW"
            badge.add(f" {state} ", "bold accent" if state == "PREVIEW" else "bold badge-text on ok")
        return [Line().right(width, badge)]


class LintLine(Lines):
    """The engine's interpretation of the query: its words and terms, and the parts that can never match."""

    READS = (QueryState, AnswerState, EngineState, ProjectState)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns one line with the most important groups, or an explanation if the text is the key of a screen."""
        if view.answered is None:
            if view.project.phase is Phase.LOADING:
                hint = "keep typing: the preview appears once the notes are read"
            elif view.project.phase is Phase.FAILED:
                hint = "no tree to search"
            else:
                hint = self.services.with_keys(view.presentation.typing)
            return [line(f"  {hint}", "muted").cut(width)]
        if hint := self._as_key(view.query.text.strip()):
            return [line(f"  {hint}", "accent").cut(width)]
        groups = view.presentation.reading(view.answered, self.glyphs)
        return [Line().gap(2).extend(spread(width - 2, groups, cut_from=_TERMS).spans)]

    def _as_key(self, text: str) -> str:
        """Returns a hint if ``text`` is the key of a screen; empty for other texts."""
        for mode in filter(self.view.has_screen, SCREENS):
            if mode is not QUERY and self.services.with_keys(f"{{screens.{mode.name}}}") == text:
                title = self.view.worded(mode.title)
                return self.services.with_keys(f"this was run as a query; {{panes.back}}, then {text} opens {title}")
        return ""


class QueryBox(Widget):
    """The field and the lint line, in a frame if there is enough space."""

    def compose(self) -> ComposeResult:
        """Yields the symbol, the field and the badge in a row, and the lint line below it."""
        yield Prompt(id="prompt")
        yield QueryInput(id="query")
        yield QueryBadge(id="mode")
        yield LintLine(id="lint")
