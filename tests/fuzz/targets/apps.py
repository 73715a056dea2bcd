"""The app over hostile files: it opens, handles keys and closes without a crash or a crash report."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from textual.pilot import Pilot

from brvtui.app.app import BrvTui
from brvtui.app.project.opening import Opening
from brvtui.store.app_state import LayoutStore
from tests.app import waiting
from tests.app.driving import at_once
from tests.fuzz.targets.logs import EngineLog
from tests.fuzz.targets.notes import Note
from tests.fuzz.targets.projects import ProjectSettings
from tests.fuzz.targets.target import Target, Wrong, planted
from tests.fuzz.targets.traces import saved_traces
from tests.fuzz.test_rendering import controls
from tests.support.trees import NOW_MS

_SIZES = ((120, 36), (80, 24))
_QUERYING = (*"quokka", "enter", "escape", "j", "j", "f2", "j", "f3", "j", "f4", "f5", "f6", "w")


def gone_through(start: Path, size: tuple[int, int], keys: tuple[str, ...]) -> str:
    """Opens the app on ``start``, presses ``keys``, and returns the messages. Raises the app's exceptions."""

    async def run() -> str:
        app = BrvTui(Opening(start, None, NOW_MS, None))
        async with app.run_test(size=size) as pilot:
            await _at_rest(pilot)
            for key in keys:
                at_once(pilot, key)
                await waiting.drawn(app)
            await _at_rest(pilot)
            return " | ".join(toast.message for toast in app._notifications)

    crashes = Path(os.environ["BRV_TUI_DATA_DIR"]) / "crashes"
    for report in crashes.glob("*.txt"):
        report.unlink()
    message = asyncio.run(run())
    if reports := sorted(crashes.glob("*.txt")):
        text = reports[0].read_text()
        last = [line.strip() for line in text.splitlines() if line.strip().startswith("File")][-1]
        raise Wrong(f"the app wrote a crash report: {last.partition(', line')[0]} {text.splitlines()[-1]}")
    if controls(message):
        raise Wrong("a toast holds controls")
    return message[:60]


async def _at_rest(pilot: Pilot[None]) -> None:
    await asyncio.wait_for(waiting.at_rest(pilot.app), 30)


class _App(Target):
    count = 0

    @property
    def size(self) -> tuple[int, int]:
        """The terminal size, which differs for each input."""
        self.count += 1
        return _SIZES[self.count % len(_SIZES)]


class OnTrace(_App):
    """A saved trace."""

    def __init__(self, folder: Path) -> None:
        self.session = planted(folder).session()
        self.file = folder / "saved.json"

    def seeds(self) -> list[bytes]:
        return saved_traces(self.session)

    def run(self, data: bytes) -> str:
        self.file.write_bytes(data)
        return gone_through(
            self.file, self.size, ("escape", "j", "j", "f2", "j", "f3", "j", "f4", "f5", "f6", "w", "3", "1")
        )


class OnLog(_App):
    """An entry of the engine's log."""

    def __init__(self, folder: Path) -> None:
        self.log = EngineLog(folder)
        self.root = self.log.session.project.root

    def seeds(self) -> list[bytes]:
        return self.log.seeds()

    def run(self, data: bytes) -> str:
        self.log.file.write_bytes(data)
        return gone_through(self.root, self.size, ("escape", "4", "j", "k", "c", "j", "c", "enter", "escape", "4"))


class WithLayout(_App):
    """The layout of the screens."""

    def __init__(self, folder: Path) -> None:
        self.tree = planted(folder)
        self.file = LayoutStore(self.tree.tree).path

    def seeds(self) -> list[bytes]:
        LayoutStore(self.tree.tree).write({"query": {"sizes": {"route": 10}, "zoomed": ""}, "notes": {}})
        return [self.file.read_bytes(), b'{"Query": {"left": 30, "right": [1, 2]}, "Notes": [1]}']

    def run(self, data: bytes) -> str:
        self.file.write_bytes(data)
        return gone_through(self.tree.root, self.size, ("escape", "2", "3", "4", "1", "w"))


class WithSettings(_App):
    """The project's settings."""

    def __init__(self, folder: Path) -> None:
        self.settings = ProjectSettings(folder)

    def seeds(self) -> list[bytes]:
        return self.settings.seeds()

    def run(self, data: bytes) -> str:
        self.settings.write(data)
        return gone_through(self.settings.root, self.size, (*_QUERYING, "5", "j", "j", "escape"))


class OnNote(_App):
    """A note, which is found, shown and edited."""

    def __init__(self, folder: Path) -> None:
        self.note = Note(folder)

    def seeds(self) -> list[bytes]:
        return self.note.seeds()

    def run(self, data: bytes) -> str:
        self.note.tree.file("x/good.md", data, 1)
        return gone_through(self.note.tree.root, self.size, (*_QUERYING, "2", "j", "j", "j", "e", "escape"))
