"""Runs the app with a heartbeat, which records every delay of the event loop. Used by benchmarks that press keys.

    HEARTBEAT=FILE python -m benchmarks.heartbeat PROJECT

When the app ends, FILE contains [[when, late, own], …] in seconds for every beat that was more than a millisecond late:
the time on the performance counter when it was due, its delay, and the processor time of the event loop's own thread
during the delay. The rest of the delay is time spent waiting for the app's workers and for other work on the machine.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path, PurePath
from typing import ClassVar

from brvtui.app import app as app_module
from brvtui.app import run
from brvtui.app.app import BrvTui
from brvtui.app.project.opening import Opening

_BEAT_SECONDS = 0.004
_LATE_SECONDS = 0.001


class Beating(BrvTui):
    """The app, which monitors its own event loop."""

    CSS_PATH: ClassVar[list[str | PurePath]] = [Path(app_module.__file__).parent / sheet for sheet in BrvTui.CSS_PATH]

    def on_mount(self) -> None:
        """Begins to beat."""
        self.late: list[tuple[float, float, float]] = []
        self._heart = asyncio.create_task(self._beat())

    async def _beat(self) -> None:
        while True:
            asleep, before = time.perf_counter(), time.thread_time()
            await asyncio.sleep(_BEAT_SECONDS)
            late = time.perf_counter() - asleep - _BEAT_SECONDS
            if late > _LATE_SECONDS:
                self.late.append((asleep, late, time.thread_time() - before))

    def on_unmount(self) -> None:
        """Writes the delays to the file."""
        Path(os.environ["HEARTBEAT"]).write_text(json.dumps(self.late))


def main() -> int:
    """Opens the app on the project named on the command line."""
    app_module.BrvTui = Beating  # type: ignore[misc]  # run() takes it from there
    return run(Opening(Path(sys.argv[1])))


if __name__ == "__main__":
    sys.exit(main())
