"""The verdict and the strip of tiers: what the eye lands on first, at every size."""

from __future__ import annotations

from brvtui.app.glyphs import STATE_ROLES, STATE_WORDS, Glyphs
from brvtui.app.paint.bars import draining
from brvtui.app.paint.line import Line, line
from brvtui.app.paint.text import ms, number, wrap
from brvtui.app.view import Phase, View
from brvtui.app.widgets.lines import Lines
from brvtui.trace import Check, Outcome, State, Step, Trace

_SHORT = {
    "exact_cache": "exact",
    "fuzzy_cache": "fuzzy",
    "entity_search": "entities",
    "out_of_domain": "domain",
    "direct": "direct",
    "single_call": "one call",
    "agentic_loop": "loop",
}
_SHORTEST = {**_SHORT, "entity_search": "entity", "single_call": "call", "agentic_loop": "loop"}
_TIMED_BY = {
    "exact_cache": "cache",
    "out_of_domain": "search",
    "entity_search": "entity searches",
    "retry_ladder": "retry ladder",
    "direct": "gates",
    "single_call": "answer",
    "agentic_loop": "answer",
}
_TIERS = ("0", "1", "", "", "2", "3", "4")
_NARROW_CELL = 10
_WIDE_CELL = 14
_REACHED = (State.HIT, State.TAKEN, State.PASSED, State.FAILED, State.MISSED)


class Verdict(Lines):
    """Three lines: the verdict, the steps, how each ended."""

    def build(self, view: View, width: int) -> list[Line]:
        """Verdict and strip."""
        return [verdict(view, width, self.glyphs), *strip(view, width, self.glyphs)]

    def depends(self, view: View) -> tuple[object, ...]:
        """The trace, and how far the project is."""
        return (view.trace, view.phase, view.done, view.total, view.problem, view.query.strip() == "", view.overview)


def verdict(view: View, width: int, glyphs: Glyphs) -> Line:
    """The verdict in one line: badge, what it means, why."""
    trace = view.trace
    if view.phase is Phase.FAILED:
        return badge("CANNOT OPEN", "bad").add("  ").add(view.problem, "text").cut(width)
    if trace is None or not view.query.strip():
        return _before(view, glyphs).cut(width)
    role = tier_role(trace)
    if trace.outcome is Outcome.NOT_COVERED:
        made = badge("NOT COVERED", role).add(f" logged as tier {trace.tier}  ", "muted")
    else:
        made = badge(f"TIER {trace.tier}", role).add(" ").add(_meaning(trace), f"bold {role}").add("  ")
    made.add(trace.verdict, "strong")
    right = Line()
    if view.unused:
        right.add("search computed, not used ", "warn")
    right.add(ms(trace.timings["total"]) if trace.timings.get("total") else "", "muted")
    return made.right(width - 1, right)


def badge(text: str, role: str) -> Line:
    """A filled label."""
    return Line().gap().add(f" {text} ", f"bold badge-text on {role}")


def tier_role(trace: Trace) -> str:
    """The role that the tier is painted in."""
    return "tier-none" if trace.outcome is Outcome.NOT_COVERED else f"tier-{trace.tier}"


def _meaning(trace: Trace) -> str:
    step = next((step for step in trace.steps if step.tier == trace.tier), None)
    return step.label if step else ""


def _before(view: View, glyphs: Glyphs) -> Line:
    if view.phase is Phase.LOADING:
        made = badge("READING", "accent").add("  ")
        if view.total:
            made.add(draining(view.done, view.total, 12, glyphs), "accent")
            return made.add(f"  {view.done} of {view.total} files", "muted")
        return made.add("looking for the context tree", "muted")
    if view.overview and not view.overview.notes:
        return badge("EMPTY", "warn").add("  the tree has no notes yet: curate one with brv, it appears here by itself")
    return badge("READY", "accent").add("  type a question to see which tier would answer it, and why", "muted")


