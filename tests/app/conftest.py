"""What the app's tests share: a garden of notes, an app over it with a frozen clock, timings masked."""

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
from tests.app.waiting import waits_for_what_is_to_do as waits_for_what_is_to_do
from tests.support.trees import NOW_MS, Tree


@pytest.fixture(autouse=True)
def all_panes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every pane is shown from the start: what a first look leaves out is tested too."""
    monkeypatch.setenv("BRV_TUI_PANES", "all")


@pytest.fixture(autouse=True)
def nothing_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notes are not held a second after opening, so that no toast depends on how long a test takes."""
    monkeypatch.setattr(edit_check, "HOLD_S", 3_600.0)


@pytest.fixture
def garden(tmp_path: Path) -> Tree:
    """The project of these tests."""
    return plant(tmp_path / "garden")


@pytest.fixture
def few_lines(garden: Tree) -> None:
    """The note that tests edit is of a few lines."""
    garden.file(NOTE, FEW_LINES, 3)


@pytest.fixture
def linked(garden: Tree) -> Tree:
    """The garden with a note that has links of every kind, and one that links to it."""
    garden.file(HUB, HUB_TEXT.format(filler="\n\n".join(f"Paragraph {number}." for number in range(40))), 3)
    garden.note("hub/other.md", "Other", "@hub/links/x.md [hub](links.md)", days=3)
    return garden


@pytest.fixture(autouse=True, scope="session")
def parsed_once() -> Iterator[None]:
    """Apps share what Textual parsed of the same style sheet with the same variables."""
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
    """Pictures are compared by `make test-all`."""
    for item in items:
        if "looks" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.long)


@pytest.fixture
def frames() -> None:
    """Every frame is drawn, as in a terminal."""


@pytest.fixture(autouse=True)
def unseen_frames(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws frames only for tests that ask for ``frames``: a quarter of the time. `make test-all` draws all frames."""
    if request.config.option.markexpr and "frames" not in request.fixturenames:
        monkeypatch.setattr(Compositor, "render_update", lambda self, **_: self._dirty_regions.clear())


@pytest.fixture(autouse=True)
def same_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """No timings, no absolute paths in fingerprints, signs whatever the locale, colours, no animations, no pauses."""
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
    """Makes an app over a project, with its clock frozen unless told otherwise."""

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
    """The app over the garden, running. Tests name it last: it starts once the fixtures before it are there."""
    async with app.run_test(size=size) as pilot:
        yield pilot


@pytest.fixture
def looks(frames: None, snapshot: SnapshotAssertion, request: pytest.FixtureRequest) -> Looks:
    """Compares what is shown with its pictures: one app at several sizes, in several themes."""
    return Pictures(snapshot, request).compare


@pytest.fixture
def stuck_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], None]:
    """Has the tree read up to so many files, of how many, and never any further."""

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
