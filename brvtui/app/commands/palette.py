"""Shows the command palette and runs the selected command."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.css.query import NoMatches
from textual.message import Message
from textual.widgets import Input

from brvtui.app.actions.action import Action, Place, PlaceKind
from brvtui.app.actions.dialogs import COMMANDS
from brvtui.app.actions.registry import PLACES
from brvtui.app.contents import Branch
from brvtui.app.keys.bindings import bindings, key_name, keys_of
from brvtui.app.modes import EDITOR, SCREENS, Mode
from brvtui.app.screens.dialog import Dialog
from brvtui.app.services import AppServices
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.ordered_keys import OrderedInput
from brvtui.app.widgets.outline import WordFilter
from brvtui.paint.line import Line, Span, line, lit, painted
from brvtui.paint.text import cut

if TYPE_CHECKING:
    from brvtui.session.finding import FoundNotes, TextMatch

# The palette's commands as data, and the search for them.


NOT_OFFERED = (PlaceKind.DIALOG, PlaceKind.FIELD)
"""The kinds of places whose actions the palette does not offer: they answer a question or depend on a text."""

ALSO: Mapping[str, str] = {
    "answer.compare": "difference",
    "app.quit": "exit leave",
    "app.screenshot": "export image print",
    "app.themes": "dark light color colour",
    "copy.shown": "clipboard share",
    "help.glossary": "words terms explain",
    "help.keys": "shortcuts keyboard",
    "note.archive": "delete remove",
    "note.drafts": "recover unsaved conflict",
    "note.move": "name path folder",
    "note.new": "create add write",
    "note.redo": "again repeat",
    "panes.maximise": "maximize zoom full screen fullscreen",
    "pane.filter": "search find",
    "query.run_anywhere": "ask search",
    "results.why": "explain missing remedy fix",
    "layout.reset": "resize",
    "results.judge": "rate wrong right",
    "feedback.accepted": "accept",
    "feedback.dismissed": "useless reject",
    "screens.lab": "evaluate eval quality tune test",
    "screens.log": "history agent asked",
    "screens.maturity": "aging ageing expire stale decay forecast",
    "screens.settings": "preferences options config configuration setup",
    "trace.save": "export download share report",
}
"""Synonyms for actions, by action name, for users who do not know the app's terms."""


@dataclass(frozen=True, slots=True)
class Act:
    """An action and its screen."""

    action: Action
    mode: str
    """The name of the screen that must be in front; empty for any."""


@dataclass(frozen=True, slots=True)
class Command:
    """One row of the palette: an action to run or a note to show."""

    title: str
    aside: str
    """The action's place and screen, or the note's path."""
    keys: str = ""
    act: Act | None = None
    note: str = ""
    snippet: Sequence[Span] = ()
    """An excerpt of the note's text if the text matched; otherwise empty."""

    @property
    def low(self) -> str:
        """The command's searchable text, in lower case."""
        return f"{self.title}\n{self.aside}\n{self.act.action.label if self.act else ''}".lower()

    def is_meant_by(self, words: Sequence[str]) -> bool:
        """True if each of ``words`` occurs in the text or is the start of a synonym of the action."""
        low, also = self.low, ALSO.get(self.act.action.name, "").split() if self.act else ()
        return all(word in low or any(one.startswith(word) for one in also) for word in words)


def offered(
    front: str, near: Collection[str], editing: bool, keymap: Mapping[str, str], idle: Collection[str] = ()
) -> list[Command]:
    """Returns all actions except those named in ``idle``. Includes the editor's actions only if ``editing``.

    The order is: actions named in ``near``, then the actions of the screen ``front``, of the app, of every screen, of
    other panes on the front screen, of other screens, and of every pane.
    """
    modes = [mode for mode in (*SCREENS, EDITOR) if mode is not EDITOR or editing]
    modes.sort(key=lambda mode: mode.name != front)
    ranked: list[tuple[int, Command]] = []
    for place in PLACES:
        if place.kind not in NOT_OFFERED:
            ranked += _commands_of(place, modes, front, near, keymap)
    ranked = [pair for pair in ranked if pair[1].act is None or pair[1].act.action.name not in idle]
    return [command for _, command in sorted(ranked, key=lambda pair: pair[0])]


