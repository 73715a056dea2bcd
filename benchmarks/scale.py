"""Measures speed and memory on small, large and very large trees, and the real engine in the same run.

    python -m benchmarks.scale [TREE …] [--rounds 5] [--package NODE_MODULES/byterover-cli --oracle brv_oracle.mjs]

Each TREE is a project that contains ``queries.json``, ``now.txt`` and ``signals.json``. Without a TREE, trees of 1,000,
10,000 and 100,000 notes are generated (``benchmarks.many_terms``, 10,000 terms) and removed afterwards. Prints a table
with a column for each tree and the medians of the rounds. On a busy machine, processor time is more meaningful.

*Cold query* is ``brv-tui query`` in a separate process, with an index from an earlier one. *First paint* and *ready*
are measured in the app, in a pseudo-terminal of 120 x 36; the app is *ready* once its status shows the number of notes
and a query is answered. *Edited* is the time from writing a note, which the query on the screen finds, to the last byte
that the panes write about it, minus the time for which the app waits for further changes. *Search* is the 95th
percentile of the queries in this process. The engine's cold query is the time of its process minus all searches except
one. The engine reads at most 10,000 files, so it is not measured on larger trees.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks import many_terms
from benchmarks.app_in_pty import Terminal, start
from benchmarks.compare_engine import time_of
from benchmarks.timings import percentile, setting

_SIZES = (1_000, 10_000, 100_000)
_TERMS = 10_000
_MOST_QUERIES = 24
_ENGINE_READS = 10_000
_PASSES = 3
_LONGEST_SECONDS = 120.0
_IDLE_SECONDS = 8.0
_QUIET_SECONDS = 0.6
_CALM_SECONDS = 0.03
"""The app counts as calm if it uses less processor time than this within a second."""
_TEXT = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_UNLIMITED = "[limits]\nmax_files = 0\n"


@dataclass
class Column:
    """The measurements on one tree, one per round, in seconds, milliseconds or MB, keyed by the name of the row."""

    tree: Path
    notes: int
    ours: dict[str, list[float]] = field(default_factory=dict)
    engine: dict[str, list[float]] = field(default_factory=dict)

    def add(self, figures: dict[str, float], of_engine: bool = False) -> None:
        """Adds the results of a round."""
        for name, value in figures.items():
            (self.engine if of_engine else self.ours).setdefault(name, []).append(value)


@dataclass(frozen=True)
class Setup:
    """The settings of all rounds."""

    profile: Path
    queries: Path
    package: Path | None
    oracle: Path | None


def cold_query(tree: Path, setup: Setup, query: str) -> dict[str, float]:
    """The wall and processor seconds of one ``brv-tui query``, and the peak memory (MB) of its process."""
    command = [sys.executable, "-m", "brvtui", "query", query, "--project", str(tree), "--profile", str(setup.profile)]
    command += ["--signals", str(tree / "signals.json")]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    took = time.perf_counter() - began
    if process.returncode > 1:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return {"query": took, "query, processor": used.ru_utime + used.ru_stime, "query, memory": _mb(used)}


def _mb(used: resource.struct_rusage) -> float:
    return used.ru_maxrss / 1e6 if sys.platform == "darwin" else used.ru_maxrss * 1024 / 1e6


def app(tree: Path, setup: Setup, notes: int, idle: bool) -> dict[str, float]:
    """The results of one start of the app: first paint, ready, an edited note (ms), memory (MB), idling (per cent of a
    core).
    """
    from brvtui.tree.watching.watch import QUIET_SECONDS

    note = min((tree / ".brv" / "context-tree").rglob("*.md"))
    before, stat = note.read_text(encoding="utf-8"), note.stat()
    terminal = start(tree, 120, 36, options=("--profile", str(setup.profile), "--signals", str(tree / "signals.json")))
    try:
        figures = _opened(terminal, notes)
        terminal.settle()
        for letter in f"zzquokka {note.stem}":
            terminal.key(letter)
        terminal.settle()
        _calm(terminal)
        edits = []
        for number in range(3):
            written = time.perf_counter()
            note.write_text(f"{before}\n{'zzquokka ' * (number + 1)}\n", encoding="utf-8")
            edits.append((_updated(terminal) - written - QUIET_SECONDS) * 1000)
            terminal.settle()
        figures["edited"] = median(edits)
        status = Path(f"/proc/{terminal.pid}/status").read_text(encoding="ascii")
        figures["memory"] = int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) * 1024 / 1e6
        if idle:
            _calm(terminal)
            spent, since = terminal.cpu_seconds(), time.perf_counter()
            while time.perf_counter() - since < _IDLE_SECONDS:
                terminal.read(0.5)
            figures["idle"] = 100 * (terminal.cpu_seconds() - spent) / (time.perf_counter() - since)
    finally:
        terminal.end()
        note.write_text(before, encoding="utf-8")
        os.utime(note, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    return figures


def _opened(terminal: Terminal, notes: int) -> dict[str, float]:
    seen, figures = b"", {}
    end = terminal.began + _LONGEST_SECONDS
    wanted = f"{notes} notes".encode()
    while "ready" not in figures:
        if time.perf_counter() > end:
            raise SystemExit(f"the app has not told of {notes} notes within {_LONGEST_SECONDS:.0f} s")
        seen += terminal.read(0.05)
        text = _TEXT.sub(b"", seen)
        now = (time.perf_counter() - terminal.began) * 1000
        if "first paint" not in figures and len(text.strip()) > 120:
            figures["first paint"], figures["first paint, processor"] = now, terminal.cpu_seconds() * 1000
        if wanted in text:
            figures["ready"], figures["ready, processor"] = now, terminal.cpu_seconds() * 1000
    return figures


def _calm(terminal: Terminal) -> None:
    """Waits until the app has nothing to do, not even in the background."""
    end = time.perf_counter() + _LONGEST_SECONDS
    spent = -1.0
    while terminal.cpu_seconds() - spent > _CALM_SECONDS and time.perf_counter() < end:
        spent = terminal.cpu_seconds()
        since = time.perf_counter()
        while time.perf_counter() - since < 1:
            terminal.read(0.1)


def _updated(terminal: Terminal) -> float:
    """The time of the last byte of the app's next output."""
    end = last = time.perf_counter() + _LONGEST_SECONDS
    while time.perf_counter() < min(end, last + _QUIET_SECONDS):
        if terminal.read(0.05):
            last = time.perf_counter()
    if last >= end:
        raise SystemExit("the app has not shown the edited note")
    return last


