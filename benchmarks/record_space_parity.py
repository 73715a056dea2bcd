#!/usr/bin/env python3
"""Put a space of ByteRover V4 and the answers that were recorded over it into one file of the tests.

    python -m benchmarks.record_space_parity SPACE ANSWERS tests/data/byterover_v4/space-21.json.gz

SPACE holds `data` (the data folder), `project` (the folder with the marker) and `cloud` (a second data folder, of
several synced spaces); ANSWERS is JSON: what V4's scripts print over it (`cases`, `sequence`, `faults`, `aggregate`),
with the frozen clock under `now`. The file holds both, and every file of the space with its modification time and
its text (`base64` where it is no UTF-8). The same input gives the same bytes. Links are kept as links.
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
    """The files of the space, keyed by path: modification time (ns), and bytes as text or base64; links by target."""
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
