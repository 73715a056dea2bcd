"""The sliders of the Lab: constants, clock and notes are replaced, and the table follows; a constant is swept."""

from __future__ import annotations

from pathlib import Path

import pytest

from brvtui.app.lab.sweeps import SweepDialog, SweepPane
from brvtui.app.lab.what_if import WhatIfPane
from brvtui.engines import registry
from brvtui.lab.whatif.variant import Variant
from brvtui.store.folders import config_folder
from tests.app.driving import NARROW, MakeApp, ask, press, settled, until
from tests.app.judging import ROTATION, asked, table, to_lab
from tests.app.looking import AppPilot, frame, shown, text_of, toast_text, view
from tests.support.trees import Tree

pytestmark = pytest.mark.long


async def test_slider_changes_a_constant_and_the_table_follows(with_judgments: Tree, pilot: AppPilot) -> None:
    await ask(pilot, "token store")
    await to_lab(pilot)
    await press(pilot, "f4", "slash", *"top", "enter")
    pane = frame(pilot).query_one(WhatIfPane)
    pane.move_to(pane.choices.index("direct.min_top"))
    await pilot.press(*(["left_curly_bracket"] * 4))
    await until(pilot, lambda: view(pilot).lab.what_if == Variant(constants=(("direct.min_top", 0.45),)))
    assert "was 0.85" in text_of(pilot, "#sliders")
    await press(pilot, "slash", *(["backspace"] * 3), *"gap", "enter")
    pane.move_to(pane.choices.index("direct.min_gap"))
    await pilot.press(*(["left_curly_bracket"] * 5))
    both = (("direct.min_gap", 0.03), ("direct.min_top", 0.45))
    await until(pilot, lambda: view(pilot).lab.what_if == Variant(constants=both))
    await asked(pilot)
    columns = view(pilot).lab.columns
    assert [column.title for column in columns] == ["byterover", "what if"]
    changed = columns[1].cells["refresh-token-rotation"].result.outcome
    assert (columns[0].cells["refresh-token-rotation"].result.outcome, changed) == ("tier 3", "tier 2")
    assert set(columns[1].cells) == {row.id for row in view(pilot).lab.rows}
    assert "the open query" in columns[1].cells
    assert "ndcg@10 0.50 → 0.50, 1 other tier" in str(pane.border_title)
    await pilot.press("d")
    await until(pilot, lambda: view(pilot).lab.what_if == Variant(constants=both[1:]))
    await pilot.press("0")
    await until(pilot, lambda: len(view(pilot).lab.columns) == 1)
    await asked(pilot)


async def test_answer_under_the_cursor_is_explained(with_judgments: Tree, pilot: AppPilot) -> None:
    await to_lab(pilot)
    await asked(pilot)
    await pilot.press("f4")
    pane = frame(pilot).query_one(WhatIfPane)
    pane.move_to(pane.choices.index("direct.min_top"))
    await pilot.press("left_curly_bracket")
    await until(pilot, lambda: view(pilot).lab.what_if is not None)
    await asked(pilot)

    def explained() -> set[str]:
        return {name for name, cell in view(pilot).lab.columns[1].cells.items() if cell.result.sentence}

    first = table(pilot).chosen
    second = next(each for each in table(pilot).choices if each != first)
    await until(pilot, lambda: explained() == {first})
    answer = view(pilot).lab.columns[1].cells[first].result
    assert answer.sentence.split(":")[0] in text_of(pilot, "#cell")
    table(pilot).move_to(table(pilot).choices.index(second))
    await until(pilot, lambda: explained() == {first, second})


