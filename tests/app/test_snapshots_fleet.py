"""Pictures of the Fleet screen: answers of each member, one ranking, and without a fleet."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from brvtui.fleet.fleet_file import Fleet
from tests.app import waiting
from tests.app.driving import NARROW, WIDE, until
from tests.app.looking import AppPilot, brv, view
from tests.app.pictures import LIGHT, Looks
from tests.app.test_fleet import asked, fleet_app
from tests.app.test_fleet import fleet as fleet


def steady(pilot: AppPilot, folder: Path) -> None:
    """Hides times and the members' folder."""
    state = view(pilot).fleet
    assert state.fleet is not None

    def hidden(text: str) -> str:
        return text.replace(str(folder), "/repos")

    members = tuple(replace(one, path=hidden(one.path)) for one in state.fleet.members)
    missing, left_out = (
        {name: replace(one, why=hidden(one.why)) for name, one in absences.items()}
        for absences in (state.missing, state.left_out)
    )
    result = state._replace(fleet=replace(state.fleet, members=members), took_s=0.4, missing=missing, left_out=left_out)
    brv(pilot).store.update(result)


async def shown(pilot: AppPilot) -> None:
    """Waits until no work is left, and the screen is drawn."""
    await waiting.at_rest(pilot.app)


async def test_fleet_screen_matches_its_pictures(looks: Looks, fleet: Fleet, tmp_path: Path) -> None:
    sizes = {"120x36": WIDE, "80x24": NARROW}
    async with fleet_app(fleet).run_test(size=WIDE) as pilot:
        await asked(pilot)
        steady(pilot, tmp_path)
        await looks(pilot, "test_fleet[{size}]", sizes, ready=shown)
        await looks(pilot, "test_fleet_light[{size}]", {"120x36": WIDE}, [LIGHT], ready=shown)
        await pilot.resize_terminal(*WIDE)
        await pilot.press("f5")
        await until(pilot, lambda: view(pilot).fleet.ranking is not None)
        steady(pilot, tmp_path)
        await looks(pilot, "test_one_ranking[{size}]", {"120x36": WIDE}, ready=shown)
