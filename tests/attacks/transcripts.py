"""Transcripts of agents: endless rows, nesting, traps in place of files, escapes, and rows of other projects."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tests.attacks.harness import Attack, report
from tests.support.trees import Tree

_ESCAPES = "\x1b]0;owned\x07\x1b[2J\u202e\x9b31m"
_TIME = "2026-11-20T10:00:00.000Z"
_MANY = 100_000
_FIELDS = ("stdout", "stderr", "exitCode", "durationMs", "command", "content")
_BLOCKS = "<byterover-context>## Sources\n" + "- a.md\n" * 100_000 + "**Sources**\n" * 20_000 + " " * 1_000_000
_ROW = {"sessionId": "s", "timestamp": _TIME, "uuid": "u"}


def _prompt(text: str = "how do tokens rotate?", **values: Any) -> dict[str, Any]:
    return {**_ROW, "type": "user", "message": {"role": "user", "content": text}, **values}


def _hook(**attachment: Any) -> dict[str, Any]:
    return {**_ROW, "type": "attachment", "uuid": "h", "attachment": {"hookEvent": "UserPromptSubmit", **attachment}}


def _call(number: int) -> dict[str, Any]:
    block = {"type": "tool_use", "id": f"t{number}", "name": "mcp__b__brv-query", "input": {"query": f"q {number}"}}
    return {**_ROW, "type": "assistant", "uuid": f"a{number}", "message": {"content": [block]}}


def _shell(number: int, command: str) -> dict[str, Any]:
    block = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": command}}
    return {**_ROW, "type": "assistant", "uuid": f"a{number}", "message": {"content": [block]}}


def _text(number: int, text: str = "word " * 200) -> dict[str, Any]:
    block = {"type": "text", "text": text}
    return {**_ROW, "type": "assistant", "uuid": f"b{number}", "message": {"content": [block]}}


def _rows(*rows: Any) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _files(content: bytes | Callable[[Path], object], folder: Path) -> Sequence[str | Path]:
    """Prepares a project and a transcript; the arguments of the command."""
    Tree(folder / "project").note("a/tokens.md", "Tokens", "They rotate.")
    transcripts = folder / "transcripts"
    transcripts.mkdir()
    if isinstance(content, bytes):
        (transcripts / "s.jsonl").write_bytes(content)
    else:
        content(transcripts)
    return "delivery", "--project", folder / "project", "--transcripts", transcripts


def _quoting(number: int) -> dict[str, Any]:
    """A call with its result, then a reply that quotes it almost."""
    sentences = "one two three four five six seven eight nine. " * 300
    if number % 3 == 0:
        return _call(number)
    if number % 3 == 1:
        result = {"type": "tool_result", "tool_use_id": f"t{number - 1}", "content": sentences}
        return {**_ROW, "type": "user", "uuid": f"r{number}", "message": {"content": [result]}}
    return _text(number, sentences.replace("nine", "ten"))


def _numbered(row: Callable[[int], Any], count: int, folder: Path) -> None:
    with (folder / "s.jsonl").open("wb") as out:
        out.writelines(_rows(row(number)) for number in range(count))


def _hollow(folder: Path) -> None:
    with (folder / "s.jsonl").open("wb") as out:
        out.truncate(40 << 30)


def _long_row(folder: Path) -> None:
    with (folder / "s.jsonl").open("wb") as out:
        out.write(_rows(_prompt()))
        out.truncate(1 << 30)


def _repeated(row: Any, count: int, folder: Path) -> None:
    """Writes the same row ``count`` times. The content is not built before, because it would count as memory."""
    with (folder / "s.jsonl").open("wb") as out:
        out.writelines(_rows(row) if row else b"\n" for _ in range(count))


def _link(target: str, folder: Path) -> None:
    (folder / "s.jsonl").symlink_to(target)


def _many_files(folder: Path) -> None:
    for number in range(12_000):
        (folder / f"{number}.jsonl").write_bytes(_rows(_prompt()))


def _deep(folder: Path) -> None:
    place = folder
    for _ in range(300):
        place = place / "d"
        place.mkdir()
    (folder / "s.jsonl").write_bytes(_rows(_prompt()))


def _log(value: Any, folder: Path) -> Sequence[str | Path]:
    arguments = _files(_rows(_prompt()), folder)
    slug = str((folder / "project").resolve()).lstrip("/").replace("/", "--")
    log = folder / "own" / "projects" / slug / "query-log"
    log.mkdir(parents=True)
    for number in range(3):
        (log / f"qry-{1_795_000_000_000 + number}.json").write_text(json.dumps(value))
    return arguments


def _attacks() -> Iterator[Attack]:
    contents: dict[str, bytes | Callable[[Path], object]] = {
        "a row of 1 GB": _long_row,
        "nested JSON": b'{"type": "user", "message": ' + b"[" * 2_000_000 + b"\n" + _rows(_prompt()),
        "nested JSON, closed": b"[" * 100_000 + b"]" * 100_000 + b"\n" + _rows(_prompt()),
        "no UTF-8": b"\xff\xfe\x00\n" * _MANY + _rows(_prompt()),
        "only line breaks": partial(_repeated, "", 12_000_000),
        "huge numbers": b'{"type": "user", "timestamp": ' + b"9" * 5_000 + b"}\n" + _rows(_prompt(timestamp="9" * 99)),
        "wrong types": _rows(*[{"type": t, "uuid": v, "sessionId": v, "message": v, "attachment": v, "cwd": v}
                               for t in ("user", "assistant", "attachment", 1, None) for v in (1, [], {}, None, [{}])]),
        "wrong types inside": _rows(*[_hook(type="hook_success", **dict.fromkeys(_FIELDS, v))
                                      for v in (1, [], {}, None, [[]], "x", 1e400)], _prompt()),
        "escapes": _rows(_prompt(_ESCAPES), _hook(type="hook_success", stdout=_ESCAPES, command=_ESCAPES),
                         _hook(type="hook_cancelled", stderr=_ESCAPES, command="brv"), _call(1)),
        "many calls in one turn": _rows(_prompt(), *[each(n) for n in range(20_000) for each in (_call, _text)]),
        "the same prompt many times": _rows(*[_prompt(uuid=f"u{n}") for n in range(30_000)]),
        "many sessions": _rows(*[_prompt(uuid=f"u{n}", sessionId=f"s{n}") for n in range(50_000)]),
        "spaces and paths": _rows(_prompt(), _hook(type="hook_additional_context", content=[_BLOCKS])),
        "a long shell command": _rows(_prompt(), {**_ROW, "type": "assistant", "uuid": "x", "message": {"content": [
            {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "brv query '" + "'\\'" * 5_000}}]}}),
        "a long word in an answer": _rows(_call(1), {**_ROW, "type": "user", "message": {"content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "a" * 6_000_000}]}}),
        "a long word in a list of sources": _rows(_call(1), {**_ROW, "type": "user", "message": {"content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": f"## Sources\n- {'a' * 6_000_000}"}]}}),
        "a long word of another hook": _rows(_prompt(), *[_hook(type="hook_success", stdout="a" * 15_000, uuid=f"h{n}")
                                                          for n in range(200)]),
        "a huge plain log": partial(_repeated, {"time": _TIME, "prompt": "q", "delivered": "x" * 1_000_000}, 150),
        "short prompts": partial(_numbered, lambda n: _prompt("q", uuid=f"u{n}"), 300_000),
        "shell commands": partial(_numbered, lambda n: _shell(n, f"brv query '{'x' * 15_000}"), 2_000),
        "long session ids": partial(_numbered, lambda n: _prompt(uuid=f"u{n}", sessionId=f"{n}" * 1_000_000), 40),
        "replies in small blocks": partial(_numbered, lambda n: _text(n, "a b") if n % 800 else _call(n), 200_000),
        "quoted sentences": partial(_numbered, _quoting, 600),
        "an empty file of 40 GB": _hollow,
        "a pipe": lambda folder: os.mkfifo(folder / "s.jsonl"),
        "a link to /dev/zero": partial(_link, "/dev/zero"),
        "a link to itself": partial(_link, "s.jsonl"),
        "many files": _many_files,
        "deep folders": _deep,
    }  # fmt: skip
    for name, content in contents.items():
        yield Attack(f"transcripts, {name}", partial(_files, content), cpu_seconds=10.0)
    entries: dict[str, Any] = {
        "wrong types": {"query": "how do tokens rotate?", "timing": [], "tier": "x", "matchedDocs": {"a": 1}},
        "escapes": {"query": "how do tokens rotate?", "status": "error", "error": _ESCAPES, "response": _ESCAPES},
        "no finite numbers": {"query": "how do tokens rotate?", "timing": {"durationMs": 1e400}, "startedAt": -1e300},
    }
    for name, value in entries.items():
        yield Attack(f"transcripts, log with {name}", partial(_log, value))


ATTACKS = tuple(_attacks())

if __name__ == "__main__":
    sys.exit(report(ATTACKS))
