"""Reads recalls from Claude Code's transcripts: one file of JSON lines for each session.

The rows are described in ``docs/reference/delivery.md``. Rows of unknown types are counted and otherwise ignored.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import dropwhile
from typing import Any

from brvtui.lab.delivery.rows import MOST_RECALLS, RowReader, TranscriptBudget, moment, parsed
from brvtui.lab.delivery.turns import LONGEST_MS, DeliveryChannel, Recall

_SMALL = 16_384
"""Rows of up to this size in bytes are always parsed; larger ones only if they contain a marker."""
_MARKERS = (b"hook_", b"byterover", b"additionalContext", b"brv", b"query.mjs")
_MOST_CALLS = 100
"""The maximum number of tool calls that wait for their results; older ones stay without a result."""
_LONGEST_REPLY = 20_000
_LONGEST_NAME = 1_000
"""The maximum number of characters of an id or a path; longer ones are ignored."""
_SHELL_COST = 8
"""Each character of a shell command counts as this many characters, since parsing it is slow."""
_MOST_BLOCKS = 500
"""The maximum number of blocks of a reply that are added to the recalls of a turn."""
_MOST_OPEN = 4
"""Later replies are added only to the newest recalls of a turn, at most this many."""
_MOST_OPENED = 1_000
_MOST_SESSIONS = 10_000
TYPES = frozenset({"user", "assistant", "attachment", "system", "progress", "summary"})
"""The known types of rows."""
_FAILURES = {
    "hook_cancelled": "the hook was cancelled",
    "hook_non_blocking_error": "the hook failed",
    "hook_error_during_execution": "the hook failed while it ran",
    "hook_blocking_error": "the hook failed and blocked the prompt",
}
_BYTEROVER = re.compile(r"brv|byterover", re.IGNORECASE)
_OWN_HOOK = re.compile(rf"{_BYTEROVER.pattern}|\brecall\b", re.IGNORECASE)
_CONTEXT = "<byterover-context>"
_SPILLED = "additionalContext.txt"
_BEFORE_PATH = " \t\r\n\"'<>"
_SAVED_ENDING = ".txt"
_PERSISTED = "<persisted-output>"
_SAVED_TO = re.compile(r"saved to:?\s*(?P<path>/[^\s\"'<>]+)", re.IGNORECASE)
_MCP_TOOL = re.compile(r"mcp__.+__brv-query")
_SCRIPT = "query.mjs"
_LIMIT = re.compile(r"\d+[smh]?")
_RUNTIMES = ("node", "bun", "deno")
_OPERATORS = ";|&()<>\n"
_BEFORE = ("time", "command", "env", "exec", "npx", "timeout", "$")
"""Words that may come before a command."""
_WITH_VALUE = ("--format", "-f", "--timeout", "-t", "--limit", "--scope", "--project")
"""Options that are followed by a value."""
_INSERTED = ("<local-command", "<command-", "[Request interrupted")
"""The beginnings of user rows that the host wrote, not the user."""


@dataclass(slots=True)
class _Session:
    """The state of one session while its rows are read."""

    prompt: int | None = None
    """The place of the newest prompt's recall."""
    prompts: dict[str, int] = field(default_factory=dict)
    """The places of prompts, keyed by the ids of their rows and of rows that belong to them."""
    current: list[int] = field(default_factory=list)
    """The places of the recalls since the newest prompt."""
    blocks: int = 0
    """The number of blocks of the agent's reply since the newest prompt."""
    has_hook: bool = False
    has_reply: bool = False
    """True if a row of the agent follows the newest prompt."""


