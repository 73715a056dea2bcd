"""The headless commands that use a model: ask, llm check."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brvtui.cli.engine_command import engine_command
from brvtui.cli.failure import BAD_USAGE, FAILED, NEGATIVE, NOT_THERE, OK, Failure
from brvtui.cli.options import WholeSummaries, answer_format, project_option, text_argument
from brvtui.cli.output import letters_setting, say, say_note, write_json
from brvtui.cli.sessions import ProjectRequest, find_session
from brvtui.text.visible import visible
from brvtui.trace import Completion, ToolStep
from brvtui.wording import counted, shortened

if TYPE_CHECKING:
    from brvtui.config.schema import Llm
    from brvtui.services.model import Cancellation
    from brvtui.trace import Trace
    from brvtui.trace.events import CompletionFailed, Event, Finished

# A model's work on an answer, in words.


_SHOWN_ARGUMENTS = 100


def spent(completion: Completion) -> str:
    """One line with the model calls, tool calls, tokens, cost and time of an answer."""
    if not completion.turns:
        return f"{completion.model}: no call was completed"
    usage = completion.usage
    work = f"{counted(len(completion.turns), 'call', 'calls')}, {counted(len(completion.steps), 'tool', 'tools')}"
    about = "about " if usage.estimated else ""
    cost = "" if completion.cost_cents is None else f", {completion.cost_cents:.4g} cents"
    tokens = f"{about}{usage.sent} tokens sent, {usage.received} received{cost}"
    return f"{completion.model}: {work}, {tokens}, {completion.took_ms / 1000:.1f} s"


def called(number: int, tool: str, arguments: str) -> str:
    """One line for a tool call. Long arguments are cut."""
    more = "…" if len(arguments) > _SHOWN_ARGUMENTS else ""
    return f"{number}. {shortened(tool, _SHOWN_ARGUMENTS)} {arguments[:_SHOWN_ARGUMENTS]}{more}"


def gave(step: ToolStep, ms: float) -> str:
    """One line with the result and duration of a tool call."""
    return f"{shortened(step.refused) or f'{step.result_tokens} tokens'}, {ms:.0f} ms"


_WIDTH = 80
"""The width in columns of the answer's text."""
_SET_ONE = "set llm.model in your settings (brv-tui config shows the file), or the variable BRV_TUI_LLM_MODEL"


@click.command(
    epilog="""
\b
Examples:
  brv-tui ask "how do we roll back a deploy"
  brv-tui ask "how do we roll back a deploy" --llm
  brv-tui ask "webhook retries" --llm --format json | jq .trace.answer.completion.steps
"""
)
@text_argument()
@engine_command
@click.option("--llm", "allowed", is_flag=True, help="Let the configured model answer at tiers 3 and 4.")
@answer_format
def ask(text: str, request: ProjectRequest, allowed: bool, form: str) -> int:
    """Answer TEXT through all tiers; at tiers 3 and 4 a model writes the answer, if one is set and --llm allows it.

    The answer goes to standard output, everything else to standard error. A terminal shows the text as the
    model writes it, starting at the heading “Summary”; a pipe or a file receives only the complete answer.

    The exit code is 1 if the tree does not cover TEXT, 2 if TEXT is empty or the model's settings are wrong, and 4 if
    the model fails, or if --llm is given and the answer needs a model but none is set.
    """
    session = request.open()
    if allowed:
        session.model.allow()
    from brvtui.services.model import Cancellation
    from brvtui.session.services import budget_of

    cancellation = Cancellation()
    limit = budget_of(session.settings.llm).words
    events = session.complete(text, request.scope, cancellation, options=request.options)
    with _interrupts(cancellation):
        ended = _last(events) if form == "json" else _Terminal(sys.stdout.isatty(), limit).show(events)
    if getattr(ended, "cancelled", False):
        raise click.Abort
    if form == "json":
        from brvtui.engines.registry import verdict_sentence
        from brvtui.trace import to_plain

        sentence = verdict_sentence(ended.trace)
        write_json([{"schema": ended.trace.schema, "verdict_sentence": sentence, "trace": to_plain(ended.trace)}])
    why = getattr(ended, "why", "")
    if why:
        raise Failure(why, FAILED)
    state = session.model.state
    if allowed and ended.trace.answer.awaits_model:
        raise Failure(_not_asked(state.problem), BAD_USAGE if state.problem else FAILED)
    if ended.trace.answer.awaits_model and state.name and not (state.problem or state.allowed):
        click.echo("to let the model answer, add --llm", err=True)
    return OK if ended.trace.covered else NEGATIVE


