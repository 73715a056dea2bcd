"""A target that misbehaves as its input says, to test the limits."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.fuzz.targets.target import Target, Wrong

_HELD = 300_000_000


class Misbehaving(Target):
    """``raise``, ``wrong``, ``loop``, ``hold``, ``devour`` or ``die``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def seeds(self) -> list[bytes]:
        return [b"fine"]

    def run(self, data: bytes) -> str:
        what = data.strip().decode()
        if what == "raise":
            (self.folder / "nowhere" / "x").read_text()
        if what == "wrong":
            raise Wrong("this should not be")
        while what == "loop":
            pass
        if what == "hold":
            return f"{bytearray(_HELD).count(1)}"
        if what == "devour":
            return f"{[bytes(_HELD) for _ in range(20)]!r:.9}"
        if what == "die":
            os.kill(os.getpid(), signal.SIGSEGV)
        return "fine"
