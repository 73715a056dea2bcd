"""The Log screen's delivery: permission, the outcome of each turn, lost answers, and following transcripts."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from textual.widgets import Input

from brvtui.app.log.delivery_pane import TranscriptsDialog
from brvtui.app.log.log_pane import LogPane
from brvtui.app.log.screen import LogScreen
from brvtui.lab.delivery.turns import Delivery, DeliveryOutcome
from brvtui.session import Session as OpenSession
from brvtui.session.delivery import DeliveryReader, permitted_folder, proposed_folder
from brvtui.store.app_state import TranscriptsChoice
from tests.app.driving import at_all_sizes, press, settled, until
from tests.app.looking import AppPilot, frame, text_of, view
from tests.support.agent_session import PROMPT, Session, context
from tests.support.trees import Tree


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    return tmp_path / "claude" / "projects"


@pytest.fixture
def turns(garden: Tree, folder: Path) -> Session:
    """A delivered turn, one whose answer came too late, and one without an entry in the engine's log."""
    session = Session(garden, folder / str(garden.root.resolve()).replace("/", "-"))
    session.prompt()
    session.log(matchedDocs=[{"path": "auth/jwt/refresh_rotation.md", "score": 0.9}])
    session.attached("The first answer.")
    session.prompt("which token store?", 60)
    session.hook("hook_success", 66, stdout="", exitCode=0)
    session.log("which token store?", 11, 60.5, 4, response="The lost answer.")
    session.prompt("what about rollbacks?", 120)
    session.attached("Another answer.", 121)
    return session


async def to_log(pilot: AppPilot) -> LogPane:
    await settled(pilot)
    await pilot.press("escape", "4")
    await until(pilot, lambda: isinstance(frame(pilot), LogScreen) and view(pilot).log.entries is not None)
    return frame(pilot).query_one(LogPane)


async def permit(pilot: AppPilot) -> LogPane:
    log = await to_log(pilot)
    await pilot.press("d")
    await until(pilot, lambda: isinstance(pilot.app.screen, TranscriptsDialog))
    await press(pilot, "enter")
    await until(pilot, lambda: view(pilot).log.delivery is not None)
    return log


async def test_transcripts_are_read_only_after_permission(garden: Tree, turns: Session, pilot: AppPilot) -> None:
    await to_log(pilot)
    await settled(pilot)
    assert view(pilot).log.delivery is None
    await pilot.press("d")
    await until(pilot, lambda: isinstance(pilot.app.screen, TranscriptsDialog))
    await press(pilot, "escape")
    assert (view(pilot).log.delivery, TranscriptsChoice(garden.tree).read()) == (None, "")
    await pilot.press("d")
    await until(pilot, lambda: isinstance(pilot.app.screen, TranscriptsDialog))
    await press(pilot, "x", "enter")
    assert isinstance(pilot.app.screen, TranscriptsDialog), "there is no such folder"
    await press(pilot, "backspace", "enter")
    await until(pilot, lambda: view(pilot).log.delivery is not None)
    assert TranscriptsChoice(garden.tree).read() == str(turns.file.parent.parent.resolve())


async def test_transcripts_of_the_project_itself_are_proposed(garden: Tree, turns: Session, pilot: AppPilot) -> None:
    own = garden.root.resolve() / ".brv" / "transcripts"
    own.mkdir()
    await to_log(pilot)
    await settled(pilot)
    await pilot.press("d")
    await until(pilot, lambda: isinstance(pilot.app.screen, TranscriptsDialog))
    assert Path(pilot.app.screen.query_one(Input).value).expanduser() == own
    assert TranscriptsChoice(garden.tree).read() == "", "it is only proposed"


def test_link_in_a_project_is_not_proposed(garden: Tree, folder: Path, tmp_path: Path) -> None:
    assert proposed_folder(garden.root) == folder
    (tmp_path / "private").mkdir()
    (garden.root / ".brv" / "transcripts").symlink_to(tmp_path / "private")
    assert proposed_folder(garden.root) == folder