def _not_asked(problem: str) -> str:
    """The message that no model was called, either because of a ``problem`` in its settings or because none is set."""
    if problem:
        return f"this answer needs a model, but the configured one cannot be used: {problem}"
    return f"this answer needs a model, but none is set: {_SET_ONE}"


@contextmanager
def _interrupts(cancellation: Cancellation) -> Iterator[None]:
    """Makes Ctrl+C in the block use ``cancellation``, because a connection could swallow a KeyboardInterrupt."""
    before = signal.signal(signal.SIGINT, lambda *_: cancellation.cancel())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _last(events: Iterable[Event]) -> Finished | CompletionFailed:
    from brvtui.trace.events import CompletionFailed, Finished

    ended = tuple(events)[-1]
    assert isinstance(ended, (Finished, CompletionFailed))
    return ended


class _Terminal:
    """Prints events as they happen: the answer to standard output, everything else to standard error."""

    def __init__(self, streams: bool, limit: str) -> None:
        """With ``streams``, prints text that looks like the answer as it arrives, although another turn may follow.

        ``limit`` describes the answer's budget in words.
        """
        self._streams = streams
        self._limit = f", with at most {limit}" if limit else ""
        self._pending = ""
        """The unprinted text of the current turn. Only the last turn, which calls no tools, contains the answer."""
        self._has_begun: Callable[[str], bool] = bool
        """Returns True if the engine recognizes its argument as the beginning of an answer."""
        self._is_answer = False
        self._written = False
        self._in_line = False

    def show(self, events: Iterable[Event]) -> Finished | CompletionFailed:
        """Prints ``events`` and returns the last one."""
        from brvtui.engines.registry import presentation
        from brvtui.paint.sentence import headline_text
        from brvtui.trace import events as kinds

        ended = None
        for ended in events:
            match ended:
                case kinds.Routed(trace, model):
                    self._has_begun = presentation(trace.engine).has_begun
                    self._note(headline_text(presentation(trace.engine).headline(trace)))
                    for notice in trace.notices:
                        self._note(f"note: {notice}")
                    if model:
                        self._note(f"asking {model}{self._limit}")
                case kinds.TurnBegun():
                    if self._written:
                        self._note("the text above is not the answer yet: the model continues")
                    self._is_answer = self._written = False
                case kinds.TextDelta(text):
                    self._take(text)
                case kinds.TurnEnded(turn):
                    self._release(turn.calls == 0 and bool(turn.text.strip()))
                case kinds.Waiting(seconds, why):
                    self._note(f"trying again in {seconds:g} s: {why}")
                case kinds.StepBegun(number, tool, arguments):
                    self._note(called(number, tool, arguments))
                case kinds.StepEnded(step, ms):
                    self._note(f"   {gave(step, ms)}")
                case _:
                    pass
        assert isinstance(ended, (kinds.Finished, kinds.CompletionFailed))
        self._finish(ended)
        return ended

    def _take(self, text: str) -> None:
        """Prints ``text`` if the answer has begun and streaming is on; otherwise keeps it for later."""
        self._pending += text
        if not self._streams:
            return
        if self._is_answer or self._has_begun(self._pending):
            self._is_answer = True
            self._release(True)

    def _release(self, is_answer: bool) -> None:
        text, self._pending = self._pending, ""
        if text and is_answer:
            self._written = True
            self._write(text)
        else:
            for line in text.strip().splitlines():
                self._note(line)

    def _finish(self, ended: Finished | CompletionFailed) -> None:
        """Prints the answer, if it is not on the screen yet, and its costs. The caller prints why the model failed."""
        self._release(False)
        self._end_line()
        if getattr(ended, "cancelled", False):
            return
        answer = ended.trace.answer
        if answer.kind != "model" and self._written:
            self._note("the answer above is incomplete; the answer without the model:")
        if answer.kind != "model" or not self._written:
            click.echo(visible(answer.text, keep="\n") if answer.text else _retrieved(ended.trace))
        if answer.notice and not getattr(ended, "why", ""):
            self._note(f"note: {answer.notice}")
        if answer.completion:
            self._note(spent(answer.completion))

    def _write(self, text: str) -> None:
        self._in_line = not text.endswith("\n")
        sys.stdout.write(visible(text, keep="\n"))
        sys.stdout.flush()

    def _end_line(self) -> None:
        if self._in_line:
            self._write("\n")

    def _note(self, line: str) -> None:
        self._end_line()
        say(visible(line), err=True)


