"""Measures the MCP server in this process: warm answers on a tree, and memory over many calls.

    python -m benchmarks.mcp FOLDER [--notes 1000] [--calls 40] [--soak 0]

If FOLDER does not exist, it is created with this number of notes (``benchmarks.notes``). Prints the median and the 95th
percentile of the milliseconds for each tool, as wall time and processor time. With ``--soak``, a client in this process
makes that many calls, most of them invalid, and the memory in use is printed after each twentieth of them.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from mcp import Client, MCPError

from benchmarks.notes import make
from benchmarks.timings import percentile, setting
from brvtui.answers.queries import SHORT, fitted
from brvtui.mcp.projects import Projects
from brvtui.mcp.server import AnswerServer
from brvtui.mcp.tools import TOOLS

_WORDS = 3


def calls(served: Projects, pick: random.Random) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields endless calls of all tools, each about another note and query."""
    session = served.choose(())[0]
    notes = session.snapshot.notes
    while True:
        note = pick.choice(notes)
        query = " ".join(pick.sample(session.snapshot.text(pick.choice(notes).path).split(), _WORDS))
        yield "explain", {"query": query}
        yield "why_not", {"query": query, "note": note.path}
        yield "check_edit", {"path": note.path, "text": f"# {query}\n\nNew text."}


def with_invalid(valid: Iterator[tuple[str, dict[str, Any]]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the ``valid`` calls, each followed by two that fail, and calls of ``health``."""
    for number, (name, given) in enumerate(valid):
        yield name, given
        yield name, {**given, "note": f"none {number}"}
        yield (name, {**given, "query": number}) if number % 9 else ("health", {"days": 1 + number % 365})


async def soak(served: Projects, mixed: Iterator[tuple[str, dict[str, Any]]], count: int) -> None:
    """Makes ``count`` calls over the protocol, and prints the memory in use."""
    began, errors = time.perf_counter(), 0
    async with Client(AnswerServer(served).server, mode="legacy") as client:
        for number in range(1, count + 1):
            errors += 1
            with suppress(MCPError):
                errors -= not (await client.call_tool(*next(mixed))).is_error
            if number % max(count // 20, 1) == 0:
                passed = time.perf_counter() - began
                print(f"{number:>8} calls, {errors:>6} errors, {passed:6.0f} s, {memory_mb():7.1f} MB", flush=True)


def answer(served: Projects, name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The server's answer, without the protocol."""
    tool = next(one for one in TOOLS if one.listed.name == name)
    return fitted(tool.answer(served.choose(())[0], given), SHORT)


def timed(act: Callable[[], object]) -> tuple[float, float]:
    """The wall and processor time in milliseconds."""
    wall, used = time.perf_counter(), time.thread_time()
    act()
    return (time.perf_counter() - wall) * 1000, (time.thread_time() - used) * 1000


def memory_mb() -> float:
    """The memory that this process currently uses."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--notes", type=int, default=1_000)
    parser.add_argument("--calls", type=int, default=40)
    parser.add_argument("--soak", type=int, default=0)
    options = parser.parse_args()
    if not options.folder.exists():
        make(options.folder, options.notes)
    served = Projects([options.folder.resolve()], Path.cwd())
    mixed = calls(served, random.Random(11))
    times: dict[str, list[tuple[float, float]]] = {}
    for number in range(3 * (options.calls + 2)):
        name, given = next(mixed)
        taken = timed(lambda: answer(served, name, given))  # noqa: B023
        if number >= 6:
            times.setdefault(name, []).append(taken)
    print(f"{len(served.choose(())[0].snapshot.notes)} notes; {setting()}")
    for name, each in times.items():
        for kind, values in zip(("passed", "processor"), zip(*each, strict=True), strict=True):
            half, most = percentile(values, 0.5), percentile(values, 0.95)
            print(f"{name:12} {kind:10} half within {half:6.1f} ms, 95 % within {most:6.1f} ms")
    asyncio.run(soak(served, with_invalid(mixed), options.soak))
    served.close()


if __name__ == "__main__":
    main()
