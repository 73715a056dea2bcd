"""The terminal app. Importing it is cheap, since only :func:`run` loads Textual."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from brvtui.app.project.opening import Opening

_SWITCH_SECONDS = 0.001
"""The thread switch interval in seconds, shorter than Python's 5 ms so that threads do not delay the event loop."""


def run(opening: Opening, at_end: Callable[[], None] = lambda: None) -> int:
    """Runs the app on ``opening`` and returns the exit code when the user quits.

    Switching to another memory, whether the project's or a fleet member's, starts a new app. ``at_end`` is called after
    the threads have ended and before the process ends; it may be called twice.
    """
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.disable()  # objects created at startup are permanent; `settle_memory` turns collection on again
    from brvtui.app.app import BrvTui, FleetTui
    from brvtui.app.ending import end_process_unless_idle, run_until_ended

    ending = Lock()

    def end() -> None:  # a signal may force the end while the app is already ending
        with ending:
            at_end()

    app = FleetTui(opening) if opening.is_fleet_alone else BrvTui(opening)
    while True:
        app.report_thread_errors()
        app.at_end = end
        run_until_ended(app.run_async)
        if app.leaving.reopening is None:
            break
        app = BrvTui(app.leaving.reopening)
    if opening.fleet is not None:
        opening.fleet.close()
    code = app.return_code or 0
    end_process_unless_idle(code, app.time_left.seconds, end)
    return code
