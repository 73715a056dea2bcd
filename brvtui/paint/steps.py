"""Shows the steps of a decision as lines: a strip, or a list with checks, counts, notices and times."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from brvtui.paint.glyphs import STATE_ROLES, STATE_WORDS, Glyphs
from brvtui.paint.line import Line, hanging, line, rule
from brvtui.paint.text import keeps_whole, ms, number, signed, wrap
from brvtui.trace import Check, Stage, State, Step


@dataclass(frozen=True, slots=True)
class StepName:
    """The name of a step in three lengths, and its tier, if any. They are known before the first answer."""

    name: str
    short: str
    shortest: str = ""
    tier: str = ""
    timed_by: str = ""
    """The key under which a trace's timings contain the duration of the step."""
    words: tuple[tuple[str, str], ...] = ()
    """Words for states, where they differ from the usual ones."""
    checks: tuple[tuple[str, str], ...] = ()
    """The names of the step's checks, each with a short name for the strip."""


Outlook = Sequence[StepName]
"""The steps of an engine's answers, in order."""
_NARROW_CELL = 10
_WIDE_CELL = 14
_ARROW = 4
"""The number of cells from the end of one name to the start of the next, including an arrow."""
_LEADS_ON = (State.HIT, State.PASSED, State.FAILED, State.MISSED)
_OPPOSITES = {"≥": "<", ">": "≤", "<": "≥", "≤": ">", "=": "≠"}
_NEEDS = "needs"
_NAMED = 90
_NAME = 24
_MOST_PLACES = 9
_NOISE = 1e-9


def strip(
    steps: Sequence[Step],
    timings: Mapping[str, float],
    outlook: Outlook,
    width: int,
    glyphs: Glyphs,
    values: bool = False,
) -> list[Line]:
    """The steps side by side, with names and states. ``values`` adds the deciding checks and the milliseconds."""
    by_name = {entry.name: entry for entry in outlook}
    cells, arrows = _cells([_label(step.tier, _own_name(step, by_name).short) for step in steps], width)
    names, states, checks, times = Line().gap(), Line().gap(), Line().gap(), Line().gap()
    for place, (step, cell) in enumerate(zip(steps, cells, strict=True)):
        role = STATE_ROLES[step.state.value]
        arrow = glyphs.arrow if step.state in _LEADS_ON else glyphs.skipped_arrow
        last = place == len(steps) - 1
        room = cell - _ARROW if arrows and not last else cell - 1
        reached = step.state not in (State.NOT_REACHED, State.NOT_RUN)
        names.fit(_name(step, _own_name(step, by_name), room), room, _name_role(step) if reached else "faint")
        if room < cell - 1:
            names.add(arrow, "faint").gap()
        else:
            names.gap()
        states.fit(
            _state(step, _own_name(step, by_name), cell, glyphs),
            cell - 1,
            f"bold {role}" if step.state is State.TAKEN else role,
        ).gap()
        result = _check_text(step, _own_name(step, by_name), cell - 1) if reached else ""
        checks.fit(result, cell - 1, "muted").gap()
        spent = timings.get(_own_name(step, by_name).timed_by, 0.0)
        times.fit(ms(spent) if reached and spent else "", cell - 1, "faint").gap()
    return [row.cut(width) for row in ((names, states, checks, times) if values else (names, states))]


def _check_text(step: Step, own: StepName, room: int) -> str:
    """Returns the first of these texts that fits: the deciding check's result, the summary, or the result in short
    form.

    A summary that does not fit is left out if the step has checks, because the list of steps shows it.
    """
    check = deciding(step)
    summary = step.summary if step.tier is None else ""
    if check is None:
        return summary if len(summary) <= room or not step.checks else ""
    text = outcome(check, own)
    return next((one for one in (text, summary, outcome(check, own, short=True)) if 0 < len(one) <= room), text)


def _own_name(step: Step, by_name: Mapping[str, StepName]) -> StepName:
    return by_name.get(step.name) or StepName(step.name, step.label)


