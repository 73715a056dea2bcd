"""The files written by the engine's archive, recorded by ``benchmarks/record_archive.py``."""

from __future__ import annotations

import base64
from typing import Any

from tests.support.recorded import REPOSITORY, milliseconds, read

RECORDED = read(REPOSITORY / "tests" / "data" / "archive" / "engine.json")
RECORDED_MS = milliseconds(RECORDED["now"])
CASES: dict[str, dict[str, Any]] = {case["id"]: case for case in RECORDED["cases"]}
NOT_UTF8, BACKSLASH = "bytes that are not UTF-8", "backslash in the name"
TWICE, AGAIN = "archived once before", "written again meanwhile"
ALIKE = [case for name, case in CASES.items() if name not in (NOT_UTF8, BACKSLASH)]
"""All cases except those in which the engine changes a note's bytes or cannot restore the note."""


def as_bytes(recorded: str | dict[str, str]) -> bytes:
    """A recorded file."""
    return recorded.encode("utf-8") if isinstance(recorded, str) else base64.b64decode(recorded["base64"])


def importance_of(case: dict[str, Any]) -> float:
    """The importance that the engine had stored for the case's note."""
    return float(case["signals"].get(case["path"], {"importance": 50})["importance"])
