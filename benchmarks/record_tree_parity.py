#!/usr/bin/env python3
"""Records a context tree, file by file, and the real engine's answers on it.

    python -m benchmarks.record_tree_parity record PROJECT FILE --package byterover-cli --oracle brv_oracle.mjs
    python -m benchmarks.record_tree_parity unpack FILE PROJECT

PROJECT contains `.brv/context-tree`, `queries.json` (a list of `{"id", "kind", "query"}`), `sequence.json` (a list of
`{"query", "wait", "touch"}`), `now.txt` (the frozen clock, an ISO time) and, if the engine should have stored signals,
`signals.json`. FILE is JSON with the time under `now`, the signals under `signals`, each Markdown file of the tree with
its modification time and text under `files` (`base64` if it is not UTF-8), and the engine's answers as its driver
prints them, without values that depend on the machine. Every file and every answer has its own line, in a fixed order,
so equal trees and answers give equal bytes.

`unpack` restores PROJECT, so that you can change it and record it again. Symlinks are not preserved.
"""

from __future__ import annotations

import argparse
import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.record_sample_parity import ask_engine, without_machine
from tests.support.recorded import unpack


def files_of(project: Path) -> dict[str, dict[str, Any]]:
    """The Markdown files of the tree, keyed by path: the modification time in ns, and the bytes as text or base64."""
    tree = project / ".brv" / "context-tree"
    found = {}
    for file in sorted(tree.rglob("*")):
        if file.suffix.lower() != ".md" or not file.is_file() or file.is_symlink():
            continue
        data, path = file.read_bytes(), file.relative_to(tree).as_posix()
        try:
            held = {"text": data.decode("utf-8")}
        except UnicodeDecodeError:
            held = {"base64": base64.b64encode(data).decode("ascii")}
        found[path] = {"mtime_ns": file.stat().st_mtime_ns, **held}
    return found


def recording(project: Path, package: Path, oracle: Path) -> dict[str, Any]:
    """The tree of `project` and the engine's answers on it."""
    signals = project / "signals.json"
    made = {
        "now": (project / "now.txt").read_text(encoding="utf-8").strip(),
        "signals": json.loads(signals.read_text(encoding="utf-8")) if signals.exists() else {},
        "files": files_of(project),
    }
    return {**made, **without_machine(ask_engine(project, package, oracle))}


def dumped(value: dict[str, Any]) -> str:
    """JSON with a line for each entry of each list and mapping at the top."""
    parts = []
    for name, held in value.items():
        if isinstance(held, dict):
            lines = [f"{_compact(key)}:{_compact(item)}" for key, item in held.items()]
            parts.append(f"{_compact(name)}:{{\n" + ",\n".join(lines) + "\n}")
        elif isinstance(held, list):
            parts.append(f"{_compact(name)}:[\n" + ",\n".join(map(_compact, held)) + "\n]")
        else:
            parts.append(f"{_compact(name)}:{_compact(held)}")
    return "{" + ",\n".join(parts) + "}\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def main() -> int:
    """Records, or unpacks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="write FILE from PROJECT")
    record.add_argument("project", type=Path)
    record.add_argument("file", type=Path)
    record.add_argument("--package", type=Path, required=True, help="the installed byterover-cli package")
    record.add_argument("--oracle", type=Path, required=True, help="the script that drives the engine, brv_oracle.mjs")
    back = commands.add_parser("unpack", help="write PROJECT from FILE")
    back.add_argument("file", type=Path)
    back.add_argument("project", type=Path)
    options = parser.parse_args()
    if options.command == "unpack":
        unpack(json.loads(options.file.read_text(encoding="utf-8")), options.project)
        return 0
    try:
        made = recording(options.project.resolve(), options.package.resolve(), options.oracle.resolve())
    except subprocess.CalledProcessError as error:
        print(f"record_tree_parity: the engine failed: {error.stderr.strip()}", file=sys.stderr)
        return 1
    options.file.write_text(dumped(made), encoding="utf-8")
    print(f"recorded {len(made['files'])} files, {len(made['cases'])} cases and {len(made['sequence'])} steps")
    return 0


if __name__ == "__main__":
    sys.exit(main())