class TranscriptReader(RowReader):
    """Collects recalls from rows. A growing file can be read in several steps."""

    def __init__(
        self, belongs: Callable[[str], bool], seen: dict[int, int], budget: TranscriptBudget, is_subagent: bool = False
    ) -> None:
        """``belongs`` returns True for a working folder (possibly empty) that is part of the project. ``seen`` maps the
        hash of each row's id to the hash of its content, since a resumed session repeats rows in a second file. A row
        that repeats an id with different content cannot be trusted, and counts as unreadable.
        """
        super().__init__(budget)
        self._belongs = belongs
        self._is_subagent = is_subagent
        self._sessions: dict[str, _Session] = {}
        self._recalls: list[Recall] = []
        self._seen = seen
        self._calls: dict[str, int] = {}
        """The places of tool calls without a result, by id, oldest first."""
        self._folder = ""
        """The working folder of the newest row that names one."""

    def recalls(self, is_cut_off: bool = False) -> list[Recall]:
        """The recalls read so far, in the order of their rows.

        Prompts without any trace of a recall are left out if the agent asked in another way and no row of the session
        shows that the hook is installed. ``is_cut_off`` means that the file ends in the middle of a row.
        """
        last = {state.prompt for state in self._sessions.values() if is_cut_off and not state.has_reply}
        asked = {recall.prompt for recall in self._recalls if recall.channel is not DeliveryChannel.HOOK}
        found = []
        for place, recall in enumerate(self._recalls):
            known = self._sessions[recall.session].has_hook
            if recall.channel is DeliveryChannel.HOOK and not (known or recall.ran) and recall.prompt in asked:
                continue
            found.append(replace(recall, hook_is_known=known, is_cut_off=place in last))
        return found

    def read(self, row: bytes) -> None:
        """Reads one row. Rows that are not JSON objects, or have an unknown type, are counted."""
        matters = len(row) <= _SMALL or self._matters(row)
        if not matters and row.rstrip().endswith(b"}"):
            return
        value = parsed(row) if matters else {}
        kind = value.get("type") if isinstance(value, dict) else None
        if not isinstance(kind, str) or self._budget.is_spent:
            self.miss()
            return
        if kind not in TYPES:
            self.unknown_rows += 1
            return
        self._folder = _text(value.get("cwd")) or self._folder
        if not self._belongs(self._folder):
            self.other_rows += 1
            return
        row_id = _name(value.get("uuid"))
        if kind in ("system", "progress", "summary"):
            return
        if row_id and self._is_repeated(row_id, value):
            return
        session = _name(value.get("sessionId"))
        state = self._sessions.get(session)
        if state is None:
            if len(self._sessions) >= _MOST_SESSIONS:
                self.miss()
                return
            state = self._sessions[session] = _Session()
        if kind == "attachment":
            self._attachment(state, value)
        elif kind == "user":
            self._user(state, session, row_id, value)
        elif kind == "assistant":
            self._assistant(state, session, value)

    def _is_repeated(self, row_id: str, value: dict[str, Any]) -> bool:
        """True if a row with this id was read before.

        If its content was different, the new row counts as unreadable.
        """
        content = hash(str(value.get("message") or value.get("attachment")))
        known = self._seen.get(hash(row_id))
        self._seen[hash(row_id)] = content
        if known not in (None, content):
            self.miss()
        return known is not None

    def _matters(self, row: bytes) -> bool:
        """True if a large ``row`` may be a prompt, a recall, or the result of one."""
        if b'"tool_result"' not in row and b'"user"' in row:
            return True
        return any(marker in row for marker in _MARKERS) or any(
            call.encode(errors="surrogatepass") in row for call in self._calls
        )

    # prompts and results of tools

    def _user(self, state: _Session, session: str, row_id: str, value: dict[str, Any]) -> None:
        content = _content(value)
        results = [block for block in content if block.get("type") == "tool_result"]
        for block in results:
            place = self._calls.pop(_text(block.get("tool_use_id")), None)
            if place is not None:
                self._result(place, block)
        text = "\n".join(_text(block.get("text")) for block in content if block.get("type") == "text")
        is_side = self._is_subagent or value.get("isSidechain") is True or value.get("isMeta") is True
        if results or is_side or not text.strip() or text.startswith(_INSERTED):
            return
        state.prompt = len(self._recalls)
        state.current, state.has_reply, state.blocks = [state.prompt], False, 0
        self._budget.recalls -= 1
        if row_id:
            state.prompts[row_id] = state.prompt
        kept = self._budget.kept(text)
        self._recalls.append(Recall(session, moment(value.get("timestamp")), DeliveryChannel.HOOK, kept, kept))

    def _result(self, place: int, block: dict[str, Any]) -> None:
        recall, text = self._recalls[place], _joined(block.get("content"))
        if block.get("is_error") is True:
            failure = (
                f"the tool call failed: {' '.join(text.split())[:200]}" if text.strip() else "the tool call failed"
            )
            self._recalls[place] = replace(recall, failure=failure)
        else:
            self._recalls[place] = replace(recall, received=self._budget.kept(text), spilled_to=_file_of(text))

    # output of the hook

    def _attachment(self, state: _Session, value: dict[str, Any]) -> None:
        attachment = value.get("attachment")
        if not isinstance(attachment, dict):
            return
        kind = _text(attachment.get("type"))
        place = state.prompts.get(_text(value.get("parentUuid")), state.prompt)
        if place is not None and (row_id := _name(value.get("uuid"))):
            state.prompts[row_id] = place
        is_known = kind in _FAILURES or kind in ("hook_additional_context", "hook_success")
        if kind.startswith("hook") and not is_known:
            self.miss()
        if not is_known or place is None or not _is_recall(attachment):
            return
        # an error without a command may come from another hook
        state.has_hook |= kind not in _FAILURES or bool(_text(attachment.get("command")))
        recall = replace(self._recalls[place], ran=True)
        if kind == "hook_additional_context":
            text = _joined(attachment.get("content"))
            if _CONTEXT in (recall.received or "") and _CONTEXT not in text:
                return  # another hook's
            self._budget.characters += len(recall.printed)  # the same text
            self._recalls[place] = replace(
                recall, received=self._budget.kept(text), printed="", spilled_to=_file_of(text)
            )
            return
        took = attachment.get("durationMs")
        if isinstance(took, (int, float)) and not isinstance(took, bool) and 0 <= took < LONGEST_MS:
            recall = replace(recall, took_ms=float(took))
        code = attachment.get("exitCode")
        reason = " ".join(_text(attachment.get("stderr")).split())[:200]
        if kind in _FAILURES:
            recall = replace(recall, failure=_FAILURES[kind] + (f": {reason}" if reason else ""))
        elif isinstance(code, int) and code != 0:
            recall = replace(
                recall, failure=f"the hook ended with exit code {code}" + (f": {reason}" if reason else "")
            )
        else:
            printed, command = _printed(_text(attachment.get("stdout"))), _text(attachment.get("command"))
            is_own = _CONTEXT in printed or not command or _BYTEROVER.search(command) is not None
            if is_own and recall.received is None:
                recall = replace(recall, printed=self._budget.kept(printed))
        self._recalls[place] = recall

    # what the agent wrote and called

    def _assistant(self, state: _Session, session: str, value: dict[str, Any]) -> None:
        state.has_reply = True
        for block in _content(value):
            if block.get("type") == "text":
                self._add(state, _text(block.get("text")), "")
            elif block.get("type") == "tool_use":
                given = block.get("input")
                given = given if isinstance(given, dict) else {}
                name = _text(block.get("name"))
                if name == "Read":
                    self._add(state, "", _name(given.get("file_path")))
                channel, query = self._asked(name, given)
                if query:
                    self._budget.recalls -= 1
                    prompt = "" if state.prompt is None else self._recalls[state.prompt].prompt
                    place = len(self._recalls)
                    self._recalls.append(
                        Recall(
                            session, moment(value.get("timestamp")), channel, prompt, self._budget.kept(query), ran=True
                        )
                    )
                    state.current = [*state.current[-_MOST_OPEN:], place]
                    if len(self._calls) >= _MOST_CALLS:
                        del self._calls[next(iter(self._calls))]
                    self._calls[_name(block.get("id"))] = place

    def _asked(self, tool: str, given: dict[str, Any]) -> tuple[DeliveryChannel, str]:
        """The channel and the query of a tool call; the query is empty if the tool does not query the memory."""
        if _MCP_TOOL.fullmatch(tool):
            return DeliveryChannel.MCP, _text(given.get("query"))
        command = _text(given.get("command")) if tool == "Bash" else ""
        if len(command) > _SMALL or not ("brv" in command or _SCRIPT in command):
            return DeliveryChannel.SHELL, ""
        self._budget.characters -= _SHELL_COST * len(command)
        return DeliveryChannel.SHELL, _shell_query(command)

    def _add(self, state: _Session, reply: str, opened: str) -> None:
        """Adds a part of the agent's reply, or the path of a file that it read, to the recalls since the prompt."""
        state.blocks += 1
        if opened.endswith(_SAVED_ENDING) and len(self.opened) < MOST_RECALLS:
            self.opened.add(opened)
            self._budget.characters -= len(opened)
        if state.blocks > _MOST_BLOCKS:
            return
        for place in state.current:
            recall = self._recalls[place]
            if reply and len(recall.reply) < _LONGEST_REPLY:
                longer = f"{recall.reply}\n{reply}"[:_LONGEST_REPLY].lstrip()
                self._budget.characters -= len(longer) - len(recall.reply)
                recall = replace(recall, reply=longer)
            if opened and len(recall.opened) < _MOST_OPENED:
                recall = replace(recall, opened=(*recall.opened, opened))
            self._recalls[place] = recall


