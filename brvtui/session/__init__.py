"""One open project: the only entry point for the app and the commands, and the only layer that knows services."""

from __future__ import annotations

import numpy  # noqa: F401  # first: imported from deeper below, it takes about 20 ms longer

from brvtui.session.services import session_model
from brvtui.session.session import NotLoaded, Session

__all__ = ["NotLoaded", "Session", "session_model"]
