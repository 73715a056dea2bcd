"""Records the real engine's results for signals: hits, updates, and the notes that it offers for archiving.

    python -m benchmarks.record_maturity --package NODE_MODULES/byterover-cli [--out FILE]

The engine's own functions answer, driven by ``maturity_driver.mjs`` in the time zone UTC.
``tests/parity/test_maturity.py`` compares with the result, which does not depend on the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent
_OUT = _HERE.parent / "tests" / "data" / "parity" / "maturity.json"
_NOW_MS = 1_795_176_000_000
_DAY_MS = 86_400_000
_MATURITIES = ("draft", "validated", "core")
_MOST_NOTES = 18
"""A number below the engine's limit for one review, so that it leaves no note out."""
_DATES = (
    "2026-01-02", "2026-06", "2025", "2026-09-02T10:00:00Z", "'2026-01-02T10:00:00.123456789Z'", '"2026-03-01T10:00"',
    "2026-01-02T10:00:00+0200", "2026-08-01 10:00", "2026-02-30", "2026-13-01", "2025-11-20T24:00:00Z", "soon",
    "2026-01-02T10:00:60Z", "2026-01-02T10", "20260102", "2027-05-01", "2026-01-32", "2026-01-02T10:00:00-03:30",
)  # fmt: skip


def _signals(pick: random.Random) -> dict[str, Any]:
    edges = (0, 2, 31.9, 32, 34.999, 35, 50, 57, 59.999, 60, 61.5, 62, 64.999, 65, 80, 82, 84.999, 85, 97.5, 100)
    return {
        "accessCount": pick.randrange(9),
        "importance": pick.choice((pick.choice(edges), round(pick.uniform(0, 100), 3))),
        "maturity": pick.choice(_MATURITIES),
        "recency": pick.choice((0, 0.25, 1)),
        "updateCount": pick.randrange(9),
    }


def _note(pick: random.Random, number: int) -> dict[str, Any]:
    folder = pick.choice(("", "auth/", "auth/jwt/", "_private/", "auth/_archived/", "_archived/auth/"))
    name = pick.choice(("note", "note", "_hidden", "note.stub", "note.full", "note.abstract"))
    kind = pick.randrange(4)
    date = pick.choice(_DATES) if kind == 0 else _iso_day(_NOW_MS - pick.randrange(400) * _DAY_MS)
    line = f"updatedAt: {date}\n" if kind < 3 else ""
    days = pick.choice((0, 59.999, 60, 119.999, 120, pick.uniform(0, 200)))
    made = {
        "path": f"{folder}{name}_{number}.md" if "." not in name else f"{folder}{number}_{name}.md",
        "text": f"---\ntitle: Note {number}\n{line}---\n\n# Note {number}\n",
        "mtime_ms": _NOW_MS - round(days * _DAY_MS),
    }
    if pick.random() < 0.8:
        made["signals"] = _signals(pick)
        if pick.random() < 0.6:
            made["signals"] |= {"maturity": "draft", "importance": pick.uniform(30, 70)}
    return made


def _iso_day(moment_ms: int) -> str:
    return datetime.fromtimestamp(moment_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def cases(seed: int = 4) -> dict[str, Any]:
    """The requests to the engine, which depend only on ``seed``."""
    pick = random.Random(seed)
    events = [{"before": _signals(pick), "times": pick.choice((1, 1, 2, 5, 12, 40))} for _ in range(120)]
    trees = [[_note(pick, number) for number in range(_MOST_NOTES)] for _ in range(12)]
    return {"now_ms": _NOW_MS, "hits": events[:60], "updates": events[60:], "trees": trees}


def main() -> None:
    """Reads the arguments and writes the recording."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=_OUT)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asked = Path(folder) / "cases.json"
        asked.write_text(json.dumps(cases()), encoding="utf-8")
        command = ["node", str(_HERE / "maturity_driver.mjs"), str(asked)]
        environment = {**os.environ, "BRV_PKG": str(args.package.resolve()), "TZ": "UTC", "TMPDIR": folder}
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    args.out.write_text(done.stdout, encoding="utf-8")


if __name__ == "__main__":
    main()