def searches(tree: Path, setup: Setup) -> dict[str, float]:
    """The 95th percentile of the searches in this process: wall and processor milliseconds."""
    from brvtui.session import Session

    session = Session.open(tree, str(setup.profile), time_of(tree), tree / "signals.json")
    session.load()
    session.search("warm", 1)
    _ = session.snapshot.hierarchy  # the app computes this before a query is typed
    took, spent = [], []
    for _ in range(_PASSES):
        session.snapshot.postings.forget()
        for item in json.loads(setup.queries.read_text(encoding="utf-8")):
            began, used = time.perf_counter(), time.process_time()
            session.search(item["query"], 10)
            took.append((time.perf_counter() - began) * 1000)
            spent.append((time.process_time() - used) * 1000)
    return {"search": percentile(took, 0.95), "search, processor": percentile(spent, 0.95)}


def engine(tree: Path, setup: Setup) -> dict[str, float]:
    """The real engine's time on ``tree`` in one process, minus all searches except one, and its own report."""
    command = ["node", str(setup.oracle), str(tree), "--time", "--queries", str(setup.queries)]
    env = {**os.environ, "BRV_PKG": str(setup.package)}
    began = time.perf_counter()
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    took = time.perf_counter() - began
    answer = json.loads(done.stdout)
    latency = answer["latency_ms"]
    others = latency["mean"] * (latency["n"] - 1) / 1000
    return {"query": took - others, "search": latency["p95"], "memory": answer["rss_mb"]}


def _line(column: Column) -> str:
    """A line with the last results of both."""
    ours = ", ".join(f"{name} {values[-1]:.4g}" for name, values in column.ours.items())
    return f"{ours}; engine " + ", ".join(f"{name} {values[-1]:.4g}" for name, values in column.engine.items())


