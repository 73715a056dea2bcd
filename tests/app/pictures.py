"""Pictures of the app: drives a running app through sizes and themes, and compares each with a stored picture.

The pictures are SVG files in ``__snapshots__``. syrupy stores them, under names from the test, because one test takes
many.
"""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Protocol

import pytest
from pytest_textual_snapshot import PseudoApp, PseudoConsole, SVGImageExtension, get_tempdir
from rich.console import Console
from syrupy.assertion import SnapshotAssertion
from syrupy.location import PyTestLocation
from syrupy.types import SnapshotIndex

from tests.app.driving import NARROW, WIDE, settled
from tests.app.looking import AppPilot

DARK, LIGHT = "brv-dark", "brv-light"
ONLY_NARROW, ONLY_WIDE = {"80x24": NARROW}, {"120x36": WIDE}
NARROW_AND_WIDE = ONLY_NARROW | ONLY_WIDE


class Looks(Protocol):
    """Compares the screen with pictures called ``name``, in which ``{size}`` and ``{theme}`` are replaced."""

    async def __call__(
        self,
        pilot: AppPilot,
        name: str = ...,
        sizes: Mapping[str, tuple[int, int]] = ...,
        themes: Iterable[str] = ...,
        joined: bool = ...,
        ready: Callable[[AppPilot], Awaitable[None]] = ...,
    ) -> None: ...


class NamedPictures(SVGImageExtension):
    """SVG files with names chosen by the tests."""

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: SnapshotIndex = 0) -> str:
        """The chosen name, unchanged."""
        return str(index)


class Pictures:
    """The pictures of one test."""

    def __init__(self, snapshot: SnapshotAssertion, request: pytest.FixtureRequest) -> None:
        self._stored = snapshot.use_extension(NamedPictures)
        self._node = request.node

    async def compare(
        self,
        pilot: AppPilot,
        name: str = "",
        sizes: Mapping[str, tuple[int, int]] = NARROW_AND_WIDE,
        themes: Iterable[str] = (DARK,),
        joined: bool = True,
        ready: Callable[[AppPilot], Awaitable[None]] = settled,
    ) -> None:
        """Fails if a picture differs; ``snapshot_report.html`` shows both.

        With ``joined``, neighbours of one style are one text in the picture. ``ready`` waits until the picture can be
        taken.
        """
        app, different = pilot.app, []
        # The current size and theme come first, because each change redraws the screen.
        for size, cells in sorted(sizes.items(), key=lambda one: one[1] != app.size):
            if app.size != cells:
                await pilot.resize_terminal(*cells)
            for theme in sorted(themes, key=lambda name: name != app.theme):
                app.theme = theme
                await ready(pilot)
                await pilot.wait_for_animation()
                picture = (name or f"{self._node.name}[{{size}}-{{theme}}]").format(size=size, theme=theme)
                if not self._is_stored(picture, app.export_screenshot(simplify=joined)):
                    different.append(picture)
        assert not different, f"not as in {', '.join(different)}: look at snapshot_report.html"

    def _is_stored(self, name: str, taken: str) -> bool:
        stored = self._stored(name=name)
        same = taken == stored
        if not same:
            self._report(name, taken, stored)
        return same

    def _report(self, name: str, taken: str, stored: SnapshotAssertion) -> None:
        """Adds both pictures to the report that pytest-textual-snapshot writes."""
        path, line, _ = self._node.reportinfo()
        console = PseudoConsole(False, Console(force_terminal=True).size)
        text = inspect.getdoc(self._node.function) or ""
        entry = (False, str(stored), taken, PseudoApp(console), path, line, name, text, "", True)
        (Path(get_tempdir().name) / f"{path.stem}_{name}".replace("/", "_")).write_bytes(pickle.dumps(entry))
