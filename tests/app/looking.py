"""Helpers that read the app's state and the texts on the screen."""

from __future__ import annotations

from typing import Any, cast

from textual.pilot import Pilot

from brvtui.app.app import BrvTui
from brvtui.app.query.screen import QueryScreen
from brvtui.app.screens.frame import FrameScreen
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.trace import Trace

AppPilot = Pilot[Any]
"""Drives an app."""


def brv(pilot: AppPilot) -> BrvTui:
    """The app."""
    return cast("BrvTui", pilot.app)


def view(pilot: AppPilot) -> View:
    """The app's view."""
    return brv(pilot).view


def trace_of(pilot: AppPilot) -> Trace:
    """The shown trace."""
    trace = view(pilot).answer.trace
    assert trace is not None
    return trace


def frame(pilot: AppPilot) -> FrameScreen:
    """The screen in front, below any modal."""
    found = brv(pilot).frame
    assert found is not None
    return found


def screen(pilot: AppPilot) -> QueryScreen:
    """The Query screen."""
    (first, *_) = pilot.app.get_screen_stack("query")
    assert isinstance(first, QueryScreen)
    return first


def text_of(pilot: AppPilot, selector: str) -> str:
    """The lines of a widget as text."""
    widget = frame(pilot).query_one(selector, Lines)
    return "\n".join(line.plain for line in widget.lines)


def flat(pilot: AppPilot, selector: str = "") -> str:
    """The text of a widget, or of the whole terminal, without wrapping: words separated by single spaces."""
    text = text_of(pilot, selector) if selector else shown(pilot).replace("│", " ").replace("┃", " ")
    return " ".join(text.split())


def toasts(pilot: AppPilot) -> list[str]:
    """The messages of the toasts, oldest first."""
    return [str(toast.message) for toast in pilot.app._notifications]


def toast_text(pilot: AppPilot) -> str:
    """The messages of the toasts as lines."""
    return "\n".join(toasts(pilot))


def panes(pilot: AppPilot) -> dict[str, list[str]]:
    """The texts of the panes that show nothing but the trace."""
    kinds = ("verdict", "route", "results", "score", "retry", "cache", "answer", "lint")
    return {kind: [line.plain for line in screen(pilot).query_one(f"#{kind}", Lines).lines] for kind in kinds}


def without_offers(panes: dict[str, list[str]]) -> dict[str, list[str]]:
    """``panes`` without the lines that offer a key for an action in a project."""
    offers = (
        "a begins a note",
        "changes that make a model unnecessary",
        "press v to look for the smallest changes",
    )
    result = {}
    for pane, lines in panes.items():
        kept = [line for line in lines if not any(offer in line for offer in offers)]
        result[pane] = kept[:-1] if len(kept) < len(lines) and not kept[-1].strip() else kept
    return result


def shown(pilot: AppPilot) -> str:
    """Everything on the terminal, as text."""
    app = pilot.app
    width, height = app.size
    lines = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip)[:width] for strip in lines[:height])
