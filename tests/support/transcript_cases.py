"""Single turns of generated transcripts, each with the outcome that follows from the facts about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.support.conversations import (
    ERRORS,
    HOOK,
    MCP,
    MINUTE_MS,
    RECALLS,
    SHELL,
    Conversation,
    ExpectedTurn,
    Row,
    context_of,
    stdout_of,
)

REPEATS = 88
SKIPPED = ("ok", "yes", "  go ", "\tnext\n", "日本語だ", "?")
SHARED = "**Summary**: Releases are cut on Tuesdays.\n\n**Sources**:\n- `.brv/context-tree/ops/release.md`"
NOT_COVERED: Row = {"tier": 2, "matchedDocs": [], "searchMetadata": {"resultCount": 0, "topScore": 0, "totalFound": 0}}


# turns that use the hook


def delivered(talk: Conversation, answer: str = "", took_ms: int = 0) -> None:
    """An attached context, often with a log entry; a text that was attached before is a repeat."""
    prompt, answer = talk.ask(), answer or talk.world.answer(talk.random.choice((0, 0, 9_000)))
    if took_ms or talk.world.chance(0.6):
        talk.log(prompt, took_ms, answer)
    talk.deliver(answer)
    talk.expect(HOOK, "delivered_again" if answer in talk.seen else "delivered")
    talk.seen.add(answer)


def deliver_twice(talk: Conversation) -> None:
    """The same context twice in one session."""
    answer = talk.world.answer()
    delivered(talk, answer)
    delivered(talk, answer)


def repeat_context(talk: Conversation) -> None:
    """Many copies of one context, for different prompts and for the same one."""
    answer = talk.world.answer(2_000)
    for number in range(REPEATS):
        talk.ask("continue with the plan" if talk.world.chance(0.5) else None)
        talk.deliver(answer)
        talk.expect(HOOK, "delivered_again" if number else "delivered")


def not_covered(talk: Conversation) -> None:
    """The engine says that its notes do not cover the prompt."""
    prompt = talk.ask()
    text = f"“{prompt}” is not covered by the context tree."
    talk.log(prompt, 0, text, **NOT_COVERED)
    talk.deliver(text)
    talk.expect(HOOK, "not_covered")


def time_out(talk: Conversation, prompt: str | None = None) -> None:
    """The hook prints nothing, and the log has an answer after the limit."""
    prompt = talk.ask(prompt)
    talk.log(prompt, talk.random.randint(6_500, 15_000), talk.world.answer())
    talk.recall(took_ms=talk.random.randint(6_000, 6_080))
    talk.expect(HOOK, "timed_out")


def time_out_then_deliver(talk: Conversation) -> None:
    """The same prompt twice; the second answer comes from the cache."""
    time_out(talk)
    talk.reply()
    talk.now_ms += talk.random.choice((5, 20, 300)) * MINUTE_MS
    prompt, answer = talk.ask(talk.text), talk.world.answer()
    talk.log(prompt, 40, answer, tier=0)
    talk.deliver(answer)
    talk.expect(HOOK, "delivered")


def fail(talk: Conversation) -> None:
    """The host reports that the hook was cancelled or failed."""
    talk.ask()
    talk.attach(talk.random.choice(ERRORS), command=talk.random.choice(RECALLS), stderr="killed", stdout="", exitCode=1)
    talk.expect(HOOK, "failed")


def fail_with_exit_code(talk: Conversation) -> None:
    """The hook exits with a code other than 0."""
    talk.ask()
    talk.recall(exit_code=talk.random.choice((1, 2, 127, 137)))
    talk.expect(HOOK, "failed")


def fail_in_engine(talk: Conversation) -> None:
    """The hook prints nothing, and the log has an error."""
    prompt = talk.ask()
    failure: Row = {
        "status": talk.random.choice(("error", "cancelled")),
        "error": "No provider is connected",
        "tier": None,
    }
    talk.log(prompt, response="", **failure)
    talk.recall()
    talk.expect(HOOK, "failed")


def be_empty(talk: Conversation) -> None:
    """The hook prints nothing, and the log has an answer without text."""
    prompt = talk.ask()
    talk.log(prompt, response="")
    talk.recall()
    talk.expect(HOOK, "empty")


def skip(talk: Conversation) -> None:
    """The prompt is too short for the hook."""
    talk.ask(talk.random.choice(SKIPPED))
    talk.recall(took_ms=20)
    talk.expect(HOOK, "skipped")


def ignore(talk: Conversation, answer: str = "", top_level: bool = True) -> None:
    """The hook prints a context that the host does not attach."""
    prompt, answer = talk.ask(), answer or talk.world.answer()
    if talk.world.chance(0.5):
        talk.log(prompt, 0, answer)
    talk.recall(json.dumps({"additionalContext": context_of(answer)}) if top_level else stdout_of(answer, True))
    if talk.world.chance(0.4):
        talk.other_hook()
    talk.expect(HOOK, "ignored_by_host")


def ignore_then_deliver(talk: Conversation) -> None:
    """A context that was ignored before is new to the model."""
    answer = talk.world.answer()
    ignore(talk, answer)
    talk.reply()
    delivered(talk, answer)


def spill(talk: Conversation, preview: bool = True, read: str = "") -> None:
    """A large context in a file; ``read`` is "now", "later" (in the next turn) or empty."""
    prompt, answer = talk.ask(), talk.world.answer(30_000)
    path = f"/home/ada/.claude/projects/x/{talk.session}/tool-results/hook-{talk.world.uuid()}-additionalContext.txt"
    if talk.world.chance(0.5):
        talk.log(prompt, 0, answer)
    if not preview or talk.world.chance(0.5):
        talk.recall(stdout_of(answer))
    shown = f"\n\nPreview (first 2KB):\n{context_of(answer)[:2_000]}\n..." if preview else ""
    text = f"<persisted-output>\nOutput too large (30KB). Full output saved to: {path}{shown}\n</persisted-output>"
    talk.attach("hook_additional_context", content=[text])
    talk.expect(HOOK, "spilled_read" if read else "spilled")
    if read == "later":
        talk.reply()
        delivered(talk)
    file = path if read else talk.random.choice(("/home/ada/notes.md", path.replace("/x/", "/y/"), path + ".bak"))
    talk.result(talk.call("Read", file_path=file), "     1\t<byterover-context>\n     2\tThe following knowledge")


def stay_silent(talk: Conversation, log: str = "") -> None:
    """The hook prints nothing, and no log entry belongs to the prompt: the reason is unknown."""
    prompt = talk.ask()
    talk.recall()
    talk.expect(HOOK, "unknown")
    if log:
        query = prompt if log == "far" else talk.world.question()
        talk.world.expected.lone_entries.add(query)
        hours = talk.random.choice((-5, 5)) if log == "far" else 0
        talk.world.log(query, talk.at_ms + hours * 60 * MINUTE_MS, 9_000)


# tool calls: (conversation, channel)


def tool_delivered(talk: Conversation, channel: str, size: int = 0, took_ms: int = 0) -> None:
    """A tool returns an answer, however long the engine took."""
    if not talk.agent and talk.world.chance(0.3):
        talk.ask()
    (query, call), answer = talk.query(channel), talk.world.answer(size)
    if took_ms or talk.world.chance(0.5):
        talk.log(query, took_ms, answer)
    talk.result(call, answer)
    talk.expect(channel, "delivered", query)


def tool_again(talk: Conversation, channel: str) -> None:
    """The same query twice, with the same result."""
    (query, call), answer = talk.query(channel), talk.world.answer()
    talk.result(call, answer)
    talk.expect(channel, "delivered", query)
    talk.now_ms += 5 * MINUTE_MS
    talk.result(talk.query(channel, query)[1], answer)
    talk.expect(channel, "delivered_again", query)


def tool_ends(talk: Conversation, channel: str, outcome: str) -> None:
    """A tool fails, returns no text, or says that the notes do not cover the query."""
    query, call = talk.query(channel, plain=True)
    if outcome == "failed":
        talk.result(call, "Exit code 1\nError: the daemon does not answer", error=True)
    elif outcome == "empty":
        talk.result(call, "")
    else:
        text = f"“{query}” is not covered by the context tree."
        talk.log(query, 0, text, **NOT_COVERED)
        talk.result(call, text)
    talk.expect(channel, outcome, query)


def tool_without_result(talk: Conversation, channel: str) -> None:
    """A tool call without a result; a log entry alone does not prove that the answer arrived."""
    query, _ = talk.query(channel)
    if talk.world.chance(0.5):
        talk.log(query, talk.random.choice((800, 9_000)))
    talk.expect(channel, "unknown", query)


def tools_in_parallel(talk: Conversation) -> None:
    """Two calls in one row, and their results in one row in the other order."""
    queries = [talk.world.question(), talk.world.question()]
    ids = [f"toolu_{talk.world.uuid()}" for _ in queries]
    names = ("mcp__brv__brv-query", "mcp__files__list", "mcp__brv__brv-query")
    inputs: list[Row] = [{"query": queries[0]}, {"path": "src"}, {"query": queries[1]}]
    calls = zip((ids[0], "toolu_files", ids[1]), names, inputs, strict=True)
    talk.reply(*({"type": "tool_use", "id": key, "name": name, "input": value} for key, name, value in calls))
    talk.at_ms = talk.now_ms
    results = [{"type": "tool_result", "tool_use_id": key, "content": talk.world.answer()} for key in reversed(ids)]
    talk.row("user", message={"role": "user", "content": results})
    for query in queries:
        talk.expect(MCP, "delivered", query)


# prompts and log entries without any evidence


def ask_only(talk: Conversation, before: Callable[[Conversation], Any] = Conversation.noise) -> None:
    """A prompt; its rows have nothing to do with the memory."""
    talk.ask()
    talk.expect(HOOK, "unknown")
    before(talk)


def renamed_rows(talk: Conversation) -> None:
    """Rows of kinds that no reader recognizes."""
    text = [context_of(talk.world.answer())]
    talk.attach("hook_context_added", content=text)
    talk.row("attachment_v2", payload={"kind": "hook_additional_context", "content": text})


def misleading_tools(talk: Conversation) -> None:
    """Tools that mention the memory but do not query it."""
    commands = ("grep -rn 'brv query' docs", 'echo "run brv query first"', 'git commit -m "Use brv query \\"x\\""')
    talk.result(talk.call("Bash", command=talk.random.choice(commands)), talk.world.answer())
    talk.result(talk.call("mcp__brv__brv-curate", content="A lease lasts an hour"), "Saved.")
    talk.result(talk.call("Read", file_path="/home/ada/a.md"), context_of(talk.world.answer(200_000)))


def lone_entry(talk: Conversation) -> None:
    """A log entry to which no turn belongs, next to a prompt with another text."""
    talk.ask()
    query = talk.world.question()
    talk.world.expected.lone_entries.add(query)
    talk.log(query, talk.random.choice((300, 9_000)))
    talk.target.append(ExpectedTurn("", "", query, talk.at_ms, "unknown", talk.case))


def elsewhere(talk: Conversation) -> None:
    """Turns in another project's folder."""
    talk.cwd = f"{talk.world.root}-two"
    talk.ask()
    talk.deliver(talk.world.answer())
    talk.expect(HOOK, "delivered")
    query, call = talk.query(talk.random.choice((MCP, SHELL)))
    talk.result(call, talk.world.answer())
    talk.expect(MCP, "delivered", query)
    talk.cwd = str(talk.world.root)


def cut_result(talk: Conversation, channel: str = MCP) -> None:
    """The row with the result is cut off."""
    query, call = talk.query(channel)
    talk.expect(channel, "unknown", query)
    talk.result(call, talk.world.answer())


def cut_context(talk: Conversation) -> None:
    """The row with the context is cut off."""
    talk.target = talk.world.expected.without_evidence
    ask_only(talk)
    talk.attach("hook_additional_context", content=[context_of(talk.world.answer())])


def cut_prompt(talk: Conversation) -> None:
    """A prompt is cut off after a complete turn."""
    delivered(talk)
    talk.ask()


def cut_after_reply(talk: Conversation) -> None:
    """A later row is cut off when the model has already replied without the context."""
    ignore(talk)
    talk.reply()
    talk.reply()
