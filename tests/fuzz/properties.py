"""Runs the tests of this folder for a number of minutes, with new random numbers in each round.

``python -m tests.fuzz.properties --minutes 30`` stops at the first round that finds something, and prints the report.
Otherwise, it prints the number of rounds and examples.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from tests.fuzz.budget import VARIABLE

HERE = Path(__file__).parent


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--examples", type=int, default=2_000, help="of each target in a round")
    parser.add_argument("--seed", type=int, default=1, help="of the first round")
    options = parser.parse_args(arguments)
    began, rounds = time.monotonic(), 0
    while time.monotonic() - began < options.minutes * 60:
        command = [sys.executable, "-m", "pytest", "-q", "-n0", "-x", "-p", "no:cacheprovider", "--timeout", "0"]
        seed = options.seed + rounds
        done = subprocess.run(
            [*command, f"--hypothesis-seed={seed}", str(HERE)],
            env={**os.environ, VARIABLE: str(options.examples)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            print(f"seed {seed}\n{done.stdout}{done.stderr}")
            return 1
        rounds += 1
        print(f"seed {seed}: nothing, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{rounds} rounds of {options.examples} examples of each target: nothing")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
