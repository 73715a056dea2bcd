"""Commands that fail: one line, exit code 4; of a crash a report."""

from __future__ import annotations

from pathlib import Path

import pytest

from brvtui.session import Session
from tests.cli.conftest import Run


def test_a_crash_leaves_a_report(run: Run, own_data_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        secret = "the launch code is 4711"
        raise KeyError(secret)

    monkeypatch.setattr(Session, "probe", broken)
    code, out, err = run("query", "where is it")
    (file,) = (own_data_folders / "tool/crashes").iterdir()
    assert (code, out) == (4, "")
    assert err == f"brv-tui: failed: KeyError: 'the launch code is 4711'; a report is in {file}\n"
    report = file.read_text()
    assert "doing the command query" in report
    assert "in broken" in report
    assert "4711" not in report
    assert "where is it" not in report


def test_what_the_system_refuses_is_a_line(run: Run, own_data_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "/full/disk")

    monkeypatch.setattr(Session, "probe", refused)
    wanted = "brv-tui: /full/disk: the disk is full; free some space and try again\n"
    assert run("query", "where") == (4, "", wanted)
    assert not (own_data_folders / "tool/crashes").exists()
