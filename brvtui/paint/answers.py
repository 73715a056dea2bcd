"""The texts of an answer as lines: the answer itself, the prompt, a note, with the query's words marked."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, Span, line, lit, rule
from brvtui.paint.text import ms, plural, wrap
from brvtui.text.visible import visible
from brvtui.trace import Answer, Completion, EndReason, Lane, ModelPrompt, ToolStep

# A language model's work on an answer as lines: its tools, turns, tokens and cost.


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
        made += _marked_turn(f"not in the tree, so not grounded: {path}", "bad", width, glyphs)
    for cited in done.cited:
        if cited.in_tree and not cited.seen:
            made += _marked_turn(f"named, but its text was not shown to the model: {cited.path}", "warn", width, glyphs)
    if done.missing:
        made += _marked_turn(f"missing: {', '.join(done.missing)}", "warn", width, glyphs)
    for notice in done.notices:
        made += _marked_turn(notice, "warn", width, glyphs)
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


def _marked_turn(text: str, role: str, width: int, glyphs: Glyphs) -> list[Line]:
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
        lines += _marked_turn(f"refused: {made.step.refused}", "warn", width, glyphs)
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


_MOST_LINES = 1500
_MOST_TERMS = 200
HIGHLIGHT = "bold underline match on match-ground"
"""The role of a term of the query."""
Mark = re.Pattern[str] | None


def marker(words: Sequence[str]) -> Mark:
    """Returns a pattern that matches the whole ``words``; None when there are none."""
    if not words:
        return None
    longest = sorted(set(words[:_MOST_TERMS]), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)", re.IGNORECASE)


def answer_lines(answer: Answer, width: int, mark: Mark) -> list[Line]:
    """Returns the notice and the text of an answer."""
    made = [line(f" {part}", "warn") for part in wrap(answer.notice, width - 1) if answer.notice]
    return made + paragraphs(answer.text, width, mark)


def prompt_lines(prompt: ModelPrompt, width: int, mark: Mark) -> list[Line]:
    """Returns the limits of a prompt, the lanes of its manifest, and each section with its estimated tokens."""
    facts = (
        f"{prompt.tokens} tokens in, at most {prompt.max_tokens} out, temperature {prompt.temperature:g}, "
        f"{prompt.max_iterations} iterations"
    )
    made = [line(f" {part}", "text") for part in wrap(facts, width - 1)]
    made += [line(f" {part}", "muted") for part in wrap(f"manifest: {prompt.manifest}", width - 1)]
    made += [_lane(lane, width) for lane in prompt.lanes]
    made += [line(f" {part}", "muted") for part in wrap(sandbox_text(prompt), width - 1)]
    for section in prompt.sections:
        made.append(rule(width, f"{section.name} · {section.tokens} tokens"))
        made += paragraphs(section.text, width, mark)
        if len(made) > _MOST_LINES:
            break
    return made


def sandbox_text(prompt: ModelPrompt) -> str:
    """Returns the names of the variables in which the engine's sandbox holds the results, and their content."""
    known = ", ".join(f"{name} {json.dumps(value)}" for name, value in prompt.variables.items())
    return f"the engine's sandbox: __query_results_{{taskId}} (the results), __query_meta_{{taskId}} ({known})"


def _lane(lane: Lane, width: int) -> Line:
    made = Line().gap().fit(f"lane {lane.name}", 16, "muted").add(f"{lane.tokens:>5} of {lane.budget} tokens  ", "text")
    return made.add(f"{plural(len(lane.entries), 'note')}, {lane.left_out} left out", "muted").cut(width)


def paragraphs(text: str, width: int, mark: Mark) -> list[Line]:
    """Wraps ``text`` to ``width`` and marks terms and headings; a very long text ends with the number of lines left."""
    made: list[Line] = []
    source = text.split("\n")
    for number, paragraph in enumerate(source):
        clean = visible(paragraph.rstrip("\r"))
        role = "bold strong" if clean.startswith("#") else "muted" if clean.startswith(("---", "```")) else "text"
        own = mark if mark is not None and mark.search(clean) else None  # most paragraphs hold none of the words
        made += [Line([(" ", "text"), *_marked(part, role, own)]) for part in wrap(clean, width - 1)]
        if len(made) > _MOST_LINES:
            made.append(line(f" … {len(source) - number - 1} more lines", "muted"))
            break
    return made


def _marked(text: str, role: str, mark: Mark) -> list[Span]:
    return [(text, role)] if mark is None else lit([(text, role)], mark, HIGHLIGHT)
