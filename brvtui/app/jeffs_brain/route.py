"""The steps, legs, counts and rules of a hybrid search."""

from __future__ import annotations

from brvtui.engines.jeffs_brain.trace import HybridTrace, Leg
from brvtui.paint.glyphs import STATE_ROLES, STATE_WORDS, Glyphs
from brvtui.paint.line import Line, line, rule
from brvtui.paint.steps import stage_line, step_line
from brvtui.paint.text import wrap

_NAME = 10


def tables(trace: HybridTrace, width: int, glyphs: Glyphs) -> list[Line]:
    """Steps, legs, counts, what failed, and the rules of intent that no note of the tree can meet."""
    made = [step_line(step, width, glyphs) for step in trace.steps]
    mode = trace.requested_mode.value
    used = "" if trace.mode is trace.requested_mode else f" is {trace.mode.value}"
    made.append(rule(width, f"legs · mode {mode}{used}", dash=glyphs.dash))
    made += [_leg(leg, width, glyphs) for leg in trace.legs]
    made.append(rule(width, "in − dropped = out", dash=glyphs.dash))
    made += [stage_line(stage, width) for stage in trace.stages]
    for error in trace.errors:
        made += [line(f" {part}", "bad") for part in wrap(f"{error.stage} failed: {error.detail}", width - 2)]
    return made + idle_rules(trace, width, glyphs)


def idle_rules(trace: HybridTrace, width: int, glyphs: Glyphs) -> list[Line]:
    """The rules of intent that cannot fire in this tree."""
    if not trace.idle_rules:
        return []
    made = [rule(width, "rules of intent that cannot fire here", dash=glyphs.dash)]
    for text in trace.idle_rules:
        parts = wrap(text, width - 4)
        made += [line(f" {glyphs.bullet} " if place == 0 else "   ", "muted").add(part, "muted")
                 for place, part in enumerate(parts)]  # fmt: skip
    return made


def _leg(leg: Leg, width: int, glyphs: Glyphs) -> Line:
    role = STATE_ROLES[leg.state.value]
    made = line(f" {glyphs.state[leg.state.value]} ", f"bold {role}").fit(leg.name, _NAME, "bold strong")
    made.add(f"{len(leg.hits):>3} ", "text").add(leg.unit or STATE_WORDS[leg.state.value], "text")
    made.add("" if leg.counts else ", not fused", "warn")
    return made.add(f"  {leg.why}", "muted").cut(width)
