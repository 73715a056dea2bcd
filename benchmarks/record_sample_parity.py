#!/usr/bin/env python3
"""Records the real engine's answers on the sample tree.

    record_sample_parity.py --package NODE_MODULES/byterover-cli --oracle brv_oracle.mjs [--defaults] [--out FILE]

Copies `sample-tree/` to a temporary folder, sets the notes' ages for a fixed time, and passes the signals from
frontmatter to the engine, which reads only its own store (with `--defaults`, no signals are passed). Then runs the
queries in `queries.json` twice: each on an empty cache (`cases`), and all of them in order on one cache (`sequence`).
The parity tests compare with the result. It does not depend on the machine: timings are left out, and so are
fingerprints, which depend on absolute paths.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "sample-tree"
RECORDED = ROOT / "tests" / "data" / "parity" / "sample-tree.json"
RECORDED_DEFAULTS = RECORDED.with_name("sample-tree-defaults.json")
NOW = "2026-11-20T12:00:00+00:00"
RAW_SCORES = 3
DEFAULT_SIGNALS: dict[str, Any] = {
    "accessCount": 0,
    "importance": 50,
    "maturity": "draft",
    "recency": 1,
    "updateCount": 0,
}
MACHINE_DEPENDENT = ("build_ms", "latency_ms", "rss_mb")


def frontmatter_signals(text: str) -> dict[str, Any] | None:
    """The signals in a note's frontmatter, completed with defaults; None if there are none."""
    if not text.startswith("---\n"):
        return None
    block, _, _ = text.removeprefix("---\n").partition("\n---\n")
    found: dict[str, Any] = {}
    for line in block.splitlines():
        key, separator, value = line.partition(": ")
        if separator and key in DEFAULT_SIGNALS:
            found[key] = value if key == "maturity" else json.loads(value)
    return {**DEFAULT_SIGNALS, **found} if found else None


def prepare(project: Path, defaults: bool) -> None:
    """Makes a copy of the sample at `project`, with fixed ages and the files that the engine's driver expects."""
    shutil.copytree(SAMPLE, project, ignore=shutil.ignore_patterns("__pycache__", ".restamped", "_manifest.json"))
    subprocess.run([sys.executable, str(project / "restamp.py"), "--now", NOW], check=True, stdout=subprocess.DEVNULL)
    tree = project / ".brv" / "context-tree"
    signals = {}
    for file in sorted(tree.rglob("*.md")):
        found = frontmatter_signals(file.read_text(encoding="utf-8"))
        if found and not defaults and not file.relative_to(tree).parts[0].startswith("_"):
            signals[file.relative_to(tree).as_posix()] = found
    questions: list[dict[str, Any]] = json.loads((SAMPLE / "queries.json").read_text(encoding="utf-8"))
    (project / "now.txt").write_text(NOW, encoding="utf-8")
    (project / "signals.json").write_text(json.dumps(signals), encoding="utf-8")
    cases = [{"id": question["id"], "kind": "sample", "query": question["query"]} for question in questions]
    steps = [{key: question[key] for key in ("query", "wait", "touch")} for question in questions]
    (project / "queries.json").write_text(json.dumps(cases), encoding="utf-8")
    (project / "sequence.json").write_text(json.dumps(steps), encoding="utf-8")


def ask_engine(project: Path, package: Path, oracle: Path) -> dict[str, Any]:
    """The engine's answers on `project`, as its driver prints them."""
    command = ["node", str(oracle), str(project), "--queries", str(project / "queries.json")]
    command += ["--raw", str(RAW_SCORES), "--tiers", "--sequence"]
    environment = {**os.environ, "BRV_PKG": str(package)}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


def without_machine(answers: dict[str, Any]) -> dict[str, Any]:
    """The answers without values that depend on the machine or the run."""
    kept = {key: value for key, value in answers.items() if key not in MACHINE_DEPENDENT}
    for case in kept["cases"]:
        meta = case["query_run"].get("meta") or {}
        if "cacheFingerprint" in meta:
            meta["cacheFingerprint"] = "machine-dependent"
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=Path, required=True, help="the installed byterover-cli package")
    parser.add_argument("--oracle", type=Path, required=True, help="the script that drives the engine, brv_oracle.mjs")
    parser.add_argument("--defaults", action="store_true", help="without signals, so that all notes have the defaults")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sample-parity-") as folder:
        project = Path(folder).resolve() / "project"
        prepare(project, options.defaults)
        try:
            answers = ask_engine(project, options.package.resolve(), options.oracle.resolve())
        except subprocess.CalledProcessError as error:
            print(f"record_sample_parity: the engine failed: {error.stderr.strip()}", file=sys.stderr)
            return 1
    recorded = {**without_machine(answers), "tree": {"maker": "sample-tree", "now": NOW}}
    out = options.out or (RECORDED_DEFAULTS if options.defaults else RECORDED)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(recorded, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    cases, steps, documents = len(recorded["cases"]), len(recorded["sequence"]), recorded["documents"]
    print(f"recorded {cases} cases and {steps} steps over {documents} documents")
    return 0


if __name__ == "__main__":
    sys.exit(main())
