"""Runs a model for a query whose route ends at a model, and adds the answer to the trace."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from time import perf_counter

from brvtui.engines.byterover.completion.answer_form import cited, missing_parts
from brvtui.engines.byterover.completion.note_tools import (
    TOOLS,
    NoteTools,
    PathRefused,
    Result,
    arguments_of,
    refusal,
    text_of,
)
from brvtui.engines.byterover.profile import AgentRules, Context
from brvtui.engines.byterover.route.extractive import Passage, chosen, composed
from brvtui.engines.byterover.route.prompt import TREE_PREFIX
from brvtui.engines.byterover.sections import Search
from brvtui.ranking.packing import estimated_tokens
from brvtui.services.model import (
    Budget,
    Cancellation,
    ChatModel,
    FromModel,
    FromTool,
    FromUser,
    Message,
    ModelCancelled,
    ModelError,
    ModelRequest,
    Reply,
    TextPiece,
    ToolCall,
)
from brvtui.snapshot import Snapshot
from brvtui.trace import Answer, Completion, EndReason, ModelPrompt, ModelTurn, ToolStep, Trace, Usage
from brvtui.trace.events import StepBegun, StepEnded, TextDelta, TurnBegun, TurnEnded, Waiting
from brvtui.wording import counted

# A model works on an answer in turns, and may call tools, until it answers or reaches a limit. Tiers 3 and 4 use the
# same loop with different constants (``docs/reference/byterover.md``, "The calls").


AgentEvent = TurnBegun | TextDelta | Waiting | TurnEnded | StepBegun | StepEnded
_NOW_ANSWER = (
    "Call no more tools. Answer now, from what you have read, in the four parts; name under Gaps what you did not find."
)
_CHARS_OF_A_TOKEN = 16
"""The maximum average number of characters per token. An answer is cut once its characters exceed the token limit times
this number.
"""

_NO_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME = 64
_CALLS_OF_A_TURN = 16
"""The maximum number of tool calls that are carried out in one turn; further calls are refused."""


@dataclass(frozen=True, slots=True)
class AgentLimits:
    """The limits of an agent's run."""

    agent: AgentRules
    chars_per_token: float
    budget: Budget


@dataclass
class AgentRun:
    """The turns and steps of a run so far. They are complete once :func:`run_agent` has ended."""

    text: str = ""
    """The answer, or the part of it received so far."""
    ended: EndReason = EndReason.ANSWERED
    why: str = ""
    turns: list[ModelTurn] = field(default_factory=list)
    steps: list[ToolStep] = field(default_factory=list)
    read: dict[str, None] = field(default_factory=dict)
    """The files whose text the tools returned, in order."""
    notices: list[str] = field(default_factory=list)
    ms: dict[str, float] = field(default_factory=dict)


def run_agent(
    model: ChatModel,
    tools: NoteTools,
    prompt: ModelPrompt,
    rules: AgentLimits,
    cancellation: Cancellation,
    done: AgentRun,
) -> Iterator[AgentEvent]:
    """Runs ``model`` on ``prompt``, yields the events, and records the run in ``done``. Closing the iterator cancels
    the run.

    Raises no errors: ``done.ended`` and ``done.why`` report a failed service or a cancellation.
    """
    try:
        yield from _Loop(model, tools, prompt, rules, cancellation, done, [FromUser(prompt.material)]).run()
    except (ModelError, ModelCancelled) as error:
        # A cancelled connection may fail before it notices the cancellation.
        cancelled = cancellation.asked or isinstance(error, ModelCancelled)
        done.ended, done.why = (EndReason.CANCELLED, "cancelled") if cancelled else (EndReason.FAILED, str(error))


