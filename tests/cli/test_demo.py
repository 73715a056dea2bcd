"""``brv-tui demo``: the sample tree, in a temporary folder or in one that the user names."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from benchmarks.app_in_pty import start
from brvtui.app.ending import end_process_unless_idle
from brvtui.config import user_file
from brvtui.tree.engine_files.query_log import logged_files, read_entries
from brvtui.tree.saving.ages import stamp
from tests.app.driving import WIDE
from tests.app.test_editor_killed import _wait
from tests.app.test_signals import _ended
from tests.cli.conftest import Run
from tests.support.recorded import REPOSITORY

SAMPLE = REPOSITORY / "sample-tree"
_DAY_S = 86_400


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files, which is empty."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


def test_query_option_prints_the_answer_and_removes_the_sample(
    run: Run, temporary: Path, own_data_folders: Path
) -> None:
    code, out, err = run("demo", "--query", "carrier resends", inside=False)
    assert (code, err) == (0, "")
    assert "TIER 3" in out
    assert "pelican_webhooks.md" in out
    assert list(temporary.iterdir()) == []
    assert not [file for file in own_data_folders.rglob("*") if file.is_file()]


def test_demo_ignores_the_users_settings(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    file = user_file()
    file.parent.mkdir(parents=True)
    file.write_text('engine = "soleri"\n')
    monkeypatch.setenv("BRV_TUI_ENGINE", "baseline")
    monkeypatch.setenv("BRV_TUI_LLM_MODEL", "a-model")
    before = dict(os.environ)
    code, out, err = run("demo", "--query", "carrier resends", inside=False)
    assert (code, err) == (0, "")
    assert "TIER 3" in out
    assert "Deduplicating carrier events" in out
    assert file.read_text() == 'engine = "soleri"\n'
    assert dict(os.environ) == before


def test_folder_that_cannot_be_created_is_reported_in_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    folder = tmp_path / "file" / "copy"
    why = f"the sample tree cannot be copied to {folder} (Not a directory); choose another folder"
    assert run("demo", str(folder), "--query", "x", inside=False) == (4, "", f"brv-tui: {why}\n")


def test_named_folder_keeps_the_sample_notes_and_their_ages(run: Run, tmp_path: Path, temporary: Path) -> None:
    copy = tmp_path / "new" / "copy"
    code, out, err = run("demo", str(copy), "--query", "kubernetes ingress nginx", inside=False)
    assert (code, "nothing was found" in out) == (1, True)
    assert f"--project {copy}" in err
    assert list(temporary.iterdir()) == []
    ages = json.loads((SAMPLE / "ages.json").read_text())
    for path, days in ages.items():
        note = copy / ".brv" / "context-tree" / path
        assert time.time() - note.stat().st_mtime == pytest.approx(days * _DAY_S, abs=60)
    assert not (copy / "restamp.py").exists()
    entries = read_entries(logged_files([copy / ".brv" / "query-log"], 100))
    newest_first = [entry["query"] for entry in json.loads((SAMPLE / "query-log.json").read_text())][::-1]
    assert [entry.query for entry in entries] == newest_first
    assert time.time() * 1000 - entries[0].at_ms == pytest.approx(0.03 * _DAY_S * 1000, abs=60_000)
    assert run("query", "carrier resends", "--project", str(copy), inside=False)[0] == 0


def test_folder_that_is_not_empty_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for folder in (tmp_path, tmp_path / "file"):
        refused = run("demo", str(folder), "--query", "x", inside=False)
        assert (refused[0], refused[1]) == (2, "")
        assert refused[2].startswith(f"brv-tui: {folder}: not an empty folder; choose a new one")
    assert (tmp_path / "file").read_text() == "mine"


def test_demo_without_a_terminal_suggests_the_query_option(run: Run, temporary: Path) -> None:
    said = "brv-tui: the app needs a terminal; without one, use brv-tui demo --query TEXT\n"
    assert run("demo", inside=False) == (2, "", said)
    assert list(temporary.iterdir()) == []


def test_missing_sample_is_reported(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brvtui.cli.demo._SAMPLE", "no-sample")
    code, _, err = run("demo", "--query", "x", inside=False)
    assert (code, err.count("\n"), "install brv-tui again" in err) == (4, 1, True)


def test_missing_files_are_skipped_when_ages_are_set(tmp_path: Path) -> None:
    note = tmp_path / ".brv" / "context-tree" / "a.md"
    note.parent.mkdir(parents=True)
    note.write_text("a")
    (tmp_path / "ages.json").write_text('{"a.md": 1.5, "gone.md": 2}')
    assert stamp(tmp_path, 86_400_000 * 2 + 0.7) == 1
    assert note.stat().st_mtime_ns == 43_200_000 * 1_000_000


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_demo_app_answers_and_removes_the_sample(temporary: Path, own_data_folders: Path) -> None:
    terminal = start(Path("demo"), *WIDE)
    _wait(terminal, lambda text: "75 notes" in text)
    terminal.key("carrier resends")
    _wait(terminal, lambda text: "TIER 3" in text)
    terminal.key("\x11")  # ctrl+q
    assert _ended(terminal)[0] == 0
    assert list(temporary.iterdir()) == []
    assert not [file for file in own_data_folders.rglob("*") if file.is_file()]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_tour_is_offered_until_it_was_declined(own_data_folders: Path) -> None:
    terminal = start(Path("demo"), *WIDE)
    _wait(terminal, lambda text: "New here?" in text)
    terminal.key("\x1b")
    _wait(terminal, lambda text: "starts the tour at any time" in text)
    terminal.key("\x11")
    assert _ended(terminal)[0] == 0
    terminal, painted = start(Path("demo"), *WIDE), [""]
    terminal.key("carrier resends")
    _wait(terminal, lambda text: painted.append(text) or "TIER 3" in text)
    assert "New here?" not in painted[-1]
    terminal.key("\x11")
    assert _ended(terminal)[0] == 0
    assert [file.name for file in own_data_folders.rglob("*") if file.is_file()] == ["tour.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_app_leaves_nothing_behind_if_its_terminal_disappears(temporary: Path) -> None:
    terminal = start(Path("demo"), *WIDE)
    _wait(terminal, lambda text: "75 notes" in text)
    os.close(terminal.descriptor)
    os.waitpid(terminal.pid, 0)
    assert list(temporary.iterdir()) == []


def test_work_at_the_end_follows_the_threads() -> None:
    events = list[str]()
    thread = threading.Thread(target=lambda: (time.sleep(0.2), events.append("thread")))
    thread.start()
    end_process_unless_idle(0, 10, lambda: events.append("end"))
    assert events == ["thread", "end"]


def test_sample_transcript_has_lost_answers(run: Run, tmp_path: Path) -> None:
    sample = tmp_path / "tour"
    assert run("demo", str(sample), "--query", "carrier", inside=False)[0] == 0
    transcripts = str(sample / ".brv" / "transcripts")
    named = ("--project", str(sample), "--transcripts", transcripts)
    code, out, _ = run("delivery", *named, "--format", "json", inside=False)
    found = json.loads(out)
    assert (code, len(found["turns"]), found["unknown_rows"]) == (0, 11, 0)
    lost = {turn["outcome"]: turn["query"] for turn in found["turns"] if not turn["outcome"].startswith("delivered")}
    assert lost == {
        "timed_out": "which alerts have no runbook",
        "ignored_by_host": "idempotent usage stream",
        "not_covered": "kubernetes ingress nginx",
        "spilled": "black friday",
    }
