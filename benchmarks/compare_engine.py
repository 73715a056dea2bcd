"""Measures opening, searching and memory on one tree, and optionally the real engine in the same run.

    python -m benchmarks.compare_engine TREE [--package NODE_MODULES/byterover-cli --oracle brv_oracle.mjs] [--rounds 3]

TREE is a project that contains ``queries.json``, ``now.txt`` and ``signals.json``. Each round measures the tool in a
separate process and then, if a package is named, the engine in another one. Ratios are computed for each round. The
oracle is a script that prints ``build_ms``, ``latency_ms`` and ``rss_mb`` (``--time``).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.timings import peak_mb, percentile, setting

_PASSES = 3


def measure(tree: Path) -> dict[str, Any]:
    """The measurements of this tool on ``tree``: opening, searching with scores and routing (ms), and memory (MB)."""
    began = time.perf_counter()
    from brvtui.session import Session

    imported = time.perf_counter()
    now = time_of(tree)
    session = Session.open(tree, now_ms=now, signals_file=tree / "signals.json")
    session.load()
    opened = time.perf_counter()
    session.search("warm", 1)
    queries = [item["query"] for item in json.loads((tree / "queries.json").read_text(encoding="utf-8"))]
    search_ms, preview_ms = [], []
    for _ in range(_PASSES):
        session.snapshot.postings.forget()
        for query in queries:
            start = time.perf_counter()
            session.search(query, 10)
            search_ms.append((time.perf_counter() - start) * 1000)
    for query in queries:
        start = time.perf_counter()
        session.preview(query)
        preview_ms.append((time.perf_counter() - start) * 1000)
    return {
        "notes": len(session.snapshot.notes),
        "terms": len(session.snapshot.postings.vocabulary),
        "import_ms": (imported - began) * 1000,
        "open_ms": (opened - imported) * 1000,
        "p50": percentile(search_ms, 0.5),
        "p95": percentile(search_ms, 0.95),
        "max": max(search_ms),
        "preview_p50": percentile(preview_ms, 0.5),
        "preview_p95": percentile(preview_ms, 0.95),
        "rss_mb": peak_mb(),
    }


def time_of(tree: Path) -> float:
    """The time for which a generated tree was made, in ms."""
    from datetime import datetime

    return datetime.fromisoformat((tree / "now.txt").read_text().replace("Z", "+00:00")).timestamp() * 1000


def measure_engine(tree: Path, package: Path, oracle: Path) -> dict[str, Any]:
    """The measurements of the real engine on ``tree``."""
    command = ["node", str(oracle), str(tree), "--time"]
    env = {**os.environ, "BRV_PKG": str(package)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    latency = answer["latency_ms"]
    return {"open_ms": answer["build_ms"], "p50": latency["p50"], "p95": latency["p95"], "rss_mb": answer["rss_mb"]}


def main() -> None:
    """Prints the setting, each round, and the medians with their ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--package", type=Path)
    parser.add_argument("--oracle", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.once:
        print(json.dumps(measure(args.tree)))
        return
    print(f"{setting()}; tree {args.tree.name}")
    ours, engine = [], []
    for number in range(1, args.rounds + 1):
        command = [sys.executable, "-m", "benchmarks.compare_engine", str(args.tree), "--once"]
        one = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        ours.append(one)
        print(f"round {number} brv-tui: " + _line(one))
        if args.package and args.oracle:
            other = measure_engine(args.tree, args.package, args.oracle)
            engine.append(other)
            print(f"round {number} engine:  " + _line(other))
    print(f"median brv-tui: {_line({key: median(one[key] for one in ours) for key in ours[0]})}")
    for key in ("open_ms", "p50", "p95", "rss_mb") if engine else ():
        ratios = sorted(one[key] / other[key] for one, other in zip(ours, engine, strict=True))
        print(f"ratio {key}: median {median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})")


def _line(values: dict[str, Any]) -> str:
    return ", ".join(
        f"{key} {value:.1f}" if isinstance(value, float) else f"{key} {value}" for key, value in values.items()
    )


if __name__ == "__main__":
    main()
