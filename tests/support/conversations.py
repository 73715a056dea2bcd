"""Rows of generated Claude Code sessions, and entries of the engine's query log."""

from __future__ import annotations

import json
import random
import re
import shlex
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

Row = dict[str, Any]
HOOK, MCP, SHELL = "hook", "mcp", "shell"
START_MS = 1_761_984_000_000
"""2025-11-01T08:00:00Z."""
MINUTE_MS = 60_000
EVENT = "UserPromptSubmit"
RECALLS = ("brv-claude-plugin recall", 'node "/home/ada/.claude/plugins/brv-claude-plugin/dist/index.js" recall')
OTHER_HOOKS = ("python3 ~/.claude/hooks/git_status.py", "/opt/hooks/remind.sh", "npx prompt-guard check")
ERRORS = ("hook_cancelled", "hook_non_blocking_error", "hook_error_during_execution", "hook_blocking_error")
SERVERS = ("byterover", "brv", "plugin_byterover_brv")
FANCY = (
    "“smart” quotes",
    'a "quoted" word',
    "it's here",
    "naïve café 日本語",
    "🚀 launch",
    r"C:\temp\new",
    "$HOME `x`",
)


@dataclass(frozen=True, slots=True)
class ExpectedTurn:
    """A turn and its outcome. ``text`` is the prompt of a hook turn and the query of a tool call."""

    session: str
    channel: str
    text: str
    at_ms: int
    outcome: str
    case: str
    """The name of the generated situation, for test failure messages."""


@dataclass(slots=True)
class Expectations:
    """Everything that is known about the generated turns."""

    turns: list[ExpectedTurn] = field(default_factory=list)
    without_evidence: list[ExpectedTurn] = field(default_factory=list)
    """Prompts and log entries without a turn: either not listed or ``unknown``."""
    elsewhere: list[ExpectedTurn] = field(default_factory=list)
    """Turns of other projects: not listed."""
    lone_entries: set[str] = field(default_factory=set)
    """The queries of log entries to which no turn belongs."""


