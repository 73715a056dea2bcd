"""Measures a ByteRover V4 space: opening it, the first answer, and answers with their whole trace.

    python -m benchmarks.space_speed FOLDER

FOLDER contains ``data`` (V4's data folder), ``project`` (the folder with the marker) and ``queries.json`` (``[{"query",
"options"?}]``). If it contains no space, one with 2,000 topics and about 5,300 elements is generated. Prints wall and
processor time, measured in this process; on a busy machine, processor time is more meaningful.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.timings import percentile, setting
from brvtui.garbage import garbage_collector_paused
from brvtui.session import Session

_TOPICS, _WORDS, _SEED = 2_000, 12_000, 18
_NOW_MS = 1_795_176_000_000.0
_SPACE = "5f0a1b2c-3d4e-4f60-8a1b-2c3d4e5f6071"
_KINDS = ("fact", "decision", "rule", "bug", "fix", "pattern", "flow")


def main() -> None:
    """Prints the setting, then a line for each measurement."""
    folder = Path(sys.argv[1])
    if not (folder / "data").is_dir():
        make_space(folder)
    asked = [row for row in json.loads((folder / "queries.json").read_text("utf-8")) if not row.get("argv")]
    os.environ["BRV_DATA_DIR"] = str((folder / "data").absolute())
    wall, processor = time.perf_counter(), time.process_time()
    with garbage_collector_paused():  # as in the app and in commands during reading
        session = Session.open(folder / "project", now_ms=_NOW_MS)
        session.load()
        opened = time.perf_counter() - wall, time.process_time() - processor
        session.preview("warm")
        first = time.perf_counter() - wall, time.process_time() - processor
    elements = sum(len(topic.topic.searched_elements) or 1 for topic in session.snapshot.spaces[0].topics)
    print(setting(), f"{len(session.snapshot.notes)} topics, {elements} documents, {len(asked)} queries", sep="\n")
    print(
        f"opening: {opened[0]:.2f} s, processor {opened[1]:.2f} s; with the first answer {first[0]:.2f}, {first[1]:.2f}"
    )
    ask_all(session, asked)
    times = ask_all(session, asked)
    for kind, each in (("wall", times[0]), ("processor", times[1])):
        shown = ", ".join(f"{share:.0%} {percentile(each, share):.1f}" for share in (0.5, 0.9, 0.95, 0.99))
        print(f"an answer with its whole trace, {kind}, ms: {shown}")


def ask_all(session: Session, asked: list[dict[str, Any]]) -> tuple[list[float], list[float]]:
    """Runs every query once; returns the wall and processor milliseconds of each."""
    wall, processor = [], []
    for row in asked:
        options = {name.replace("-", "_"): value for name, value in (row.get("options") or {}).items()}
        scope = options.pop("scope", "")
        began = time.perf_counter(), time.process_time()
        session.preview(row["query"], scope, options=options)
        wall.append((time.perf_counter() - began[0]) * 1000)
        processor.append((time.process_time() - began[1]) * 1000)
    return wall, processor


def make_space(folder: Path) -> None:
    """Writes a space of generated topics, and 300 queries of one to eight of their words."""
    chance = random.Random(_SEED)
    letters = "etaoinshrdlucmfwypvbgk"
    words = ["".join(chance.choices(letters, k=chance.randint(3, 11))) for _ in range(_WORDS)]
    weights = [1 / (rank + 10) for rank in range(_WORDS)]

    def text(most: int) -> str:
        return " ".join(chance.choices(words, weights, k=chance.randint(3, most)))

    place = folder / "data" / "projects" / _SPACE
    for number in range(_TOPICS):
        elements = "".join(
            f'<bv-{kind} id="bve-{number:04x}{count:04x}">{text(60)}</bv-{kind}>'
            for count, kind in enumerate(chance.choices(_KINDS, k=chance.choice((1, 2, 2, 3, 4, 4))))
        )
        file = place / "context-tree" / f"area{number % 20}" / f"topic_{number}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        head = f'title="{text(6)}" summary="{text(16)}" keywords="{text(5)}"'
        file.write_text(f"<bv-topic {head}>{elements}</bv-topic>\n", encoding="utf-8")
        moment = _NOW_MS / 1000 - chance.random() * 200 * 86_400
        os.utime(file, (moment, moment))
    (place / "metadata.json").write_text(json.dumps({"space_id": _SPACE, "space_name": "speed", "team_id": None}))
    (folder / "project").mkdir()
    (folder / "project" / ".brvspace").write_text(json.dumps({"space_id": _SPACE, "space_name": "speed"}))
    queries = [{"query": text(8)} for _ in range(300)]
    (folder / "queries.json").write_text(json.dumps(queries), encoding="utf-8")


if __name__ == "__main__":
    main()
