"""The state before the project is read: progress at every size and on every screen."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.query.route import verdict
from brvtui.app.states import ProjectState
from brvtui.app.view import View
from brvtui.loading import load
from brvtui.paint.bars import meter
from brvtui.paint.glyphs import UNICODE
from brvtui.store.drafts import Draft, DraftStore
from brvtui.tree.reading.project import find_project
from tests.app.driving import NARROW, WIDE, at_all_sizes, until
from tests.app.looking import AppPilot, shown, toast_text, view
from tests.support.trees import BRV3, NOW_MS, Tree

StuckAt = Callable[[int, int], None]


async def stuck(pilot: AppPilot) -> None:
    await until(pilot, lambda: view(pilot).project.total)
    await pilot.pause()


@at_all_sizes
async def test_progress_of_reading_is_shown_at_every_size(
    app: BrvTui, stuck_at: StuckAt, size: tuple[int, int]
) -> None:
    stuck_at(4210, 10080)
    async with app.run_test(size=size) as pilot:
        await stuck(pilot)
        text = shown(pilot)
        assert "READING" in text
        assert "42%   4210 of 10080 files" in text
        assert "reading 42%" in text
        assert "█" * 15 in text


async def test_progress_of_reading_is_shown_on_the_notes_screen(app: BrvTui, stuck_at: StuckAt) -> None:
    stuck_at(1, 4)
    async with app.run_test(size=NARROW) as pilot:
        await stuck(pilot)
        await pilot.press("escape", "2")
        await until(pilot, lambda: "reading 25%" in shown(pilot))


async def test_actions_during_loading_ask_the_user_to_wait(app: BrvTui, garden: Tree, stuck_at: StuckAt) -> None:
    # the draft's process has ended
    DraftStore(garden.tree).add(Draft("deploy/rollback.md", b"mine", None, NOW_MS, 2**22 + 1))
    stuck_at(1, 4)
    async with app.run_test(size=WIDE) as pilot:
        await stuck(pilot)
        await pilot.press("escape", "D")
        await until(pilot, lambda: toast_text(pilot) == "the project is still being read: try again in a moment")


async def test_indexing_is_shown_after_reading(app: BrvTui, stuck_at: StuckAt) -> None:
    stuck_at(10080, 10080)
    async with app.run_test(size=NARROW) as pilot:
        await stuck(pilot)
        assert "INDEXING   10080 files read" in shown(pilot)
        assert "indexing…" in shown(pilot)


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize(("done", "total"), [(0, 0), (0, 3), (1, 3), (3, 3), (99_999, 100_000)])
def test_progress_line_fits_its_width(width: int, done: int, total: int) -> None:
    line, *rest = verdict(View(project=ProjectState(done=done, total=total)), width, UNICODE)
    assert not any(one.width for one in rest)
    assert line.width <= width
    if 0 < total != done:
        assert f"{done} of {total}" in line.plain


@pytest.mark.parametrize(("value", "bar"), [(0, "┄┄┄┄"), (0.5, "██┄┄"), (0.53, "██▏┄"), (1, "████"), (2, "████")])
def test_progress_meter_is_drawn_in_eighths(value: float, bar: str) -> None:
    assert "".join(text for text, _ in meter(value, 4, UNICODE)) == bar


def test_progress_reaches_all_files_before_the_index_is_built(make_tree: Callable[[str], Tree]) -> None:
    tree = make_tree("many")
    tree.notes(1200)
    steps: list[tuple[int, int]] = []
    load(find_project(tree.root), BRV3, NOW_MS, progress=lambda done, total: steps.append((done, total)))
    assert [total for _, total in steps] == [1200] * len(steps)
    assert [done for done, _ in steps] == sorted({done for done, _ in steps})
    assert steps[0] == (0, 1200)
    assert steps[-1] == (1200, 1200)
