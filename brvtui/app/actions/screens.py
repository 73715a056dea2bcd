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
    "findings": "the list of findings",
    "finding": "the details of the selected finding",
    "entry": "the selected query's logged answer and its current one",
    "cache": "the Cache pane, or the Graph pane if the engine has a graph",
    "judged": "the judged queries",
    "cell": "the answer for the cell under the cursor",
    "sliders": "What if, with a slider for every constant",
}
_KEEP = "Switch between keeping and updating the note's modification time when saving"


def _panes(prefix: str, keys: dict[str, str]) -> tuple[Action, ...]:
    """Returns actions that show and focus the panes in ``keys``; in the key bar, the first one represents all."""
    first, *_, last = keys.values()
    return tuple(
        Action(
            f"{prefix}.{pane}", key, f"pane('{pane}')", "panes",
            f"Go to {_SHOWN.get(pane, f'the {pane.capitalize()} pane')}",
            bar=key == first, first=True, span=f"{first.upper()}-{last.upper()}" if key == first else "",
        )
        for pane, key in keys.items()
    )  # fmt: skip


def _why(prefix: str, needs: Need, note: str = "the selected note", bar: bool = True) -> Action:
    tooltip = f"Explain why {note} is or is not in the answer, and what would help"
    return Action(f"{prefix}.why", "w", "app.why", "why (not)", tooltip, bar=bar, needs=needs)


EDIT_SCREEN = Place("edit", "Edit screen", PlaceKind.SCREEN, (
    Action("editor.save", "ctrl+s", "save", "save", "Save the text", bar=True, first=True),
    Action("editor.keep_mtime", "f6", "keep_mtime", "old time", _KEEP, bar=True, first=True),
    Action("editor.find", "ctrl+f", "find", "find", "Find words in the text; press again for the next match",
           bar=True, first=True),
    *_panes("editor", {"text": "f2", "ranking": "f3", "problems": "f4"}),
    Action("editor.wrap", "f8", "wrap", "wrap", "Turn the wrapping of long lines on or off", first=True),
    Action("editor.external", "f7", "external", "$EDITOR",
           "Edit the text in $VISUAL or $EDITOR, then save the result",
           first=True, needs=Need.TERMINAL),
), within=EVERY_SCREEN)  # fmt: skip

FLEET_SCREEN = Place("fleet", "Fleet screen", PlaceKind.SCREEN, (
    Action("fleet.field", "i", "field", "question", "Go to the question", bar=True, first=True),
    *_panes("fleet", {"results": "f2", "score": "f3", "members": "f4"}),
    _why("fleet", Need.FLEET, bar=False),
    Action("fleet.merge", "f5", "merge", "each / one",
           "Switch between one answer per member and one ranking of all notes", bar=True, first=True),
    Action("fleet.again", "ctrl+r", "again", "ask again",
           "Run the query again, with the current fleet and files",
           bar=True, first=True),
), within=EVERY_SCREEN, needs=Need.FLEET)  # fmt: skip

HEALTH_SCREEN = Place("health", "Health screen", PlaceKind.SCREEN, (
    *_panes("health", {"findings": "f2", "finding": "f3", "terms": "f4", "tokens": "f5"}),
), within=EVERY_SCREEN, needs=Need.PROJECT)  # fmt: skip

LAB_SCREEN = Place("lab", "Lab screen", PlaceKind.SCREEN, (
    *_panes("lab", {"judged": "f2", "cell": "f3", "sliders": "f4"}),
    Action("lab.add", "v", "add", "add a column", "Add a column: run the judged queries under another condition",
           bar=True),
    Action("lab.stop", "b", "stop", "stop", "Pause or resume running the queries"),
    Action("lab.judge", "J", "judge", "judge",
           "Judge the open query from this column; if none is open, judge the logged queries", bar=True),
), within=EVERY_SCREEN, needs=Need.PROJECT)  # fmt: skip

LOG_SCREEN = Place("log", "Log screen", PlaceKind.SCREEN, (
    *_panes("log", {"log": "f2", "entry": "f3", "delivery": "f4", "summary": "f5"}),
    _why("log", Need.PROJECT, "the first note that answered"),
), within=EVERY_SCREEN, needs=Need.PROJECT)  # fmt: skip

