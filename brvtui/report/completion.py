"""A model's work for an answer, in words."""

from __future__ import annotations

from brvtui.trace import Completion, ToolStep
from brvtui.wording import counted

_SHOWN_ARGUMENTS = 100


def spent(completion: Completion) -> str:
    """The calls, tools, tokens, cost and time of an answer, in one line."""
    if not completion.turns:
        return f"{completion.model}: no call came to its end"
    usage = completion.usage
    work = f"{counted(len(completion.turns), 'call', 'calls')}, {counted(len(completion.steps), 'tool', 'tools')}"
    about = "about " if usage.estimated else ""
    cost = "" if completion.cost_cents is None else f", {completion.cost_cents:.4g} cents"
    tokens = f"{about}{usage.sent} tokens sent, {usage.received} received{cost}"
    return f"{completion.model}: {work}, {tokens}, {completion.took_ms / 1000:.1f} s"


def called(number: int, tool: str, arguments: str) -> str:
    """A call of a tool, in one line; long arguments are cut."""
    more = "…" if len(arguments) > _SHOWN_ARGUMENTS else ""
    return f"{number}. {tool} {arguments[:_SHOWN_ARGUMENTS]}{more}"


def gave(step: ToolStep, ms: float) -> str:
    """The result of a tool and its time, in one line."""
    return f"{step.refused or f'{step.result_tokens} tokens'}, {ms:.0f} ms"
