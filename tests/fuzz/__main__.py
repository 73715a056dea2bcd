"""Fuzzes all targets for a time, each in a process with limits: ``python -m tests.fuzz --minutes 30``.

An input may take 2 s of processor time and 256 MB, and may raise only exceptions that its target declares. Inputs that
cause a new outcome are kept and mutated further. Prints the settings, the number of inputs of each target, and the
reduced findings; ``--found FOLDER`` stores the inputs there. The exit code is 1 if something was found.
"""

from __future__ import annotations

import argparse
import platform
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.isolation import CPU_SECONDS, MEMORY_MB, Isolated, Outcome
from tests.fuzz.reducing import reduced
from tests.fuzz.targets import TARGETS, Kind

_SLICE_S = 60.0
_SHOWN = 1_200
"""The maximum numbers of characters of a report, and of bytes of an input, to print."""
_MOST_KEPT = 300


@dataclass
class Fuzzed:
    """One target with its process, and the findings."""

    name: str
    kind: Kind
    process: Isolated
    pick: random.Random
    corpus: list[bytes] = field(default_factory=list)
    forms: set[str] = field(default_factory=set)
    inputs: int = 0
    seconds: float = 0.0
    most: Outcome = Outcome("")
    found: dict[str, bytes] = field(default_factory=dict)

    def run(self, seconds: float, folder: Path | None) -> None:
        """Tries inputs for ``seconds``."""
        seeds = self.process.start()
        began = time.monotonic()
        if not self.corpus:
            self.corpus = seeds
            for seed in self.corpus:
                self.forms.add(self.process.run(seed).kind)
        while time.monotonic() - began < seconds:
            data = self.kind.mutate(self.pick, self.pick.choice(self.corpus), self.corpus)
            if self.pick.random() < 0.2:
                data = self.kind.mutate(self.pick, data, self.corpus)
            self._try(data, folder)
        self.seconds += time.monotonic() - began

    def _try(self, data: bytes, folder: Path | None) -> None:
        outcome = self.process.run(data)
        self.inputs += 1
        if outcome.cpu_seconds > self.most.cpu_seconds:
            self.most = outcome
        if outcome.problem:
            if outcome.problem not in self.found:
                self._keep(data, outcome, folder)
        elif outcome.kind not in self.forms and len(self.corpus) < _MOST_KEPT:
            self.forms.add(outcome.kind)
            self.corpus.append(data)

    def _keep(self, data: bytes, outcome: Outcome, folder: Path | None) -> None:
        self.found[outcome.problem] = data
        smallest = reduced(data, lambda other: self.process.run(other).problem == outcome.problem)
        self.found[outcome.problem] = smallest
        print(f"FOUND {self.name}: {outcome.problem}\n{outcome.report[-_SHOWN:]}\n{smallest[:_SHOWN]!r}", flush=True)
        if folder:
            place = folder / self.name.replace(" ", "_")
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{len(self.found)}").write_bytes(smallest)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", action="append", choices=[*TARGETS], help="only this one; may be repeated")
    parser.add_argument("--found", type=Path, help="keeps what was found here, a file each")
    options = parser.parse_args(arguments)
    names = options.target or [*TARGETS]
    print(
        f"Python {platform.python_version()}, seed {options.seed}, {options.minutes:g} minutes, one process; for each"
        f" input at most {CPU_SECONDS:g} s of processor time and {MEMORY_MB:g} MB"
    )
    with tempfile.TemporaryDirectory() as place:
        fuzzed = [
            Fuzzed(name, TARGETS[name], Isolated(name, Path(place)), random.Random(f"{options.seed} {name}"))
            for name in names
        ]
        shares = sum(one.kind.share for one in fuzzed)
        seconds = options.minutes * 60
        rounds = max(1, round(seconds / (_SLICE_S * len(fuzzed))))
        try:
            for _ in range(rounds):
                for one in fuzzed:
                    one.run(seconds / rounds * one.kind.share / shares, options.found)
                    one.process.stop()
        finally:
            for one in fuzzed:
                one.process.stop()
    return _report(fuzzed)


def _report(fuzzed: list[Fuzzed]) -> int:
    print(f"{'target':<20}{'inputs':>9}{'answers':>9}{'seconds':>9}{'slowest s':>11}{'found':>7}")
    for one in fuzzed:
        answers = len(one.forms)
        slowest = one.most.cpu_seconds
        print(f"{one.name:<20}{one.inputs:>9}{answers:>9}{one.seconds:>9.0f}{slowest:>11.2f}{len(one.found):>7}")
    inputs, found = sum(one.inputs for one in fuzzed), sum(len(one.found) for one in fuzzed)
    print(f"tried: {inputs}, found: {found}")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
