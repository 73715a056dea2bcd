"""The keys of the app and of its screens; the keys of a pane stand in its own file.

Keys that move the focus have priority: they act before the next key is handed to a widget, so that keys typed ahead
reach the pane that was asked for.
"""

from __future__ import annotations

from textual.binding import Binding, BindingType


def _first(key: str, action: str, label: str, id: str, tooltip: str, show: bool = False) -> Binding:
    return Binding(key, action, label, id=id, tooltip=tooltip, show=show, priority=True)


def _plain(key: str, action: str, label: str, id: str, tooltip: str, show: bool = False) -> Binding:
    return Binding(key, action, label, id=id, tooltip=tooltip, show=show)


def screen_key(key: str, mode: str, title: str) -> Binding:
    """The key that brings screen ``mode``, called ``title``, to the front."""
    return _first(key, f"mode('{mode}')", title, f"screens.{mode}", f"The screen {title}")


def pane_keys(prefix: str, keys: dict[str, str]) -> list[BindingType]:
    """The keys that show and focus panes, by the pane's id; only the first stands in the key bar, for all."""
    made: list[BindingType] = []
    span = f"{next(iter(keys.values())).upper()}-{list(keys.values())[-1].upper()}"
    for place, (pane, key) in enumerate(keys.items()):
        binding = _first(key, f"pane('{pane}')", "panes", f"{prefix}.{pane}", f"Show and focus {pane}", place == 0)
        made.append(binding.with_key(key, span if place == 0 else None))
    return made


QUERY_PANES = {
    "results": "f2",
    "score": "f3",
    "route": "f4",
    "retry": "f5",
    "cache": "f6",
    "answer": "f7",
    "tree": "f8",
}
MATURITY_PANES = {"draft": "f2", "validated": "f3", "core": "f4", "ageing": "f5"}
NOTES_PANES = {"tree": "f2", "note": "f3", "about": "f4"}
LOG_PANES = {"log": "f2", "entry": "f3", "summary": "f4"}
SETTINGS_PANES = {"settings": "f2", "setting": "f3"}
EDITOR_PANES = {"text": "f2", "problems": "f3", "ranking": "f4"}

_KEEP = "Saving keeps the note's modification time, or makes it new"
_RECORD = "Record access hits of runs, or stop: importance then rises in the tool's own overlay"

APP: list[BindingType] = [
    _first("ctrl+q", "quit", "quit", "app.quit", "Quit, from anywhere"),
    _plain("q", "quit", "quit", "app.quit_letter", "Quit"),
    _first("ctrl+g", "commands", "commands", "app.commands", "The command palette: every action, every note", True),
    _plain("colon", "commands", "commands", "app.commands_letter", "The command palette"),
    _plain("t", "next_theme", "theme", "app.theme", "The next of our own colour themes"),
    _plain("T", "choose_theme", "themes", "app.themes", "The list of themes: each is shown as you come to it"),
    _plain("s", "screenshot", "screenshot", "app.screenshot", "Save the screen as SVG"),
    _plain("x", "export('json')", "save trace", "trace.save", "Save the trace as JSON, Markdown or SVG"),
    _plain("y", "copy('shown')", "copy", "copy.shown", "Copy the path of the note at hand; of an answer, its text"),
    _plain("Y", "copy('trace')", "copy trace", "copy.trace", "Copy the trace as JSON"),
    _plain("p", "profile", "profile", "engine.profile", "The next profile: brv-3, docs, combined"),
    _plain("P", "pipeline", "pipeline", "engine.pipeline", "The next pipeline: byterover, jeffs_brain"),
    _plain("m", "legs", "legs", "engine.legs", "The next mode of jeffs_brain: auto, bm25, semantic, hybrid"),
    _plain("R", "record", "record", "engine.record", _RECORD),
]

NOTE: list[BindingType] = [
    _plain(
        "e",
        "app.edit_note",
        "edit",
        "note.edit",
        "Edit the note under the cursor, or the selected one",
        True,
    ),
    _plain("E", "app.edit_outside", "$EDITOR", "note.outside", "Edit that note with $VISUAL or $EDITOR"),
    _plain("a", "app.new_note", "new note", "note.new", "Begin a note; from the query, when nothing covers it", True),
    _plain("M", "app.move_note", "move", "note.move", "Rename or move that note; links to it follow"),
    _plain("X", "app.archive_note", "archive", "note.archive", "Archive that note, or restore one from its stub"),
    _plain("I", "app.signals", "signals", "note.signals", "Set that note's maturity and importance"),
    _plain("u", "app.undo_change", "undo", "note.undo", "Undo what was saved, moved or archived last in this session"),
    _plain("U", "app.redo_change", "do again", "note.redo", "Do again what was undone last"),
    _plain("D", "app.drafts", "drafts", "note.drafts", "Texts that were typed and never saved"),
    _plain("C", "app.changes", "changes", "note.changes", "What was changed in this session"),
]

