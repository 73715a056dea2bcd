"""Measures in the headless app how soon all rows of the Lab follow a slider.

    python -m benchmarks.lab_slider FOLDER [--steps 15] [--warm 2]

Asks 30 judged queries over 1,000 notes and 1,000 over 10,000 notes, in projects that are made below FOLDER if they do
not exist. Then moves a threshold, a weight, the clock and a note's importance step by step. Prints the milliseconds
from a step until the row under the cursor, and until every row, has its new answer, and the processor time of a step.
The first ``--warm`` steps of each slider are left out: they may have to look up what the others reuse. Set
``BRV_TUI_DATA_DIR`` to a folder that may be written to.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.evaluation import judge
from benchmarks.lab import is_asked, opened, until
from benchmarks.notes import make
from benchmarks.timings import setting
from brvtui.app.app import BrvTui
from brvtui.app.lab.judged import JudgedPane
from brvtui.app.lab.what_if import WhatIfPane
from brvtui.app.project.opening import Opening

_SIZES = ((1_000, 30), (10_000, 1_000))
_SLIDERS = ("direct.min_top", "score.importance", "clock days", "importance")


async def measure(root: Path, steps: int, warm: int) -> None:
    """Prints a line for each slider and measurement."""
    gc.disable()  # as the app starts; once the project is open, it collects seldom
    app = BrvTui(Opening(root))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot)
        await until(lambda: is_asked(app))
        await pilot.press("f4")
        table, sliders = app.screen.query_one(JudgedPane), app.screen.query_one(WhatIfPane)
        for name in _SLIDERS:
            sliders.move_to(next(place for place, key in enumerate(sliders.choices) if key.endswith(name)))
            rows: list[tuple[float, float, float]] = []
            for _ in range(steps + warm):
                begun, own = time.perf_counter(), time.process_time()
                before = app.view.lab.columns[1].cells if app.view.lab.what_if is not None else {}
                was = app.view.lab.what_if
                sliders.action_step(-1 if name == "direct.min_top" else 1)
                await until(lambda was=was: app.view.lab.what_if != was)  # type: ignore[misc]
                old = before.get(table.chosen)
                await until(lambda old=old: app.view.lab.columns[1].cells.get(table.chosen) is not old)  # type: ignore[misc]
                row = time.perf_counter()
                await until(lambda: is_asked(app))
                rows.append((row - begun, time.perf_counter() - begun, time.process_time() - own))
                await asyncio.sleep(0.3)
            for what, times in zip(("row", "all rows", "processor time"), zip(*rows[warm:], strict=True), strict=True):
                print(f"{name}, {what}: {summary(times)}")


def summary(seconds: Sequence[float]) -> str:
    """The median, and the lowest and highest value, in milliseconds."""
    middle, low, high = (1000 * each for each in (statistics.median(seconds), min(seconds), max(seconds)))
    return f"median {middle:.0f} ms, {low:.0f} to {high:.0f} ms"


def main() -> None:
    """Prints the setting, then the measurements for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=15)
    parser.add_argument("--warm", type=int, default=2)
    given = parser.parse_args()
    print(setting())
    for notes, queries in _SIZES:
        root = given.folder / str(notes)
        if not root.exists():
            make(root, notes)
            judge(root, notes, queries)
        print(f"\n{notes} notes, {queries} queries, {given.steps} steps")
        asyncio.run(measure(root, given.steps, given.warm))


if __name__ == "__main__":
    main()
