"""Runs the same queries in ByteRover 3.14 and in this tool, on random trees of template notes with many equal scores.

    python -m benchmarks.tie_trees [--trees 500] [--first 1] [--package NODE_MODULES/byterover-cli] [--keep FOLDER]

The notes of a tree differ in only a word or two: by letters at the end, digits, or characters of other scripts.
Therefore, many scores are equal, and the engine's index determines the order of such notes. Order, scores, totals and
tiers are compared. By default, the package is the one in ``BRV_TUI_BYTEROVER_PACKAGE``. Prints each difference and the
counts; the exit code is 1 if anything differs. ``--keep`` writes the trees with differences.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brvtui.engines.byterover import profile as profiles
from brvtui.engines.verification.installed import find_package
from brvtui.loading import load
from brvtui.tree.reading.project import find_project
from brvtui.tree.reading.signals import SignalLayers, defaults, read_signals_file
from tests.support import recorded

NOW_MS = 1_795_176_000_000.0
_DAY_MS = 86_400_000
_QUERIES = 20
_AT_ONCE = 25
"""The number of trees for each process of the engine."""
_STEMS = (
    "sprint",
    "queue",
    "cache",
    "route",
    "token",
    "a",
    "x1",
    "10",
    "2024",
    "Straße",
    "退款",
    "トークン",
    "환불",
    "😀",
)
_ENDS = ("", "s", "er", "ers", "ing", "11", "21", "ab", "ba", "款", "😀", "é")
_LETTERS = "abdenrst0123退é"
_NAMES = ("{number}", "n{number:02}", "n{number:02}_{one}", "{one}_{two}", "{any}")
_SHAPES = (
    "# Note {one}\n\nAbout the usual thing.\n",
    "# Note\n\nAbout {one} as usual.\n",
    "# {one} {two}\n\nNothing else.\n",
    "# {two}\n\n{one} and {one} and {two}.\n",
    "# Same title\n\nSame text.\n",
    "---\ntags: [{one}]\nkeywords: [{two}]\n---\n# Note {two}\n\nText {one}.\n",
    "# Note {one}\n\n{three} {two} {one}\n{one} {two} {three}\n",
)
_INDEX = "---\ntype: summary\ncondensation_order: 1\ntoken_count: 5\n---\nA summary of {one}.\n"


@dataclass(frozen=True)
class TieTree:
    """The files of a tree, keyed by path (text, modification time in ms), the stored signals, and queries."""

    files: dict[str, tuple[str, int]]
    signals: dict[str, dict[str, object]]
    queries: list[str]

    def write(self, project: Path) -> None:
        """Writes the tree to the folder ``project``, with the input of the oracle's driver."""
        for path, (text, mtime_ms) in self.files.items():
            file = project / ".brv" / "context-tree" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            os.utime(file, ns=(mtime_ms * 1_000_000,) * 2)
        (project / ".brv" / "config.json").write_text("{}\n", encoding="utf-8")
        (project / "now.txt").write_text("2026-11-20T12:00:00+00:00", encoding="utf-8")
        queries = [{"id": place, "kind": "tie", "query": query} for place, query in enumerate(self.queries)]
        for name, value in {"queries": queries, "signals": self.signals, "sequence": []}.items():
            (project / f"{name}.json").write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def tie_tree(seed: int) -> TieTree:
    """The tree for this ``seed``, always the same: 2 to 70 notes in one or two shapes, and up to 20 queries."""
    rng = random.Random(seed)
    stems = rng.sample(_STEMS, rng.randint(1, 3))
    ends = rng.sample(_ENDS, rng.randint(3, 5))
    if rng.random() < 0.75:  # all have the same length, and so the same weights
        letters = rng.sample(_LETTERS, rng.randint(2, 9))
        ends = [one + two for one in letters for two in letters]
    words = rng.sample([stem + end for stem in stems for end in ends], len(stems) * len(ends))
    shapes = rng.sample(_SHAPES, rng.choice((1, 1, 1, 2)))
    names = rng.sample(_NAMES, rng.choice((1, 1, 2)))
    below = rng.sample(("", "/x", "/y", "/x/deep"), rng.choice((1, 1, 2)))
    domains = rng.sample(("plan", "a", "b", "Queue", "10", "2", "退"), rng.randint(1, 3))
    ages = rng.sample((0.2, 3, 10, 45), rng.choice((1, 1, 1, 2)))
    rarely = rng.choice((0.0, 0.0, 0.05))
    files: dict[str, tuple[str, int]] = {}
    signals: dict[str, dict[str, object]] = {}
    for number in range(rng.choice((2, 4, 8, 12, 20, 35, 55, 70))):
        chosen = [words[number % len(words)], words[-1 - number % len(words)], rng.choice(words)]
        filled = dict(zip(("one", "two", "three"), chosen, strict=True))
        name = rng.choice(names).format(number=number, any=rng.randint(0, 3000), **filled)
        folder = rng.choice(domains) + rng.choice(below)
        path = f"{folder}/context.md" if rng.random() < rarely else f"{folder}/{name}.md"
        age = rng.choice(ages)
        mtime = int(NOW_MS - age * _DAY_MS) - (number if age < 1 else 0)
        files[path] = rng.choice(shapes).format(**filled), mtime
        if rng.random() < rarely:
            files[f"{folder}/_index.md"] = _INDEX.format(**filled), mtime
        if rng.random() < rarely:
            signals[path] = {
                "accessCount": 0, "importance": rng.choice((50, 90, 100)), "recency": 1, "updateCount": 0,
                "maturity": rng.choice(("draft", "validated", "core")),
            }  # fmt: skip
    return TieTree(files, signals, _queries(rng, stems, words, domains))


