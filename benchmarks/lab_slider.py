"""Measures in the headless app how soon all rows of the Lab follow a slider.

    python -m benchmarks.lab_slider FOLDER [--steps 15]

Asks 30 judged queries over 1,000 notes and 1,000 over 10,000 notes, in projects that are made below FOLDER if they do
not exist. Then moves a threshold, a weight, the clock and a note's importance step by step. Prints the milliseconds
from a step until every row has its new answer, and the processor time of the threads that ask, without painting. The
first step of each slider is left out, because it may look up what the others reuse. Set ``BRV_TUI_DATA_DIR``.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import shutil
import statistics
import time
from pathlib import Path

from benchmarks.evaluation import judge
from benchmarks.lab import is_asked, opened, until
from benchmarks.notes import make
from benchmarks.timings import setting
from brvtui.app.app import BrvTui
from brvtui.app.lab.what_if import WhatIfPane
from brvtui.app.project.opening import Opening

_SIZES = ((1_000, 30), (10_000, 1_000))
_FEW_STEPS = 3
_SLIDERS = ("direct.min_top", "score.importance", "days", ".md:importance")


async def measure(root: Path, steps: int) -> dict[str, tuple[list[float], list[float]]]:
    """The seconds of each step until all rows have their answers, and of the processor, keyed by slider."""
    times: dict[str, tuple[list[float], list[float]]] = {}
    gc.disable()  # as the app starts; once the project is open, it collects seldom
    app = BrvTui(Opening(root))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot)
        await until(lambda: is_asked(app))
        await pilot.press("f4")
        sliders = app.screen.query_one(WhatIfPane)
        for name in _SLIDERS:
            key = next(key for key in sliders.choices if key == name or (name[0] == "." and key.endswith(name)))
            sliders.move_to(sliders.choices.index(key))
            walls, own = list[float](), list[float]()
            for _ in range(1 + steps):
                await asyncio.sleep(0.5)
                was, begun = app.view.lab.what_if, time.perf_counter()
                all_threads, painting = time.process_time(), time.thread_time()
                sliders.action_step(1)
                await until(lambda was=was: app.view.lab.what_if != was and is_asked(app))  # type: ignore[misc]
                walls.append(time.perf_counter() - begun)
                own.append(time.process_time() - all_threads - time.thread_time() + painting)
            times[name] = walls[1:], own[1:]
            sliders.action_reset()
            await until(lambda: app.view.lab.what_if is None and is_asked(app))
    return times


def steps(root: Path) -> dict[str, tuple[list[float], list[float]]]:
    """The times of a few steps of each slider."""
    return asyncio.run(measure(root, _FEW_STEPS))


def project(folder: Path, notes: int, queries: int) -> Path:
    """A project below ``folder`` with ``notes`` notes and ``queries`` judged queries, made if it does not exist."""
    root = folder / str(notes)
    if not root.exists():
        part = folder / f"{notes}.part"
        shutil.rmtree(part, ignore_errors=True)
        make(part, notes)
        judge(part, notes, queries)
        part.rename(root)
    return root


def summary(seconds: list[float]) -> str:
    """The median, and the lowest and highest value, in milliseconds."""
    middle, low, high = (1000 * each for each in (statistics.median(seconds), min(seconds), max(seconds)))
    return f"median {middle:.0f} ms, {low:.0f} to {high:.0f} ms"


def main() -> None:
    """Prints the setting and a line for each slider, for both sizes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=15)
    given = parser.parse_args()
    for notes, queries in _SIZES:
        root = project(given.folder, notes, queries)
        print(f"{setting()}\n{notes} notes, {queries} queries, {given.steps} steps", flush=True)
        for name, (walls, own) in asyncio.run(measure(root, given.steps)).items():
            print(f"{name}: {summary(walls)}; processor {summary(own)}", flush=True)


if __name__ == "__main__":
    main()
