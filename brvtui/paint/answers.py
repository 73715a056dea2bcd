"""Shows a language model's work on an answer, and its prompt, as blocks and lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brvtui.paint.blocks import Block, Ends, Marked, Rule, Text
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, line
from brvtui.paint.text import ms, plural
from brvtui.trace import Answer, Completion, EndReason, ModelPrompt, ToolStep

_HEAD_ROLES = {EndReason.ANSWERED: "muted", EndReason.CUT: "warn", EndReason.FAILED: "bad"}


@dataclass(frozen=True, slots=True)
class LiveStep:
    """A tool call made by a model. ``step`` and ``ms`` are None until the tool has answered."""

    number: int
    tool: str
    arguments: str
    step: ToolStep | None = None
    ms: float | None = None


def completion_blocks(done: Completion | None, glyphs: Glyphs) -> Iterator[Block]:
    """Yields a report of the model's work: the reason for its end, missing sources, tools, tokens, cost (cents) and
    time.

    Yields nothing if no model was called.
    """
    if done is None:
        return
    yield Rule(f"by {done.model}")
    if done.why:
        yield Text(f"{done.ended.value}: {done.why}", _HEAD_ROLES.get(done.ended, "warn"))
    for path in done.ungrounded:
        yield _warning(f"not grounded, because it is not in the tree: {path}", "bad", glyphs)
    for cited in done.cited:
        if cited.in_tree and not cited.seen:
            yield _warning(f"cited, but the model was not shown its text: {cited.path}", "warn", glyphs)
    if done.missing:
        yield _warning(f"missing: {', '.join(done.missing)}", "warn", glyphs)
    for notice in done.notices:
        yield _warning(notice, "warn", glyphs)
    for step in done.steps:
        took = done.timings.get(f"step {step.number}")
        yield from tool_blocks(LiveStep(step.number, step.tool, step.arguments, step, took), glyphs)
    yield from (_turn(done, place) for place in range(len(done.turns)))
    yield Text(_spent(done), "muted")
    if done.partial:
        yield Rule("the unfinished answer")
        yield from (Text(text, "muted") for text in done.partial.split("\n"))


def _warning(text: str, role: str, glyphs: Glyphs) -> Text:
    return Text(text, role, line(f" {glyphs.warn} ", role))


def tool_blocks(call: LiveStep, glyphs: Glyphs) -> Iterator[Block]:
    """Yields a tool call with its arguments and result."""
    head = line(f" {call.number}. ", "muted").add(call.tool, "bold accent").add(f" {call.arguments}", "text")
    right = Line().add("…" if call.step is None else _result(call.step), "muted")
    yield Ends(head, right.add("" if call.ms is None else f"  {ms(call.ms)}", "muted"))
    if call.step is not None and call.step.refused:
        yield _warning(f"refused: {call.step.refused}", "warn", glyphs)


def _turn(done: Completion, place: int) -> Ends:
    """Returns a line about one call of the model, with its tokens, cost and time."""
    turn = done.turns[place]
    right = Line().add(tokens(turn.usage.sent, turn.usage.received), "muted")
    if place < len(done.turn_cents):
        right.add(f"  {done.turn_cents[place]:.2f} cents", "muted")
    took = done.timings.get(f"turn {turn.number}")
    return Ends(line(f" call {turn.number}", "muted"), right.add(f"  {ms(took)}" if took is not None else "", "muted"))


def _result(step: ToolStep) -> str:
    read = f", {plural(len(step.read), 'note')} read" if step.read else ""
    return f"{step.result_tokens} t{read}"


def tokens(sent: int, received: int) -> str:
    """Describes the numbers of tokens sent and received."""
    return f"{sent} t in, {received} t out"


def _spent(done: Completion) -> str:
    usage = done.usage
    counted = " (estimated)" if usage.estimated else ""
    cost = f" · {done.cost_cents:.2f} cents" if done.cost_cents is not None else ""
    if not done.turns:
        return f"no call was completed · {ms(done.took_ms)}"
    turns, steps = plural(len(done.turns), "call"), plural(len(done.steps), "tool")
    return f"{turns} · {steps} · {tokens(usage.sent, usage.received)}{counted}{cost} · {ms(done.took_ms)}"


def prompt_blocks(prompt: ModelPrompt, words: Sequence[str]) -> Iterator[Block]:
    """Yields the limits of a prompt, the lanes of its manifest, and each section with its estimated
    number of tokens.
    """
    limits = f"at most {prompt.max_tokens} out, temperature {prompt.temperature:g}, {prompt.max_iterations} iterations"
    yield Text(f"{prompt.tokens} tokens in, {limits}", after=0)
    yield Text(f"manifest: {prompt.manifest}", "muted", after=0)
    for lane in prompt.lanes:
        row = Line().gap().fit(f"lane {lane.name}", 16, "muted").add(f"{lane.tokens:>5} of {lane.budget} tokens  ")
        yield row.add(f"{plural(len(lane.entries), 'note')}, {lane.left_out} left out", "muted")
    yield Text(sandbox_text(prompt), "muted", after=0)
    for section in prompt.sections:
        yield Rule(f"{section.name} · {section.tokens} tokens")
        yield Marked(section.text, words)


def sandbox_text(prompt: ModelPrompt) -> str:
    """Returns the names and contents of the variables that hold the results in the engine's sandbox."""
    contents = ", ".join(f"{name} {json.dumps(value)}" for name, value in prompt.variables.items())
    return f"the engine's sandbox: __query_results_{{taskId}} (the results), __query_meta_{{taskId}} ({contents})"


_KINDS = {
    "cached": "from the cache",
    "direct": "direct",
    "not_covered": "not covered",
    "model": "by the model",
    "extractive": "no model asked",
    "retrieval": "retrieval only",
}


def kind_of_answer(answer: Answer) -> str:
    """Returns the kind of ``answer`` in a few words."""
    return _fell_short(answer) or _KINDS.get(answer.kind, answer.kind)


def why_uncached(answer: Answer, model: str) -> str:
    """The reason why the ``answer`` of a run was not cached; empty if it was. ``model`` is the configured model."""
    done = answer.completion
    if done is None:
        return "no model asked" if answer.kind == "extractive" and model else ""
    return _fell_short(answer) or ("cut off" if done.ended is EndReason.CUT else "")


def _fell_short(answer: Answer) -> str:
    """Returns the reason, in a word or two, why the model gave no answer; empty if it answered or was not called."""
    match answer.completion:
        case None:
            return ""
        case Completion(ended=EndReason.CANCELLED):
            return "stopped"
        case Completion(ended=EndReason.FAILED):
            return "failed"
        case _:
            return "" if answer.kind == "model" else "nothing written"
