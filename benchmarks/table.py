"""Measures speed and memory, with the peers in turns, and prints one table.

    python -m benchmarks.table [--large] [--package NODE_MODULES/byterover-cli --oracle brv_oracle.mjs] [--rounds 3]

Writes the result to ``benchmarks/results``, and to the page ``docs/reference/performance.md``, unless it has fewer than
three rounds or lacks the real engine. Keeps generated notes in
``.benchmarks``. The real engine takes part if ``--package`` and ``--oracle``, or BRV_PKG and BRV_ORACLE in the
environment, name it and a script that drives it. ``--python`` is the interpreter of an environment in which brv-tui is
installed, for the first frame, commands and the app. ``--large`` adds 100,000 notes and fleets. ``--only`` measures
some groups, and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import app_edits, first_paint, fleet_scale, fleet_trees, lab_slider, many_terms
from benchmarks.notes import make as make_linked
from benchmarks.timings import process_seconds, setting

ROOT = Path(__file__).parent.parent
PAGE, RESULTS = ROOT / "docs/reference/performance.md", ROOT / "benchmarks/results"
_HEADING = "\n## Results\n"
_SAMPLE, _KEPT = ROOT / "sample-tree", ROOT / ".benchmarks"
_SMALL, _MANY, _VERY_MANY = 1_000, 10_000, 100_000
_TERMS, _QUERIES, _FILES, _STARTS = 10_000, 50, 500, 5
_MEMBERS = (100, 1_000)
_QUESTIONS = ("where is the answer to a query cached", "how are notes parsed and their links resolved")
_IN_A_PROCESS = (
    "import importlib, json, pathlib, sys; function = getattr(importlib.import_module(sys.argv[1]), sys.argv[2]);"
    " print(json.dumps(function(*map(pathlib.Path, sys.argv[3:]))))"
)


@dataclass(frozen=True)
class Row:
    """One line of the table: the values of each round, and those of the peer in the same rounds."""

    name: str
    ours: Sequence[float]
    unit: str = "ms"
    peer: str = ""
    theirs: Sequence[float] = ()
    goal: float = 0
    """The highest value or, with a peer, the highest ratio; if ``by_speed``, the lowest. 0 if there is no goal."""
    by_speed: bool = False
    """True if the ratio says how many times faster than the peer we are."""
    cpu: Sequence[float] = ()
    """The processor time of each round, if the values are times on the clock."""

    @property
    def ratios(self) -> list[float]:
        """Our value divided by the peer's in each round; inverted if ``by_speed``."""
        pairs = zip(self.ours, self.theirs, strict=bool(self.theirs))
        return [theirs / ours if self.by_speed else ours / theirs for ours, theirs in pairs]

    def __str__(self) -> str:
        value = _spread(self.ours, self.unit) + (f"; CPU {_number(median(self.cpu))} {self.unit}" if self.cpu else "")
        peer = f"{self.peer}: {_spread(self.theirs, self.unit)}" if self.theirs else self.peer or "–"
        ratio = _spread(self.ratios, "×") + " faster" * self.by_speed if self.theirs else "–"
        return f"| {self.name} | {value} | {peer} | {ratio} | {self._goal} | {self._met} |"

    @property
    def _goal(self) -> str:
        if not self.goal:
            return "–"
        limit = f"{self.goal:g}× faster" if self.by_speed else f"{self.goal:g}×"
        return f"≥ {limit}" if self.by_speed else f"≤ {limit if self.peer else f'{self.goal:,g} {self.unit}'}"

    @property
    def _met(self) -> str:
        values = self.ratios if self.peer else self.ours
        if not self.goal or not values:
            return "–"
        met = sum(value >= self.goal if self.by_speed else value <= self.goal for value in values)
        return "met" if met == len(values) else f"met in {met} of {len(values)}" if met else "**missed**"


