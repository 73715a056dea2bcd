#!/usr/bin/env python3
"""Give the sample notes their ages.

Version control does not keep modification times, and ByteRover's ranking is made of them: recency and importance decay
with the days since a note was last written. `ages.json` holds the age in days of every file under `.brv/context-tree`.
This script sets each file's modification time to now minus its age, in whole milliseconds, as the engine reads them.

Files without an age keep their time, and an age whose file is gone is counted and skipped, so the sample may be edited.

Exit codes: 0 done, or nothing to do; 3 no context tree there; 4 bad arguments, bad ages, a file that cannot be stamped.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import math
import os
import sys
from pathlib import Path
from typing import Never

MARKER = ".restamped"
MISSING_TREE = 3
FAILED = 4
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MS_PER_DAY = 86_400_000


class RestampError(Exception):
    """A failure to report in one line, with the exit code it leads to."""

    def __init__(self, message: str, code: int = FAILED) -> None:
        super().__init__(message)
        self.code = code


class Parser(argparse.ArgumentParser):
    """Reports bad arguments like any other failure: one line, one exit code."""

    def error(self, message: str) -> Never:
        """Raise instead of printing the usage and leaving."""
        raise RestampError(message)


def parse_now(text: str | None) -> dt.datetime:
    """The moment ages count back from; a time without an offset is UTC."""
    if text is None:
        return dt.datetime.now(dt.UTC)
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        raise RestampError(f"--now is not an ISO 8601 time: {text}") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


def read_ages(file: Path) -> dict[str, float]:
    """Ages in days by path; anything but finite numbers from 0 up is refused."""
    try:
        ages = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise RestampError(f"cannot read {file}: {error.strerror}") from error
    except ValueError as error:
        raise RestampError(f"{file} is not valid JSON: {error}") from error
    if not isinstance(ages, dict):
        raise RestampError(f"{file} must map paths to ages in days")
    for path, age in ages.items():
        if isinstance(age, bool) or not isinstance(age, int | float) or not math.isfinite(age) or age < 0:
            raise RestampError(f"{file}: the age of {path} must be a number of days from 0 up, not {age!r}")
    return ages


def stamp(tree: Path, ages: dict[str, float], now: dt.datetime) -> tuple[int, int]:
    """Set the modification times below `tree`. Returns how many files were stamped, and how many are gone."""
    now_ms = (now - EPOCH) // dt.timedelta(milliseconds=1)
    root = tree.resolve()
    stamped = gone = 0
    for path, age in ages.items():
        file = (root / path).resolve()
        if not file.is_relative_to(root):
            raise RestampError(f"refused: {path} lies outside {tree}")
        if not file.is_file():
            gone += 1
            continue
        time_ns = (now_ms - round(age * MS_PER_DAY)) * 1_000_000
        try:
            os.utime(file, ns=(time_ns, time_ns))
        except (OSError, OverflowError) as error:
            raise RestampError(f"cannot stamp {path}: {error}") from error
        stamped += 1
    return stamped, gone


def run(arguments: list[str] | None = None) -> str:
    """Do what the arguments ask for, and say so in one line."""
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = Path(__file__).resolve().parent
    parser.add_argument(
        "--tree", type=Path, default=here, metavar="DIR", help="project with .brv and ages.json (default: this folder)"
    )
    parser.add_argument("--now", metavar="ISO", help="count ages back from this time instead of the present")
    parser.add_argument(
        "--if-fresh-clone", action="store_true", help=f"only once: skip when DIR/{MARKER} exists, else write it"
    )
    options = parser.parse_args(arguments)

    project: Path = options.tree
    tree = project / ".brv" / "context-tree"
    if not tree.is_dir():
        raise RestampError(f"no context tree in {project} (expected {tree})", MISSING_TREE)
    marker = project / MARKER
    now = parse_now(options.now)
    if options.if_fresh_clone and marker.exists():
        return f"nothing to do: {marker} exists"
    stamped, gone = stamp(tree, read_ages(project / "ages.json"), now)
    if options.if_fresh_clone:
        try:
            marker.write_text(now.isoformat() + "\n", encoding="utf-8")
        except OSError as error:
            raise RestampError(f"cannot write {marker}: {error.strerror}") from error
    missing = f", {gone} in ages.json no longer exist" if gone else ""
    return f"stamped {stamped} files in {tree}{missing}"


def main() -> int:
    """Run, and turn failures into one line and an exit code."""
    try:
        print(run())
    except RestampError as error:
        print(f"restamp: {error}", file=sys.stderr)
        return error.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
