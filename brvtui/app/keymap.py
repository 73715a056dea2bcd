"""The keys of the Query screen; the keys of a pane stand in its own file."""

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

QUERY_SCREEN: list[BindingType] = [
    Binding("tab", "cycle(1)", "next pane", id="panes.next", tooltip="The next pane"),
    Binding("shift+tab", "cycle(-1)", "pane before", id="panes.before", show=False, tooltip="The pane before"),
    Binding("slash", "query", "query", key_display="/", id="panes.query", tooltip="Back to the query"),
    *(
        Binding(
            key,
            f"pane('{pane}')",
            "panes",
            show=pane == "results",
            key_display="F2-F8" if pane == "results" else None,
            id=f"panes.{pane}",
            tooltip=f"Show and focus {pane}",
        )
        for pane, key in PANE_KEYS.items()
    ),
    Binding("ctrl+r", "run", "run", id="query.run_anywhere", show=False, tooltip="Run the query, from anywhere"),
    Binding("ctrl+n", "select(1)", "result", id="results.next", show=False, tooltip="The next result, from anywhere"),
    Binding("ctrl+p", "select(-1)", "result", id="results.before", show=False, tooltip="The result before"),
    Binding("w", "why", "why (not)", id="results.why", tooltip="Why the selected note is, or is not, in the results"),
    Binding("z", "maximise", "maximise", id="panes.maximise", tooltip="Give the pane the whole screen, or back"),
    Binding("p", "profile", "profile", id="engine.profile", show=False, tooltip="Switch between brv-3 and docs"),
    Binding(
        "R", "record", "record", id="engine.record", show=False,
        tooltip="Turn recording of access hits on or off: runs then raise importance in the tool's own overlay",
    ),
    Binding("c", "clear_cache", "clear cache", id="cache.clear", show=False, tooltip="Empty the simulated cache"),
    Binding("escape", "back", "back", id="panes.back", show=False, tooltip="Out of a maximised pane, to the results"),
    Binding("f1", "help", "help", id="help.pane", tooltip="Help for the focused pane"),
    Binding("question_mark", "keys", "all keys", key_display="?", id="help.keys", tooltip="All keys"),
]  # fmt: skip