FRAME: list[BindingType] = [
    *NOTE,
    _first("escape", "back", "back", "panes.back", "Out of filter or maximised pane, else to the main pane", True),
    _first("tab", "cycle(1)", "next pane", "panes.next", "The next pane", True),
    _first("shift+tab", "cycle(-1)", "pane before", "panes.before", "The pane before"),
    _first("ctrl+o", "jump", "jump", "panes.jump", "A letter on every pane and field: pressing one focuses it"),
    _plain("z", "maximise", "maximise", "panes.maximise", "Give the pane the whole screen, or back", True),
    _plain("less_than_sign", "resize(True, -2)", "narrower", "layout.narrower", "Give the pane less width"),
    _plain("greater_than_sign", "resize(True, 2)", "wider", "layout.wider", "Give the pane more width"),
    _plain("minus", "resize(False, -1)", "lower", "layout.lower", "Give the pane less height"),
    _plain("plus", "resize(False, 1)", "higher", "layout.higher", "Give the pane more height"),
    _plain("H", "hide", "hide", "layout.hide", "Hide the pane; its own key shows it again"),
    _plain("equals_sign", "reset_layout", "reset layout", "layout.reset", "All panes as they were at first"),
    _first("f1", "help", "help", "help.pane", "Help for the focused pane", True),
    _plain("question_mark", "keys", "all keys", "help.keys", "All keys", True),
]

QUERY_SCREEN: list[BindingType] = [
    _first("i", "query", "query", "panes.query", "To the query's field", True),
    *pane_keys("panes", QUERY_PANES),
    _first("ctrl+r", "run", "run", "query.run_anywhere", "Run the query, from anywhere"),
    _first("ctrl+n", "select(1)", "next result", "results.next", "The next result, from anywhere"),
    _first("ctrl+p", "select(-1)", "result before", "results.before", "The result before, from anywhere"),
    _plain("o", "open_note", "in Notes", "results.notes", "Show the note on the screen Notes", True),
    _first("w", "why", "why (not)", "results.why", "Why the selected note is, or is not, in the results", True),
    _plain("c", "clear_cache", "clear cache", "cache.clear", "Empty the simulated cache"),
]

NOTES_SCREEN: list[BindingType] = [
    *pane_keys("notes", NOTES_PANES),
    _plain("b,backspace", "go(-1)", "back", "notes.back", "Back to the note from which a link was followed", True),
    _plain("B", "go(1)", "forward", "notes.forward", "Forward again"),
]

MATURITY_SCREEN: list[BindingType] = [
    *pane_keys("maturity", MATURITY_PANES),
    _plain("right_square_bracket", "day(1)", "a day on", "forecast.next", "The forecast a day on", True),
    _plain("left_square_bracket", "day(-1)", "a day back", "forecast.before", "The forecast a day back"),
    _plain("right_curly_bracket", "day(30)", "30 days on", "forecast.month", "The forecast 30 days on", True),
    _plain("left_curly_bracket", "day(-30)", "30 days back", "forecast.month_before", "The forecast 30 days back"),
    _plain("0", "today", "today", "forecast.today", "The notes as they are today", True),
]

LOG_SCREEN: list[BindingType] = [*pane_keys("log", LOG_PANES)]
SETTINGS_SCREEN: list[BindingType] = [*pane_keys("settings", SETTINGS_PANES)]

EDITOR_SCREEN: list[BindingType] = [
    _first("ctrl+s", "save", "save", "editor.save", "Save the text", True),
    _first("f6", "keep_mtime", "keep time", "editor.keep_mtime", _KEEP, True),
    _first("ctrl+f", "find", "find", "editor.find", "Find words in the text; again: the next place", True),
    *pane_keys("editor", EDITOR_PANES),
    _first("f8", "wrap", "wrap", "editor.wrap", "Wrap long lines, or not"),
    _first("f7", "external", "$EDITOR", "editor.external", "Hand the text to $VISUAL or $EDITOR, save what comes back"),
]
