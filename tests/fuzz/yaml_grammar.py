"""Notes with frontmatter from a YAML grammar: anchors, aliases, merges, tags, block and flow style, odd indentation."""

from __future__ import annotations

import random
from collections.abc import Sequence

_KEYS = (
    "title",
    "maturity",
    "importance",
    "recency",
    "accessCount",
    "updateCount",
    "related",
    "tags",
    "type",
    "condensation_order",
    "token_count",
    "createdAt",
    "updatedAt",
    "points_to",
    "original_path",
    "<<",
    "1",
    "~",
    "é",
    "'k'",
    '"k"',
    "? k",
    "? [a, b]",
    "!!str k",
    "&k k",
    "*a",
    "a b",
    "a#b",
    "yes",
    "- k",
    "",
)
_SCALARS = (
    "x",
    "core",
    "validated",
    "draft",
    "60",
    "0.5",
    "-1",
    "1e999",
    ".nan",
    "-.inf",
    "0x1F",
    "0o7",
    "1_0",
    "1:30:59",
    "~",
    "null",
    "yes",
    "2026-11-20",
    "2026-02-30",
    "2026-11-20T12:00:00Z",
    "2001-12-14t21:59:43.10-05:00",
    "99999999999999",
    "''",
    '""',
    "'it''s'",
    '"\\u0000"',
    '"\\ud800"',
    '"\\x41"',
    '"\\',
    "'",
    "# c",
    "x # c",
    "a: b",
    "@a/b.md",
    "[[a]]",
    "a/b.md",
    "*a",
    "*b",
    "*missing",
    "!!int 1",
    "!!python/object/apply:os.system [x]",
    "!!binary AA==",
    "!!binary =",
    "!!set {a, b}",
    "!!omap [a: 1]",
    "!!timestamp 2026-99-99",
    "! x",
    "!!float .",
    "!x!y z",
    "\x85",
    "\u2028x",
    "\ufeff",
    "日本語",
    "😀",
    "\0",
    "\x1b[31m",
    "\t",
    "{",
    "[",
    "}",
    "]",
    ",",
    "%YAML 1.2",
    "---",
    "...",
    "=",
    "|",
    ">",
    "a" * 3_000,
    "1" * 5_000,
    "_" * 400 + "1",
    "0" * 3_000,
    "1:" * 500 + "1",
    "<<",
)
_TAGS = ("!!str ", "!!set ", "!!omap ", "!!pairs ", "!!map ", "!!seq ", "!!merge ", "! ", "!<x> ", "!!value ")
_BLOCKS = ("|", ">", "|-", ">+", "|2", ">9-", "| # c", "|+1")
_BODIES = (
    "",
    "# T\n",
    "# T\n\nquokka anchor\n",
    "---\n---\n",
    "```\n---\n```\n",
    "[a](b.md) @x/good.md [[a]]\n",
    "\r\n# T\r\n",
)
_LONGEST = 60_000


def note(pick: random.Random) -> bytes:
    """A note with frontmatter that may be slightly invalid."""
    breaks = pick.choice(("\n", "\n", "\n", "\n", "\r\n", "\r"))
    opening = pick.choice(("---", "---", "---", "---", "--- ", "\ufeff---", "---\n---", "--- # c", "%YAML 1.1\n---"))
    closing = pick.choice(("---", "---", "---", "...", "", "--- ", "----"))
    block = _mapping(pick, 0, pick.randrange(5))
    text = f"{opening}\n{block[:_LONGEST]}{closing}\n{pick.choice(_BODIES)}".replace("\n", breaks)
    return text.encode("utf-8", "surrogatepass")


def mutate_note(pick: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Another note from the grammar, or a mix of the lines of two notes."""
    if pick.random() < 0.6 or not data:
        return note(pick)
    lines = data.split(b"\n")
    other = (pick.choice(others) if others else note(pick)).split(b"\n")
    start, end = sorted(pick.choices(range(len(lines) + 1), k=2))
    first, last = sorted(pick.choices(range(len(other) + 1), k=2))
    if pick.random() < 0.3:
        return b"\n".join([*lines[:start], *([b"  "[: pick.randrange(3)] + line for line in lines[start:]])])
    return b"\n".join([*lines[:start], *other[first:last], *lines[end:]])[:200_000]


def _mapping(pick: random.Random, depth: int, count: int) -> str:
    result = []
    for _ in range(count):
        indent = " " * (2 * depth + pick.choice((0, 0, 0, 0, 0, 1, -1)) if depth else pick.choice((0,) * 9 + (1,)))
        anchor = pick.choice(("", "", "", "&a ", "&b ", "!!str ", "&a !!map "))
        result.append(f"{indent}{pick.choice(_KEYS)}: {anchor}{_value(pick, depth)}\n")
    return "".join(result)


def _value(pick: random.Random, depth: int) -> str:
    what = pick.randrange(10)
    if what == 0 and depth < 6:
        return "\n" + _mapping(pick, depth + 1, pick.randrange(1, 4)).rstrip("\n")
    if what == 1:
        indent = " " * (2 * depth + pick.choice((0, 1, 2, 4)))
        items = (_flow(pick, 0) if pick.random() < 0.5 else f"- {_flow(pick, 0)}" for _ in range(pick.randrange(1, 5)))
        return "\n" + "\n".join(f"{indent}- {item}" for item in items)
    if what == 2:
        indent = " " * (2 * depth + pick.choice((0, 1, 2, 4)))
        lines = (pick.choice(("text", "", " more", "\ttab", "---", "# c", "a: b")) for _ in range(pick.randrange(4)))
        return pick.choice(_BLOCKS) + "\n" + "\n".join(indent + line for line in lines)
    if what <= 5:
        return _flow(pick, 0)
    if what == 6:
        deep = pick.choice((3, 30, 200, 900, 5_000, 20_000))
        return pick.choice(
            ("[" * deep, "[" * deep + "]" * deep, "{a: " * deep, "- " * deep, "? " * deep, "!!seq [" * deep)
        )
    if what == 7:
        return f"[{', '.join([pick.choice(_SCALARS)] * pick.choice((3, 40, 999, 1_001, 8_000)))}]"
    return pick.choice(_SCALARS)


def _flow(pick: random.Random, depth: int) -> str:
    what = pick.randrange(8) if depth < 5 else 7
    if what == 0:
        return f"[{', '.join(_flow(pick, depth + 1) for _ in range(pick.randrange(4)))}]"
    if what == 1:
        pairs = (f"{pick.choice(_KEYS)}: {_flow(pick, depth + 1)}" for _ in range(pick.randrange(4)))
        return f"{{{', '.join(pairs)}}}"
    if what == 2:
        return f"&{pick.choice('abc')} {_flow(pick, depth + 1)}"
    if what == 3:
        return pick.choice(_TAGS) + _flow(pick, depth + 1)
    if what == 4:
        return f"[{','.join([_flow(pick, depth + 1)] * pick.choice((2, 9, 60)))}]"[:4_000]
    return pick.choice(_SCALARS)
