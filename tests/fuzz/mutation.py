"""Mutations of inputs: of bytes, of JSON trees, of lines of TOML, and of events in a stream."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

Mutate = Callable[[random.Random, bytes, Sequence[bytes]], bytes]
"""Returns a mutation of an input, which may include parts of other inputs of the same target."""

TEXTS = (
    "",
    " ",
    "\0",
    "\x1b[31m",
    "\x1b]0;t\x07",
    "\u202e",
    "\u2028",
    "\ufeff",
    "\ud800",
    "\udcff",
    "😀",
    "日本語",
    "[red]",
    "[/]",
    "[@click=app.quit]x[/]",
    "%s",
    "{0}",
    "..",
    "../../etc/passwd",
    "/etc/passwd",
    "/dev/zero",
    "a" * 5_000,
    "a/" * 2_000,
    "\n" * 300,
    "word " * 400,
    "true",
    "null",
    "1e999",
    "-0",
    "NaN",
    "2026-11-20T12:00:00Z",
    "0001-01-01",
    "9999-12-31T23:59:59+23:59",
    "byterover",
    "jeffs_brain",
    "soleri",
    "x/good.md",
    "<b>",
    "`|*_",
    "\\",
    '"',
    "'",
)
_NUMBERS = (0, -1, 1, 2, 5, 100, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**30, 1e-300, 1e308, -1e308, 0.1, 1.5, -0.0)
_RAW = (
    "NaN",
    "Infinity",
    "-Infinity",
    "1e999",
    "-1e999",
    "1" * 400,
    "1" * 5_000,
    "0." + "1" * 3_000,
    "[" * 60 + "]" * 60,
    "[" * 30_000,
    '{"a":' * 20_000,
    '"\\ud800"',
    '"\\ud83d\\ude00"',
    '"\\u0000"',
    "01",
    "tru",
    '"',
    "'x'",
)
_BYTES = (
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xf0\x9f",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\0",
    b"\r",
    b"\r\n",
    b"\n",
    b"\x1b",
)
_MARK = "\ue000raw{}\ue000"
_MOST = 1_000_000
"""The maximum size of an input in bytes."""


def mutate_bytes(pick: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Changes a few bytes, blocks and numbers."""
    result = bytearray(data)
    for _ in range(pick.choice((1, 1, 1, 2, 3, 8))):
        if pick.random() < 0.1:
            _change_number(pick, result)
        else:
            start = pick.randrange(len(result) + 1)
            end = min(len(result), start + pick.choice((1, 1, 2, 8, 64, 1_000, len(result))))
            result[start:end] = _block(pick, bytes(result[start:end]), others)
        del result[_MOST:]
    return bytes(result)


def _block(pick: random.Random, block: bytes, others: Sequence[bytes]) -> bytes:
    """Returns the replacement of ``block``."""
    other = pick.choice(others) if others else b"other"
    place = pick.randrange(len(other) + 1)
    forms: tuple[Callable[[], bytes], ...] = (
        lambda: bytes([block[0] ^ 1 << pick.randrange(8)]) + block[1:] if block else b"",
        lambda: pick.randbytes(min(len(block), 64)),
        lambda: b"",
        lambda: block + block,
        lambda: pick.choice(_BYTES) * pick.choice((1, 1, 1, 50)) + block,
        lambda: bytes(len(block)),
        lambda: other[place : place + len(block) + 8],
        lambda: pick.choice(TEXTS).encode("utf-8", "surrogatepass") + block,
        lambda: block[:40] * pick.choice((10, 1_000)),
    )
    return pick.choice(forms)()


def _change_number(pick: random.Random, made: bytearray) -> None:
    numbers = list(re.finditer(rb"\d+", made))[:5_000]
    if numbers:
        start, end = pick.choice(numbers).span()
        made[start:end] = str(pick.choice(_NUMBERS)).encode()


