"""A fleet's patterns over the whole file system, over folders that vanish, and over endless trees."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.attacks.harness import Attack, report

PATTERNS = ("/**/", "/*/*/*", "/**/.brv", "/proc/*/*/*", "/proc/**/cwd/*", "/[p]roc/*/task/*/cwd", "/**/**/*")
BELOW = ("*/*/*/*/*", "**/**/**/**/shop", "links/*/links/*/links/*/shop", "[!", "*" * 5_000, "a/" * 2_000 + "*")
_VANISHING = """
import os, sys, threading
from pathlib import Path
from brvtui.fleet.finding import fleet_over
folder, running = Path(sys.argv[-1]), True

def change():
    while running:
        for number in range(300):
            os.makedirs(folder / f"v{number}/a", exist_ok=True)
        for number in range(300):
            for path in ("a", ""):
                os.rmdir(folder / f"v{number}" / path)

changing = threading.Thread(target=change)
changing.start()
try:
    for pattern in ("*", "*/*", "**/*", "*/a/../../shop", "v*/a") * 5:
        found = fleet_over([pattern, "shop"], folder)
        assert [member for member in found.members if member.name == "shop"], found
finally:
    running = False
    changing.join()
"""


def _over(pattern: str) -> Callable[[Path], Sequence[str | Path]]:
    def prepare(folder: Path) -> Sequence[str | Path]:
        for place in (folder / "shop", folder / "links"):
            tree = place / ".brv" / "context-tree"
            tree.mkdir(parents=True)
            (tree / "gate.md").write_text("# North gate\n\nopens at six\n")
            (place / ".brv" / "config.json").write_text("{}")
        for number in range(60):
            (folder / "links" / f"{number}").symlink_to(folder)
        return ["fleet", "query", "gate", "--over", f"{folder}/{pattern}"]

    return prepare


_FIND = """
import sys
from pathlib import Path
from brvtui.fleet.finding import fleet_over
found = fleet_over([sys.argv[2]], Path("/"))
assert found.members or found.absent
"""


def _all() -> Iterator[Attack]:
    for pattern in PATTERNS:
        yield Attack(f"the pattern {pattern}", lambda _, pattern=pattern: ["--over", pattern, "."], _FIND)
    for pattern in BELOW:
        yield Attack(f"the pattern {pattern:.40} over linked folders", _over(pattern))
    yield Attack("folders that vanish while a pattern is expanded", _vanishing, _VANISHING)


def _vanishing(folder: Path) -> Sequence[str | Path]:
    _over("")(folder)
    return [folder]


ATTACKS = tuple(_all())

if __name__ == "__main__":
    sys.exit(bool(report(ATTACKS)))
