"""Switching engines in the app, and what is shown of the one that answers."""

from __future__ import annotations

from brvtui.engines import registry
from brvtui.engines.jeffs_brain.sections import ENGINE, Hybrid
from brvtui.trace import Trace
from tests.app.driving import ask, press
from tests.app.looking import AppPilot, trace_of, view


def found(pilot: AppPilot) -> Trace:
    """The answer of Jeffs Brain that is shown."""
    trace = trace_of(pilot)
    assert trace.engine == ENGINE
    return trace


def hybrid(pilot: AppPilot) -> Hybrid:
    """What only Jeffs Brain has of it."""
    return found(pilot).section(Hybrid)


async def switch(pilot: AppPilot, query: str) -> None:
    """Asks ``query``, then switches the engine; the results have the focus."""
    await ask(pilot, query)
    await press(pilot, "escape", "P")


async def switch_to(pilot: AppPilot, engine: str) -> None:
    """Switches on until ``engine`` answers."""
    for _ in registry.names():
        if view(pilot).engine.name != engine:
            await press(pilot, "P")
    assert view(pilot).engine.name == engine
