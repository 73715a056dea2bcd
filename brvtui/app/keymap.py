"""The keys of the Query screen; the keys of a pane stand in its own file.

Keys that move the focus have priority: they act before the next key is handed to a widget, so that keys typed ahead
reach the pane that was asked for.
"""

from __future__ import annotations

from textual.binding import Binding, BindingType

PANE_KEYS = {
    "results": "f2",
    "score": "f3",
    "route": "f4",
    "retry": "f5",
    "cache": "f6",
    "answer": "f7",
    "tree": "f8",
}


def _first(key: str, action: str, label: str, id: str, tooltip: str, show: bool = False) -> Binding:
    return Binding(key, action, label, id=id, tooltip=tooltip, show=show, priority=True)


def _plain(key: str, action: str, label: str, id: str, tooltip: str, show: bool = False) -> Binding:
    return Binding(key, action, label, id=id, tooltip=tooltip, show=show)


def _pane(pane: str, key: str) -> Binding:
    shown = "F2-F8" if pane == "results" else None
    binding = _first(key, f"pane('{pane}')", "panes", f"panes.{pane}", f"Show and focus {pane}", shown is not None)
    return binding.with_key(key, shown)


_RECORD = "Record access hits of runs, or stop: importance then rises in the tool's own overlay"

QUERY_SCREEN: list[BindingType] = [
    _first("escape", "back", "results", "panes.back", "To the results; out of a maximised pane", True),
    _first("tab", "cycle(1)", "next pane", "panes.next", "The next pane", True),
    _first("shift+tab", "cycle(-1)", "pane before", "panes.before", "The pane before"),
    _first("slash", "query", "query", "panes.query", "Back to the query", True),
    *(_pane(pane, key) for pane, key in PANE_KEYS.items()),
    _first("ctrl+r", "run", "run", "query.run_anywhere", "Run the query, from anywhere"),
    _first("ctrl+n", "select(1)", "next result", "results.next", "The next result, from anywhere"),
    _first("ctrl+p", "select(-1)", "result before", "results.before", "The result before, from anywhere"),
    _first("w", "why", "why (not)", "results.why", "Why the selected note is, or is not, in the results", True),
    _plain("z", "maximise", "maximise", "panes.maximise", "Give the pane the whole screen, or back", True),
    _plain("p", "profile", "profile", "engine.profile", "The next profile: brv-3, docs, combined"),
    _plain("R", "record", "record", "engine.record", _RECORD),
    _plain("c", "clear_cache", "clear cache", "cache.clear", "Empty the simulated cache"),
    _first("f1", "help", "help", "help.pane", "Help for the focused pane", True),
    _plain("question_mark", "keys", "all keys", "help.keys", "All keys", True),
]
