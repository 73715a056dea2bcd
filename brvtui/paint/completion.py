"""A language model's work on an answer as lines: its tools, turns, tokens and cost."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, line, rule
from brvtui.paint.text import ms, plural, wrap
from brvtui.trace import Completion, EndReason, ToolStep

_HEAD_ROLES = {EndReason.ANSWERED: "muted", EndReason.CUT: "warn", EndReason.FAILED: "bad"}


@dataclass(frozen=True, slots=True)
class LiveStep:
    """A call of a tool by the model; ``step`` and ``ms`` are None until the tool has answered."""

    number: int
    tool: str
    arguments: str
    step: ToolStep | None = None
    ms: float | None = None


def completion_lines(done: Completion, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns a report of the model's work: how it ended, missing sources, tools, tokens, cost in cents, time."""
    made = [rule(width, f"by {done.model}", dash=glyphs.dash)]
    if done.why:
        role = _HEAD_ROLES.get(done.ended, "warn")
        made += [line(f" {part}", role) for part in wrap(f"{done.ended.value}: {done.why}", width - 2)]
    for path in done.ungrounded:
        made += _marked(f"not in the tree, so not grounded: {path}", "bad", width, glyphs)
    for cited in done.cited:
        if cited.in_tree and not cited.seen:
            made += _marked(f"named, but its text was not shown to the model: {cited.path}", "warn", width, glyphs)
    if done.missing:
        made += _marked(f"missing: {', '.join(done.missing)}", "warn", width, glyphs)
    for notice in done.notices:
        made += _marked(notice, "warn", width, glyphs)
    for step in done.steps:
        made += step_lines(
            LiveStep(step.number, step.tool, step.arguments, step, done.timings.get(f"step {step.number}")),
            width,
            glyphs,
        )
    made += [_turn(done, place, width) for place in range(len(done.turns))]
    made += [line(f" {part}", "muted") for part in wrap(_spent(done), width - 2)]
    if done.partial:
        made.append(rule(width, "what it had written", dash=glyphs.dash))
        made += [line(f" {part}", "muted") for text in done.partial.split("\n") for part in wrap(text, width - 2)]
    return made


def _marked(text: str, role: str, width: int, glyphs: Glyphs) -> list[Line]:
    parts = wrap(text, width - 4)
    return [line(f" {glyphs.warn} " if place == 0 else "   ", role).add(part, role) for place, part in enumerate(parts)]


def step_lines(made: LiveStep, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns the lines of one call of a tool: its arguments and result."""
    head = line(f" {made.number}. ", "muted").add(made.tool, "bold accent").add(f" {made.arguments}", "text")
    right = Line().add("…" if made.step is None else _result(made.step), "muted")
    if made.ms is not None:
        right.add(f"  {ms(made.ms)}", "muted")
    lines = [head.right(width, right)]
    if made.step is not None and made.step.refused:
        lines += _marked(f"refused: {made.step.refused}", "warn", width, glyphs)
    return lines


def _turn(done: Completion, place: int, width: int) -> Line:
    """Returns the line of one call of the model: its tokens, cost and time."""
    turn = done.turns[place]
    right = Line().add(tokens(turn.usage.sent, turn.usage.received), "muted")
    if place < len(done.turn_cents):
        right.add(f"  {done.turn_cents[place]:.2f} cents", "muted")
    took = done.timings.get(f"turn {turn.number}")
    right.add(f"  {ms(took)}" if took is not None else "", "muted")
    return line(f" call {turn.number}", "muted").right(width, right)


def _result(step: ToolStep) -> str:
    read = f", {plural(len(step.read), 'note')} read" if step.read else ""
    return f"{step.result_tokens} t{read}"


def tokens(sent: int, received: int) -> str:
    """Returns the tokens sent and received in words."""
    return f"{sent} t in, {received} t out"


def _spent(done: Completion) -> str:
    usage = done.usage
    counted = " (estimated)" if usage.estimated else ""
    cost = f" · {done.cost_cents:.2f} cents" if done.cost_cents is not None else ""
    if not done.turns:
        return f"no call came to its end · {ms(done.took_ms)}"
    turns, steps = plural(len(done.turns), "call"), plural(len(done.steps), "tool")
    return f"{turns} · {steps} · {tokens(usage.sent, usage.received)}{counted}{cost} · {ms(done.took_ms)}"