def _cells(labels: Sequence[str], width: int) -> tuple[list[int], bool]:
    """Returns the width of each step in cells, and True if there is space for arrows between the steps.

    All widths are equal, unless that would cut a label. In this case they depend on the labels, and arrows are left out
    if they do not fit.
    """
    alike = (width - 1) // max(1, len(labels))
    is_wide = alike >= _WIDE_CELL
    for gap, minimum in ((_ARROW + 1, _WIDE_CELL + 1), (1, _WIDE_CELL + 1), (1, _NARROW_CELL))[0 if is_wide else 2 :]:
        if all(len(label) + gap <= alike for label in labels):
            return [alike] * len(labels), gap > _ARROW
        needed = [max(len(label) + gap, minimum) for label in labels]
        spare = width - 1 - sum(needed)
        if spare >= 0:
            return [one + spare // len(labels) for one in needed], gap > _ARROW
    return [alike] * len(labels), is_wide


def _label(tier: object, name: str) -> str:
    return name if tier is None or tier == "" else f"{tier} {name}"


def _name(step: Step, own: StepName, room: int) -> str:
    whole = _label(step.tier, step.label)
    return whole if len(whole) < room and room >= _NARROW_CELL - 1 else _short(step.tier, own, room)


def _short(tier: object, own: StepName, room: int) -> str:
    """Returns the longest name of a step that fits into ``room`` cells."""
    shortest = own.shortest or own.short
    names = (_label(tier, own.short), _label(tier, shortest)) if room >= _NARROW_CELL - 1 else ()
    return next((name for name in names if len(name) <= room), shortest)


def _name_role(step: Step) -> str:
    ended = step.state in (State.TAKEN, State.HIT) and step.tier is not None
    return "bold strong" if ended else "text"


def _word(step: Step, own: StepName) -> str:
    return dict(own.words).get(step.state.value, STATE_WORDS[step.state.value])


def _state(step: Step, own: StepName, cell: int, glyphs: Glyphs) -> str:
    word = _word(step, own)
    space = " " if cell >= _NARROW_CELL else ""
    text = f"{glyphs.state[step.state.value]}{space}{word}"
    if len(text) >= cell and step.state is State.NOT_REACHED:
        return glyphs.state[step.state.value]  # the state's word does not fit; the pane's help explains the sign
    return text


def deciding(step: Step) -> Check | None:
    """Returns the check that decided a step.

    This is the last failed check of a failed step; otherwise, the last check that ran. A skipped step without a failed
    check has none, because its summary gives the reason.
    """
    reached = [check for check in step.checks if check.passed is not None]
    failed = [check for check in reached if check.passed is False]
    if step.state is State.SKIPPED and not failed:
        return None
    chosen = failed if failed and step.state in (State.FAILED, State.MISSED) else reached
    return chosen[-1] if chosen else None


def outcome(check: Check, step: StepName | None = None, short: bool = False) -> str:
    """Returns the result of a check as a true comparison: ``top 0.82 < .85``, or ``top .82 < .85`` if ``short``."""
    places = places_of(check)
    operator = _OPPOSITES.get(check.operator, check.operator) if check.passed is False else check.operator
    name = dict(step.checks).get(check.name, check.name) if step is not None else check.name
    value = number(check.value, places)
    threshold = number(check.threshold, places).removesuffix(".00")
    if short:
        value = "1" if value == "1.00" else value.removeprefix("0") or value
    return f"{name} {value} {operator} {threshold.removeprefix('0') or threshold}"


def places_of(check: Check) -> int:
    """Returns the number of decimals for a check: 0 for counts; otherwise 2 to 9, enough to distinguish its values.

    The number is 2 if the values differ only by rounding errors of floating-point numbers.
    """
    both = (check.value, check.threshold)
    if all(value is None or float(value).is_integer() for value in both):
        return 0
    value, threshold = both
    if value is None or threshold is None or math.isclose(value, threshold, rel_tol=_NOISE, abs_tol=_NOISE):
        return 2
    enough = (places for places in range(2, _MOST_PLACES) if number(value, places) != number(threshold, places))
    return next(enough, _MOST_PLACES)


def step_lines(step: Step, outlook: Outlook, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns the state of a step, the reason, the duration if it fits, and a line for each check."""
    own = _own_name(step, {entry.name: entry for entry in outlook})
    role = STATE_ROLES[step.state.value]
    first = line(f" {glyphs.state[step.state.value]} ", f"bold {role}")
    first.add(f"tier {step.tier} " if step.tier is not None else "", "muted").add(step.label, "bold strong")
    first.add(f" {_word(step, own)} ", role)
    first.add(step.summary, "muted")
    expected = Line().add(f"doc {step.expected}" if step.expected else "", "faint")
    fits = first.width + expected.width < width or keeps_whole()
    head = [first.right(width, expected)] if fits else hanging(first, width, 3)
    return [*head, *(check_line(check, step, width, glyphs) for check in step.checks)]


def check_line(check: Check, step: Step, width: int, glyphs: Glyphs) -> Line:
    """Returns a check's value, threshold and margin; only a check that decided the step is marked with a cross."""
    sign, role = _passed(check, glyphs)
    is_skipped = step.state in (State.SKIPPED, State.NOT_REACHED)
    last = next((one.passed for one in reversed(step.checks) if one.passed is not None), None)
    in_favour = step.state is State.PASSED or (step.state is State.TAKEN and last)
    if check.passed is False and (is_skipped or in_favour):
        sign = glyphs.state["not_reached"]
    if sign == glyphs.state["not_reached"] or is_skipped:
        role = "muted"
    left = Line().gap(5).add(f"{sign} ", role).fit(check.name, min(_NAME, width // 2 - 8), "text")
    places = places_of(check)
    left.add(f"{number(check.value, places):>6}", "text").add(f"  {_NEEDS} ", "muted")
    left.add(f"{check.operator} {number(check.threshold, places):<5}", "text")
    if check.margin is not None and check.passed is not None:
        left.add(f" {signed(check.margin, places) if check.margin else '0'}", role)
    if check.note:
        left.add(f"  {check.note}", "muted")
    right = Line().add(check.constant if width >= _NAMED else "", "faint")
    return left.right(width, right)


def _passed(check: Check, glyphs: Glyphs) -> tuple[str, str]:
    if check.passed is None:
        return glyphs.state["not_reached"], "faint"
    return (glyphs.check, "ok") if check.passed else (glyphs.cross, "bad")


def stage_line(stage: Stage, width: int) -> Line:
    """Returns the line for a stage, with the numbers of documents that entered, were dropped, and remained."""
    row = Line().gap().fit(stage.name, min(_NAME, width // 2), "text")
    row.add(f"{stage.came_in:>6} − {stage.dropped:<5} = {stage.went_out:<5}", "text")
    return row.add(f" {stage.note}" if stage.note else "", "muted").cut(width)


def notices(texts: Sequence[str], width: int, glyphs: Glyphs) -> list[Line]:
    """Returns a section with notices to the user; empty if there are none."""
    if not texts:
        return []
    lines = [rule(width, "good to know", dash=glyphs.dash)]
    for notice in texts:
        for place, part in enumerate(wrap(notice, width - 4)):
            lines.append(line(f" {glyphs.warn} " if place == 0 else "   ", "warn").add(part, "text"))
    return lines


def times(timings: Mapping[str, float], width: int) -> list[Line]:
    """Returns a section with the duration of each stage in milliseconds; empty if there are none."""
    if not timings:
        return []
    lines = [rule(width, "time spent")]
    current = Line().gap()
    for name, spent in timings.items():
        piece = Line().add(f"{name} ", "muted").add(ms(spent), "text").gap(3)
        if current.width + piece.width > width and current.width > 1:
            lines.append(current)
            current = Line().gap()
        current.extend(piece.spans)
    return [*lines, current.cut(width)]