def strip(view: View, width: int, glyphs: Glyphs, values: bool = False) -> list[Line]:
    """The steps in the order of the route: names, how each ended, and with ``values`` what decided and how long."""
    trace = view.trace if view.query.strip() else None
    if trace is None:
        return _outlook(width, glyphs, values)
    cell = (width - 1) // len(trace.steps)
    names, states, checks, times = Line().gap(), Line().gap(), Line().gap(), Line().gap()
    for place, step in enumerate(trace.steps):
        role = STATE_ROLES[step.state.value]
        arrow = glyphs.arrow if step.state in _REACHED else glyphs.skipped_arrow
        last = place == len(trace.steps) - 1
        room = cell - 4 if cell >= _WIDE_CELL and not last else cell - 1
        reached = step.state not in (State.NOT_REACHED, State.NOT_RUN)
        names.fit(_name(step, room), room, _name_role(step) if reached else "faint")
        if room < cell - 1:
            names.add(arrow, "faint").gap()
        else:
            names.gap()
        states.fit(_state(step, cell, glyphs), cell - 1, f"bold {role}" if step.state is State.TAKEN else role).gap()
        check = deciding(step)
        checks.fit(comparison(check) if check else "", cell - 1, "muted").gap()
        spent = trace.timings.get(_TIMED_BY.get(step.name, ""), 0.0)
        times.fit(ms(spent) if reached and spent else "", cell - 1, "faint").gap()
    return [made.cut(width) for made in ((names, states, checks, times) if values else (names, states))]


def _outlook(width: int, glyphs: Glyphs, values: bool) -> list[Line]:
    """The steps before any query."""
    cell = (width - 1) // len(_SHORT)
    names, states = Line().gap(), Line().gap()
    labels = _SHORTEST.values() if cell < _NARROW_CELL else _SHORT.values()
    for place, (tier, label) in enumerate(zip(_TIERS, labels, strict=True)):
        last = place == len(_SHORT) - 1
        arrow = cell >= _WIDE_CELL and not last
        names.fit(label if cell < _NARROW_CELL else f"{tier} {label}".strip(), cell - 4 if arrow else cell - 1, "faint")
        names.add(glyphs.skipped_arrow if arrow else "", "faint").gap()
        states.fit(glyphs.state[State.NOT_REACHED.value], cell - 1, "faint").gap()
    return [names.cut(width), states.cut(width), *([Line(), Line()] if values else [])]


def _name(step: Step, room: int) -> str:
    tier = f"{step.tier} " if step.tier is not None else ""
    if room < _NARROW_CELL - 1:
        return _SHORTEST.get(step.name, step.label)
    return f"{tier}{step.label if len(tier + step.label) < room else _SHORT.get(step.name, step.label)}"


def _name_role(step: Step) -> str:
    ended = step.state in (State.TAKEN, State.HIT) and step.tier is not None
    return "bold strong" if ended else "text"


def _state(step: Step, cell: int, glyphs: Glyphs) -> str:
    word = STATE_WORDS[step.state.value]
    if cell < _WIDE_CELL and step.state is State.NOT_REACHED:
        word = "unasked" if cell >= _NARROW_CELL else "idle"
    space = " " if cell >= _NARROW_CELL else ""
    return f"{glyphs.state[step.state.value]}{space}{word}"


def deciding(step: Step) -> Check | None:
    """The check of a step that decided: in a step that failed the last that failed, else the last that was reached."""
    reached = [check for check in step.checks if check.passed is not None]
    failed = [check for check in reached if check.passed is False]
    chosen = failed if failed and step.state in (State.FAILED, State.MISSED) else reached
    return chosen[-1] if chosen else None


def comparison(check: Check) -> str:
    """``0.82 ≥ 0.85``; whole numbers on both sides stay whole."""
    places = places_of(check)
    return f"{number(check.value, places)} {check.operator} {number(check.threshold, places)}"


def places_of(check: Check) -> int:
    """How many decimals a check is written with: none when it compares counts."""
    both = (check.value, check.threshold)
    return 0 if all(value is None or float(value).is_integer() for value in both) else 2


def empty_lines(text: str, width: int) -> list[Line]:
    """Calm lines where there is nothing to show."""
    return [line(f" {part}", "muted") for part in wrap(text, width - 2)]
