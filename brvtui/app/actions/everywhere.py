"""The actions of the app, of every screen, and of every pane."""

from __future__ import annotations

from brvtui.app.actions.action import AS_PICTURE, Action, Need, Place, PlaceKind
from brvtui.app.modes import EDITOR, SCREENS

ALL_SCREENS = (*(mode.name for mode in SCREENS), EDITOR.name)
_RECORD = "Record access hits of runs, or stop: importance then rises in the tool's own overlay"

APP = Place("app", "Everywhere", PlaceKind.APP, (
    Action("app.quit", "ctrl+q", "quit", "quit", "Quit, from anywhere", first=True),
    Action("app.quit_letter", "q", "quit", "quit", "Quit"),
    Action("app.commands", "ctrl+g", "commands", "commands", "The command palette: every action, every note",
           bar=True, first=True),
    Action("app.commands_letter", "colon", "commands", "commands", "The command palette"),
    Action("drafts.left", "ctrl+l", "left_drafts", "drafts", "To the text that was never saved, from anywhere",
           first=True, needs=Need.PROJECT),
    Action("app.theme", "t", "next_theme", "theme", "The next of our own colour themes"),
    Action("app.themes", "T", "choose_theme", "themes", "The list of themes: each is shown as you come to it"),
    Action("app.screenshot", "s", "screenshot", "screenshot",
           f"Save the screen {AS_PICTURE}"),
    Action("trace.save", "x", "export('json')", "save trace", "Save the trace as JSON, Markdown or SVG",
           needs=Need.RESULT),
    Action("copy.shown", "y", "copy('shown')", "copy", "Copy the path of the selected note; of an answer, its text",
           needs=Need.ANSWER),
    Action("copy.trace", "Y", "copy('trace')", "copy trace", "Copy the trace as JSON", needs=Need.RESULT),
    Action("engine.profile", "p", "profile", "profile", "The next profile of the engine, those of your own included",
           needs=Need.PROJECT),
    Action("engine.next", "P", "engine", "engine",
           "The next engine that is installed; of a project with a tree and a space, then the other memory",
           needs=Need.PROJECT | Need.ENGINES),
    Action("engine.mode", "m", "engine_mode", "mode", "The next mode of an engine that has several",
           needs=Need.PROJECT | Need.MODES),
    Action("engine.record", "R", "record", "record", _RECORD, needs=Need.PROJECT | Need.TREE),
    Action("engine.installed", "W", "versions", "installed engine",
           "The installed engine: whether it answers as shown here, and what a migration to V4 would change",
           needs=Need.PROJECT),
    *(
        Action(f"screens.{mode.name}", mode.key, f"mode('{mode.name}')", mode.title, f"The screen {mode.title}",
               first=True)
        for mode in SCREENS
    ),
))  # fmt: skip

_CHANGES = (
    Action("note.edit", "e", "app.edit_note", "edit", "Edit the note under the cursor, or the selected one", bar=True,
           needs=Need.NOTE),
    Action("note.outside", "E", "app.edit_outside", "$EDITOR", "Edit that note with $VISUAL or $EDITOR",
           needs=Need.NOTE | Need.TERMINAL),
    Action("note.new", "a", "app.new_note", "new note", "Begin a note; on Query and Log titled by the query", bar=True,
           needs=Need.TREE),
    Action("note.move", "M", "app.move_note", "move", "Rename or move that note; links to it follow",
           needs=Need.NOTE | Need.TREE),
    Action("note.archive", "X", "app.archive_note", "archive", "Archive that note, or restore one from its stub",
           needs=Need.NOTE | Need.TREE),
    Action("note.signals", "I", "app.signals", "signals", "Set that note's maturity and importance",
           needs=Need.NOTE | Need.TREE),
    Action("note.undo", "u", "app.undo_change", "undo", "Undo what was saved, moved or archived last in this session"),
    Action("note.redo", "U", "app.redo_change", "do again", "Do again what was undone last"),
    Action("note.drafts", "D", "app.drafts", "drafts", "Texts that were typed and never saved"),
    Action("note.changes", "C", "app.changes", "changes", "What was changed in this session"),
)  # fmt: skip
CHANGES = tuple(action._replace(needs=action.needs | Need.PROJECT | Need.NOTES) for action in _CHANGES)
"""The actions that change notes or show changes."""

EVERY_SCREEN = Place("every screen", "Every screen", PlaceKind.EVERY_SCREEN, (
    *CHANGES,
    Action("panes.back", "escape", "back", "back", "Leave the filter or the maximised pane; else go to the main pane",
           bar=True, first=True),
    Action("panes.next", "tab", "cycle(1)", "next pane", "The next pane", first=True),
    Action("panes.before", "shift+tab", "cycle(-1)", "pane before", "The pane before", first=True),
    Action("panes.jump", "ctrl+o", "jump", "jump", "A letter on every pane and field: pressing one focuses it",
           first=True),
    Action("panes.maximise", "z", "maximise", "maximise", "Give the pane the whole screen, or back", bar=True),
    Action("layout.narrower", "less_than_sign", "resize(True, -2)", "narrower", "Give the pane less width"),
    Action("layout.wider", "greater_than_sign", "resize(True, 2)", "wider", "Give the pane more width"),
    Action("layout.lower", "minus", "resize(False, -1)", "lower", "Give the pane less height"),
    Action("layout.higher", "plus", "resize(False, 1)", "higher", "Give the pane more height"),
    Action("layout.hide", "H", "hide", "hide", "Hide the pane; its own key shows it again"),
    Action("layout.reset", "equals_sign", "reset_layout", "reset layout", "Show all panes, in their first sizes"),
    Action("help.pane", "f1", "help", "help", "Help for the focused pane", bar=True, first=True),
    Action("help.keys", "question_mark", "keys", "all keys", "All keys", bar=True),
), screens=ALL_SCREENS)  # fmt: skip

EVERY_PANE = Place("every pane", "Every pane", PlaceKind.EVERY_PANE, (
    Action("pane.down", "j,down", "down", "down", "One row down"),
    Action("pane.up", "k,up", "up", "up", "One row up"),
    Action("pane.top", "g,home", "top", "top", "To the first row"),
    Action("pane.bottom", "G,end", "bottom", "end", "To the last row"),
    Action("pane.pagedown", "pagedown,space", "page(1)", "page down", "A page down"),
    Action("pane.pageup", "pageup", "page(-1)", "page up", "A page up"),
    Action("pane.filter", "slash", "filter", "filter", "Filter rows, find in a text", bar=True, first=True),
    Action("pane.match", "n", "match(1)", "next match", "The next match of the filter", bar=True),
    Action("pane.match_before", "N", "match(-1)", "match before", "The match before"),
), screens=ALL_SCREENS)  # fmt: skip

FILTER = Place("filter", "Filter", PlaceKind.FIELD, (
    Action("filter.keep", "enter", "keep", "keep", "Back to the pane; the filter stays", bar=True),
    Action("filter.clear", "escape", "clear", "clear", "Clear the filter", bar=True),
    Action("filter.next", "down", "step(1)", "next", "The next row, or match, of the pane", bar=True),
    Action("filter.before", "up", "step(-1)", "before", "The row, or match, before"),
), screens=ALL_SCREENS)  # fmt: skip
