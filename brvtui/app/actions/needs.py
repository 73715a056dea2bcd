"""Which actions need what is open: they are offered only where they can do something."""

from __future__ import annotations

from brvtui.app.actions import panes, screens
from brvtui.app.actions.action import Place
from brvtui.app.actions.everywhere import CHANGES


def _names(*places: Place) -> frozenset[str]:
    return frozenset(action.name for place in places for action in place.actions)


OF_NOTES_ALONE = frozenset(action.name for action in CHANGES)
"""The actions that change notes: over code they only say that nothing is changed."""
OF_OTHER_PROGRAMS = frozenset({"note.outside", "editor.external"})
"""The actions that hand a note to another program, which a browser cannot show."""
OF_A_NOTE = frozenset({"note.edit", "note.outside", "note.move", "note.archive", "note.signals"})
"""The actions that change the note at hand: on the screen of a fleet it may be in a memory that is not open."""
WHY = frozenset(
    action.name for screen in (screens.QUERY_SCREEN, screens.NOTES_SCREEN, screens.MATURITY_SCREEN)
    for action in screen.actions if action.call == "app.why"
)  # fmt: skip
"""The action that explains the note at hand in the open answer, by its name on each screen."""
OF_A_TREE_ALONE = frozenset({"note.new", "note.move", "note.archive", "note.signals", "engine.record"})
"""The actions that only a context tree allows: topics of a space are edited in place."""
OF_TIERS = frozenset({"route.takes", "cache.clear"})
"""The actions on tiers, and on the cache that is one of them: ByteRover 3 alone has both."""
OF_A_GRAPH = _names(panes.GRAPH)
"""The actions on the graph, which only an engine that ranks over one draws."""
OF_LEARNING = frozenset({"feedback.accepted", "feedback.modified", "feedback.dismissed"})
"""The actions that say what became of a result, from which only some engines learn."""
OF_MODES = frozenset({"engine.mode"})
"""The action that switches the mode of an engine that has several."""
OF_OTHER_ENGINES = frozenset({"engine.next"})
"""The action that switches to another engine, where there is one."""
_SHOWS_A_PANE = frozenset(
    action.name for screen in (screens.MATURITY_SCREEN, screens.LAB_SCREEN, screens.LOG_SCREEN)
    for action in screen.actions if action.call.startswith("pane(")
)  # fmt: skip
OF_A_FLEET = frozenset(
    action.name for place in (screens.FLEET_SCREEN, panes.FLEET_FIELD, panes.FLEET_MEMBERS, panes.FLEET_RESULTS)
    for action in place.actions if "pane(" not in action.call
)  # fmt: skip
"""The actions of the Fleet screen that are of no use without a fleet."""
NEEDS_PROJECT = (
    OF_NOTES_ALONE
    | _names(screens.MATURITY_SCREEN, screens.LAB_SCREEN, screens.LOG_SCREEN)
    | _names(panes.ABOUT, panes.NOTE, panes.COLUMN, panes.AGEING, panes.LOG_LIST, panes.JUDGED, panes.WHAT_IF)
    | _names(panes.ROUTE, panes.QUERY_FIELD)
    | {"drafts.left", "engine.profile", "engine.next", "engine.mode", "engine.record", "engine.installed"}
    | {"panes.query", "query.run_anywhere", "results.why", "answer.pin", "answer.compare", "cache.clear", "notes.why"}
    | {"tree.aside", "tree.order"}  # of other notes than the results, a saved trace has no importance and no age
    | {"results.judge", *OF_LEARNING}
) - _SHOWS_A_PANE
"""The actions that ask or change a project: beside a saved trace alone there is none."""
_NEEDS_ANSWER = _names(panes.RESULTS, panes.RETRY, panes.GRAPH, panes.TREE) | {
    "trace.save", "copy.shown", "copy.trace", "results.next", "results.before", "results.notes", "tree.take",
    "notes_tree.take",
}  # fmt: skip
"""The actions on an answer or its notes."""
NEEDS_RESULT = _names(panes.RESULTS) | {
    "results.why", "results.notes", "results.next", "results.before", "trace.save", "copy.trace",
}  # fmt: skip
"""The actions of the Query screen that can do nothing before there is an answer."""
NEEDS_EITHER = NEEDS_PROJECT | _NEEDS_ANSWER
"""The actions that can do nothing where nothing could be opened."""
