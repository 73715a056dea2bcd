"""Reports of crashes hold what broke and where, and nothing of what was read."""

from __future__ import annotations

import json
import os
import resource
from pathlib import Path

import pytest

from brvtui.store import crash_report
from brvtui.store.crash_report import Circumstances, report, write_crash_report

SECRET = "the launch code is 4711"
HERE = Circumstances("the command query", "query", (120, 36))


def thrown() -> BaseException:
    """An error with a text in its message, its causes, its context, its group and its variables."""
    note = SECRET
    try:
        try:
            try:
                json.loads(note)
            except ValueError as error:
                raise KeyError(note) from error
        except KeyError:
            raise ExceptionGroup(note, [OSError(28, f"No space: {note}", f"/{note}"), RuntimeError(note)])  # noqa: B904
    except ExceptionGroup as error:
        return error


def test_a_report_says_what_and_where_and_quotes_nothing(own_data_folders: Path) -> None:
    line = write_crash_report(thrown(), HERE)
    assert "\n" not in line
    (file,) = (own_data_folders / "tool/crashes").iterdir()
    assert line.endswith(f"; a report is in {file}")
    text = file.read_text()
    assert SECRET not in text
    assert "4711" not in text
    for part in (
        "brv-tui 0.", "doing the command query", "screen query", "size 120x36", "json.decoder.JSONDecodeError",
        "builtins.KeyError", "builtins.ExceptionGroup", "builtins.OSError, errno 28", "builtins.RuntimeError",
        'File "json/decoder.py"', 'File "tests/store/test_crash_report.py"', "-- which led to:",
        "-- while that was handled:", "-- one of them:",
    ):  # fmt: skip
        assert part in text, (part, text)
    assert str(Path(__file__).parent.parent.parent) not in text
    assert file.stat().st_mode & 0o077 == 0


def test_only_the_last_reports_are_kept(own_data_folders: Path) -> None:
    for _ in range(crash_report.KEPT + 3):
        write_crash_report(RuntimeError(), HERE)
    assert len(list((own_data_folders / "tool/crashes").iterdir())) <= crash_report.KEPT


def test_where_no_report_can_be_written_that_is_said(own_data_folders: Path) -> None:
    (own_data_folders / "tool").write_text("a file where the folder should be")
    line = write_crash_report(RuntimeError("it broke"), HERE)
    assert line.startswith("failed: RuntimeError: it broke; no report could be written: ")
    assert "\n" not in line


def test_a_disk_without_room_leaves_no_half_report(own_data_folders: Path) -> None:
    """A limit on the size of files stands for the disk that is full; it holds for a child alone."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
        line = write_crash_report(RuntimeError("it broke"), HERE)
        os._exit(0 if "no report could be written" in line and "no file of this size" in line else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert list((own_data_folders / "tool/crashes").iterdir()) == []


@pytest.mark.parametrize(
    "error", [RecursionError("deep"), MemoryError(), UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x")]
)
def test_errors_of_every_kind_are_described(error: Exception) -> None:
    assert type(error).__name__ in "\n".join(report(error, Circumstances("x"), "now"))
