"""From a route that ends at a model to the model's answer in its trace (``docs/engine.md``, "The calls")."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

from brvtui.engines.byterover.completion.agent import AgentEvent, AgentLimits, AgentRun, run_agent
from brvtui.engines.byterover.completion.answer_form import cited, missing_parts
from brvtui.engines.byterover.completion.note_paths import PathRefused, text_of
from brvtui.engines.byterover.completion.note_tools import NoteTools
from brvtui.engines.byterover.context import Context
from brvtui.engines.byterover.route.extractive import Passage, chosen, composed
from brvtui.engines.byterover.route.prompt import TREE_PREFIX
from brvtui.engines.byterover.sections import Search
from brvtui.services.model import Budget, Cancellation, ChatModel
from brvtui.snapshot import Snapshot
from brvtui.trace import Answer, Completion, EndReason, ModelPrompt, Trace, Usage


@dataclass(frozen=True, slots=True)
class CompletionContext:
    """The model that answers, with its prices and cancellation, and the context of the query."""

    context: Context
    model: ChatModel
    budget: Budget
    cancellation: Cancellation


def complete(how: CompletionContext, trace: Trace) -> Generator[AgentEvent, None, Trace]:
    """Lets the model answer ``trace``, whose prompt it has; returns the trace with its answer.

    Where it fails or is cancelled, the answer stays what it was, and says so.
    """
    prompt = trace.answer.prompt
    assert prompt is not None
    done = AgentRun()
    tools = NoteTools(how.context)
    rules = AgentLimits(how.context.constants.agent, how.context.constants.manifest.chars_per_token, how.budget)
    yield from run_agent(how.model, tools, prompt, rules, how.cancellation, done)
    return replace(trace, answer=_answer(how, trace, prompt, done))


def _answer(how: CompletionContext, trace: Trace, prompt: ModelPrompt, done: AgentRun) -> Answer:
    shown = {hit.file for hit in trace.hits if hit.path in prompt.prefetched} | set(done.read)
    shown |= {entry for lane in prompt.lanes for entry in lane.entries}
    gave_none = done.ended in (EndReason.FAILED, EndReason.CANCELLED)
    named = () if gave_none else cited(how.context.snapshot, done.text, shown)
    usage = Usage(
        sum(turn.usage.sent for turn in done.turns),
        sum(turn.usage.received for turn in done.turns),
        any(turn.usage.estimated for turn in done.turns),
    )
    completion = Completion(
        model=how.model.name,
        ended=done.ended,
        why=done.why,
        turns=tuple(done.turns),
        steps=tuple(done.steps),
        usage=usage,
        cost_cents=how.budget.cost(usage) if done.turns else None,
        cited=named,
        missing=() if gave_none or not done.text.strip() else missing_parts(done.text),
        notices=tuple(done.notices),
        timings=done.ms,
        partial=done.text if gave_none else "",
        turn_cents=tuple(cents for turn in done.turns if (cents := how.budget.cost(turn.usage)) is not None),
    )
    if gave_none:
        notice = f"{_sentence(done.why)} These are sentences of notes."
        return replace(trace.answer, notice=notice, completion=completion)
    if not done.text.strip():
        notice = f"{how.model.name} wrote nothing{': ' if done.why else ''}{done.why}. These are sentences of notes."
        text = _composed(how.context.snapshot, trace, tuple(done.read)) if done.read else trace.answer.text
        return replace(trace.answer, text=text, notice=notice, completion=completion)
    sources = tuple(one.path for one in named if one.in_tree)
    return Answer("model", done.text, prompt, notice_of(completion), sources, completion)


def notice_of(completion: Completion) -> str:
    """A one-line warning about a model's answer: how it ended, missing sources and parts; empty if all is well."""
    said = [_sentence(completion.why)] if completion.why else []
    if completion.ungrounded:
        said.append(f"Not in the tree, so not grounded: {', '.join(completion.ungrounded)}.")
    elif not completion.cited:
        said.append("It names no source, so nothing in it is grounded.")
    if completion.missing:
        said.append(f"It lacks the part {', '.join(completion.missing)}.")
    return " ".join([*said, *map(_sentence, completion.notices)])


def _composed(snapshot: Snapshot, trace: Trace, read: Sequence[str]) -> str:
    """Sentences of the notes that were read, when the model itself says nothing about them."""
    passages = []
    for path in read:
        try:
            passages.append(Passage(path if path.startswith("[") else f"{TREE_PREFIX}{path}", text_of(snapshot, path)))
        except PathRefused:
            continue
    expansions = trace.section(Search).lint.expansions
    return composed(trace.query, chosen(passages, expansions), expansions)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text and not text.endswith(".") else text
