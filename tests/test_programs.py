"""One module starts processes, and the linter keeps it so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

_WAYS = (
    "import subprocess",
    "from subprocess import run",
    "import multiprocessing.pool",
    "from multiprocessing import Process",
    "from concurrent.futures import ProcessPoolExecutor",
    "from concurrent.futures.process import BrokenProcessPool",
    "import asyncio\n\nasyncio.create_subprocess_exec",
    "import sys\n\nprint(sys.executable)",
    "from sys import executable",
    "import os\n\nos.execv",
    "import os\n\nos.spawnlp",
    "import os\n\nos.system",
    "import os\n\nos.posix_spawn",
    "import os as system\n\nsystem.fork",
    "import pty",
)


def _faults(file: Path, code: str) -> str:
    """The faults that ruff finds in ``code`` at the place of ``file``, by the rule of forbidden names."""
    command = [sys.executable, "-m", "ruff", "check", "--select", "TID251", "--stdin-filename", str(file), "-"]
    return subprocess.run(command, input=code, capture_output=True, text=True, cwd=ROOT, check=False).stdout


@pytest.mark.parametrize("code", _WAYS)
def test_one_module_starts_processes(code: str) -> None:
    assert "TID251" in _faults(ROOT / "brvtui/lab/new.py", code)
    assert "TID251" not in _faults(ROOT / "brvtui/programs.py", code)


def test_no_module_switches_the_rule_off() -> None:
    files = (ROOT / "brvtui").rglob("*.py")
    assert [file for file in files if "noqa: TID" in file.read_text("utf-8")] == []