async def test_typed_value_is_stored_as_a_profile(with_judgments: Tree, pilot: AppPilot) -> None:
    await to_lab(pilot)
    await pilot.press("f4", "K")
    assert "no constant is changed" in toast_text(pilot)
    pane = frame(pilot).query_one(WhatIfPane)
    pane.move_to(pane.choices.index("search.limit"))
    await pilot.press("enter", "end", "backspace", "backspace", *"x", "enter")
    assert "must be a whole number" in shown(pilot)
    await pilot.press("backspace", "3", "enter")
    await until(pilot, lambda: view(pilot).lab.what_if == Variant(constants=(("search.limit", 3),)))
    await asked(pilot)
    await pilot.press("enter", "4", "enter")  # typed over the number that stood there
    await until(pilot, lambda: view(pilot).lab.what_if == Variant(constants=(("search.limit", 4),)))
    await asked(pilot)
    await pilot.press("enter", "3", "enter")
    await until(pilot, lambda: view(pilot).lab.what_if == Variant(constants=(("search.limit", 3),)))
    await asked(pilot)
    await pilot.press("K", *"mine", "enter")
    await until(pilot, lambda: "saved as" in toast_text(pilot))
    assert registry.load("byterover").constants(str(config_folder() / "mine.toml")).search.limit == 3
    assert registry.load("byterover").constants("mine").search.limit == 3
    for name in ("docs", "soleri-code", "byterover", "config"):
        await pilot.press("K", *name, "enter")
        await until(pilot, lambda: f"{name} is the name of a built-in profile" in toast_text(pilot))  # noqa: B023
        assert not (config_folder() / f"{name}.toml").exists()
    await pilot.press("0")
    await until(pilot, lambda: view(pilot).lab.what_if is None)
    await asked(pilot)


async def test_click_moves_the_slider(with_judgments: Tree, pilot: AppPilot) -> None:
    await to_lab(pilot)
    pane = frame(pilot).query_one(WhatIfPane)
    first, cells = pane._track
    await pilot.click("#sliders", offset=(first + cells, 2))
    await until(pilot, lambda: view(pilot).lab.what_if == Variant(days=365))
    await asked(pilot)
    assert view(pilot).lab.columns[1].cells["refresh-token-rotation"].values[0] is not None


async def test_slider_row_leaves_a_note_out(with_judgments: Tree, pilot: AppPilot) -> None:
    await to_lab(pilot)
    table(pilot).move_to(table(pilot).choices.index("refresh-token-rotation"))
    await settled(pilot)
    await pilot.press("f4")
    pane = frame(pilot).query_one(WhatIfPane)
    pane.move_to(pane.choices.index(f"{ROTATION}:left out"))
    await pilot.press("enter")
    await until(pilot, lambda: view(pilot).lab.what_if == Variant(without=(ROTATION,)))
    await asked(pilot)
    assert view(pilot).lab.columns[1].cells["refresh-token-rotation"].result.first_miss == ROTATION


def swept(pilot: AppPilot) -> str:
    """The lines in the dialog of a sweep."""
    found = pilot.app.screen.query(SweepPane)
    return "\n".join(line.plain for pane in found for line in pane.lines)


async def test_sweep_of_constants_is_shown_and_saved_as_a_picture(
    with_judgments: Tree, make_app: MakeApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brvtui.app.exporting.sharing.pictures_folder", lambda: tmp_path / "pictures")
    (tmp_path / "pictures").mkdir()
    async with make_app(with_judgments.root).run_test(size=NARROW) as pilot:
        await to_lab(pilot)
        await pilot.press("f4")
        sliders = frame(pilot).query_one(WhatIfPane)
        sliders.move_to(sliders.choices.index("direct.prefetch"))
        await pilot.press("O")
        await until(pilot, lambda: "sweep another constant first" in toast_text(pilot))
        await pilot.press("o")
        await until(pilot, lambda: "above this value" in swept(pilot))
        lines = swept(pilot).splitlines()
        assert "direct.prefetch: ndcg@10 of 2 of 3 judged queries" in lines[0]
        dialog = pilot.app.screen
        assert isinstance(dialog, SweepDialog)
        (crossing,) = (each for each in dialog.sweep.crossings)  # type: ignore[union-attr]
        assert crossing.query == "refresh-token-rotation"
        await pilot.press("v")
        file = tmp_path / "pictures" / "sweep-of-direct-prefetch.svg"
        await until(pilot, lambda: f"saved {file}" in toast_text(pilot))
        assert f"{crossing.before} → {crossing.after}" in file.read_text()
        await pilot.press("escape", "j", "O")
        await until(pilot, lambda: "across" in swept(pilot))
        await pilot.press("escape")
