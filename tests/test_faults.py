"""What the system refuses becomes one line: which file, what is wrong, what to do."""

from __future__ import annotations

import errno
import re
from pathlib import Path

import pytest

from brvtui import faults
from tests.test_rooms import PACKAGE


@pytest.mark.parametrize("number", sorted(errno.errorcode))
def test_every_error_is_one_line_with_its_file(number: int) -> None:
    line = faults.error_line(OSError(number, "what the system\nsays", "/somewhere/n.md"), "elsewhere")
    assert line.startswith("/somewhere/n.md: ")
    assert "; " in line


def test_the_file_is_the_one_that_is_known() -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    assert faults.error_line(full, Path("/data")) == "/data: the disk is full; free some space and try again"
    assert faults.error_line(full) == "input or output: the disk is full; free some space and try again"
    assert faults.error_line(OSError(errno.EIO, "x", b"/by/bytes")).startswith("/by/bytes: the disk fails")
    assert faults.error_line(OSError("nothing is known")) == "input or output: nothing is known; fix that and try again"


def test_what_was_said() -> None:
    assert faults.reason(OSError(errno.EACCES, "Permission denied", "n.md")) == "Permission denied"
    assert faults.reason(ValueError("no number")) == "no number"
    assert faults.reason(ValueError()) == "ValueError"


def test_nobody_else_puts_errors_into_words() -> None:
    found = [
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        if re.search(r"(?<!\bos)\.strerror\b", file.read_text(encoding="utf-8"))
    ]
    assert found == ["faults.py"]