class World:
    """The random source, the log and the expectations that all conversations share."""

    def __init__(self, seed: int, root: Path, log: Path) -> None:
        self.random = random.Random(seed)
        self.root, self.log_folder = root, log
        self.expected = Expectations()
        self.count = 0
        log.mkdir(parents=True, exist_ok=True)

    def chance(self, share: float) -> bool:
        """Returns True in this share of calls."""
        return self.random.random() < share

    def uuid(self) -> str:
        """A new identifier."""
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def question(self, lines: bool = False) -> str:
        """A new question, often with quotes, symbols or other scripts; ``lines`` allows line breaks."""
        self.count += 1
        extra = self.random.choice(FANCY) if self.chance(0.5) else "in the worker"
        end = "\n\nKeep it short." if lines and self.chance(0.2) else ""
        return f"How does part {self.count} handle {extra} after a restart?{end}"

    def answer(self, size: int = 0) -> str:
        """A new answer of the engine with at least ``size`` characters."""
        self.count += 1
        details = f"Part {self.count} renews its lease every {self.random.randint(2, 90)} minutes. " * (size // 40 + 2)
        sources = f"- `.brv/context-tree/ops/part_{self.count}.md`"
        return f"**Summary**: Found 1 topic.\n\n**Details**:\n{details}\n\n**Sources**:\n{sources}\n\n**Gaps**: none"

    def log(self, query: str, at_ms: int, took_ms: int, response: str = "An answer.", **changes: Any) -> None:
        """Writes a log entry."""
        while (file := self.log_folder / f"qry-{at_ms}.json").exists():
            at_ms += 1
        matched = [{"path": "ops/part.md", "score": 0.91, "title": "Part"}]
        found = {"resultCount": 1, "topScore": 0.91, "totalFound": 3}
        entry = {"id": file.stem, "query": query, "taskId": self.uuid(), "startedAt": at_ms, "status": "completed"}
        entry |= {"completedAt": at_ms + took_ms, "tier": 4 if took_ms > 6_000 else self.random.choice((0, 2, 3))}
        entry |= {"matchedDocs": matched, "searchMetadata": found, "response": response}
        if self.chance(0.8):
            entry["timing"] = {"durationMs": took_ms}
        file.write_text(json.dumps({**entry, **changes}), encoding="utf-8")


class Conversation:
    """One session: its clock, its rows, and the turn that is being written."""

    def __init__(self, world: World, agent_of: Conversation | None = None) -> None:
        self.world = world
        self.random = world.random
        self.session: str = agent_of.session if agent_of else world.uuid()
        self.agent = agent_of is not None
        self.cwd = str(world.root)
        start = START_MS + self.random.randrange(7 * 24 * 60) * MINUTE_MS
        self.now_ms: int = agent_of.now_ms if agent_of else start
        self.offset_ms = self.random.choice((-2, 0, 2)) * MINUTE_MS
        self.rows: list[Row] = []
        self.turn_starts: list[int] = []
        self.parent: str | None = None
        self.text, self.case = "", ""
        self.seen: set[str] = set()
        self.target = world.expected.turns
        self.at_ms = 0

    def row(self, kind: str, **fields: Any) -> Row:
        """Appends a row of a type."""
        self.now_ms += self.random.randint(20, 400)
        moment = datetime.fromtimestamp(self.now_ms / 1000, timezone(timedelta(hours=self.random.choice((0, 0, 2)))))
        stamp = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        common = {"uuid": self.world.uuid(), "parentUuid": self.parent, "sessionId": self.session, "timestamp": stamp}
        row: Row = {
            **common,
            "cwd": self.cwd,
            "isSidechain": self.agent,
            "newField": {"a": [1]},
            "type": kind,
            **fields,
        }
        if kind == "attachment" and self.world.chance(0.1):  # some rows lack one of these fields
            del row[self.random.choice(("uuid", "parentUuid", "timestamp"))]
        self.parent = row.get("uuid", self.parent)
        self.rows.append(row)
        return row

    def ask(self, text: str | None = None) -> str:
        """Appends a prompt of the user."""
        self.noise()
        self.now_ms += self.random.randint(1, 12) * MINUTE_MS
        self.turn_starts.append(len(self.rows))
        self.text = self.world.question(lines=True) if text is None else text
        content = self.text if self.world.chance(0.6) else [{"type": "text", "text": self.text}]
        self.row("user", message={"role": "user", "content": content}, permissionMode="default")
        self.at_ms = self.now_ms
        return self.text

    def reply(self, *blocks: Row) -> None:
        """Appends a reply from the model."""
        content = list(blocks) or [{"type": "text", "text": "Done: `brv query` was not needed."}]
        self.row("assistant", message={"role": "assistant", "content": content, "usage": {"output_tokens": 9}})

    def attach(self, kind: str, event: str = EVENT, **fields: Any) -> None:
        """Appends a row with output from a hook."""
        names = self.random.choice(({"hookName": event}, {"hookEvent": event}, {"hookName": event, "hookEvent": event}))
        self.row("attachment", attachment={"type": kind, **names, "toolUseID": self.world.uuid(), **fields})

    def recall(self, stdout: str = "", took_ms: int = 240, exit_code: int = 0, **fields: Any) -> None:
        """Appends the row that records a run of the recall hook."""
        self.now_ms += took_ms
        command, stderr = self.random.choice(RECALLS), "boom" if exit_code else ""
        ran: Row = {
            "command": command,
            "stdout": stdout,
            "stderr": stderr,
            "exitCode": exit_code,
            "durationMs": took_ms,
        }
        self.attach("hook_success", **ran, **fields)
        if self.world.chance(0.15):
            self.other_hook()

    def deliver(self, answer: str, shown: float = 0.6) -> None:
        """Appends an attached context, often with the row that records the hook's run."""
        if self.world.chance(shown):
            more: Row = {"content": stdout_of(answer)} if self.world.chance(0.2) else {}
            self.recall(stdout_of(answer, self.world.chance(0.5)), **more)
        if self.world.chance(0.2):
            self.other_hook()
        before = ["Branch: main"] if self.world.chance(0.1) else []
        self.attach("hook_additional_context", content=[*before, context_of(answer)])

    def other_hook(self) -> None:
        """Appends the output of a hook that is not ByteRover's, or the output for another event."""
        command = self.random.choice(OTHER_HOOKS)
        number = self.random.randrange(4)
        if number == 0:
            printed = '{"additionalContext": "Branch: main"}'
            self.attach("hook_success", command=command, stdout=printed, stderr="", exitCode=0, durationMs=30)
        elif number == 1:
            self.attach("hook_additional_context", content=[f"Reminder {self.random.random()}: run the tests"])
        elif number == 2:
            self.attach(self.random.choice(ERRORS), command=command, stderr="failed", exitCode=1)
        else:
            self.attach("hook_success", "Stop", command=RECALLS[0][:17] + " save", stdout="", stderr="x", exitCode=1)

    def call(self, name: str, **values: Any) -> str:
        """Appends a tool call; returns its identifier."""
        identifier = f"toolu_{self.world.uuid()[:13]}"
        self.reply({"type": "tool_use", "id": identifier, "name": name, "input": values})
        return identifier

    def result(self, identifier: str, text: str, error: bool = False) -> None:
        """Appends the result of a tool call."""
        parts = [{"type": "text", "text": text}] if text else []
        content = text if self.world.chance(0.5) else parts
        block = {"type": "tool_result", "tool_use_id": identifier, "content": content}
        self.row("user", message={"role": "user", "content": [{**block, "is_error": True} if error else block]})

    def query(self, channel: str, text: str | None = None, plain: bool = False) -> tuple[str, str]:
        """Appends a tool call that asks the memory; returns the query and the identifier of the call."""
        query = self.world.question(lines=channel == MCP) if text is None else text
        if channel == MCP:
            identifier = self.call(f"mcp__{self.random.choice(SERVERS)}__brv-query", query=query)
        else:
            command = shell_command(self.world, query, plain)
            identifier = self.call("Bash", command=command, description="Ask the memory")
        self.at_ms = self.now_ms
        return query, identifier

    def log(self, query: str, took_ms: int = 0, response: str = "An answer.", **changes: Any) -> None:
        """Writes the log entry of the current turn, on the clock of the engine."""
        took = took_ms or self.random.randint(60, 4_800)
        self.world.log(query, self.at_ms + 150 + self.offset_ms, took, response, **changes)

    def expect(self, channel: str, outcome: str, text: str | None = None) -> None:
        """Notes the outcome of the current turn."""
        shown = self.text if text is None else text
        self.target.append(ExpectedTurn(self.session, channel, shown, self.at_ms, outcome, self.case))

    def noise(self) -> None:
        """Sometimes appends rows that have nothing to do with a memory."""
        kinds = ("progress", "system", "file-history-snapshot", "queue-operation", "hologram")
        while self.world.chance(0.3):
            self.row(self.random.choice(kinds), content="brv query", data={"type": "hook_progress", "hookEvent": EVENT})
        if self.world.chance(0.05):
            self.rows.append({"type": "summary", "summary": "Leases", "leafUuid": self.parent})
        if self.world.chance(0.03):
            self.row("user", message=None)
            self.row("assistant", message={"role": "assistant", "content": 7})


def context_of(answer: str) -> str:
    """The text that the hook passes to the model."""
    head = "The following knowledge is from ByteRover context engine:"
    return f"<byterover-context>\n{head}\n\n{answer}\n</byterover-context>"


def stdout_of(answer: str, message: bool = False) -> str:
    """The output of the hook."""
    printed: Row = {"systemMessage": "ByteRover: ops/part.md (3 days)"} if message else {}
    printed["hookSpecificOutput"] = {"hookEventName": EVENT, "additionalContext": context_of(answer)}
    return json.dumps(printed)


def shell_command(world: World, query: str, plain: bool) -> str:
    """A command that asks ``query``; ``plain`` leaves out pipes."""
    double = '"' + re.sub(r'([\\"$`])', r"\\\1", query) + '"'
    word = world.random.choice((double, double, shlex.quote(query), "'" + query.replace("'", r"'\''") + "'"))
    asks = (f"brv query {word}", f"node ~/.byterover/v4/query.mjs {word}", f'node "/opt/brv 4/query.mjs" {word}')
    asked = world.random.choice(asks)
    into = f"cd {shlex.quote(str(world.root))} && "
    piped = (f"{asked} | head -60", f"{asked}|head -60", f"{into}{asked} 2>&1 | tail -n 40")
    forms = (*piped, f"{into}{asked}", f"cd src; {asked}", f"{asked}; echo done", f"ls && {asked} && date")
    return world.random.choice((asked, f"{into}{asked}") if plain else (asked, *forms))
