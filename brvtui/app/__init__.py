"""The terminal app. Cheap to import: Textual is loaded by :func:`run`."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

_SWITCH_SECONDS = 0.001
"""How long a worker may keep the event loop waiting (Python's 5 ms, for each time that it asks)."""


def run(
    start: Path | None,
    profile: str | None,
    now_ms: float | None,
    signals_file: Path | None,
    repository: Path | None = None,
) -> int:
    """Opens the app on the project at or above ``start`` and returns the exit code once the user leaves.

    With a ``repository``, it opens the code of that instead.
    """
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.disable()  # what is made while starting stays; `settle_memory` turns collection on again
    from brvtui.app.app import BrvTui
    from brvtui.app.ending import end_process_unless_idle, run_until_ended
    from brvtui.app.project.opening import Opening

    app = BrvTui(Opening(start, profile, now_ms, signals_file, repository))
    app.report_thread_errors()
    run_until_ended(app.run_async)
    code = app.return_code or 0
    end_process_unless_idle(code, app.time_left.seconds)
    return code
