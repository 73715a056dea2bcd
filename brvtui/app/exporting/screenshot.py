"""Saves the screen as a picture."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path

from textual.app import App

from brvtui import faults
from brvtui.disk import writing
from brvtui.store.folders import pictures_folder

Deliver = Callable[[str, bytes], None]
"""Hands a file, its name and content, to the browser that shows the app."""


def take_screenshot(app: App[None], deliver: Deliver, filename: str | None, path: str | None) -> None:
    """Saves the screen of ``app`` as SVG, without ``path`` among the user's pictures, and says where.

    A browser is handed the file instead. Toasts go first: they would cover a part of it.
    """
    app.clear_notifications()
    for rack in app.screen.query("ToastRack"):
        rack.display = False
    app.screen.call_after_refresh(partial(_take, app, deliver, filename, path))


def _take(app: App[None], deliver: Deliver, filename: str | None, path: str | None) -> None:
    if app.is_web:
        name = filename or f"brv-tui-{datetime.now():%Y-%m-%d-%H%M%S}.svg"
        deliver(name, app.export_screenshot().encode())
        return
    folder = Path(path) if path else pictures_folder()
    try:
        writing.make_folder(folder)
        saved = app.save_screenshot(filename, str(folder))
    except OSError as error:
        app.notify(f"no screenshot: {faults.advice(error)}", severity="error")
    else:
        app.notify(f"saved {saved}", timeout=8)
