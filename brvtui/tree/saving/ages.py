"""Restores the times of a copied sample: its notes' ages, its query log and the transcript of the agent that asked.

Version control and packages do not keep modification times.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

from brvtui.regular_files import read_regular

AGES = "ages.json"
"""The file of a project that contains the age in days of each note, keyed by the note's path."""
LOG = "query-log.json"
"""The file of a project that contains a query log in ByteRover's form, with ages in days instead of times."""
TRANSCRIPTS = "transcripts"
"""The folder in a project's ``.brv`` for the transcripts of its agents."""
_LARGEST = 1_048_576
_MS_PER_DAY = 86_400_000


def stamp(project: Path, now_ms: float) -> int:
    """Sets each note's modification time to ``now_ms`` minus its age from the file :data:`AGES`.

    The times are in whole milliseconds. Returns the number of notes; skips missing ones. Raises OSError.
    """
    tree, count = project / ".brv" / "context-tree", 0
    for path, days in json.loads(read_regular(project / AGES, _LARGEST)).items():
        if (tree / path).is_file():
            time_ns = _moment(days, now_ms) * 1_000_000
            os.utime(tree / path, ns=(time_ns, time_ns))
            count += 1
    return count


def write_log(project: Path, now_ms: float) -> None:
    """Replaces the project's copy of a query log with the entries in the file :data:`LOG`, and the transcript of the
    agent that asked, in ``.brv/transcripts``. Raises OSError.
    """
    folder, transcripts = project / ".brv" / "query-log", project / ".brv" / TRANSCRIPTS
    folder.mkdir(exist_ok=True)
    transcripts.mkdir(exist_ok=True)
    for file in folder.glob("qry-*.json"):
        file.unlink()
    rows: list[str] = []
    for entry in json.loads(read_regular(project / LOG, _LARGEST)):
        began = _moment(entry.pop("days"), now_ms)
        time = {"timestamp": datetime.fromtimestamp(began / 1000, UTC).isoformat()}
        rows += (json.dumps({**time, **row}) + "\n" for row in entry.pop("transcript", ()))
        times = {"startedAt": began, "completedAt": began + entry["timing"]["durationMs"]}
        text = json.dumps({"id": f"qry-{began}", **entry, **times})
        (folder / f"qry-{began}.json").write_text(text, encoding="utf-8")
    (transcripts / "week.jsonl").write_text("".join(rows), encoding="utf-8")


def _moment(days: float, now_ms: float) -> int:
    return int(now_ms) - round(days * _MS_PER_DAY)
