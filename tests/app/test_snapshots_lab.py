"""Pictures of the Lab: judged queries with columns, sliders, dialogs, and a tree without judgments."""

from __future__ import annotations

from brvtui.lab.whatif.variant import Variant
from tests.app.driving import ask, press, until
from tests.app.judging import ROTATION, asked, to_lab
from tests.app.looking import AppPilot, frame, view
from tests.app.pictures import LIGHT, ONLY_WIDE, Looks
from tests.support.trees import Tree


async def test_lab_columns_match_their_pictures(looks: Looks, with_judgments: Tree, pilot: AppPilot) -> None:
    await ask(pilot, "token store")
    await to_lab(pilot)
    for number, variant in enumerate((Variant(without=(ROTATION,)), Variant(days=30)), start=2):
        pilot.app.call_later(frame(pilot)._lab.add, variant)  # type: ignore[attr-defined]
        await until(pilot, lambda number=number: len(view(pilot).lab.columns) == number)  # type: ignore[misc]
        await asked(pilot)
    await press(pilot, "g", "l")
    await looks(pilot, "test_columns[{size}]")
    await looks(pilot, "test_columns_light[{size}]", sizes=ONLY_WIDE, themes=[LIGHT])


async def test_sliders_match_their_pictures(looks: Looks, with_judgments: Tree, pilot: AppPilot) -> None:
    await to_lab(pilot)
    await pilot.press("f4", "right_curly_bracket", "right_curly_bracket")
    await until(pilot, lambda: view(pilot).lab.what_if == Variant(days=20))
    await asked(pilot)
    await looks(pilot, "test_what_if[{size}]")


async def test_grade_dialog_matches_its_pictures(looks: Looks, with_judgments: Tree, pilot: AppPilot) -> None:
    await to_lab(pilot)
    await ask(pilot, "token store")
    await press(pilot, "1", "f2", "J")
    await looks(pilot, "test_grade[{size}]")
