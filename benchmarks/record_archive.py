#!/usr/bin/env python3
"""Records the files that the real engine writes when it archives and restores notes.

    record_archive.py --package NODE_MODULES/byterover-cli [--out FILE]

Each case is a separate small tree, on which `archive_engine.mjs` runs the engine's archive service with a frozen clock
and without a model. The recording contains the files before archiving, after it, and after restoring: texts unchanged,
other bytes in base64.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RECORDED = ROOT / "tests" / "data" / "archive" / "engine.json"
DRIVER = Path(__file__).resolve().parent / "archive_engine.mjs"
NOW = "2026-11-20T12:00:00.250Z"
LONG = "The gate keeps a ledger of every parcel that left the yard, by hour and by driver. "
FRONT = (
    "---\ntitle: Yard gates\nsummary: Who opens which gate\ntags: [yard, gates]\nrelated: [yard/night/rounds.md]\n"
    "keywords: [gate]\ncreatedAt: '2026-01-02T08:00:00.000Z'\nupdatedAt: '2026-03-01T10:00:00.000Z'\n---\n\n"
    "## Reason\nOpening hours.\n"
)


@dataclass(frozen=True)
class Case:
    """A note to archive, the other files in its tree, and the signals that the engine has stored."""

    id: str
    path: str
    text: str | bytes
    others: dict[str, str] = field(default_factory=dict)
    signals: dict[str, dict[str, Any]] = field(default_factory=dict)
    rewritten: dict[str, str] = field(default_factory=dict)
    """Files that are changed between archiving and restoring."""


def stored(importance: float, maturity: str = "draft") -> dict[str, Any]:
    """Signals in the engine's own format."""
    return {"accessCount": 3, "importance": importance, "maturity": maturity, "recency": 0.5, "updateCount": 1}


CASES = [
    Case("frontmatter", "yard/gates/north.md", FRONT + LONG * 6),
    Case("no frontmatter", "yard/gates/south.md", "# South gate\n\nOpen from six to ten.\n"),
    Case("carriage returns", "yard/gates/east.md", "# East\r\n\r\nfirst line\r\n\tsecond line\r\n" + "word \r\n" * 90),
    Case("beyond ascii", "yard/café/日本.md", "# Tore\n\nÄußeres Tor, 北門, \U0001f6aa " + "é北 " * 150),
    Case("a character cut in two", "yard/gates/emoji.md", "x" * 319 + "\U0001f6aa and the rest"),
    Case("exactly the cue", "yard/gates/exact.md", "y" * 320),
    Case("very long", "yard/gates/long.md", "# Ledger\n\n" + LONG * 40),
    Case("one long line", "yard/gates/line.md", "z" * 2_101),
    Case("empty", "yard/gates/empty.md", ""),
    Case("white space only", "yard/gates/blank.md", " \n\t\r\n\u00a0\u2028\ufeff\n"),
    Case(
        "every kind of space",
        "yard/gates/spaces.md",
        "a\u00a0b\u2003c\u3000d\u2028e\ufefff\u0085g\u200bh\x1ci\x0bj\x0ck",
    ),
    Case("byte order mark", "yard/gates/bom.md", "\ufeff---\ntitle: BOM\n---\n# Mark\n"),
    Case("half a token", "yard/gates/half.md", "ab"),
    Case("deep", "yard/gates/north/inner/left/bolt.md", "# Bolt\n"),
    Case("at depth one", "readme.md", "# Root\n"),
    Case("context file", "yard/gates/context.md", "# Gates\n\nWhat a gate is.\n"),
    Case("dots in the name", "yard/gates/v1.2.md", "# Version\n"),
    Case("colon and hash", "yard/it's: a/note #1.md", "# Odd\n"),
    Case("hash after a word", "yard/gates/c#.md", "# Sharp\n"),
    Case("brackets and commas", "yard/[old], {new}/a, b.md", "# Brackets\n"),
    Case("bracket first", "[old]/gates/a.md", "# Bracket first\n"),
    Case("at sign first", "@yard/gates/a.md", "# At\n"),
    Case("quote first", "'yard/gates/a.md", "# Quote\n"),
    Case("dash first", "-yard/gates/a.md", "# Dash\n"),
    Case("space first", " yard/gates/a.md", "# Space\n"),
    Case("tab inside", "yard/ga\ttes/a.md", "# Tab\n"),
    Case("line break inside", "yard/ga\ntes/a\u0085\u00a0\u2028\x1b\U0001f6aa\ue000.md", "# Break\n"),
    Case("quotes and backslash", 'yard/"gates"\x07/a.md', "# Quotes\n"),
    Case("date as a name", "2026-01-02/12:30/1.5.md", "# Date\n"),
    Case("signals", "yard/gates/north.md", "# S\n", signals={"yard/gates/north.md": stored(33.3)}),
    Case("importance 0", "yard/gates/north.md", "# S\n", signals={"yard/gates/north.md": stored(0)}),
    Case("importance 100", "yard/gates/north.md", "# S\n", signals={"yard/gates/north.md": stored(100, "core")}),
    Case("importance tiny", "yard/gates/north.md", "# S\n", signals={"yard/gates/north.md": stored(1e-7)}),
    Case("importance 2/3", "yard/gates/north.md", "# S\n", signals={"yard/gates/north.md": stored(200 / 3)}),
    Case("importance 5.5e-10", "yard/gates/north.md", "# S\n", signals={"yard/gates/north.md": stored(5.5e-10)}),
    Case("importance 0.00001", "yard/gates/north.md", "# S\n", signals={"yard/gates/north.md": stored(0.00001)}),
    Case(
        "others stay",
        "yard/gates/north.md",
        "# N\n",
        others={"yard/gates/south.md": "# S\n", "yard/gates/north.abstract.md": "short", "yard/_index.md": "x"},
    ),
    Case("bytes that are not UTF-8", "yard/gates/latin.md", b"# Tor\n\n\xe4u\xdferes Tor\n"),
    Case(
        "archived once before",
        "yard/gates/north.md",
        "# New\n",
        others={"_archived/yard/gates/north.full.md": "# Old\n", "_archived/yard/gates/north.stub.md": "old stub"},
    ),
    Case(
        "written again meanwhile", "yard/gates/north.md", "# First\n", rewritten={"yard/gates/north.md": "# Second\n"}
    ),
    Case("backslash in the name", "yard/gates\\inner/a.md", "# Backslash\n"),
]