def _queries(rng: random.Random, stems: Sequence[str], words: Sequence[str], domains: Sequence[str]) -> list[str]:
    made = [*stems, *(stem[:-1] for stem in stems), "note", "same", "n", "usual nothing", "text note"]
    for _ in range(4):
        one, two = rng.choice(words), rng.choice(words)
        stem, place = rng.choice(stems), rng.randrange(len(one))
        made += [
            one, f"{stem} {rng.choice(stems)}", f"{stem} note", f"{one} {stem} {one}", f"{one} {two}",
            f"{stem} zqxwvut", one[:place] + "z" + one[place + 1 :], one[:place] + one[place + 1 :],
            f"{rng.choice(domains)} {stem}", f"{rng.choice(domains)}/x {stem}",
        ]  # fmt: skip
    each = list(dict.fromkeys(query for query in made if query.strip()))
    return rng.sample(each, min(len(each), _QUERIES))


def answered(projects: Sequence[Path], package: Path) -> Iterator[dict[str, Any]]:
    """The answers of the engine in ``package`` for each of ``projects``, in the format of recorded answers."""
    driver = str(Path(__file__).with_suffix(".mjs"))
    command = ["node", driver, str(package), repr(NOW_MS), *map(str, projects)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return map(json.loads, done.stdout.splitlines())


def differences(project: Path, answers: dict[str, Any]) -> list[str]:
    """One line for each answer of this tool on ``project`` that differs."""
    profile = profiles.load("brv-3")
    layers = SignalLayers((read_signals_file(project / "signals.json", defaults(profile.signals)),))
    snapshot = load(find_project(project), profile, NOW_MS, layers)
    return [
        *recorded.search_differences(snapshot, NOW_MS, answers),
        *recorded.route_differences(snapshot, NOW_MS, answers),
    ]


def compare(seeds: Sequence[int], package: Path, keep: Path | None = None) -> tuple[int, list[str]]:
    """The number of queries on the trees of ``seeds``, and the answers that differ; their trees are kept."""
    queries, found = 0, []
    for first in range(0, len(seeds), _AT_ONCE):
        with tempfile.TemporaryDirectory() as folder:
            projects = {seed: Path(folder).resolve() / str(seed) for seed in seeds[first : first + _AT_ONCE]}
            for seed, project in projects.items():
                tie_tree(seed).write(project)
            for (seed, project), answers in zip(
                projects.items(), answered(list(projects.values()), package), strict=True
            ):
                queries += len(answers["cases"])
                lines = differences(project, answers)
                found += [f"tree {seed}: {line}" for line in lines]
                if lines and keep:
                    tie_tree(seed).write(keep / str(seed))
    return queries, found


def main() -> int:
    """Compares the trees of consecutive seeds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=int, default=500)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--package", type=Path)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    installed = find_package(options.package)
    seeds = range(options.first, options.first + options.trees)
    queries, found = compare(seeds, installed.folder, options.keep)
    print("\n".join(found))
    print(f"{installed.name}: {options.trees} trees, {queries} queries, {len(found)} answers differ")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
