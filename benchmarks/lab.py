"""Measures the Lab screen without a terminal: delays of the event loop while judged queries run, and the response to a
slider.

    python -m benchmarks.lab FOLDER [--notes 10000] [--queries 1000]

If FOLDER does not exist, it is created as in ``benchmarks.evaluation``. Set ``BRV_TUI_DATA_DIR`` to a writable folder.
Prints the delays of a 4 ms beat while every query ran in two columns and the cursor moved, and the milliseconds from a
step of a slider to the update of the row under the cursor, and of all rows.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from benchmarks.evaluation import judge
from benchmarks.notes import make
from benchmarks.timings import setting
from brvtui.app.app import BrvTui
from brvtui.app.lab.judged import JudgedPane
from brvtui.app.lab.what_if import WhatIfPane
from brvtui.app.project.opening import Opening
from brvtui.lab.whatif.variant import Variant

_BEAT_S = 0.004
_STEPS = 10
_FEW_NOTES = 1_000


async def until(happened: Callable[[], object], seconds: float = 300.0) -> None:
    """Waits until ``happened()`` is true; raises TimeoutError after ``seconds``."""
    async with asyncio.timeout(seconds):
        while not happened():
            await asyncio.sleep(0.001)


async def beat(late: list[tuple[float, float]]) -> None:
    """Records the delay of each beat, and the event loop's processor time during the delay."""
    while True:
        asleep, own = time.perf_counter(), time.thread_time()
        await asyncio.sleep(_BEAT_S)
        late.append((time.perf_counter() - asleep - _BEAT_S, time.thread_time() - own))


async def opened(app: BrvTui, pilot: Pilot[Any]) -> None:
    """Brings the Lab to the front as soon as the notes are read and watched."""
    await until(lambda: app.view.project.overview is not None and app.view.watch.active)
    await asyncio.sleep(1)
    await app.switch_mode("lab")


def is_asked(app: BrvTui) -> bool:
    """True if every query has run."""
    lab = app.view.lab
    return lab.total > 0 and lab.done >= lab.total


async def measure(root: Path) -> None:
    """Prints a line for each measurement."""
    gc.disable()  # as when the app starts; once the project is open, the app collects rarely
    app = BrvTui(Opening(root))
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot)
        await until(lambda: app.view.lab.total)
        app.lab.add(Variant(days=30))
        late: list[tuple[float, float]] = []
        beating, begun = asyncio.create_task(beat(late)), time.perf_counter()
        while not is_asked(app):
            await pilot.press("j")
            await asyncio.sleep(0.05)
        took = time.perf_counter() - begun
        beating.cancel()
        worst = sorted((round(1000 * each, 1) for each, _ in late), reverse=True)
        own = max(own for _, own in late)
        print(
            f"asked {app.view.lab.total} in {took:.1f} s; beats late: {worst[:5]} ms, own at most {own * 1000:.1f} ms"
        )
        await followed(app, pilot)


async def followed(app: BrvTui, pilot: Pilot[Any]) -> None:
    """Prints the response time to a slider, and the number of rows that are updated within the goal: 100 ms for 1,000
    notes, 500 ms for more.
    """
    overview = app.view.project.overview
    bound_s = 0.1 if overview is not None and overview.notes <= _FEW_NOTES else 0.5
    table, sliders = app.screen.query_one(JudgedPane), app.screen.query_one(WhatIfPane)
    await pilot.press("f4")
    sliders.move_to(sliders.choices.index("direct.min_top"))
    first: list[float] = []
    within: list[float] = []
    whole: list[float] = []
    own: list[float] = []
    for _ in range(_STEPS):
        begun, before, own_before = time.perf_counter(), app.view.lab.what_if, time.process_time()
        sliders.action_step(-1)
        await until(lambda before=before: app.view.lab.what_if != before)  # type: ignore[misc]

        def cell() -> object:
            columns = app.view.lab.columns
            return columns[1].cells.get(table.chosen)

        old = cell()
        await until(lambda old=old: cell() is not old or is_asked(app))  # type: ignore[misc]
        first.append(1000 * (time.perf_counter() - begun))
        await until(lambda begun=begun: is_asked(app) or time.perf_counter() - begun > bound_s)  # type: ignore[misc]
        within.append(app.view.lab.done)
        await until(lambda: is_asked(app))
        whole.append(1000 * (time.perf_counter() - begun))
        own.append(1000 * (time.process_time() - own_before))
    for name, times in (
        ("the row under the cursor", first),
        (f"all {len(app.view.lab.rows)} rows", whole),
        ("processor time", own),
    ):
        print(f"slider, {name}: median {statistics.median(times):.0f} ms, worst {max(times):.0f} ms")
    followed_by = f"median {statistics.median(within):.0f}, fewest {min(within):.0f}"
    print(f"slider, rows that follow within {1000 * bound_s:.0f} ms: {followed_by}")


def main() -> None:
    """Prints the setting, then the measurements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=1_000)
    given = parser.parse_args()
    if not given.folder.exists():
        make(given.folder, given.notes)
        judge(given.folder, given.notes, given.queries)
    print(setting(), f"{given.notes} notes, {given.queries} queries", sep="\n")
    asyncio.run(measure(given.folder))


if __name__ == "__main__":
    main()