def test_permission_does_not_count_behind_a_pointer(garden: Tree, turns: Session, tmp_path: Path) -> None:
    TranscriptsChoice(garden.tree).write(str(turns.file.parent.parent.resolve()))
    (tmp_path / "pointing").mkdir()
    (tmp_path / "pointing" / ".brv").write_text(str(garden.root))
    session = OpenSession.open(tmp_path / "pointing")
    assert permitted_folder(session) is None
    assert permitted_folder(OpenSession.open(garden.root)) is not None


@at_all_sizes
async def test_each_entry_shows_its_outcome(turns: Session, size: tuple[int, int], pilot: AppPilot) -> None:
    log = await permit(pilot)
    outcomes = {entry.query: turn.outcome for entry, turn in view(pilot).log.turns.items()}
    assert outcomes == {
        PROMPT: DeliveryOutcome.DELIVERED,
        "which token store?": DeliveryOutcome.TIMED_OUT,
        "what about rollbacks?": DeliveryOutcome.DELIVERED,
    }
    await until(pilot, lambda: len(log.choices) == 3)
    log.go_to_query("which token store?")
    await press(pilot, "f4")
    text = text_of(pilot, "#delivery")
    assert all(part in text for part in ("timed out", "11.0 s", "The lost answer."))


async def test_only_lost_answers_are_listed_on_request(turns: Session, pilot: AppPilot) -> None:
    log = await permit(pilot)
    await until(pilot, lambda: len(log.choices) == 3)
    await press(pilot, "d")
    assert log.entry is not None
    assert (len(log.choices), log.entry.query) == (1, "which token store?")
    await press(pilot, "d")
    assert len(log.choices) == 3
    await press(pilot, "slash", *"timed", "enter")
    assert len(log.choices) == 1


async def test_growing_transcript_is_followed(turns: Session, pilot: AppPilot) -> None:
    log = await permit(pilot)
    turns.prompt("a later question", 180)
    turns.attached("A later answer.", 181)
    await until(pilot, lambda: len(log.choices) == 4)
    log.go_to_query("a later question")
    await press(pilot, "f4")
    assert "A later answer." in text_of(pilot, "#delivery")


async def test_hostile_text_reaches_no_terminal(turns: Session, pilot: AppPilot) -> None:
    turns.prompt("a hostile question", 180)
    turns.hook("hook_additional_context", 181, content=[context("\x1b]0;owned\x07 and \u202etxt")])
    log = await permit(pilot)
    log.go_to_query("a hostile question")
    await press(pilot, "f4")
    text = text_of(pilot, "#delivery")
    assert "owned" in text
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert json.dumps(text)


async def test_query_that_ends_late_is_followed(turns: Session, pilot: AppPilot) -> None:
    log = await permit(pilot)

    def outcome() -> DeliveryOutcome | None:
        found = (turn for turn in view(pilot).log.turns.values() if turn.recall.query == "a slow question")
        return next((turn.outcome for turn in found), None)

    turns.prompt("a slow question", 180)
    turns.hook("hook_success", 186, stdout="", exitCode=0)
    turns.log("a slow question", 0, 180.1, 4, status="processing", response="")
    await until(pilot, lambda: outcome() is DeliveryOutcome.UNKNOWN)
    turns.log("a slow question", 11, 180.1, 4)
    await until(pilot, lambda: outcome() is DeliveryOutcome.TIMED_OUT)
    await until(pilot, lambda: len(log.choices) == 4)
    log.go_to_query("a slow question")
    await press(pilot, "f4")
    assert "timed out" in text_of(pilot, "#delivery")


async def test_only_one_reading_runs_at_a_time(
    turns: Session, pilot: AppPilot, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, running, most = DeliveryReader.read, 0, 0

    def slow(reader: DeliveryReader, limit_ms: float) -> Delivery:
        nonlocal running, most
        running += 1
        most = max(most, running)
        time.sleep(0.5)
        running -= 1
        return read(reader, limit_ms)

    monkeypatch.setattr(DeliveryReader, "read", slow)
    await permit(pilot)
    for _ in range(4):
        await pilot.press("1", "4")
    await until(pilot, lambda: not running)
    assert most == 1
