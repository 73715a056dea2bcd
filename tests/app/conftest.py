"""Fixtures for the app's tests: a garden of notes, and an app on it with a frozen clock and masked timings."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from textual._compositor import Compositor
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

from brvtui.app.app import BrvTui
from brvtui.app.editing.questions import UnexpectedQuestion
from brvtui.app.lab import edit_check
from brvtui.app.overview import OverviewBuilder
from brvtui.app.project import opening
from brvtui.app.project.opening import Opening
from brvtui.app.workers import is_cancelled
from brvtui.lab.judgments.file import JudgmentsFile, with_query
from brvtui.lab.judgments.model import JudgedDocument, Judgment
from brvtui.session import Session
from brvtui.tree.reading.project import find_project
from tests.app.driving import WIDE, MakeApp
from tests.app.editing import FEW_LINES, NOTE
from tests.app.garden import plant
from tests.app.judging import ROTATION
from tests.app.linked import HUB, HUB_TEXT
from tests.app.looking import AppPilot
from tests.app.masking import any_place, fingerprint, without_timings
from tests.app.pictures import Looks, Pictures
from tests.app.waiting import wait_for_pending_work as wait_for_pending_work
from tests.support.trees import NOW_MS, Tree


@pytest.fixture(autouse=True)
def all_panes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shows every pane from the start, so that tests cover panes that are hidden by default."""
    monkeypatch.setenv("BRV_TUI_PANES", "all")


@pytest.fixture(autouse=True)
def nothing_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skips the storing of notes one second after opening, so that toasts do not depend on a test's speed."""
    monkeypatch.setattr(edit_check, "HOLD_S", 3_600.0)


@pytest.fixture
def garden(tmp_path: Path) -> Tree:
    """The project of these tests."""
    return plant(tmp_path / "garden")


@pytest.fixture
def few_lines(garden: Tree) -> None:
    """Shortens the note that tests edit to a few lines."""
    garden.file(NOTE, FEW_LINES, 3)


@pytest.fixture
def linked(garden: Tree) -> Tree:
    """The garden, with a note that has links of every kind and another that links to it."""
    garden.file(HUB, HUB_TEXT.format(filler="\n\n".join(f"Paragraph {number}." for number in range(40))), 3)
    garden.note("hub/other.md", "Other", "@hub/links/x.md [hub](links.md)", days=3)
    return garden


@pytest.fixture(autouse=True, scope="session")
def parsed_once() -> Iterator[None]:
    """Shares Textual's parsed style sheets between apps with the same variables."""
    parse = Stylesheet._parse_rules
    parsed: dict[object, list[RuleSet]] = {}

    def kept(self: Stylesheet, *args: Any, **kwargs: Any) -> list[RuleSet]:
        key = (args, *sorted(kwargs.items()), *sorted(self._variables.items()))
        if key not in parsed:
            parsed[key] = parse(self, *args, **kwargs)
        return parsed[key]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Stylesheet, "_parse_rules", kept)
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips picture comparisons except in `make test-all`."""
    for item in items:
        if "looks" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.long)


@pytest.fixture
def frames() -> None:
    """Draws every frame, as in a terminal."""


@pytest.fixture(autouse=True)
def unseen_frames(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws frames only for tests that use ``frames``. Without drawing, tests take a quarter of the time.
    `make test-all` draws all frames.
    """
    if request.config.option.markexpr and "frames" not in request.fixturenames:
        monkeypatch.setattr(Compositor, "render_update", lambda self, **_: self._dirty_regions.clear())


@pytest.fixture(autouse=True)
def same_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fixes timings, paths in fingerprints, symbols, colours, animations and pauses, so that the output is always the
    same.
    """
    for name in ("preview", "run"):
        monkeypatch.setattr(Session, name, without_timings(getattr(Session, name)))
    monkeypatch.setattr("brvtui.snapshot.state.fingerprint", fingerprint)
    monkeypatch.setattr("brvtui.app.log.logs.shown_path", any_place)
    monkeypatch.setattr("brvtui.app.exporting.sharing.shown_path", lambda _: "~/here")
    monkeypatch.setenv("BRV_TUI_ASCII", "0")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TMUX", "none")
    monkeypatch.setattr("brvtui.app.editing.problems.CHECK_S", 0.02)
    monkeypatch.setattr("brvtui.app.editing.drafts.DRAFT_S", 0.05)
    monkeypatch.setattr(UnexpectedQuestion, "wait", UnexpectedQuestion.listen)


@pytest.fixture
def make_app() -> MakeApp:
    """Creates an app over a project, with a frozen clock by default."""

    def make(root: Path, now_ms: float | None = NOW_MS, profile: str | None = None) -> BrvTui:
        signals = root / "signals.json"
        return BrvTui(Opening(root, profile, now_ms, signals if signals.exists() else None))

    return make


@pytest.fixture
def app(garden: Tree, make_app: MakeApp) -> BrvTui:
    """An app over the garden."""
    return make_app(garden.root)


@pytest.fixture
def size() -> tuple[int, int]:
    """The columns and rows of the terminal."""
    return WIDE


@pytest.fixture
async def pilot(app: BrvTui, size: tuple[int, int]) -> AsyncIterator[AppPilot]:
    """The running app on the garden. It must be a test's last fixture, because it starts after those before it."""
    async with app.run_test(size=size) as pilot:
        yield pilot


@pytest.fixture
def looks(frames: None, snapshot: SnapshotAssertion, request: pytest.FixtureRequest) -> Looks:
    """Compares the screen with its pictures: one app at several sizes, in several themes."""
    return Pictures(snapshot, request).compare


@pytest.fixture
def stuck_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], None]:
    """Stops loading the tree after a number of files, out of a total."""

    def begin(done: int, total: int) -> None:
        def read(
            session: Session,
            overviews: OverviewBuilder,
            shown: int = 0,
            progressed: Callable[[int, int], None] | None = None,
        ) -> None:
            assert progressed is not None
            progressed(done, total)
            while not is_cancelled():
                time.sleep(0.01)

        monkeypatch.setattr(opening, "read_tree", read)

    return begin


@pytest.fixture
def with_judgments(garden: Tree) -> Tree:
    """The garden with three judged queries."""

    def edit(before: tuple[Judgment, ...]) -> tuple[Judgment, ...]:
        before = with_query(before, "refresh token rotation", "", "tier 2", (JudgedDocument(ROTATION, 3),))
        before = with_query(before, "zebra quagga", "", "not covered", ())
        return with_query(before, "rollback", "", "", (JudgedDocument("nowhere/gone.md", 2),))

    JudgmentsFile.of(find_project(garden.root)).change(edit)
    return garden
