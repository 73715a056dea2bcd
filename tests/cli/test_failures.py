"""Commands that fail: one line, exit code 4; of a crash a report."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import click
import pytest

from brvtui.cli.failure import _CODES, ErrorsReported, Failure
from brvtui.engines.contract import EngineError, StorageError, UnknownEngine
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


@pytest.mark.parametrize("name", _CODES)
def test_errors_of_the_exit_code_table_exist(name: str) -> None:
    module, _, kind = name.rpartition(".")
    error = getattr(import_module(module), kind)
    assert issubclass(error, Exception)
    assert (error.__module__, error.__qualname__) == (module, kind)


def test_subclass_has_the_exit_code_of_the_nearest_listed_class() -> None:
    class Stale(StorageError):
        pass

    for error, code in ((Stale("no room"), 4), (UnknownEngine("no engine"), 2), (EngineError("no"), 2)):
        with pytest.raises(Failure) as caught, ErrorsReported():
            raise error
        assert (caught.value.message, caught.value.code, caught.value.__cause__) == (str(error), code, error)


def test_unlisted_errors_pass_unchanged() -> None:
    for error in (ValueError("a"), KeyError("b"), KeyboardInterrupt(), Failure("c", 3), click.UsageError("d")):
        with pytest.raises(type(error)) as caught, ErrorsReported():
            raise error
        assert caught.value is error
