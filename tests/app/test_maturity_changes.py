"""Changes made to notes on the Maturity screen, and their effects on the board."""

from __future__ import annotations

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.editing.plan_dialog import PlanDialog, SignalsDialog
from brvtui.app.maturity.screen import MaturityScreen
from brvtui.engines.ageing.events import LEAVES_TIER_2
from tests.app.driving import WIDE, at_two_sizes, on, press, settled, until
from tests.app.editing import in_editor, looked, type_keys
from tests.app.looking import AppPilot, shown, text_of, view
from tests.app.test_maturity import FREEZE, column, maturity, opened
from tests.support.trees import Tree

pytestmark = pytest.mark.long

_ROTATION = "auth/jwt/refresh_rotation.md"
_REFUNDS = "billing/refunds.md"


async def _stands(pilot: AppPilot, path: str, level: str) -> None:
    """Waits until the note at ``path`` is listed under ``level``."""
    await until(pilot, lambda: maturity(pilot).on_day.level_of(path) == level)  # type: ignore[union-attr]
    await settled(pilot)


async def _asked(pilot: AppPilot, key: str) -> None:
    """Presses a key that opens a dialog about the selected note."""
    await on(pilot, PlanDialog, key)
    await settled(pilot)


async def test_note_hidden_by_the_filter_in_its_new_column_gets_no_focus(app: BrvTui, garden: Tree) -> None:
    (garden.root / "signals.json").write_text("{}")
    for name in ("one", "two", "three"):
        garden.note(f"old/{name}.md", f"Old {name}", "of long ago", days=60)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot)
        while maturity(pilot).wanted.only is not LEAVES_TIER_2:
            await press(pilot, "f")
        chosen = column(pilot, "draft").chosen
        assert chosen in column(pilot, "draft").choices
        assert maturity(pilot).stop == "draft"
        await _asked(pilot, "I")
        await pilot.press("right", "right", "tab", *["backspace"] * 2)
        await type_keys(pilot, "100")
        await until(pilot, lambda: "core, importance 100" in shown(pilot))
        await pilot.press("enter")
        await _stands(pilot, chosen, "core")
        assert chosen not in column(pilot, "core").choices, "it is not out of tier 2 any more, which f keeps"
        assert maturity(pilot).stop == "draft"
        assert view(pilot).selection.file == column(pilot, "draft").chosen != chosen


@at_two_sizes
async def test_focus_follows_a_note_to_its_new_maturity_column(
    app: BrvTui, garden: Tree, size: tuple[int, int]
) -> None:
    before = (garden.tree / _ROTATION).read_bytes()
    async with app.run_test(size=size) as pilot:
        await opened(pilot, "j")
        await _asked(pilot, "I")
        assert isinstance(pilot.app.screen, SignalsDialog)
        assert f"{_ROTATION}: draft, importance 50" in shown(pilot)
        await pilot.press("right", "tab", *["backspace"] * 2)
        await type_keys(pilot, "83")
        await until(pilot, lambda: "validated, importance 83" in shown(pilot))
        await pilot.press("enter")
        await _stands(pilot, _ROTATION, "validated")
        assert maturity(pilot).stop == "validated"
        assert column(pilot, "validated").chosen == view(pilot).selection.file == _ROTATION
        await press(pilot, "f5")
        assert "promoted at 85: 2 more, 1 hit" in text_of(pilot, "#ageing")
        await pilot.press("u")
        await _stands(pilot, _ROTATION, "draft")
        await press(pilot, "f2")
        assert column(pilot, "draft").chosen == view(pilot).selection.file == _ROTATION
        assert (garden.tree / _ROTATION).read_bytes() == before


async def test_signals_can_be_set_by_mouse(app: BrvTui, garden: Tree) -> None:
    async def click(words: str) -> None:
        rows = shown(pilot).splitlines()
        row = next(number for number, text in enumerate(rows) if number and words in text)  # row 0 is the status line
        await pilot.click(offset=(rows[row].index(words) + 1, row))
        await settled(pilot)

    garden.read_frontmatter()
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot)
        await click("○ Refunds")
        await pilot.press("f5")
        await _asked(pilot, "I")
        assert f"{_REFUNDS}: draft, importance 50" in shown(pilot)
        await click("core")
        await click("frontmatter [")
        await until(pilot, lambda: "+ maturity: core" in shown(pilot))
        await click("Enter run ")
        await _stands(pilot, _REFUNDS, "core")
        assert b"maturity: core" in (garden.tree / _REFUNDS).read_bytes()
        assert column(pilot, "core").chosen == view(pilot).selection.file == _REFUNDS
        assert maturity(pilot).stop == "ageing", "only from a column the focus follows the note"


async def test_selection_moves_from_an_archived_note_to_its_stub(pilot: AppPilot) -> None:
    await opened(pilot)
    await _asked(pilot, "X")
    await until(pilot, lambda: ".stub.md" in shown(pilot))
    await pilot.press("enter")
    stub = "_archived/deploy/freeze_window.stub.md"
    await _stands(pilot, stub, "draft")
    await until(pilot, lambda: view(pilot).selection.file == stub)
    await settled(pilot)
    assert column(pilot, "draft").chosen == stub
    assert FREEZE not in column(pilot, "draft").choices
    await pilot.press("u")
    await _stands(pilot, FREEZE, "draft")


async def test_cursor_stays_in_place_when_a_note_is_removed(garden: Tree, pilot: AppPilot) -> None:
    await opened(pilot, "j", "j")
    before = list(column(pilot, "draft").choices)
    (garden.tree / before[2]).unlink()
    await until(pilot, lambda: before[2] not in column(pilot, "draft").choices)
    await settled(pilot)
    assert column(pilot, "draft").chosen == before[3]
    await pilot.press("G")
    (garden.tree / before[-1]).unlink()
    await until(pilot, lambda: before[-1] not in column(pilot, "draft").choices)
    await settled(pilot)
    assert column(pilot, "draft").chosen == before[-2]


async def test_leaving_the_editor_returns_to_the_board(garden: Tree, pilot: AppPilot) -> None:
    await opened(pilot)
    await pilot.press("e")
    await in_editor(pilot)
    await pilot.press("ctrl+end")
    await type_keys(pilot, "Ask first")
    await looked(pilot)
    await pilot.press("ctrl+s")
    await until(pilot, lambda: b"Ask first" in (garden.tree / FREEZE).read_bytes())
    await looked(pilot)
    await on(pilot, MaturityScreen, "escape")
    await until(pilot, lambda: text_of(pilot, "#draft").splitlines()[2].split()[-1] != ".33")
    assert column(pilot, "draft").chosen == FREEZE
