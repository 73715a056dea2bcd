"""Writes docs/screenshots/*.svg from the running app, on a copy of the sample tree at a frozen time.

python tools/make_screenshots.py [FOLDER]    (the test that compares them writes to another folder)
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]  # for the helpers with which tests drive the app

from make_tour import take_tour  # noqa: E402

SHOTS = ROOT / "docs" / "screenshots"
NOW = "2026-11-20T12:00:00+00:00"
QUERY = "carrier resends"


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: its file name, the terminal's size, the theme, and the keys that lead to it."""

    name: str
    columns: int
    rows: int
    theme: str
    query: str
    keys: tuple[str, ...] = ()


def shots(dark: str, light: str) -> list[Shot]:
    """The pictures of the README and the docs."""
    return [
        Shot("query-80x24", 80, 24, dark, QUERY),
        Shot("query-120x36", 120, 36, dark, QUERY),
        Shot("query-120x36-light", 120, 36, light, QUERY),
        Shot("query-200x60", 200, 60, dark, QUERY, ("f9",)),
        Shot("all-panes-120x36", 120, 36, dark, QUERY, ("f9",)),
        Shot("not-covered-120x36", 120, 36, dark, "kubernetes ingress nginx"),
        Shot("empty-120x36", 120, 36, dark, ""),
        Shot("keys-120x36", 120, 36, dark, QUERY, ("escape", "question_mark")),
    ]


def sample(folder: Path) -> Path:
    """A copy of the sample tree with its fixed ages."""
    project = folder / "sample-tree"
    shutil.copytree(ROOT / "sample-tree", project, ignore=shutil.ignore_patterns(".restamped"))
    command = [sys.executable, str(ROOT / "sample-tree" / "restamp.py"), "--tree", str(project), "--now", NOW]
    subprocess.run(command, check=True, capture_output=True)
    return project


def same_everywhere() -> None:
    """Hides milliseconds and the app's folder, which would be different in each picture."""
    from brvtui.app.log import logs
    from brvtui.session import Session
    from brvtui.snapshot import state
    from tests.app.masking import any_place, fingerprint, without_timings

    for name in ("preview", "run"):
        setattr(Session, name, without_timings(getattr(Session, name)))
    state.fingerprint = fingerprint  # type: ignore[attr-defined]
    logs.shown_path = any_place


async def take(shot: Shot, project: Path) -> str:
    """The app as SVG, in the state given by ``shot``."""
    from brvtui.app.app import BrvTui, Opening
    from tests.app.driving import ask, settled

    app = BrvTui(Opening(project, None, datetime.fromisoformat(NOW).timestamp() * 1000, None))
    async with app.run_test(size=(shot.columns, shot.rows)) as pilot:
        await ask(pilot, shot.query)
        app.theme = shot.theme
        for key in shot.keys:
            await pilot.press(key)
            await settled(pilot)
        app.clear_notifications()
        await settled(pilot)
        return app.export_screenshot(title="brv-tui")


async def take_fleet(project: Path) -> str:
    """The Fleet screen as SVG, with each domain of the sample tree as a separate memory."""
    from brvtui.app.app import FleetTui
    from brvtui.app.project.open_fleet import OpenFleet
    from brvtui.app.project.opening import Opening
    from brvtui.fleet.fleet_file import Fleet, Member
    from tests.app.test_fleet import asked
    from tests.app.test_snapshots_fleet import shown, steady
    from tests.support.fleets import HereAsks

    members = []
    for place, domain in enumerate(sorted((project / ".brv" / "context-tree").glob("[a-z]*"))):
        tree = project.parent / domain.name / ".brv" / "context-tree" / domain.name
        shutil.copytree(domain, tree)
        members.append(Member(domain.name, str(tree.parents[2]), owner=("platform", "shop")[place % 2]))
    moment = datetime.fromisoformat(NOW).timestamp() * 1000
    fleet = OpenFleet(Fleet("shop", tuple(members)), lambda _: HereAsks(), 60.0, moment)
    app = FleetTui(Opening(now_ms=moment, fleet=fleet))
    async with app.run_test(size=(120, 36)) as pilot:
        await asked(pilot, QUERY)
        app.theme = "brv-dark"
        steady(pilot, project.parent)
        await shown(pilot)
        return app.export_screenshot(title="brv-tui")


def main(folder: Path = SHOTS) -> None:
    """Writes every picture into ``folder``."""
    folder.mkdir(exist_ok=True)
    same_everywhere()
    with tempfile.TemporaryDirectory() as place:
        for name in [name for name in os.environ if name.startswith("BRV_TUI_")]:
            del os.environ[name]
        os.environ["BRV_DATA_DIR"] = os.environ["BRV_TUI_DATA_DIR"] = str(Path(place) / "data")
        project = sample(Path(place))
        for shot in shots("brv-dark", "brv-light"):
            file = folder / f"{shot.name}.svg"
            os.environ["BRV_TUI_DATA_DIR"] = str(Path(place) / shot.name)  # without the layout of an earlier picture
            file.write_text(asyncio.run(take(shot, project)), encoding="utf-8")
            print(file)
        file = folder / "tour.svg"
        os.environ["BRV_TUI_DATA_DIR"] = str(Path(place) / "tour")
        file.write_text(asyncio.run(take_tour(project, NOW)), encoding="utf-8")
        print(file)
        file = folder / "fleet.svg"
        file.write_text(asyncio.run(take_fleet(project)), encoding="utf-8")
        print(file)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
