"""Full and read-only disks and folders: a message names the fault, and everything else works."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ROOT
from tests.support.namespaces import CANNOT

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform != "linux", reason="Linux's namespaces are needed")]


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that every user may enter and write to."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


def played(place: Path, *words: str) -> dict[str, Any]:
    """The report of the scene."""
    known = {**os.environ, "BRV_TUI_DATA_DIR": str(place / "data"), "BRV_DATA_DIR": str(place / "engine")}
    command = [sys.executable, "-m", *words, str(place)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100, env=known)
    if done.returncode == CANNOT:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


ANSWERED = [0, "", True]


def test_unreadable_notes_and_read_only_folders_are_reported(place: Path) -> None:
    result = played(place, "tests.faults.scenes", "shut_out")
    refused = "you lack permission to read or write it or its folder; change the permissions and try again"
    data = place / "own/data"
    assert result["query"] == ANSWERED
    assert result["keep"] == f"{data}/cache: {refused}"
    assert result["history"] == f"{data}/trees: {refused}"
    assert result["recorded"] == [f"access hits cannot be recorded: {refused}"]
    assert result["keep later"] == "True"
    assert result["save"] == "auth/jwt/a.md is read-only; make it writable and try again"
    assert result["new"] == f"auth/jwt/new.md: not done: {refused}"
    assert result["text"] == "# Rotation\n\ntokens rotate\n"
    assert result["query on it"] == ANSWERED
    assert (result["gone"], result["back"], result["followed"]) == (True, True, True)
    assert result["unseen"] == {
        "ops": "the folder cannot be read: Permission denied",
        "auth/jwt/a.md": "cannot be read: Permission denied",
    }


def test_full_and_read_only_disks_are_reported(place: Path) -> None:
    result = played(place, "tests.support.namespaces", "tests.faults.scenes", "full_disk")
    full = "the disk is full; free some space and try again"
    own = str(place / "disk/data")
    assert result["query"] == ANSWERED
    for name in ("keep", "history", "draft"):
        assert result[name].startswith(own), name
        assert result[name].endswith(f": {full}"), name
    assert result["left of it"] == []
    assert result["crash"].startswith(f"failed: RuntimeError: it broke; no report could be written: {own}")
    assert result["still there"] == [["before"], "draft"]
    assert (result["keep later"], result["kept"]) == ("True", True)
    assert result["save"] == f"auth/jwt/a.md: not done: {full}"
    assert result["new"] == f"auth/new/n.md: not done: {full}"
    assert result["text"] == "# Rotation\n\ntokens rotate\n"
    assert result["leftovers"] == []
    assert result["save read-only"] == "auth/jwt/a.md is read-only; make it writable and try again"
    assert result["history read-only"].endswith("the file system is read-only; mount it writable and try again")
    assert result["query read-only"] == ANSWERED
