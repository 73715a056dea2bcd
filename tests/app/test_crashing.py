"""A crash ends the app with one line, a report and an exit code. Failures in the background are reported."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from textual.css.query import NoMatches
from textual.worker import WorkerFailed

from brvtui.session import Session
from brvtui.tree.saving import note_files
from tests.app.driving import WIDE, MakeApp, settled, until
from tests.app.editing import NOTE, looked, type_in_note, type_keys
from tests.app.looking import screen, toast_text, view
from tests.docs.pages import ROOT
from tests.support.trees import Tree

_SECRET = "the launch code is 4711"
_BROKEN = f"""
import sys
from pathlib import Path
from brvtui.app.app import BrvTui
from brvtui.app.project.opening import Opening

def action_help_quit(app):
    note = {_SECRET!r}
    raise KeyError(note)

BrvTui.action_help_quit = action_help_quit

async def press(pilot):
    while pilot.app.view.project.overview is None:
        await pilot.pause(0.01)
    await pilot.press("ctrl+c")

app = BrvTui(Opening(Path(sys.argv[1])))
app.run(headless=True, auto_pilot=press)
sys.exit(app.return_code)
"""


def test_crash_prints_one_line_and_writes_a_report(garden: Tree, own_data_folders: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(_BROKEN)
    command = [sys.executable, str(tmp_path / "broken.py"), str(garden.root)]
    known = {**os.environ, "COLUMNS": "500", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=known)
    assert done.returncode == 4, done.stderr
    (file,) = (own_data_folders / "tool/crashes").iterdir()
    (line,) = (done.stdout + done.stderr).strip().splitlines()
    assert line.strip() == f"brv-tui: failed: KeyError: '{_SECRET}'; a report is in {file}"
    text = file.read_text()
    assert "4711" not in text
    assert "screen query" in text
    assert "in action_help_quit" in text


async def test_failing_worker_is_reported_with_a_report_file(
    garden: Tree, make_app: MakeApp, own_data_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("it broke")

    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        with monkeypatch.context() as patched:
            patched.setattr(Session, "preview", broken)
            screen(pilot).field.value = "token"
            await until(pilot, lambda: "failed: RuntimeError: it broke; a report is in" in toast_text(pilot))
        assert len(list((own_data_folders / "tool/crashes").iterdir())) == 1
        screen(pilot).field.value = "token rotation"
        await settled(pilot)
        assert view(pilot).answer.trace is not None


async def test_system_error_in_a_worker_is_reported_without_a_crash(
    garden: Tree, make_app: MakeApp, own_data_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise OSError(28, "No space left on device", "/full/disk")

    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        monkeypatch.setattr(Session, "preview", broken)
        screen(pilot).field.value = "token"
        await until(pilot, lambda: "/full/disk: the disk is full; free some space and try again" in toast_text(pilot))
        assert not (own_data_folders / "tool/crashes").exists()


async def test_failing_thread_is_reported(garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    app = make_app(garden.root)

    def broken() -> None:
        raise RuntimeError("it broke")

    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        app.report_thread_errors()
        thread = threading.Thread(target=broken, name="watching")
        thread.start()
        thread.join()
        await until(pilot, lambda: "failed: RuntimeError: it broke" in toast_text(pilot))


async def test_save_that_the_disk_cannot_confirm_still_counts(
    garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def refuses_folders(descriptor: int) -> None:
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):
            raise OSError(5, "Input/output error")
        fsync(descriptor)

    monkeypatch.setattr(note_files.os, "fsync", refuses_folders)
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await type_in_note(pilot, "x")
        await pilot.press("ctrl+s")
        await until(
            pilot, lambda: "the disk could not confirm it (Input/output error); check the disk" in toast_text(pilot)
        )
        await looked(pilot)
        assert (garden.tree / NOTE).read_text().startswith("x")
        assert "not saved" not in toast_text(pilot)
        assert not view(pilot).editor.edit.dirty  # type: ignore[union-attr]  # a note is open
        await type_keys(pilot, "y")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: (garden.tree / NOTE).read_text().startswith("xy"))


async def test_worker_failure_while_app_exits_is_ignored(garden: Tree, make_app: MakeApp) -> None:
    app = make_app(garden.root)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        app.exit()
        app._handle_exception(WorkerFailed(NoMatches("a list that is gone")))
    assert app.return_code == 0