MATURITY_SCREEN = Place("maturity", "Maturity screen", PlaceKind.SCREEN, (
    *_panes("maturity", {"draft": "f2", "validated": "f3", "core": "f4", "ageing": "f5"}),
    Action("forecast.today", "0", "today", "today", "Show the notes as they are today", bar=True),
    Action("board.only", "f", "only(1)", "only…",
           "Show only notes with the next kind of event, or all notes", bar=True),
    Action("board.only_before", "F", "only(-1)", "only…", "Show only notes with the previous kind of event"),
    Action("board.changes", "c", "only_changes", "only changes",
           "Show only notes that will have changed by the forecast date, or all notes", bar=True),
    Action("forecast.next", "right_square_bracket", "day(1)", "+1 day", "Move the forecast one day ahead", bar=True),
    Action("forecast.before", "left_square_bracket", "day(-1)", "−1 day", "Move the forecast one day back"),
    Action("forecast.month", "right_curly_bracket", "day(30)", "+30 days", "Move the forecast 30 days ahead", bar=True),
    Action("forecast.month_before", "left_curly_bracket", "day(-30)", "−30 days", "Move the forecast 30 days back"),
    _why("maturity", Need.EXPLAINED),
    Action("forecast.answers", "A", "answers", "answers then",
           "Show in the Lab which answers will have changed by the forecast date, or in 30 days",
           bar=True),
), within=EVERY_SCREEN, needs=Need.PROJECT)  # fmt: skip

NOTES_SCREEN = Place("notes", "Notes screen", PlaceKind.SCREEN, (
    *_panes("notes", {"tree": "f2", "note": "f3", "about": "f4"}),
    Action("notes.back", "b,backspace", "go(-1)", "back",
           "Go back to the note from which you followed the link", bar=True),
    _why("notes", Need.PROJECT | Need.EXPLAINED),
    Action("notes.forward", "B", "go(1)", "forward", "Go forward again"),
), within=EVERY_SCREEN)  # fmt: skip

QUERY_SCREEN = Place("query", "Query screen", PlaceKind.SCREEN, (
    Action("panes.query", "i", "query", "new question", "Go to the query", bar=True, first=True,
           needs=Need.PROJECT),
    _why("results", Need.PROJECT | Need.RESULT | Need.EXPLAINED),
    *_panes("panes", QUERY_PANES),
    Action("panes.few", "f9", "few", "more", "Show only results and score, or all panes", bar=True, first=True),
    Action("query.run_anywhere", "ctrl+r", "run", "run", "Run the query, from anywhere", first=True,
           needs=Need.PROJECT),
    Action("results.next", "ctrl+down", "select(1)", "next result", "Next result, from anywhere", first=True,
           needs=Need.RESULT),
    Action("results.before", "ctrl+up", "select(-1)", "previous result", "Previous result, from anywhere", first=True,
           needs=Need.RESULT),
    Action("results.notes", "o", "open_note", "in Notes", "Show the note on the Notes screen", bar=True,
           needs=Need.RESULT),
    Action("results.plain", "F", "plain", "plain search",
           "Show the selected note's rank in plain search, and the note that all other engines put first",
           needs=Need.PROJECT | Need.RESULT | Need.NOTES | Need.TREE),
    Action("answer.pin", "b", "pin", "pin", "Pin the answer, to compare others with it, or unpin it",
           needs=Need.PROJECT),
    Action("answer.compare", "B", "compare", "compare",
           "Compare with the pinned answer: ranks, scores and tiers", needs=Need.PROJECT),
    Action("cache.clear", "c", "clear_cache", "clear cache", "Empty the simulated cache",
           needs=Need.PROJECT | Need.CACHE),
), within=EVERY_SCREEN)  # fmt: skip

SETTINGS_SCREEN = Place("settings", "Settings screen", PlaceKind.SCREEN, (
    *_panes("settings", {"settings": "f2", "setting": "f3"}),
), within=EVERY_SCREEN)  # fmt: skip
