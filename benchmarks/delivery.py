"""Measures delivery: reading large transcripts on the command line, and following a growing one on the Log screen.

    python -m benchmarks.delivery [--megabytes 500] [--seconds 40] [--rounds 3]

*Reading* is the processor time and peak memory of `brv-tui delivery` as a whole process. *Following* is the processor
time of the app on its Log screen, as a share of a core, while a turn is appended each second: once without permission
to read transcripts, and once with it, alternating.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.app_in_pty import start
from benchmarks.timings import setting

_OUTPUT = "a tool printed this line\\n" * 80


def append_turn(file: Path, project: Path, number: int, filler: int = 0) -> None:
    """Appends a prompt, the context that the hook attached, and ``filler`` rows of output."""
    base = {"sessionId": file.stem, "timestamp": datetime.now(UTC).isoformat(), "cwd": str(project)}
    hook = {"type": "hook_additional_context", "hookEvent": "UserPromptSubmit"}
    context = f"<byterover-context>answer {number} {'word ' * 200}</byterover-context>"
    rows: list[dict[str, Any]] = [
        {"type": "user", "message": {"role": "user", "content": f"question {number}"}},
        {"type": "attachment", "attachment": {**hook, "content": [context]}},
    ]
    result = {"type": "tool_result", "tool_use_id": "t", "content": _OUTPUT}
    rows += [{"type": "user", "message": {"role": "user", "content": [result]}}] * filler
    with file.open("a") as out:
        for place, row in enumerate(rows):
            out.write(json.dumps({**base, "uuid": f"{file.stem}-{number}-{place}", **row}) + "\n")


def reading(project: Path, folder: Path) -> tuple[float, float]:
    """The processor time in seconds and the peak memory in MB of ``brv-tui delivery``."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    named = ["delivery", "--transcripts", str(folder), "--project", str(project), "--format", "json"]
    subprocess.run([sys.executable, "-m", "brvtui", *named], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, after.ru_maxrss * 1024 / 1e6


def following(project: Path, file: Path, seconds: float) -> float:
    """The share of a core, in per cent, that the app takes on its Log screen while ``file`` grows."""
    terminal = start(project, 120, 36)
    terminal.settle()
    time.sleep(2)
    for key in ("\x1b", "4"):
        terminal.key(key)
        time.sleep(1)
    terminal.settle()
    time.sleep(3)
    before, since, number = terminal.cpu_seconds(), time.perf_counter(), 0
    while (passed := time.perf_counter() - since) < seconds:
        if passed >= number:
            append_turn(file, project, round(time.time() * 1000))
            number += 1
        terminal.read(0.1)
    share = 100 * (terminal.cpu_seconds() - before) / (time.perf_counter() - since)
    terminal.end()
    return share


def main() -> None:
    """Prints the setting and the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=40.0)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    print(setting())
    with tempfile.TemporaryDirectory() as temporary:
        top = Path(temporary).resolve()
        project, folder, small = top / "project", top / "transcripts", top / "growing"
        shutil.copytree("sample-tree", project)
        folder.mkdir()
        small.mkdir()
        os.environ |= {"BRV_DATA_DIR": str(top / "engine"), "BRV_TUI_DATA_DIR": str(top / "tool")}
        number = 0
        while sum(file.stat().st_size for file in folder.iterdir()) < args.megabytes * 1e6:
            file = folder / f"session-{number // 2000}.jsonl"
            for _ in range(200):
                append_turn(file, project, number, filler=20)
                number += 1
        results = [reading(project, folder) for _ in range(args.rounds)]
        seconds, memory = (max(values) for values in zip(*results, strict=True))
        print(f"reading {args.megabytes} MB, {number} turns: at most {seconds:.1f} s of CPU time, {memory:.0f} MB")
        shares: dict[bool, list[float]] = {False: [], True: []}
        for _ in range(args.rounds):
            for permitted in shares:
                shutil.rmtree(top / "tool", ignore_errors=True)
                if permitted:
                    append_turn(small / "s.jsonl", project, 0)
                    reading(project, small)
                shares[permitted].append(following(project, small / "s.jsonl", args.seconds))
        without, permitted_share = median(shares[False]), median(shares[True])
        print(f"following: {without:.2f} % of a core without, {permitted_share:.2f} % with it (medians)")


if __name__ == "__main__":
    main()
