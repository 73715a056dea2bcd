"""The pictures of the documentation show the current app: `make pictures` updates them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

pytestmark = pytest.mark.long


def test_screenshots_are_current(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tools" / "make_screenshots.py"), str(tmp_path)]
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stderr
    kept = {file.name: file.read_text() for file in (ROOT / "docs" / "screenshots").iterdir()}
    result = {file.name: file.read_text() for file in tmp_path.glob("*.svg")}
    assert kept.keys() == result.keys()
    assert [name for name in kept if kept[name] != result[name]] == []
