"""The actions of each screen."""

from __future__ import annotations

from brvtui.app.actions.action import Action, Need, Place, PlaceKind
from brvtui.app.actions.everywhere import EVERY_SCREEN

QUERY_PANES = {
    "results": "f2",
    "score": "f3",
    "route": "f4",
    "retry": "f5",
    "cache": "f6",
    "answer": "f7",
    "tree": "f8",
}
_SHOWN = {
    "entry": "then and now: the chosen query as it was logged, and as it is answered now",
    "cache": "cache, or the graph of an engine that ranks over one",
    "judged": "the judged queries",
    "cell": "the answer in the cell under the cursor",
    "sliders": "what if: a slider for every constant",
}
_KEEP = "Saving keeps the note's modification time, or makes it new"


def _panes(prefix: str, keys: dict[str, str]) -> tuple[Action, ...]:
    """Returns actions that show and focus the panes with these ids; in the key bar, the first represents all."""
    first, *_, last = keys.values()
    return tuple(
        Action(
            f"{prefix}.{pane}", key, f"pane('{pane}')", "panes", f"Show and focus {_SHOWN.get(pane, pane)}",
            bar=key == first, first=True, span=f"{first.upper()}-{last.upper()}" if key == first else "",
        )
        for pane, key in keys.items()
    )  # fmt: skip


def _why(prefix: str, needs: Need, note: str = "the selected note", bar: bool = True) -> Action:
    tooltip = f"Why {note} is or is not in the answer, and what would help it"
    return Action(f"{prefix}.why", "w", "app.why", "why (not)", tooltip, bar=bar, needs=needs)


EDIT_SCREEN = Place("edit", "Screen Edit", PlaceKind.SCREEN, (
    Action("editor.save", "ctrl+s", "save", "save", "Save the text", bar=True, first=True),
    Action("editor.keep_mtime", "f6", "keep_mtime", "keep time", _KEEP, bar=True, first=True),
    Action("editor.find", "ctrl+f", "find", "find", "Find words in the text; again: the next place",
           bar=True, first=True),
    *_panes("editor", {"text": "f2", "problems": "f3", "ranking": "f4"}),
    Action("editor.wrap", "f8", "wrap", "wrap", "Wrap long lines, or not", first=True),
    Action("editor.external", "f7", "external", "$EDITOR", "Hand the text to $VISUAL or $EDITOR, save what comes back",
           first=True, needs=Need.TERMINAL),
), within=EVERY_SCREEN)  # fmt: skip

FLEET_SCREEN = Place("fleet", "Screen Fleet", PlaceKind.SCREEN, (
    Action("fleet.field", "i", "field", "question", "To the question's field", bar=True, first=True),
    *_panes("fleet", {"results": "f2", "score": "f3", "members": "f4"}),
    _why("fleet", Need.FLEET, bar=False),
    Action("fleet.merge", "f5", "merge", "each / one",
           "Each member by its own engine, or one ranking of all notes", bar=True, first=True),
    Action("fleet.again", "ctrl+r", "again", "ask again", "Ask again, of the fleet and its files as they are now",
           bar=True, first=True),
), within=EVERY_SCREEN, needs=Need.FLEET)  # fmt: skip

LAB_SCREEN = Place("lab", "Screen Lab", PlaceKind.SCREEN, (
    *_panes("lab", {"judged": "f2", "cell": "f3", "sliders": "f4"}),
    Action("lab.add", "v", "add", "add a column", "Ask the judged queries in another variant too", bar=True),
    Action("lab.stop", "b", "stop", "stop", "Stop asking, or go on"),
    Action("lab.judge", "J", "judge", "judge", "Judge the open query by the column; without one, the Log's", bar=True),
), within=EVERY_SCREEN, needs=Need.PROJECT)  # fmt: skip

LOG_SCREEN = Place("log", "Screen Log", PlaceKind.SCREEN, (
    *_panes("log", {"log": "f2", "entry": "f3", "summary": "f4"}),
    _why("log", Need.PROJECT, "the first note that answered"),
), within=EVERY_SCREEN, needs=Need.PROJECT)  # fmt: skip