def _retrieved(trace: Trace) -> str:
    """The lines to print for an engine that retrieves results but writes no answer."""
    from brvtui.engines.registry import presentation
    from brvtui.paint.blocks import lines_of
    from brvtui.paint.glyphs import for_terminal
    from brvtui.paint.text import kept_whole
    from brvtui.report.lines import plain_lines

    with nullcontext() if sys.stdout.isatty() else kept_whole():
        blocks = presentation(trace.engine).answer(trace)
        return plain_lines(lines_of(blocks, _WIDTH, for_terminal(letters_setting()))).strip("\n")


@click.group(cls=WholeSummaries)
def llm() -> None:
    """The language model for tiers 3 and 4."""


@llm.command(epilog="\b\nExamples:\n  brv-tui llm check\n  brv-tui llm check --format json")
@project_option
@answer_format
def check(project: Path | None, form: str) -> int:
    """Show which model is set, and send it a short message to see if it answers and can call tools.

    Outside a project, your own settings apply.

    The exit code is 1 if no model is set, 2 if its settings are wrong, and 4 if it does not answer.
    """
    settings, model = _model_of(project)
    state = model.state
    facts: dict[str, Any] = {
        "protocol": settings.protocol,
        "model": settings.model,
        "url": model.address,
        "key": model.key_source,
        "allowed": state.allowed,
    }
    result = None if state.problem else model.check()
    if form == "json":
        from brvtui.trace import to_plain

        write_json([{**facts, "problem": state.problem, "check": to_plain(result) if result else None}])
    else:
        for name, value in facts.items():
            say(f"{name:<9} {visible(_value_text(value))}")
    if state.problem:
        raise Failure(state.problem, BAD_USAGE)
    if result is None:
        raise Failure(f"no model is set: {_SET_ONE}", NEGATIVE)
    if not result.answered:
        raise Failure(f"the model does not answer: {result.why}", FAILED)
    if form == "text":
        tools = "and calls tools" if result.calls_tools else "but cannot call tools, which tier 4 needs"
        say(f"{'answers':<9} yes, in {result.ms:.0f} ms, {tools}")
        for notice in result.notices:
            say_note(notice)
    return OK


def _model_of(project: Path | None) -> tuple[Llm, Any]:
    """The project's model settings and model; outside a project, those from the user's own settings."""
    try:
        session = find_session(project)
    except Failure as error:
        if project is not None or error.code != NOT_THERE:
            raise
        from brvtui.config import configure
        from brvtui.engines.profile_files import tree_profile
        from brvtui.session import session_model

        settings = configure().settings
        requests = tree_profile().service
        return settings.llm, session_model(lambda: settings, lambda: requests)
    return session.settings.llm, session.model


def _value_text(value: Any) -> str:
    if isinstance(value, bool):
        return "in every session" if value else "when a session allows it (--llm)"
    return str(value) or "–"