@dataclass
class _Loop:
    model: ChatModel
    tools: NoteTools
    prompt: ModelPrompt
    rules: AgentLimits
    cancellation: Cancellation
    done: AgentRun
    messages: list[Message]
    called: Counter[tuple[str, str]] = field(default_factory=Counter)
    """The number of times that each tool was called with the same arguments."""
    idle: int = 0
    """The number of consecutive turns that read no new note."""
    sent: int = 0
    """The number of tokens sent in all turns: the larger of the service's count and our estimate."""
    received: int = 0

    def run(self) -> Iterator[AgentEvent]:
        done, last = self.done, self.prompt.max_iterations
        for number in range(1, last + 1):
            must_end = done.ended is not EndReason.ANSWERED
            if number == last and done.steps and not must_end:
                self._end(EndReason.ITERATIONS, f"the limit is {counted(last, 'iteration', 'iterations')}")
                must_end = True
            if not self._is_affordable(1):
                if not done.turns:
                    raise ModelError(
                        f"the model was not called: its first call alone may use more than {self.rules.budget.words}"
                    )
                self._end(EndReason.BUDGET, f"the limit is {self.rules.budget.words}")
                return
            if done.steps and not must_end and not self._is_affordable(2):
                self._end(EndReason.BUDGET, f"the limit is {self.rules.budget.words}")
                must_end = True
            reply = yield from self._turn(number, must_end)
            if not reply.calls and not must_end and not done.text.strip():
                within = f" within its limit of {self.prompt.max_tokens} tokens" if reply.is_cut else ""
                raise ModelError(f"{self.model.name} wrote nothing{within}")
            if not reply.calls or must_end:
                if reply.is_cut and not must_end:
                    limit = self.prompt.max_tokens
                    self._end(EndReason.CUT, f"the answer was cut at its limit of {limit} tokens")
                return
            self.messages.append(FromModel(done.text, tuple(_sendable(call) for call in reply.calls)))
            yield from self._steps(number, reply.calls)
        if done.ended is EndReason.ANSWERED:
            self._end(EndReason.ITERATIONS, f"the limit is {counted(last, 'iteration', 'iterations')}")

    def _is_affordable(self, turns: int) -> bool:
        """True if ``turns`` more turns like the next one fit into the budget, even with the longest replies."""
        sent = self.sent + turns * self._request_tokens()
        return self.rules.budget.allows(sent, self.received + turns * self.prompt.max_tokens)

    def _request_tokens(self) -> int:
        chars = len(self.prompt.instructions) + sum(len(message.text) for message in self.messages)
        return int(estimated_tokens(chars, self.rules.chars_per_token))

    def _end(self, ended: EndReason, why: str) -> None:
        self.done.ended, self.done.why = ended, why

    def _turn(self, number: int, must_end: bool) -> Generator[AgentEvent, None, Reply]:
        """Calls the model once, stores the model's text in ``done.text``, and returns the :class:`Reply`."""
        if self.cancellation.asked:
            raise ModelCancelled
        yield TurnBegun(number)
        if must_end:
            self.messages.append(FromUser(_NOW_ANSWER))
        prompt = self.prompt
        request = ModelRequest(
            prompt.instructions, tuple(self.messages), TOOLS, not must_end, prompt.max_tokens, prompt.temperature
        )
        self.done.text, began = "", perf_counter()
        try:
            reply = yield from self._pieces(request, number, began)
        finally:
            self.done.ms[f"turn {number}"] = _ms(perf_counter() - began)
        usage = self._usage(reply)
        turn = ModelTurn(number, self.done.text, len(reply.calls), usage)
        self.done.turns.append(turn)
        self.done.notices += [notice for notice in reply.notices if notice not in self.done.notices]
        yield TurnEnded(turn, self.done.ms[f"turn {number}"])
        return reply

    def _pieces(self, request: ModelRequest, number: int, began: float) -> Generator[AgentEvent, None, Reply]:
        done, max_chars = self.done, self.prompt.max_tokens * _CHARS_OF_A_TOKEN
        pieces: list[str] = []
        chars = 0
        try:
            with closing(self.model.turn(request, self.cancellation)) as stream:
                for piece in stream:
                    match piece:
                        case TextPiece(text):
                            if not pieces:
                                done.ms[f"turn {number} first text"] = _ms(perf_counter() - began)
                            shown = text[: max_chars - chars]
                            pieces.append(shown)
                            chars += len(shown)
                            yield TextDelta(shown)
                            if chars >= max_chars:
                                return Reply((), True, None, None)
                        case Reply(calls=calls):
                            called = sum(len(call.name) + len(call.arguments) for call in calls)
                            return replace(piece, calls=(), is_cut=True) if chars + called > max_chars else piece
                        case wait:
                            yield Waiting(wait.seconds, wait.why)
        finally:
            done.text = "".join(pieces)
        raise ModelError(f"{self.model.name}: the answer ended before it was complete")

    def _steps(self, turn: int, calls: tuple[ToolCall, ...]) -> Iterator[AgentEvent]:
        done = self.done
        read_before = len(done.read)
        for number_in_turn, call in enumerate(calls, start=1):
            if self.cancellation.asked:
                raise ModelCancelled
            number = len(done.steps) + 1
            yield StepBegun(number, call.name, call.arguments)
            began = perf_counter()
            result = self._result(call, number_in_turn)
            ms = done.ms[f"step {number}"] = _ms(perf_counter() - began)
            tokens = int(estimated_tokens(len(result.text), self.rules.chars_per_token))
            step = ToolStep(
                number, turn, call.name, call.arguments, result.text, tokens, result.refused, result.read
            )  # fmt: skip
            done.steps.append(step)
            done.read |= dict.fromkeys(result.read)
            self.messages.append(FromTool(call.id, result.text))
            yield StepEnded(step, ms)
        self.idle = 0 if len(done.read) > read_before else self.idle + 1
        limit = self.rules.agent.idle_turns
        if self.idle >= limit and done.ended is EndReason.ANSWERED:
            self._end(EndReason.IDLE, f"no new note was read in {counted(limit, 'turn', 'turns')}")

    def _result(self, call: ToolCall, number_in_turn: int) -> Result:
        if self.done.ended is not EndReason.ANSWERED:
            return refusal(f"not run: {self.done.why}")
        if number_in_turn > _CALLS_OF_A_TURN:
            return refusal(f"not run: at most {_CALLS_OF_A_TURN} tools may be called per turn")
        same, limit = (call.name, _canonical(call.arguments)), self.rules.agent.same_calls
        self.called[same] += 1
        if self.called[same] < limit:
            return self.tools.call(call.name, call.arguments)
        why = f"{call.name} was called {limit} times with the same arguments"
        self._end(EndReason.REPEATED, why)
        return refusal(why)

    def _usage(self, reply: Reply) -> Usage:
        chars = len(self.done.text) + sum(len(call.name) + len(call.arguments) for call in reply.calls)
        received = int(estimated_tokens(chars, self.rules.chars_per_token))
        sent = self._request_tokens()
        self.sent += max(sent, reply.sent or 0)
        self.received += max(received, reply.received or 0)
        if reply.sent is not None and reply.received is not None:
            return Usage(reply.sent, reply.received, False)
        return Usage(sent, received, True)