MATURITY_SCREEN = Place("maturity", "Screen Maturity", PlaceKind.SCREEN, (
    *_panes("maturity", {"draft": "f2", "validated": "f3", "core": "f4", "ageing": "f5"}),
    Action("board.only", "f", "only(1)", "only…", "Only the notes of the next event, or all", bar=True),
    Action("board.only_before", "F", "only(-1)", "only…", "Only: the event before"),
    Action("board.changes", "c", "only_changes", "only changes",
           "Only the notes that change between today and the day of the forecast, or all", bar=True),
    Action("forecast.next", "right_square_bracket", "day(1)", "a day on", "The forecast a day on", bar=True),
    Action("forecast.before", "left_square_bracket", "day(-1)", "a day back", "The forecast a day back"),
    Action("forecast.month", "right_curly_bracket", "day(30)", "30 days on", "The forecast 30 days on", bar=True),
    Action("forecast.month_before", "left_curly_bracket", "day(-30)", "30 days back", "The forecast 30 days back"),
    _why("maturity", Need.EXPLAINED),
    Action("forecast.today", "0", "today", "today", "The notes as they are today", bar=True),
    Action("forecast.answers", "A", "answers", "answers then",
           "In the Lab: which judged queries are answered otherwise on the day of the forecast, or in 30 days",
           bar=True),
), within=EVERY_SCREEN, needs=Need.PROJECT)  # fmt: skip

NOTES_SCREEN = Place("notes", "Screen Notes", PlaceKind.SCREEN, (
    *_panes("notes", {"tree": "f2", "note": "f3", "about": "f4"}),
    Action("notes.back", "b,backspace", "go(-1)", "back", "Back to the note from which a link was followed", bar=True),
    _why("notes", Need.PROJECT | Need.EXPLAINED),
    Action("notes.forward", "B", "go(1)", "forward", "Forward again"),
), within=EVERY_SCREEN)  # fmt: skip

QUERY_SCREEN = Place("query", "Screen Query", PlaceKind.SCREEN, (
    Action("panes.query", "i", "query", "query", "To the query's field", bar=True, first=True, needs=Need.PROJECT),
    _why("results", Need.PROJECT | Need.RESULT | Need.EXPLAINED),
    *_panes("panes", QUERY_PANES),
    Action("panes.few", "f9", "few", "more", "Only results and score, or all panes", bar=True, first=True),
    Action("query.run_anywhere", "ctrl+r", "run", "run", "Run the query, from anywhere", first=True,
           needs=Need.PROJECT),
    Action("results.next", "ctrl+n", "select(1)", "next result", "The next result, from anywhere", first=True,
           needs=Need.RESULT),
    Action("results.before", "ctrl+p", "select(-1)", "result before", "The result before, from anywhere", first=True,
           needs=Need.RESULT),
    Action("results.notes", "o", "open_note", "in Notes", "Show the note on the screen Notes", bar=True,
           needs=Need.RESULT),
    Action("results.plain", "F", "plain", "plain search", "Show where plain search ranks the selected note",
           needs=Need.PROJECT | Need.RESULT | Need.NOTES | Need.TREE),
    Action("answer.pin", "b", "pin", "pin", "Pin the answer, to compare others with it; the pinned one: unpin it",
           needs=Need.PROJECT),
    Action("answer.compare", "B", "compare", "compare",
           "Compare with the pinned answer: the diff of ranks, scores and tiers", needs=Need.PROJECT),
    Action("cache.clear", "c", "clear_cache", "clear cache", "Empty the simulated cache",
           needs=Need.PROJECT | Need.CACHE),
), within=EVERY_SCREEN)  # fmt: skip

SETTINGS_SCREEN = Place("settings", "Screen Settings", PlaceKind.SCREEN, (
    *_panes("settings", {"settings": "f2", "setting": "f3"}),
), within=EVERY_SCREEN)  # fmt: skip
