#!/usr/bin/env python3
"""Writes notes and the topics that ByteRover V4's own migration made from them to one file for the tests.

    python -m benchmarks.record_migration_parity OUT SPACE ANSWERS [SPACE ANSWERS …]

SPACE contains the notes in `v3`. ANSWERS is JSON with the output of V4's `migrate` for these notes under `migrate`, and
the frozen time under `now`. Equal inputs give equal bytes.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import Any


def migrations(space: Path, answers: Path) -> dict[str, Any]:
    """The notes in ``space``, with their topics according to ``answers``."""
    recorded = json.loads(answers.read_text(encoding="utf-8"))
    notes = [
        {"note": one["from"], "text": (space / "v3" / one["from"]).read_bytes().decode("utf-8"), **_topic(one)}
        for one in recorded["migrate"]["notes"]
    ]
    return {"now": recorded["now"], "notes": notes}


def _topic(one: dict[str, Any]) -> dict[str, str]:
    return {"topic": one["to"], "html": one["html"]}


def main() -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("pairs", type=Path, nargs="+")
    given = parser.parse_args()
    made = [migrations(space, answers) for space, answers in zip(given.pairs[::2], given.pairs[1::2], strict=True)]
    text = json.dumps(made, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    given.out.write_bytes(gzip.compress(text.encode("utf-8"), 9, mtime=0))


if __name__ == "__main__":
    main()
