"""Pictures of the Maturity screen: today, with a note, with changes, with long contents."""

from __future__ import annotations

import pytest

from tests.app.driving import WIDE, MakeApp
from tests.app.looking import AppPilot
from tests.app.pictures import LIGHT, NARROW_AND_WIDE, ONLY_WIDE, Looks
from tests.app.test_maturity import opened
from tests.support.trees import Tree

_STATES: dict[str, tuple[str, ...]] = {
    "today": (),
    "note": ("f4", "f5", "right_curly_bracket"),
    "changes": ("c", "f"),
}


@pytest.mark.parametrize("state", _STATES)
async def test_maturity_board_matches_its_pictures(looks: Looks, state: str, pilot: AppPilot) -> None:
    await opened(pilot, *_STATES[state])
    await looks(pilot, f"test_dark[{state}-{{size}}]", NARROW_AND_WIDE if state == "today" else ONLY_WIDE)
    if state == "today":
        await looks(pilot, f"test_light[{state}-{{size}}]", ONLY_WIDE, [LIGHT])


async def test_long_titles_match_their_picture(looks: Looks, make_app: MakeApp, tree: Tree) -> None:
    for number in range(60):
        title = " ".join(["An exceedingly long title of a note"] * (1 + number % 3))
        tree.note(
            f"{'deep/' * (number % 9)}folder/note_{number:02}_{'x' * 40}.md", f"{title} {number}", days=number * 3
        )
    async with make_app(tree.root).run_test(size=WIDE) as pilot:
        await opened(pilot, "right_curly_bracket", "G")
        await looks(pilot, "test_long_contents[{size}]", ONLY_WIDE)
