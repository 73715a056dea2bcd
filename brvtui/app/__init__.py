"""The terminal app. Cheap to import: Textual is loaded by :func:`run`."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from brvtui.app.project.opening import Opening

_SWITCH_SECONDS = 0.001
"""How long a worker may keep the event loop waiting (Python's 5 ms, for each time that it asks)."""


def run(opening: Opening, at_end: Callable[[], None] = lambda: None) -> int:
    """Opens the app on what ``opening`` says and returns the exit code once the user leaves.

    Calls ``at_end`` before it ends the process.

    A user who goes over to the other memory of the project, or to that of a fleet's member, leaves one app for another.
    """
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.disable()  # what is made while starting stays; `settle_memory` turns collection on again
    from brvtui.app.app import BrvTui, FleetTui
    from brvtui.app.ending import end_process_unless_idle, run_until_ended

    app = FleetTui(opening) if opening.is_fleet_alone else BrvTui(opening)
    while True:
        app.report_thread_errors()
        run_until_ended(app.run_async)
        if app.leaving.reopening is None:
            break
        app = BrvTui(app.leaving.reopening)
    if opening.fleet is not None:
        opening.fleet.close()
    at_end()
    code = app.return_code or 0
    end_process_unless_idle(code, app.time_left.seconds)
    return code