def _commands_of(
    place: Place, modes: Sequence[Mode], front: str, near: Collection[str], keymap: Mapping[str, str]
) -> Iterator[tuple[int, Command]]:
    """Yields the commands of one place, each with its rank; lower ranks are listed first."""
    mode, where, rank = "", "everywhere", 2
    if place.kind is PlaceKind.EVERY_SCREEN:
        where, rank = "every screen", 3
    elif place.kind is PlaceKind.EVERY_PANE:
        where, rank = "every pane", 6
    elif place.kind is not PlaceKind.APP:
        screens = (place.name,) if place.kind is PlaceKind.SCREEN else place.screens
        screen = next((mode for mode in modes if mode.name in screens), None)
        if screen is None:
            return
        mode = screen.name
        where = screen.title if place.kind is PlaceKind.SCREEN else f"{screen.title}, {place.title}"
        rank = 5 if mode != front else 1 if place.kind is PlaceKind.SCREEN else 4
    for action in place.actions:
        keys = " ".join(key_name(key) for key in keys_of(action.name, action.keys, keymap))
        yield 0 if action.name in near else rank, Command(action.description, where, keys, Act(action, mode))


def found(word_filter: WordFilter, commands: Iterable[Command]) -> list[Command]:
    """Returns the commands that match all words of ``word_filter``.

    Titles that start with the typed words are first, then titles with words that begin with each typed word, then other
    titles that contain the words, then other matches; each group keeps its order.
    """
    matches = [command for command in commands if command.is_meant_by(word_filter.words)]
    return sorted(matches, key=lambda command: _rank(word_filter, command.title.lower()))


def _rank(word_filter: WordFilter, title: str) -> int:
    if title.startswith(" ".join(word_filter.words)):
        return 0
    if all(title.startswith(word) or f" {word}" in title for word in word_filter.words):
        return 1
    return 2 if word_filter.keeps(title) else 3


# The palette: a field and the list of matching actions and notes.


_LEAST_TITLE = 24
_BEFORE_MATCH = 12
"""The maximum number of characters of a note's text to show before the first match."""
MOST_ROWS = 200
MOST_RANKED = 2_000
"""The maximum number of notes that are ranked by title; all others are only counted."""


class CommandsPane(ChoicePane):
    """Lists the matching commands."""

    class Taken(Message):
        """Posted when a command is clicked."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.commands: Sequence[Command] = ()
        """The matching commands, best first."""
        self._words = WordFilter(())

    @property
    def command(self) -> Command | None:
        """The command under the cursor, or None."""
        return self.commands[self.cursor] if self.cursor < len(self.commands) else None

    def put(self, commands: Sequence[Command], words: WordFilter) -> None:
        """Shows ``commands`` with the first one selected and ``words`` highlighted."""
        self.commands, self._words, self.cursor, self.offset_row = commands, words, 0, 0
        self.rebuild(force=True)

    def extend(self, commands: Sequence[Command]) -> None:
        """Replaces the commands with a longer list that begins with the same commands, and keeps the selection."""
        self.commands = commands
        self.rebuild(force=True)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns a line for each command, with the title on the left, and the place and keys on the right."""
        self.choices = [str(place) for place in range(len(self.commands))]
        self.owner = list(range(len(self.choices)))
        return [self._row(command, width) for command in self.commands] or [
            line(" no action or note matches these words", "muted")
        ]

    def _row(self, command: Command, width: int) -> Line:
        mark = f" {self.glyphs.bullet if command.note else ' '} "
        room = width - cell_len(mark) - 1
        title = cut(command.title, max(_LEAST_TITLE, room - cell_len(command.aside) - cell_len(command.keys) - 4))
        left = line(mark, "accent").add(title, "text")
        aside = Line()
        for text, role in command.snippet or [(command.aside, "muted")]:
            aside.add(text, role)
        if command.keys:
            aside.gap(2).add(command.keys, "bold accent")
        aside.cut(max(0, width - left.width - 3)).gap()
        row = left.right(width, aside)
        if self._words.pattern is not None:
            row.spans = lit(row.spans, self._words.pattern, "bold match")
        return row

    def clicked(self, place: int) -> None:
        """Selects and runs the clicked command."""
        self.move_to(place)
        self.post_message(self.Taken())


Find = Callable[[str, Callable[["FoundNotes"], None]], None]
"""Finds the first notes that match a query and passes them to its second argument."""


