"""The verdict and the strip of tiers: what the eye lands on first, at every size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from brvtui.app.jeffs_brain import verdict as hybrid
from brvtui.app.states import AnswerState, EngineState, Phase, ProjectState, QueryState
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.engines.jeffs_brain.trace import PIPELINE as JEFFS_BRAIN
from brvtui.engines.jeffs_brain.trace import HybridTrace
from brvtui.paint import steps
from brvtui.paint.bars import meter
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, badge, line
from brvtui.paint.text import ms, plural, wrap
from brvtui.trace import Outcome, Trace

_BYTEROVER = {
    "exact_cache": "0",
    "fuzzy_cache": "1",
    "entity_search": "",
    "out_of_domain": "",
    "direct": "2",
    "single_call": "3",
    "agentic_loop": "4",
}
_LEAST_METER, _MOST_METER = 8, 60


class Answered(Protocol):
    """What a tier is painted from."""

    @property
    def tier(self) -> int:
        """The tier that answers."""

    @property
    def outcome(self) -> Outcome:
        """As what."""


class Verdict(Lines):
    """Three lines: the verdict, the steps, how each ended."""

    READS = (QueryState, AnswerState, EngineState, ProjectState)

    def build(self, view: View, width: int) -> list[Line]:
        """Verdict and strip."""
        return [verdict(view, width, self.glyphs), *strip(view, width, self.glyphs)]


def loading(view: View) -> tuple[object, ...]:
    """How far the project is, for what depends on it."""
    return (view.project.phase, view.project.done, view.project.total, view.project.problem, view.project.overview)


def strip(view: View, width: int, glyphs: Glyphs, values: bool = False) -> list[Line]:
    """The steps of the answer, or those that there will be."""
    if view.answered is None:
        names = hybrid.STEPS if view.engine.pipeline == JEFFS_BRAIN else _BYTEROVER
        return steps.outlook(names, width, glyphs, values)
    return steps.strip(view.answered.steps, view.answered.timings, width, glyphs, values)


def verdict(view: View, width: int, glyphs: Glyphs) -> Line:
    """The verdict in one line: badge, what it means, why."""
    if view.project.phase is Phase.FAILED:
        return badge("CANNOT OPEN", "bad").add("  ").add(view.project.problem, "text").cut(width)
    match view.answered:
        case None:
            return _before(view, width, glyphs).cut(width)
        case Trace() as trace:
            return _routed(trace, view, width)
        case HybridTrace() as found:
            return hybrid.verdict(found, view.answer.busy, width)


def _routed(trace: Trace, view: View, width: int) -> Line:
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


def tier_role(answered: Answered) -> str:
    """The role that the tier is painted in."""
    return "tier-none" if answered.outcome is Outcome.NOT_COVERED else f"tier-{answered.tier}"


def _meaning(trace: Trace) -> str:
    step = next((step for step in trace.steps if step.tier == trace.tier), None)
    return step.label if step else ""


def _loading(view: View, width: int, glyphs: Glyphs) -> Line:
    """How far the reading is; what comes after it has no measure."""
    if not view.project.total:
        return badge("OPENING", "accent").add("  looking for the context tree", "muted")
    if view.project.done >= view.project.total:
        return badge("INDEXING", "accent").add(f"  {plural(view.project.total, 'file')} read", "muted")
    made = badge("READING", "accent").add("  ")
    told = f"  {view.project.done / view.project.total:4.0%}   {view.project.done} of {view.project.total} files"
    room = max(_LEAST_METER, min(_MOST_METER, width - made.width - len(told) - 1))
    return made.extend(meter(view.project.done / view.project.total, room, glyphs)).add(told, "muted")


def _before(view: View, width: int, glyphs: Glyphs) -> Line:
    if view.project.phase is Phase.LOADING:
        return _loading(view, width, glyphs)
    if view.project.overview and not view.project.overview.notes:
        if view.project.overview.shut:
            return badge("GONE", "bad").add(f"  {view.project.overview.why_empty}")
        return badge("EMPTY", "warn").add("  the tree has no notes yet: curate one with brv, it appears here by itself")
    asks = (
        "which notes two ranked lists agree on" if view.engine.pipeline == JEFFS_BRAIN else "which tier would answer it"
    )
    made = badge("READY", "accent").add(f"  type a question to see {asks}, and why", "muted")
    return made.add(f"  {view.answer.busy}", "warn") if view.answer.busy else made


def empty_lines(text: str, width: int) -> list[Line]:
    """Calm lines where there is nothing to show."""
    return [line(f" {part}", "muted") for part in wrap(text, width - 2)]


def astray_lines(said: Mapping[str, str], view: View, width: int, glyphs: Glyphs) -> list[Line]:
    """What is ``said`` of a selected note whose file is not what is shown, by how that is; nothing of any other."""
    text = said.get(view.stale.files.get(view.selection.file, ""), "")
    return [line(f" {part}", "warn") for part in wrap(f"{glyphs.warn} {text}", width - 2)] if text else []