def measure(column: Column, setup: Setup, rounds: int) -> None:
    """Fills ``column``. The preparation that all rounds share is done once in advance, and not measured."""
    listed = json.loads((column.tree / "queries.json").read_text(encoding="utf-8"))
    asked = [item for item in listed if str(item["query"]).strip()][:: -(-len(listed) // _MOST_QUERIES)]
    setup.queries.write_text(json.dumps(asked), encoding="utf-8")
    question = str(asked[0]["query"])
    cold_query(column.tree, setup, question)
    for number in range(rounds):
        column.add(cold_query(column.tree, setup, question))
        column.add(app(column.tree, setup, column.notes, idle=not number))
        command = [sys.executable, "-m", "benchmarks.scale", str(column.tree), "--search-with", str(setup.profile)]
        done = subprocess.run([*command, str(setup.queries)], capture_output=True, text=True, check=True)
        column.add(json.loads(done.stdout))
        if setup.package and setup.oracle and column.notes <= _ENGINE_READS:
            column.add(engine(column.tree, setup), of_engine=True)
        column.add({"load": os.getloadavg()[0]})
        print(f"{column.notes:,} notes, round {number + 1}: {_line(column)}", file=sys.stderr, flush=True)


ROWS = (
    ("cold `query`", ("query",), "{:.2f} s"),
    ("processor time of it", ("query, processor",), "{:.2f} s"),
    ("app: first paint / ready", ("first paint", "ready"), "{:.0f} ms"),
    ("processor time until then", ("first paint, processor", "ready, processor"), "{:.0f} ms"),
    ("one note edited → panes updated", ("edited",), "{:.0f} ms"),
    ("search, 95 % within", ("search",), "{:.1f} ms"),
    ("processor time of them, 95 % within", ("search, processor",), "{:.1f} ms"),
    ("memory: app", ("memory",), "{:.0f} MB"),
    ("memory: cold `query`", ("query, memory",), "{:.0f} MB"),
    ("idle, share of a core", ("idle",), "{:.1f} %"),
    ("load of the machine meanwhile", ("load",), "{:.1f}"),
)


def table(columns: list[Column]) -> Iterator[str]:
    """The lines of the table: each of our results, followed by the engine's, if there is one, and the ratio."""
    yield "| | " + " | ".join(f"{column.notes:,} notes" for column in columns) + " |"
    yield "| --- |" + " --- |" * len(columns)
    for title, names, form in ROWS:
        yield f"| {title} | " + " | ".join(_cell(column, names, form) for column in columns) + " |"


def _cell(column: Column, names: tuple[str, ...], form: str) -> str:
    made = " / ".join(form.format(median(column.ours[name])) for name in names)
    (other,) = (column.engine.get(name) for name in names[:1])
    if not other:
        return made
    ratio = median(one / another for one, another in zip(column.ours[names[0]], other, strict=True))
    return f"{made}; engine {form.format(median(other))}, ratio {ratio:.3f}"


@contextmanager
def trees(given: list[Path]) -> Iterator[list[Path]]:
    """The ``given`` trees, or a temporary one of each size."""
    if given:
        yield given
        return
    with tempfile.TemporaryDirectory() as folder:
        made = [Path(folder) / f"notes-{size}" for size in _SIZES]
        for place, size in zip(made, _SIZES, strict=True):
            many_terms.make(place, size, _TERMS, seed=1)
        yield made


def main() -> None:
    """Prints the setting and the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", type=Path, nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--package", type=Path)
    parser.add_argument("--oracle", type=Path)
    parser.add_argument("--search-with", type=Path, nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.search_with:
        print(json.dumps(searches(args.trees[0], Setup(*args.search_with, None, None))))
        return
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has bytecode files
    with tempfile.TemporaryDirectory() as folder, trees([tree.resolve() for tree in args.trees]) as found:
        os.environ["BRV_TUI_DATA_DIR"] = folder
        profile = Path(folder) / "unlimited.toml"
        profile.write_text(_UNLIMITED, encoding="utf-8")
        setup = Setup(profile, Path(folder) / "queries.json", args.package, args.oracle)
        columns = [Column(tree, len(list((tree / ".brv" / "context-tree").rglob("*.md")))) for tree in found]
        for column in columns:
            measure(column, setup, args.rounds)
    print(f"{setting()}; medians of {args.rounds} rounds")
    print("\n".join(table(columns)))


if __name__ == "__main__":
    main()
