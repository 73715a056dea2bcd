"""The actions of the app, of every screen, and of every pane."""

from __future__ import annotations

from brvtui.app.actions.action import AS_PICTURE, Action, Need, Place, PlaceKind
from brvtui.app.modes import EDITOR, SCREENS

ALL_SCREENS = (*(mode.name for mode in SCREENS), EDITOR.name)
_RECORD = "Start or stop recording access hits: runs then raise importance in brv-tui's own overlay"

APP = Place("app", "Everywhere", PlaceKind.APP, (
    Action("app.quit", "ctrl+q", "quit", "quit", "Quit, from anywhere", first=True),
    Action("app.quit_letter", "q", "quit", "quit", "Quit"),
    Action("app.commands", "ctrl+p,ctrl+g", "commands", "commands",
           "Open the command palette: every action and every note",
           bar=True, first=True),
    Action("app.commands_letter", "colon", "commands", "commands", "Open the command palette"),
    Action("drafts.left", "ctrl+l", "left_drafts", "drafts", "Go to the unsaved text, from anywhere",
           first=True, needs=Need.PROJECT),
    Action("app.tour", "f12", "tour", "tour",
           "Guided tour: find a wrong answer in the sample, and fix it; press again to end or resume it",
           first=True, needs=Need.PROJECT),
    Action("app.theme", "t", "next_theme", "theme", "Next built-in colour theme"),
    Action("app.themes", "T", "choose_theme", "themes",
           "Choose a theme from a list; each is shown as you select it"),
    Action("app.screenshot", "s", "screenshot", "screenshot",
           f"Save a picture of the screen {AS_PICTURE}"),
    Action("trace.save", "x", "export('json')", "save trace", "Save the trace as JSON, Markdown or SVG",
           needs=Need.RESULT),
    Action("copy.shown", "y", "copy('shown')", "copy",
           "Copy the selected note's path; on an answer, its text",
           needs=Need.ANSWER),
    Action("copy.trace", "Y", "copy('trace')", "copy trace", "Copy the trace as JSON", needs=Need.RESULT),
    Action("engine.profile", "p", "profile", "profile",
           "Next engine profile, including your own",
           needs=Need.PROJECT),
    Action("engine.next", "P", "engine", "engine",
           "Next engine; after the last one, the project's other memory (tree or space)",
           needs=Need.PROJECT | Need.ENGINES),
    Action("engine.mode", "m", "engine_mode", "mode", "The engine's next mode, if it has several",
           needs=Need.PROJECT | Need.MODES),
    Action("engine.record", "R", "record", "record", _RECORD, needs=Need.PROJECT | Need.TREE),
    Action("engine.installed", "W", "versions", "installed engine",
           "Check that the installed engine answers as shown here, or preview a migration to V4",
           needs=Need.PROJECT),
    *(
        Action(f"screens.{mode.name}", mode.key, f"mode('{mode.name}')", mode.title, f"Go to the {mode.title} screen",
               first=True)
        for mode in SCREENS
    ),
))  # fmt: skip

_CHANGES = (
    Action("note.edit", "e", "app.edit_note", "edit", "Edit the note under the cursor, or the selected note", bar=True,
           needs=Need.NOTE),
    Action("note.outside", "E", "app.edit_outside", "$EDITOR", "Edit that note in $VISUAL or $EDITOR",
           needs=Need.NOTE | Need.TERMINAL),
    Action("note.new", "a", "app.new_note", "new note",
           "Start a new note; on the Query and Log screens, the query becomes its title", bar=True, needs=Need.TREE),
    Action("note.move", "M", "app.move_note", "move", "Rename or move that note; links to it are updated",
           needs=Need.NOTE | Need.TREE),
    Action("note.archive", "X", "app.archive_note", "archive",
           "Archive that note, or restore an archived note from its stub",
           needs=Need.NOTE | Need.TREE),
    Action("note.signals", "I", "app.signals", "signals", "Set the maturity and importance of that note",
           needs=Need.NOTE | Need.TREE),
    Action("note.undo", "u", "app.undo_change", "undo",
           "Undo the latest save, move or archiving in this session"),
    Action("note.redo", "U", "app.redo_change", "redo", "Redo the last change that you undid"),
    Action("note.drafts", "D", "app.drafts", "drafts", "List drafts: text that you typed but never saved"),
    Action("note.changes", "C", "app.changes", "changes", "List the changes made in this session"),
)  # fmt: skip
CHANGES = tuple(action._replace(needs=action.needs | Need.PROJECT | Need.NOTES) for action in _CHANGES)
"""The actions that change notes or show changes."""