class CommandsDialog(Dialog[Command]):
    """Returns the selected command, or None if the user chooses none.

    The list always matches the typed text, so Enter runs its first row.
    """

    AUTO_FOCUS = "#command"
    BINDINGS = bindings(COMMANDS)

    def __init__(self, mode: str, near: Collection[str], find: Find) -> None:
        """Creates a palette for the screen ``mode``; ``near`` contains the names of the focused pane's actions."""
        super().__init__("Commands: every action and every note", wide=True)
        self._mode, self._near, self._find = mode, near, find
        self._actions: list[Command] = []
        self._listed: list[Command] = []
        self._amount = 0
        """The number of actions and notes whose names match."""

    @property
    def rows(self) -> CommandsPane:
        """The list of commands."""
        return self.query_one(CommandsPane)

    def make_parts(self) -> ComposeResult:
        """Yields the field and the list."""
        field = OrderedInput(
            placeholder="find actions by name, and notes by title, path or text", id="command", compact=True
        )
        field.cursor_blink = False
        yield field
        yield CommandsPane(id="commands")

    def on_mount(self) -> None:
        """Lists all actions."""
        view = self.services.store.view
        editing = view.editor.edit is not None
        self._actions = offered(self._mode, self._near, editing, self.services.keymap, self.services.idle)
        self._search()

    @on(Input.Changed)
    def _typed(self) -> None:
        self._search()

    def _search(self) -> None:
        word_filter = WordFilter.of(self.query_one(Input).value)
        notes = self._notes(word_filter)
        main, aside = ([_shown(note) for note in notes[:MOST_RANKED] if note.aside is part] for part in (False, True))
        self._listed = found(word_filter, [*self._actions, *main]) + found(word_filter, aside)
        self.rows.put(self._listed[:MOST_ROWS], word_filter)
        self._amount = len(self._listed) + max(0, len(notes) - MOST_RANKED)
        self._count(self._amount)
        if word_filter:
            self._find(self.query_one(Input).value, self._add_found)

    def _add_found(self, found: FoundNotes) -> None:
        """Appends the notes whose texts match, unless the query has changed."""
        listed = {command.note for command in self._listed}
        more = [_by_text(note) for note in found.notes if note.path not in listed]
        with suppress(NoMatches):  # the dialog is being closed
            if found.query == self.query_one(Input).value:
                self.rows.extend([*self._listed, *more][:MOST_ROWS])
                self._count(self._amount + len(more), found.count > len(found.notes))

    def _count(self, amount: int, has_more: bool = False) -> None:
        """Shows ``amount``, the number of matches; ``has_more`` is True if the texts of further notes match."""
        of = f"{amount} or more" if has_more else f"{amount}"
        tally = (
            f"the first {min(amount, MOST_ROWS)} of {of}: type more to narrow them down"
            if has_more or amount > MOST_ROWS
            else of
        )
        self.query_one("#dialog").border_subtitle = tally

    def _notes(self, word_filter: WordFilter) -> list[Branch]:
        """Returns the files that match every word, or none if there are no words."""
        overview = self.services.store.view.project.overview
        if overview is None or not word_filter:
            return []
        return [file for file in overview.branches.values() if not file.is_folder and word_filter.keeps(file.low)]

    @on(CommandsPane.Taken)
    def action_take(self) -> None:
        """Closes the dialog and returns the command under the cursor."""
        if self.rows.command is not None:
            self.dismiss(self.rows.command)

    def action_step(self, step: int) -> None:
        """Moves to the next or previous row."""
        self.rows.move_to(self.rows.cursor + step)

    def action_page(self, pages: int) -> None:
        """Moves ``pages`` pages of rows down, or up if negative."""
        self.rows.action_page(pages)


def _shown(note: Branch) -> Command:
    return Command(note.name, note.path, note=note.path)


def _by_text(note: TextMatch) -> Command:
    first = max(0, min((start for start, _ in note.highlights), default=0) - _BEFORE_MATCH)
    spans = [("…" if first else "", "muted"), (note.snippet[first:], "muted")]
    ranges = ((start - first + bool(first), end - first + bool(first), "match") for start, end in note.highlights)
    return Command(note.title, note.path, note=note.path, snippet=painted(spans, ranges))


Perform = Callable[[Action], Awaitable[bool]]
"""Runs an action in the current screen; returns True if that was possible."""


def show_palette(
    services: AppServices, near: Collection[str], perform: Perform, find: Find, show_note: Callable[[str], None]
) -> None:
    """Shows the palette, with the actions named in ``near`` first.

    ``find`` searches the texts of notes; ``show_note`` shows the note at a path on the Notes screen.
    """

    async def carry_out(command: Command | None) -> None:
        if command is None:
            return
        if command.note:
            await services.switch_mode("notes")
            show_note(command.note)
        elif command.act is not None and not await _act(services, perform, command.act):
            services.notify(f"not available now: {command.title}", severity="warning", timeout=4)

    services.push_screen(CommandsDialog(services.current_mode, near, find), carry_out)


async def _act(services: AppServices, perform: Perform, act: Act) -> bool:
    """Switches to the screen of ``act`` and runs its action; returns True if that was possible."""
    if act.mode and act.mode != services.current_mode:
        if act.mode == EDITOR.name and services.store.view.editor.edit is None:
            return False
        await services.switch_mode(act.mode)
        if services.current_mode != act.mode:
            return True  # a message explains why
    return await perform(act.action)
