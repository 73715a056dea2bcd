#!/usr/bin/env python3
"""Writes a ByteRover V4 space and the answers recorded on it to one file for the tests.

    python -m benchmarks.record_space_parity SPACE ANSWERS tests/data/byterover_v4/space-21.json.gz

SPACE contains `data` (the data folder), `project` (the folder with the marker) and `cloud` (a second data folder with
several synced spaces). ANSWERS is JSON with the output of V4's scripts (`cases`, `sequence`, `faults`, `aggregate`),
and the frozen time under `now`. The file contains the answers and every file of the space with its modification time
and its text (`base64` if it is not UTF-8). Links stay links. Equal inputs give equal bytes.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
from pathlib import Path
from typing import Any

FOLDERS = ("data", "project", "cloud")
KEPT = ("now", "limit", "sequence_limit", "cases", "sequence", "faults", "aggregate")


def files_of(space: Path) -> dict[str, dict[str, Any]]:
    """The files of the space, keyed by path: the modification time (ns), and the bytes as text or base64; for links,
    the target.
    """
    found: dict[str, dict[str, Any]] = {}
    for file in sorted(path for folder in FOLDERS for path in (space / folder).rglob("*")):
        name = file.relative_to(space).as_posix()
        if file.is_symlink():
            found[name] = {"link": str(file.readlink())}
        elif file.is_file():
            data, mtime = file.read_bytes(), file.stat().st_mtime_ns
            try:
                found[name] = {"mtime_ns": mtime, "text": data.decode("utf-8")}
            except UnicodeDecodeError:
                found[name] = {"mtime_ns": mtime, "base64": base64.b64encode(data).decode("ascii")}
    return found


def main() -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("space", "answers", "out"):
        parser.add_argument(name, type=Path)
    given = parser.parse_args()
    answers = json.loads(given.answers.read_text(encoding="utf-8"))
    made = {**{name: answers[name] for name in KEPT}, "files": files_of(given.space)}
    text = json.dumps(made, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    given.out.write_bytes(gzip.compress(text.encode("utf-8"), 9, mtime=0))


if __name__ == "__main__":
    main()
