"""Helpers that switch engines in the app, and the parts of the view that depend on the engine."""

from __future__ import annotations

from brvtui.engines import registry
from brvtui.engines.jeffs_brain.sections import ENGINE, Hybrid
from brvtui.trace import Trace
from tests.app.driving import ask, press
from tests.app.looking import AppPilot, trace_of, view


def found(pilot: AppPilot) -> Trace:
    """The answer from Jeffs Brain that is shown."""
    trace = trace_of(pilot)
    assert trace.engine == ENGINE
    return trace


def hybrid(pilot: AppPilot) -> Hybrid:
    """The section of the answer that is specific to Jeffs Brain."""
    return found(pilot).section(Hybrid)


async def switch(pilot: AppPilot, query: str) -> None:
    """Runs ``query``, switches the engine, and leaves the focus on the results."""
    await ask(pilot, query)
    await press(pilot, "escape", "P")


async def switch_to(pilot: AppPilot, engine: str) -> None:
    """Switches engines until ``engine`` answers."""
    for _ in registry.names():
        if view(pilot).engine.name != engine:
            await press(pilot, "P")
    assert view(pilot).engine.name == engine
