"""Copying and saving in the app, by keys."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from textual.drivers.headless_driver import HeadlessDriver
from textual.widgets import Input

from brvtui.app.app import BrvTui
from brvtui.app.exporting import clipboard
from brvtui.app.exporting.sharing import ExportDialog
from brvtui.app.widgets.lines import Paragraphs
from brvtui.saved.traces import read
from tests.app.driving import ask, press, settled, until
from tests.app.looking import AppPilot, brv, screen, toast_text, view
from tests.app.test_clipboard import TAKES, put
from tests.support.trees import Tree

pytestmark = pytest.mark.long


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The app's own output to the terminal, on a machine without clipboard programs."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("TMUX", "TERM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    sent: list[str] = []

    def write(driver: HeadlessDriver, data: str) -> None:
        if "]52;" in data:
            sent.append(data)

    monkeypatch.setattr(HeadlessDriver, "write", write)
    return sent


def offered(sent: list[str]) -> str:
    """The text of the last OSC 52 sequence."""
    (*_, escape) = [data for data in sent if data.startswith("\x1b]52;")]
    return base64.b64decode(escape[7:-1]).decode()


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The working folder of the app."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def problem(pilot: AppPilot) -> str:
    """The problem in the dialog."""
    return " ".join(line.plain.strip() for line in pilot.app.screen.query_one("#field-problem", Paragraphs).lines)


async def toast_shown(pilot: AppPilot, part: str) -> None:
    """Waits for a toast that contains ``part``."""
    await until(pilot, lambda: part in toast_text(pilot))


async def test_content_of_each_pane_can_be_copied(app: BrvTui, written: list[str], tmp_path: Path) -> None:
    async with app.run_test() as pilot:
        await ask(pilot, "refresh token rotation", "escape", "j", "y")
        await toast_shown(pilot, "copied the path")
        assert offered(written) == view(pilot).answer.trace.hits[1].path
        assert app.clipboard == offered(written)
        await toast_shown(pilot, "if the clipboard stays empty")
        await ask(pilot, "rollback", "f8", "G", "k", "y")
        await toast_shown(pilot, f"copied the path {screen(pilot).note_at_hand} (")
        assert offered(written) == screen(pilot).note_at_hand
        await ask(pilot, "token store", "escape", "Y")
        await toast_shown(pilot, "copied the trace of “token store” as JSON")
        (tmp_path / "copied.json").write_text(offered(written))
        assert read(tmp_path / "copied.json").trace == view(pilot).answer.trace
        await pilot.press("i")
        screen(pilot).field.select_all()
        await pilot.press("ctrl+c")
        await toast_shown(pilot, "copied the text (11 characters)")
        assert offered(written) == "token store"
        await pilot.press("f7", "y")
        await toast_shown(pilot, "copied the answer")
        assert offered(written) == view(pilot).answer.trace.answer.text
        await ask(pilot, "refresh token rotation", "f7", "right", "y")
        await toast_shown(pilot, "copied the prompt")
        assert offered(written) == view(pilot).answer.trace.answer.prompt.text.replace("\x1b", "␛").replace("\a", "␇")


async def test_browser_names_the_download_key_for_a_trace_too_long_to_copy(
    app: BrvTui, written: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BrvTui, "is_web", True)
    monkeypatch.setattr(clipboard, "LARGEST_BASE64", 8)
    async with app.run_test() as pilot:
        await ask(pilot, "token store", "escape", "Y")
        await toast_shown(pilot, "is too long to be copied through your browser")
        await toast_shown(pilot, "on the machine that runs brv-tui; x downloads it")
        await settled(pilot)
    assert written == []


async def test_empty_copy_is_reported_and_y_is_text_in_the_field(app: BrvTui, written: list[str]) -> None:
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("escape", "y")
        await toast_shown(pilot, "no note is selected")
        await pilot.press("Y")
        await toast_shown(pilot, "there is no trace yet")
        await pilot.press("x")
        assert brv(pilot).screen is screen(pilot)
        assert written == []
        await pilot.press("i")
        await press(pilot, "y", "Y", "x")
        assert screen(pilot).field.value == "yYx"
        assert written == []


async def test_clipboard_program_is_used_if_available(
    app: BrvTui, written: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sh", "cat"):
        (tmp_path / "bin" / name).symlink_to(f"/bin/{name}")
    put(tmp_path / "bin", "xclip", TAKES)
    monkeypatch.setenv("DISPLAY", ":0")
    async with app.run_test() as pilot:
        await ask(pilot, "token store", "escape", "y")
        await toast_shown(pilot, "with xclip")
        assert (tmp_path / "bin" / "xclip.got").read_text() == "auth/jwt/token_store.md"
        assert written == []


async def test_trace_is_saved_under_the_typed_name_and_ending(app: BrvTui, here: Path) -> None:
    async with app.run_test() as pilot:
        await ask(pilot, "Token store?", "escape", "x")
        assert app.screen.query_one(Input).value == "token-store.json"
        await pilot.press("2")
        assert app.screen.query_one(Input).value == "token-store2.json"
        for value, kept in (
            ("out.json", "out.json"),
            ("out.md", "out.md"),
            ("out.svg", "out.svg"),
            ("notes.md.json", "notes.md"),
            ("other.md.json/", "other.md"),
            ("b.json.json/.", "b.json"),
        ):
            app.screen.query_one(Input).value = value
            await pilot.press("enter")
            await toast_shown(pilot, f"saved {here / kept}")
            assert app.screen is screen(pilot)
            assert (here / kept).stat().st_size > 1000
            await pilot.press("x")
        for ending in ("json", "md"):
            await pilot.press("ctrl+u", *"typed", "full_stop", *ending, "enter")
            await toast_shown(pilot, f"saved {here / f'typed.{ending}'}")
            await pilot.press("x")
        app.screen.query_one(Input).value = "a.json.bak"
        await pilot.press("enter")
        await until(pilot, lambda: ".bak" in problem(pilot))


async def test_existing_file_is_replaced_only_after_confirmation(app: BrvTui, here: Path) -> None:
    old = here / "token-store.json"
    old.write_text("old")
    async with app.run_test() as pilot:
        await ask(pilot, "token store", "escape", "x", "enter")
        await until(pilot, lambda: "press Enter again to replace it" in problem(pilot))
        assert old.read_text() == "old"
        field = app.screen.query_one(Input)
        field.value = "nowhere/x.json"
        await pilot.press("enter")
        await until(pilot, lambda: "there is no folder" in problem(pilot))
        field.value = "token-store.json"
        await pilot.press("enter")
        await until(pilot, lambda: "press Enter again to replace it" in problem(pilot))
        await pilot.press("enter")
        await toast_shown(pilot, "saved ")
    assert read(old).trace.query == "token store"


async def test_save_dialog_refuses_the_tree_and_esc_saves_nothing(app: BrvTui, garden: Tree, here: Path) -> None:
    before = sorted(here.iterdir())
    async with app.run_test() as pilot:
        await ask(pilot, "token store", "escape", "x")
        app.screen.query_one(Input).value = str(garden.tree / "x.md")
        await pilot.press("enter")
        await until(pilot, lambda: "would become a note" in problem(pilot))
        await pilot.press("escape")
        assert not isinstance(app.screen, ExportDialog)
        assert app.screen is screen(pilot)
    assert sorted(here.iterdir()) == before
    assert not (garden.tree / "x.md").exists()


async def test_copied_text_has_no_escapes_and_a_copied_path_has_one_line(
    garden: Tree, app: BrvTui, written: list[str], here: Path
) -> None:
    garden.note("a/\x1b[201~\ntouch planted\n#.md", "Zork", "zork")
    async with app.run_test(size=(120, 36)) as pilot:
        await ask(pilot, "zork")
        await press(pilot, "escape", "y")
        await toast_shown(pilot, "copied the path")
        assert "\x1b" not in offered(written)
        assert "\n" not in offered(written)
        pilot.app.copy_to_clipboard("one\n\ttwo \x1b]0;title\x07\x9b31m é")
        await until(pilot, lambda: offered(written).startswith("one\n\ttwo "))
        assert not {"\x1b", "\x07", "\x9b"} & set(offered(written))
        assert offered(written).endswith("é")