EVERY_SCREEN = Place("every screen", "Every screen", PlaceKind.EVERY_SCREEN, (
    *CHANGES,
    Action("panes.back", "escape", "back", "back",
           "Close the filter or restore a maximised pane; otherwise go to the main pane",
           bar=True, first=True),
    Action("panes.next", "tab", "cycle(1)", "next pane", "Next pane", first=True),
    Action("panes.before", "shift+tab", "cycle(-1)", "previous pane", "Previous pane", first=True),
    Action("panes.jump", "ctrl+o", "jump", "jump",
           "Show a letter on every pane and field; pressing it focuses that pane",
           first=True),
    Action("panes.maximise", "z", "maximise", "maximise", "Maximise or restore the pane", bar=True),
    Action("layout.narrower", "less_than_sign", "resize(True, -2)", "narrower", "Make the pane narrower"),
    Action("layout.wider", "greater_than_sign", "resize(True, 2)", "wider", "Make the pane wider"),
    Action("layout.lower", "minus", "resize(False, -1)", "shorter", "Make the pane shorter"),
    Action("layout.higher", "plus", "resize(False, 1)", "taller", "Make the pane taller"),
    Action("layout.hide", "H", "hide", "hide", "Hide the pane; its own key shows it again"),
    Action("layout.reset", "equals_sign", "reset_layout", "reset layout", "Show all panes in their original sizes"),
    Action("help.pane", "f1", "help", "help", "Help on the focused pane", bar=True, first=True),
    Action("help.keys", "question_mark", "keys", "all keys", "All keys", bar=True),
    Action("help.glossary", "ctrl+n", "glossary", "glossary", "Explain the terms on screen", first=True),
), screens=ALL_SCREENS)  # fmt: skip

EVERY_PANE = Place("every pane", "Every pane", PlaceKind.EVERY_PANE, (
    Action("pane.down", "j,down", "down", "down", "One row down"),
    Action("pane.up", "k,up", "up", "up", "One row up"),
    Action("pane.top", "g,home", "top", "top", "Go to the first row"),
    Action("pane.bottom", "G,end", "bottom", "end", "Go to the last row"),
    Action("pane.pagedown", "pagedown", "page(1)", "page down", "One page down"),
    Action("pane.space", "space", "space", "page down", "One page down; in the list of findings, mark the row"),
    Action("pane.pageup", "pageup", "page(-1)", "page up", "One page up"),
    Action("pane.filter", "slash", "filter", "filter", "Filter rows, or find words in a text", bar=True, first=True),
    Action("pane.match", "n", "match(1)", "next match", "Next filter match", bar=True),
    Action("pane.match_before", "N", "match(-1)", "previous match", "Previous match"),
), screens=ALL_SCREENS)  # fmt: skip

FILTER = Place("filter", "Filter", PlaceKind.FIELD, (
    Action("filter.keep", "enter", "keep", "keep", "Go back to the pane and keep the filter", bar=True),
    Action("filter.clear", "escape", "clear", "clear", "Clear the filter", bar=True),
    Action("filter.next", "down", "step(1)", "next", "Next row or match in the pane", bar=True),
    Action("filter.before", "up", "step(-1)", "before", "Previous row or match in the pane"),
), screens=ALL_SCREENS)  # fmt: skip