def _sendable(call: ToolCall) -> ToolCall:
    """``call`` in a form that can be sent back. Services reject names with unusual characters, and arguments that are
    not a JSON object.
    """
    name = _NO_NAME.sub("_", call.name)[:_LONGEST_NAME] or "_"
    return ToolCall(call.id, name, call.arguments if arguments_of(call.arguments) is not None else "{}")


def _canonical(arguments: str) -> str:
    parsed = arguments_of(arguments)
    return arguments if parsed is None else json.dumps(parsed, sort_keys=True)


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)


@dataclass(frozen=True, slots=True)
class CompletionContext:
    """A query's context, the model that answers it, its budget, and the means to cancel it."""

    context: Context
    model: ChatModel
    budget: Budget
    cancellation: Cancellation


def complete(how: CompletionContext, trace: Trace) -> Generator[AgentEvent, None, Trace]:
    """Runs the model on the prompt of ``trace``, and returns the trace with the model's answer.

    If the model fails or is cancelled, the answer in the trace keeps its text, and its notice gives the reason.
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
        notice = f"{_sentence(done.why)} The answer consists of sentences from notes."
        return replace(trace.answer, notice=notice, completion=completion)
    if not done.text.strip():
        why = f": {done.why}" if done.why else ""
        notice = f"{how.model.name} wrote nothing{why}. The answer consists of sentences from notes."
        text = _composed(how.context.snapshot, trace, tuple(done.read)) if done.read else trace.answer.text
        return replace(trace.answer, text=text, notice=notice, completion=completion)
    sources = tuple(one.path for one in named if one.in_tree)
    return Answer("model", done.text, prompt, notice_of(completion), sources, completion)


def notice_of(completion: Completion) -> str:
    """A one-line warning about an answer that ended early or lacks sources or parts; empty if nothing is wrong."""
    sentences = [_sentence(completion.why)] if completion.why else []
    if completion.ungrounded:
        sentences.append(f"Not in the tree, so not grounded: {', '.join(completion.ungrounded)}.")
    elif not completion.cited:
        sentences.append("The answer names no source, so nothing in it is grounded.")
    if completion.missing:
        sentences.append(f"The answer lacks {', '.join(completion.missing)}.")
    return " ".join([*sentences, *map(_sentence, completion.notices)])


def _composed(snapshot: Snapshot, trace: Trace, read: Sequence[str]) -> str:
    """An answer composed of sentences from the notes that the model read, used if the model wrote no answer."""
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
