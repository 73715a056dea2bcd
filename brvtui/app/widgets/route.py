"""Route: the waterfall of tiers with every gate's value, threshold and margin."""

from __future__ import annotations

from brvtui.app.arrangement import VERDICT
from brvtui.app.glyphs import STATE_ROLES, STATE_WORDS, Glyphs
from brvtui.app.paint.line import Line, line, rule
from brvtui.app.paint.text import ms, number, signed, wrap
from brvtui.app.view import View
from brvtui.app.widgets.pane import Pane
from brvtui.app.widgets.verdict import empty_lines, places_of, strip, verdict
from brvtui.trace import Check, Stage, State, Step, Trace

_WIDE = 90
_NAME = 24
_MOST_LIFTS = 12


class RoutePane(Pane):
    """Verdict and strip on top when the pane is wide, then every step with its checks, stages and times."""

    TITLE = "Route"
    HELP_TEXT = (
        "The route a query takes, in the router's order: two cache look-ups, entity searches, the out-of-domain "
        "test, then tier 2 (direct answer), 3 (one LLM call) or 4 (agentic loop). Each gate shows its value, its "
        "threshold by name and the margin. » taken  ✓ passed  ✗ failed  – missed  ⊘ skipped  · not reached."
    )

    def __init__(self, *, id: str) -> None:
        """A route pane that leaves the verdict to the line above it."""
        super().__init__(id=id)
        self.with_verdict = False

    def arranged(self, shown: frozenset[str]) -> None:
        """The verdict is this pane's where the line above is not shown."""
        self.with_verdict = VERDICT not in shown

    def depends(self, view: View) -> tuple[object, ...]:
        """Trace and state of the project."""
        loading = (view.phase, view.done, view.total, view.problem, view.query.strip() == "", view.overview)
        return (view.trace, self.with_verdict, *loading)

    def build(self, view: View, width: int) -> list[Line]:
        """Strip (when it is this pane's), gates, stages, times."""
        top: list[Line] = []
        if self.with_verdict:
            top = [verdict(view, width, self.glyphs), *strip(view, width, self.glyphs, values=True)]
        self.pinned = len(top)
        trace = view.trace if view.query.strip() else None
        if trace is None:
            return top or empty_lines("the route of a query: which gate it passes, which it fails", width)
        tables = [*gates(trace, width, self.glyphs), *stages(trace, width), *lifts(trace, width, self.glyphs)]
        return [*top, *tables, *times(trace, width), *notices(trace, width, self.glyphs)]


def gates(trace: Trace, width: int, glyphs: Glyphs) -> list[Line]:
    """Every step with its checks."""
    made: list[Line] = []
    for step in trace.steps:
        made.append(_step(step, width, glyphs))
        made += [_check(check, step, width, glyphs) for check in step.checks]
    ladder = trace.ladder
    if not ladder.in_route:
        word = STATE_WORDS[ladder.state.value]
        told = line(f" {glyphs.state[ladder.state.value]} retry ladder (advice) ", "muted").add(f"{word} ", "muted")
        made.append(told.add(ladder.why if ladder.found else "", "faint").cut(width))
    return made


def _step(step: Step, width: int, glyphs: Glyphs) -> Line:
    role = STATE_ROLES[step.state.value]
    made = line(f" {glyphs.state[step.state.value]} ", f"bold {role}")
    made.add(f"tier {step.tier} " if step.tier is not None else "", "muted").add(step.label, "bold strong")
    made.add(f" {STATE_WORDS[step.state.value]} ", role)
    made.add(step.summary, "muted")
    expected = Line().add(f"doc {step.expected}" if step.expected else "", "faint")
    return made.right(width, expected)


def _check(check: Check, step: Step, width: int, glyphs: Glyphs) -> Line:
    sign, role = _passed(check, glyphs)
    if step.state in (State.SKIPPED, State.NOT_REACHED) or (step.state is State.PASSED and check.passed is False):
        role = "muted"
    made = Line().gap(5).add(f"{sign} ", role).fit(check.name, min(_NAME, width // 2 - 8), "text")
    places = places_of(check)
    made.add(f"{number(check.value, places):>6} {check.operator} {number(check.threshold, places):<5}", "text")
    if check.margin is not None and check.passed is not None:
        made.add(f" {signed(check.margin, places)}", role)
    if check.note:
        made.add(f"  {check.note}", "muted")
    right = Line().add(check.constant if width >= _WIDE else "", "faint")
    return made.right(width, right)


def _passed(check: Check, glyphs: Glyphs) -> tuple[str, str]:
    if check.passed is None:
        return glyphs.state["not_reached"], "faint"
    return (glyphs.check, "ok") if check.passed else (glyphs.cross, "bad")


def stages(trace: Trace, width: int) -> list[Line]:
    """What every stage of the search took in, dropped and gave on."""
    made = [rule(width, "search: in − dropped = out")]
    made += [_stage(stage, width) for stage in trace.search.stages]
    if not trace.search.stages:
        made.append(line(f" {trace.search.outcome.value.replace('_', ' ')}", "muted"))
    return made


def _stage(stage: Stage, width: int) -> Line:
    made = Line().gap().fit(stage.name, min(_NAME, width // 2), "text")
    made.add(f"{stage.came_in:>6} − {stage.dropped:<5} = {stage.went_out:<5}", "text")
    return made.add(f" {stage.note}" if stage.note else "", "muted").cut(width)


def lifts(trace: Trace, width: int, glyphs: Glyphs) -> list[Line]:
    """Parent propagation, parent by parent: which hit lifts which folder to what, and whether that was kept."""
    if not trace.search.lifts:
        return []
    made = [rule(width, "parent propagation", dash=glyphs.dash)]
    for lift in trace.search.lifts[:_MOST_LIFTS]:
        sign, role = (glyphs.check, "ok") if lift.kept else (glyphs.state["missed"], "muted")
        entry = Line().gap().add(f"{sign} ", role).add(lift.folder, "text").add(f"  {lift.score:.2f}", role)
        how = f" = {lift.relevance:.3f} × {lift.factor:g}^{lift.levels}"
        made.append(entry.add(how, "muted").add(f"  {lift.why}", "muted").cut(width))
    if len(trace.search.lifts) > _MOST_LIFTS:
        made.append(line(f"   … {len(trace.search.lifts) - _MOST_LIFTS} more folders", "muted"))
    return made


def notices(trace: Trace, width: int, glyphs: Glyphs) -> list[Line]:
    """What the user should know about the project's state."""
    if not trace.notices:
        return []
    made = [rule(width, "good to know", dash=glyphs.dash)]
    for notice in trace.notices:
        for place, part in enumerate(wrap(notice, width - 4)):
            made.append(line(f" {glyphs.warn} " if place == 0 else "   ", "warn").add(part, "text"))
    return made


def times(trace: Trace, width: int) -> list[Line]:
    """The milliseconds of every stage."""
    if not trace.timings:
        return []
    made = [rule(width, "time spent")]
    current = Line().gap()
    for name, spent in trace.timings.items():
        piece = Line().add(f"{name} ", "muted").add(ms(spent), "text").gap(3)
        if current.width + piece.width > width and current.width > 1:
            made.append(current)
            current = Line().gap()
        current.extend(piece.spans)
    return [*made, current.cut(width)]