def as_json(data: bytes) -> str | dict[str, str]:
    """The data unchanged if it is text, or else in base64."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def files_of(case: Case) -> dict[str, bytes]:
    """All files in the case's tree before archiving."""
    texts = {case.path: case.text, **case.others}
    return {path: text if isinstance(text, bytes) else text.encode() for path, text in texts.items()}


def ask_engine(folder: Path, package: Path) -> list[dict[str, Any]]:
    """Writes the trees of the cases below ``folder``, and returns the engine's results."""
    questions = []
    for number, case in enumerate(CASES):
        for path, data in files_of(case).items():
            place = folder / str(number) / ".brv" / "context-tree" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        questions.append(
            {"id": number, "path": case.path, "now": NOW, "signals": case.signals, "rewritten": case.rewritten}
        )
    asked = folder / "cases.json"
    asked.write_text(json.dumps(questions), encoding="utf-8")
    command = ["node", str(DRIVER), str(asked), str(folder)]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, "BRV_PKG": str(package), "TZ": "UTC"}
    )
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def recorded(case: Case, answer: dict[str, Any]) -> dict[str, Any]:
    """One case in the format of the recording."""

    def files(name: str) -> dict[str, Any]:
        return {path: as_json(base64.b64decode(data)) for path, data in sorted(answer[name].items())}

    return {
        "id": case.id,
        "path": case.path,
        "signals": case.signals,
        "before": {path: as_json(data) for path, data in sorted(files_of(case).items())},
        "archived": answer["archived"],
        "after_archive": files("files_after_archive"),
        "signals_after_archive": answer["signals_after_archive"],
        "rewritten": case.rewritten,
        "restored": answer["restored"],
        "after_restore": files("files_after_restore"),
        "signals_after_restore": answer["signals_after_restore"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=Path, required=True, help="the installed byterover-cli package")
    parser.add_argument("--out", type=Path, default=RECORDED)
    options = parser.parse_args()
    package = options.package.resolve()
    version = json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
    with tempfile.TemporaryDirectory(prefix="archive-") as folder:
        try:
            answers = ask_engine(Path(folder).resolve(), package)
        except subprocess.CalledProcessError as error:
            print(f"record_archive: the engine failed: {error.stderr.strip()}", file=sys.stderr)
            return 1
    cases = [recorded(case, answer) for case, answer in zip(CASES, answers, strict=True)]
    made = {"system": "byterover-cli", "version": version, "now": NOW, "cases": cases}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"recorded {len(cases)} cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