def _number(value: float) -> str:
    """``value`` with about three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _spread(values: Sequence[float], unit: str) -> str:
    """The median, and the lowest and highest value."""
    space = "" if unit == "×" else " "
    return f"{_number(median(values))}{space}{unit} ({_number(min(values))}–{_number(max(values))})"


@dataclass(frozen=True)
class Bench:
    """The options of a run."""

    python: Path
    rounds: int
    sizes: Sequence[int]
    """The numbers of notes to search."""
    members: Sequence[int]
    """The numbers of members of fleets."""
    engine: tuple[Path, Path] | None
    """The real engine's package, and the script that drives it."""
    scratch: Path

    @property
    def program(self) -> str:
        """The installed command."""
        return str(self.python.absolute().with_name("brv-tui"))

    def tree(self, notes: int) -> Path:
        """A generated tree of plain notes, made if it does not exist."""
        tree = _KEPT / f"plain-{notes}"
        if not (tree / "queries.json").exists():
            many_terms.make(tree, notes, _TERMS, seed=1)
        return tree

    @property
    def profile(self) -> Path:
        """A profile that lifts ByteRover's limit of 10,000 files."""
        file = self.scratch / "unlimited.toml"
        file.write_text("[limits]\nmax_files = 0\n", encoding="utf-8")
        return file

    def _medians(self, values: Sequence[float]) -> list[float]:
        """The median of each round's starts."""
        return [median(values[at : at + _STARTS]) for at in range(0, len(values), _STARTS)]

    def first_frame(self) -> Iterator[Row]:
        ours, empty = first_paint.measure(self.python, _SAMPLE, self.rounds * _STARTS)
        for name, kind in (("First frame", "wall"), ("First frame, CPU", "processor")):
            ours_ms, empty_ms = (self._medians([getattr(start, kind) for start in starts]) for starts in (ours, empty))
            yield Row(name, ours_ms, peer="empty Textual app", theirs=empty_ms, goal=1.4)

    def commands(self) -> Iterator[Row]:
        query = ("query", "how do we replay the dead letter lane", "--project", str(_SAMPLE))
        completion = {"_BRV_TUI_COMPLETE": "bash_complete", "COMP_WORDS": "brv-tui qu", "COMP_CWORD": "1"}
        alone, with_numpy = "import click", "import click, numpy"
        runs: dict[str, Callable[[], tuple[float, float]]] = {
            alone: partial(process_seconds, str(self.python), "-c", alone),
            with_numpy: partial(process_seconds, str(self.python), "-c", with_numpy),
            "`brv-tui query`, cold": partial(process_seconds, self.program, *query),
            "`brv-tui --help`": partial(process_seconds, self.program, "--help"),
            "`brv-tui --version`": partial(process_seconds, self.program, "--version"),
            "Completion of a command": partial(process_seconds, self.program, **completion),
        }
        rounds = [{name: run()[1] * 1000 for name, run in runs.items()} for _ in range(1 + self.rounds * _STARTS)][1:]
        ms = {name: self._medians([one[name] for one in rounds]) for name in runs}
        for name in list(runs)[2:]:
            peer, goal = (with_numpy, 3) if "query" in name else (alone, 1.5)
            yield Row(f"{name}, CPU", ms[name], peer=f"Python, `{peer}`", theirs=ms[peer], goal=goal)

    def search(self) -> Iterator[Row]:
        for notes in self.sizes:
            tree, queries = self.tree(notes), self.scratch / f"queries-{notes}.json"
            rows = json.loads((tree / "queries.json").read_text(encoding="utf-8"))
            queries.write_text(json.dumps(rows[:: -(-len(rows) // _QUERIES)]), encoding="utf-8")
            runs: dict[str, Callable[[], Any]] = {
                "brv_tui": partial(in_process, "search_speed", "brv_tui", tree, queries, self.profile),
                "SQLite FTS5": partial(in_process, "search_speed", "fts5", tree, queries),
                "tantivy": partial(in_process, "search_speed", "tantivy", tree, queries),
                "bm25s": partial(in_process, "search_speed", "bm25s", tree, queries),
            }
            if self.engine and notes <= _MANY:  # the engine reads at most 10,000 files
                runs["ByteRover"] = partial(in_process, "search_speed", "engine", tree, queries, *self.engine)
            rounds = [{name: run() for name, run in runs.items()} for _ in range(self.rounds)]
            yield from self._searches(notes, rounds)

    def _searches(self, notes: int, rounds: Sequence[dict[str, Any]]) -> Iterator[Row]:
        """A row for each peer: the real engine, and other searches, which return no trace."""
        by_engine = (
            ("search", "p50", f"Search of {notes:,} notes with its trace, median", 80),
            ("search", "p95", f"Search of {notes:,} notes with its trace, 95 % within", 80),
            ("answer", "p50", f"Answer over {notes:,} notes with its trace, median", 80),
            ("answer", "p95", f"Answer over {notes:,} notes with its trace, 95 % within", 80),
            ("process", "open", f"Opening {notes:,} notes without a saved index", 0),
            ("process", "mb", f"Memory of the process that searches {notes:,} notes", 0),
        )
        for kind, key, name, goal in by_engine:
            ours, unit = [one["brv_tui"][kind][key] for one in rounds], "MB" if key == "mb" else "ms"
            theirs = [one["ByteRover"][key] for one in rounds if "ByteRover" in one]
            reason = "it reads at most 10,000 files" if notes > _MANY else "no engine"
            peer = f"ByteRover not measured: {reason}" if not theirs else "ByteRover’s search" if goal else "ByteRover"
            yield Row(name, ours, unit, peer, theirs, goal if notes == _MANY else 0, by_speed=goal > 0)
        ours = [one["brv_tui"]["search"]["p50"] for one in rounds]
        for peer in ("SQLite FTS5", "tantivy", "bm25s"):
            name = f"Search of {notes:,} notes, median"
            if rounds[0][peer]:
                yield Row(name, ours, peer=f"{peer}, no trace", theirs=[one[peer]["p50"] for one in rounds])
            else:
                yield Row(name, ours, peer=f"{peer} not measured: not installed")

    def lab(self) -> Iterator[Row]:
        for notes, queries, goal_ms in ((_SMALL, 30, 50), (_MANY, 1_000, 2_000)):
            root = lab_slider.project(_KEPT / "judged", notes, queries)
            for slider, (walls, own) in in_process("lab_slider", "steps", root).items():
                ms, cpu = ([1000 * each for each in times] for times in (walls, own))
                name = f"Lab: updating {queries:,} rows over {notes:,} notes after a change of `{slider}`"
                yield Row(name, ms, goal=goal_ms, cpu=cpu)

    def knowing(self) -> Iterator[Row]:
        rounds = [in_process("knowing_speed", "measure", self.tree(_MANY)) for _ in range(self.rounds)]
        wall, cpu = zip(*rounds, strict=True)
        yield Row(f"`knowing` answers over {_MANY:,} notes, 95 % within", wall, goal=20, cpu=cpu)

    def code(self) -> Iterator[Row]:
        root = self.scratch / "code"
        for file in sorted((ROOT / "brvtui").rglob("*.py"))[:_FILES]:
            place = root / file.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, place)
        times: list[list[tuple[float, float]]] = [[], []]
        for number in range(self.rounds):
            kept = {"BRV_TUI_DATA_DIR": str(self.scratch / f"code-{number}")}
            for question, taken in zip(_QUESTIONS, times, strict=True):
                taken.append(process_seconds(self.program, "code", question, "--repo", str(root), **kept))
        for name, goal, taken in zip(("first", "later"), (4, 0.7), times, strict=True):
            wall, cpu = zip(*taken, strict=True)
            yield Row(f"`brv-tui code` on {_FILES} files, {name} question", wall, "s", goal=goal, cpu=cpu)

    def app(self) -> Iterator[Row]:
        sample = self.scratch / "sample"
        shutil.copytree(_SAMPLE, sample)
        for notes in (0, *self.sizes):
            tree = self.tree(notes) if notes else sample
            starts = [app_edits.measure(tree, self.profile, self.python) for _ in range(self.rounds)]
            name = f"{notes:,} notes" if notes else "the sample (75 notes)"
            goals = {0: 30, _MANY: 40}
            yield Row(f"Edit to panes, {name}", [one["edited"] for one in starts], goal=goals.get(notes, 0))
            limits = {_MANY: 100, _VERY_MANY: 450}
            for key, when in (("memory", "one query"), ("memory, edited", "three edits")):
                mb = [one[key] for one in starts]
                yield Row(f"Memory of the app, {name}, after {when}", mb, "MB", goal=limits.get(notes, 0))

    def health(self) -> Iterator[Row]:
        root = _KEPT / f"linked-{_MANY}"
        if not root.exists():
            part = root.with_name(f"{root.name}.part")
            shutil.rmtree(part, ignore_errors=True)
            make_linked(part, _MANY)
            part.rename(root)
        times = in_process("health", "measure", root, Path(self.program))
        for name, goal in (("first run", 10), ("after one edit", 1)):
            wall, cpu = zip(*times[name], strict=True)
            yield Row(f"`brv-tui health` over {_MANY:,} notes, {name}", wall, "s", goal=goal, cpu=cpu)

    def fleets(self) -> Iterator[Row]:
        for count in self.members:
            members = fleet_trees.make_fleet(_KEPT / "fleet", count, _SMALL)
            kinds = {
                "rare words": fleet_trees.rare_queries(20, count),
                "common words": fleet_trees.common_queries(20),
            }
            texts, cache = list(kinds.values()), self.scratch / "fleet"
            rounds = [fleet_scale.measure(members, 2, texts, cache) for _ in range(self.rounds)]
            name, has_goals = f"Fleet of {count:,} × {_SMALL:,} notes", count == max(_MEMBERS)
            cpu = [one.first_opening[1] for one in rounds]
            yield Row(f"{name}, first opening, CPU", cpu, "s", goal=114 * has_goals)
            for place, (kind, goal) in enumerate(zip(kinds, (300, 1_500), strict=True)):
                for way in ("each", "one"):
                    ms = [getattr(one, way)[place].p95 for one in rounds]
                    ranking = "each by its engine" if way == "each" else "one ranking"
                    yield Row(f"{name}, {kind}, {ranking}, 95 % within", ms, goal=goal * has_goals)
            yield Row(
                f"{name}, memory of a process", [max(one.megabytes) for one in rounds], "MB", goal=1_500 * has_goals
            )


def in_process(module: str, function: str, *paths: Path) -> Any:
    """The result of a function of a benchmark, called with ``paths`` in a new process."""
    command = [sys.executable, "-c", _IN_A_PROCESS, f"benchmarks.{module}", function, *map(str, paths)]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


_LEAST_ROUNDS = 3
"""A result with fewer rounds, or without the real engine, is only printed."""
GROUPS: dict[str, Callable[[Bench], Iterator[Row]]] = {
    "first-frame": Bench.first_frame,
    "commands": Bench.commands,
    "search": Bench.search,
    "lab": Bench.lab,
    "knowing": Bench.knowing,
    "code": Bench.code,
    "app": Bench.app,
    "health": Bench.health,
    "fleets": Bench.fleets,
}


def write(result: str, day: str) -> None:
    """Writes a result of ``day``, and the page that shows it."""
    (RESULTS / f"{day}-{os.cpu_count()}c.md").write_text(f"# Speed and memory, {day}\n\n{result}", encoding="utf-8")
    introduction = PAGE.read_text(encoding="utf-8").partition(_HEADING)[0]
    PAGE.write_text(f"{introduction}{_HEADING}\n{result}", encoding="utf-8")


def main() -> None:
    """Prints the setting and the table, and writes both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--only", nargs="+", choices=GROUPS, metavar="GROUP")
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    parser.add_argument("--package", type=Path, default=os.environ.get("BRV_PKG"))
    parser.add_argument("--oracle", type=Path, default=os.environ.get("BRV_ORACLE"))
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    engine = (given.package.resolve(), given.oracle.resolve()) if given.package and given.oracle else None
    sizes = (_SMALL, _MANY, _VERY_MANY) if given.large else (_SMALL, _MANY)
    day, load, begun = f"{datetime.now(UTC):%Y-%m-%d}", os.getloadavg()[0], time.monotonic()
    lines = [
        "| measurement | brv-tui | peer | ratio | goal | |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    print("\n".join(lines))
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["BRV_TUI_DATA_DIR"] = str(Path(scratch) / "data")
        bench = Bench(given.python, given.rounds, sizes, _MEMBERS, engine, Path(scratch))
        for name in given.only or [name for name in GROUPS if given.large or name != "fleets"]:
            for row in GROUPS[name](bench):
                print(row, flush=True)
                lines.append(str(row))
    minutes = (time.monotonic() - begun) / 60
    loads = f"load {load:.1f} before and {os.getloadavg()[0]:.1f} after the run"
    about = f"{day}, {setting()}, {loads}, which took {minutes:.0f} minutes."
    print(f"\n{about}")
    if not given.only and engine and given.rounds >= _LEAST_ROUNDS:
        write("\n".join([about, "", *lines, ""]), day)


if __name__ == "__main__":
    main()
