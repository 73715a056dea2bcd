"""Retry: the engine's own relaxations as rungs, and the place of the retry ladder."""

from __future__ import annotations

from dataclasses import replace

from textual import events

from brvtui.app.glyphs import STATE_ROLES, STATE_WORDS, Glyphs
from brvtui.app.paint.line import Line, line, rule
from brvtui.app.paint.text import wrap
from brvtui.app.view import View
from brvtui.app.widgets.pane import Pane
from brvtui.app.widgets.verdict import empty_lines
from brvtui.trace import Attempt, EntitySearch, Ladder, Rung, State, Trace


class RetryPane(Pane):
    """Each attempt of the search: notes in, notes found, and why it was or was not made."""

    TITLE = "Retry"
    HELP_TEXT = (
        "How the engine relaxes a search by itself: a path look-up, all words inside the scope, any word inside the "
        "scope, then the whole tree; and the supplementary searches for single words when little was found. Below, "
        "the retry ladder of Jeffs Brain: under brv-3 and docs it is advice beside the route, under combined the "
        "route uses what it finds."
    )

    def depends(self, view: View) -> tuple[object, ...]:
        """The trace."""
        return (view.trace, view.query.strip() == "")

    def build(self, view: View, width: int) -> list[Line]:
        """Attempts, entity searches, ladder."""
        trace = view.trace if view.query.strip() else None
        if trace is None:
            return empty_lines("how a search is relaxed when it finds too little", width)
        full = _full(trace, width, self.glyphs)
        if len(full) <= self.content_size.height or self.has_focus:
            return full
        return _compact(trace, width, self.glyphs)

    def on_focus(self, event: events.Focus) -> None:
        """With focus, every reason is told."""
        self.rebuild(force=True)

    def on_blur(self, event: events.Blur) -> None:
        """Without focus, reasons give way when there is little room."""
        self.rebuild(force=True)


def _full(trace: Trace, width: int, glyphs: Glyphs) -> list[Line]:
    made: list[Line] = []
    for attempt in trace.search.attempts:
        made += _attempt(attempt, width, glyphs)
    made.append(rule(width, "entity searches", dash=glyphs.dash))
    made += _entities(trace, width, glyphs)
    made.append(rule(width, "retry ladder" if trace.ladder.in_route else "retry ladder · advice", dash=glyphs.dash))
    return made + _ladder(trace.ladder, width, glyphs)


def _ladder(ladder: Ladder, width: int, glyphs: Glyphs) -> list[Line]:
    state = ladder.state.value
    made = [line(f"{glyphs.state[state]} {STATE_WORDS[state]}", STATE_ROLES[state])]
    made += [line(f"  {part}", "muted") for part in wrap(ladder.why, width - 3)]
    for rung in ladder.rungs if ladder.state.value != "not_reached" else ():
        made += _rung(rung, width, glyphs)
    for hit in ladder.hits:
        made.append(
            line(f"  {glyphs.bullet} ", "accent").add(hit.title, "text").right(width, Line().add(f"{hit.score:.2f}"))
        )
    return made


def _rung(rung: Rung, width: int, glyphs: Glyphs) -> list[Line]:
    state = rung.state.value
    found = f"{rung.hits} found" if rung.ran else STATE_WORDS[state]
    head = line(f"{glyphs.state[state]} ", STATE_ROLES[state]).add(rung.strategy, "text" if rung.ran else "faint")
    made = [head.right(width, Line().add(found, "strong" if rung.ran else "faint"))]
    if rung.query:
        made.append(line("  “", "faint").add(rung.query, "text").add("”", "faint").cut(width))
    return made + [line(f"  {part}", "muted") for part in wrap(rung.why, width - 3) if rung.why]


def _compact(trace: Trace, width: int, glyphs: Glyphs) -> list[Line]:
    shorter = (replace(one, name=one.name.replace("whole tree", "whole")) for one in trace.search.attempts)
    made = [_attempt(attempt, width, glyphs)[0] for attempt in shorter]
    added = sum(len(one.added) for one in trace.entities.searches)
    ladder = trace.ladder
    named = "retry ladder" if ladder.in_route else "ladder"
    found = f"{len(ladder.found)} found" if ladder.state is State.HIT else ""
    for name, state, what in (
        ("entities", trace.entities.state.value, f"{added} added" if added else ""),
        (named, ladder.state.value, found),
    ):
        right = Line().add(what or STATE_WORDS[state], "muted")
        made.append(line(f"{glyphs.state[state]} ", STATE_ROLES[state]).add(name, "text").right(width, right))
    return [*made, line("  F5: the reasons", "faint").cut(width)]


def _attempt(attempt: Attempt, width: int, glyphs: Glyphs) -> list[Line]:
    state = attempt.state.value
    role = STATE_ROLES[state]
    reached = state not in ("not_reached", "skipped")
    found = f"{attempt.found} of {attempt.came_in}" if reached else STATE_WORDS[state]
    made = line(f"{glyphs.state[state]} ", role).add(attempt.name, "text" if reached else "faint")
    rows = [made.right(width, Line().add(found, "strong" if reached else "faint"))]
    if attempt.scope:
        rows.append(line("  in ", "faint").add(attempt.scope, "muted").cut(width))
    return rows + [line(f"  {part}", "muted") for part in wrap(attempt.why, width - 3) if attempt.why]


def _entities(trace: Trace, width: int, glyphs: Glyphs) -> list[Line]:
    step = trace.entities
    state = step.state.value
    made = [line(f"{glyphs.state[state]} {STATE_WORDS[state]} ", STATE_ROLES[state]).cut(width)]
    made += [line(f"  {part}", "muted") for part in wrap(step.why, width - 3) if step.why]
    for searched in step.searches:
        made.append(_entity(searched, width, glyphs))
    return made


def _entity(searched: EntitySearch, width: int, glyphs: Glyphs) -> Line:
    made = line(f"  {glyphs.bullet} ", "accent").add(f"“{searched.entity}”", "text")
    return made.right(width, Line().add(f"{searched.search.total_found} found, {len(searched.added)} added", "muted"))
