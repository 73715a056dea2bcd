"""One open project, the only door of app and commands, and the only room that knows services."""

from __future__ import annotations

from brvtui.session.services import session_model
from brvtui.session.session import NotLoaded, Session

__all__ = ["NotLoaded", "Session", "session_model"]