def _shell_query(command: str) -> str:
    """The first query in a shell ``command`` that runs ``brv query`` or V4's ``query.mjs``; empty if there is none."""
    lexer = shlex.shlex(command.replace("\\$", "$").replace("\\`", "`"), posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    words: list[str] = []
    try:
        for token in (*lexer, ";"):
            if token.strip(_OPERATORS):
                words.append(token)
                continue
            if query := _query_of(words):
                return query
            words = []
    except ValueError:  # a quotation mark is missing
        return _query_of(words)
    return ""


def _query_of(words: Sequence[str]) -> str:
    """The query in the ``words`` of a command; empty if the command does not query the memory."""
    words = list(dropwhile(lambda word: word in _BEFORE or "=" in word or _LIMIT.fullmatch(word), words))
    if (words[:1] and words[0].rpartition("/")[2] == "brv" and words[1:2] == ["query"]) or (
        words[:1] and words[0].rpartition("/")[2] in _RUNTIMES and words[1:2] and words[1].endswith(_SCRIPT)
    ):
        rest = words[2:]
    else:
        return ""
    values = {place + 1 for place, word in enumerate(rest) if word in _WITH_VALUE}
    found = (word for place, word in enumerate(rest) if place not in values and not word.startswith("-"))
    return next(found, "")


def _is_recall(attachment: dict[str, Any]) -> bool:
    """True if a row of a hook belongs to ByteRover's recall, and not to another hook."""
    event = _text(attachment.get("hookEvent")) or _text(attachment.get("hookName"))
    if event and "UserPromptSubmit" not in event:
        return False
    text = _joined(attachment.get("content")) + _text(attachment.get("stdout"))
    command = _text(attachment.get("command"))
    if _CONTEXT in text or _SPILLED in text[:_SMALL]:
        return True
    return bool(_OWN_HOOK.search(command)) if command else attachment.get("type") != "hook_additional_context"


def _printed(stdout: str) -> str:
    """The context in the hook's output; empty if there is none."""
    try:
        value = json.loads(stdout)
    except (ValueError, RecursionError):
        return stdout
    if not isinstance(value, dict):
        return ""
    inner = value.get("hookSpecificOutput")
    contexts = (inner.get("additionalContext") if isinstance(inner, dict) else "", value.get("additionalContext"))
    return next((text for text in map(_text, contexts) if text), "")


def _file_of(text: str) -> str:
    """The path of the file that contains a large text saved by the host; empty if ``text`` is complete."""
    if (end := text.find(_SPILLED)) >= 0:
        return text[max(text.rfind(sign, 0, end) for sign in _BEFORE_PATH) + 1 : end + len(_SPILLED)]
    saved = _SAVED_TO.search(text) if _PERSISTED in text else None
    return saved["path"] if saved else ""


def _content(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The blocks of a message. A string is one block of text."""
    message = value.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _joined(value: Any) -> str:
    """The text of a string, of a list of strings, or of a list of blocks of text."""
    if isinstance(value, str):
        return value
    parts = value if isinstance(value, list) else []
    return "\n".join(_text(part.get("text")) if isinstance(part, dict) else _text(part) for part in parts)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _name(value: Any) -> str:
    return value if isinstance(value, str) and len(value) <= _LONGEST_NAME else ""