def mutate_json(pick: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Replaces, removes, duplicates, swaps or nests values in a JSON text; sometimes changes its bytes instead."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return mutate_bytes(pick, data, others)
    if pick.random() < 0.12:
        return mutate_bytes(pick, data, others)
    raw: list[str] = []
    for _ in range(pick.choice((1, 1, 1, 2, 4))):
        value = _changed(pick, value, raw)
    return _written(value, raw)[:_MOST].encode("utf-8", "surrogatepass")


def _written(value: Any, raw: list[str]) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return "[]"
    for number, token in enumerate(raw):
        text = text.replace(json.dumps(_MARK.format(number), ensure_ascii=False), token)
    return text


def _junk(pick: random.Random, raw: list[str]) -> Any:
    what = pick.randrange(9)
    if what == 0:
        return pick.choice((None, True, False))
    if what == 1:
        return pick.choice(_NUMBERS)
    if what == 2:
        raw.append(pick.choice(_RAW))
        return _MARK.format(len(raw) - 1)
    if what == 3:
        return [[], {}, [None], {"a": 1}, [[]], ["x", 1]][pick.randrange(6)]
    if what == 4:
        return [pick.choice(TEXTS)] * pick.choice((1, 3, 300))
    return pick.choice(TEXTS)


def _changed(pick: random.Random, value: Any, raw: list[str]) -> Any:
    """``value`` with one change somewhere in it."""
    holder, key, here = None, None, value
    while isinstance(here, (dict, list)) and here and (holder is None or pick.random() < 0.85):
        holder, key = here, pick.choice(list(here) if isinstance(here, dict) else range(len(here)))
        here = here[key]
    if holder is None or key is None:
        return _junk(pick, raw)
    what = pick.randrange(9)
    if what <= 2:
        holder[key] = _junk(pick, raw)
    elif what == 3:
        del holder[key]
    elif what == 4 and isinstance(holder, list):
        holder[key:key] = [here] * pick.choice((1, 2, 200))
    elif what == 4:
        holder[pick.choice(TEXTS)] = here
    elif what == 5:
        other = pick.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        holder[key], holder[other] = holder[other], holder[key]
    elif what == 6:
        holder[key] = [here] if pick.random() < 0.5 else {"value": here}
    elif what == 7 and isinstance(here, (int, float)) and not isinstance(here, bool):
        holder[key] = pick.choice((-here, here + 1, here * 1_000_000, str(here), here / 3 if abs(here) < 1e300 else 0))
    elif what == 7 and isinstance(here, str):
        holder[key] = here + pick.choice(TEXTS)
    else:
        holder[key] = _junk(pick, raw)
    return value


def mutate_json_lines(pick: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Changes, duplicates, removes or exchanges one or more lines of JSON."""
    return _by_line(pick, data, others, lambda line: mutate_json(pick, line, others))


def mutate_events(pick: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Changes events of a stream (server-sent events)."""

    def changed(line: bytes) -> bytes:
        head, colon, rest = line.partition(b": ")
        if head == b"data" and colon and pick.random() < 0.9:
            return b"data: " + mutate_json(pick, rest, others).replace(b"\n", pick.choice((b" ", b"\n", b"\ndata: ")))
        odd = (b"event: error", b"event: x" * 50, b"retry: 99999999", b"id: \0", b": comment", b"data:", b"data", b"")
        return pick.choice((*odd, mutate_bytes(pick, line, ())))

    return _by_line(pick, data, others, changed)


def _by_line(pick: random.Random, data: bytes, others: Sequence[bytes], change: Callable[[bytes], bytes]) -> bytes:
    if pick.random() < 0.1:
        return mutate_bytes(pick, data, others)
    lines = data.split(b"\n")
    for _ in range(pick.choice((1, 1, 2, 4))):
        place = pick.randrange(len(lines))
        what = pick.randrange(8)
        if what <= 4:
            lines[place] = change(lines[place])
        elif what == 5:
            lines[place:place] = [lines[place]] * pick.choice((1, 1, 5, 300))
        elif what == 6 and len(lines) > 1:
            del lines[place]
        else:
            other = pick.randrange(len(lines))
            lines[place], lines[other] = lines[other], lines[place]
    return pick.choice((b"\n", b"\n", b"\n", b"\n", b"\r\n", b"\r")).join(lines)[:_MOST]


_TOML = (
    "1",
    "-1",
    "true",
    '""',
    '"x"',
    "''",
    "1e999",
    "nan",
    "inf",
    "-inf",
    "0x" + "f" * 300,
    "1" * 400,
    "1" * 6_000,
    "[]",
    "{}",
    "[1, 'a', []]",
    "{a = {b = 1}}",
    "2026-11-20",
    "2026-99-99",
    "12:00:00",
    "1979-05-27T07:32:00-08:00",
    '"""\nx\n"""',
    "'''x",
    '"\\u0000"',
    '"\\ud800"',
    '"\\x"',
    "[" * 200 + "]" * 200,
    "[" * 60_000,
    "{a=" * 30_000,
    '"' + "a" * 70_000 + '"',
    "1_000",
    "0b2",
    ".5",
    "brv-3",
    "[[1], [2]]",
    "{extends = 'brv-3'}",
    '"../../../etc/passwd"',
)
_TOML_KEYS = (
    "a",
    '""',
    "'a.b'",
    "a.b.c",
    "profile",
    "profile.limits.max_files",
    "keys",
    "theme",
    "é",
    '"\\u0000"',
    "=",
)


def mutate_toml(pick: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Replaces, duplicates or nests values, keys and tables in lines of TOML; sometimes inserts very long ones."""

    def changed(line: bytes) -> bytes:
        key, equals, _ = line.partition(b"=")
        what = pick.randrange(12)
        if what == 0:
            return pick.choice(_TOML_KEYS).encode() + b" = " + pick.choice(_TOML).encode()
        if what == 1:
            return b".".join([pick.choice((b"a", b'"b"', b"profile"))] * pick.choice((3, 100, 4_000, 30_000))) + b" = 1"
        if what == 2:
            return b"[" + b".".join([b"a"] * pick.choice((1, 3, 500, 20_000))) + b"]"
        if what == 3:
            return b"[[" + pick.choice(_TOML_KEYS).encode() + b"]]"
        if what == 4:
            return b"[" + pick.choice(_TOML_KEYS).encode() + b"]"
        if what == 5 and others:
            return pick.choice(pick.choice(others).split(b"\n"))
        if what == 6:
            many = pick.choice((10, 300, 5_000))
            form = pick.choice(("k{0} = {0}", "[t{0}]", "a.k{0} = 1", "[[a]]", "[t.{0}]\nb.c = 1"))
            return "\n".join(form.format(number) for number in range(many)).encode()
        if what == 7:
            return mutate_bytes(pick, line, ())
        if equals:
            return key + b"= " + pick.choice(_TOML).encode()
        return line + b"\n" + pick.choice(_TOML_KEYS).encode() + b" = 1"

    return _by_line(pick, data, others, changed)
