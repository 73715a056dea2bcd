"""Switching engines in the app, and what is shown of the one that answers."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from brvtui.engines import registry
from brvtui.engines.jeffs_brain.sections import ENGINE, Hybrid
from brvtui.trace import Trace
from tests.app.driving import ask, press
from tests.app.looking import trace_of, view


def found(pilot: Pilot[Any]) -> Trace:
    """The answer of Jeffs Brain that is shown."""
    trace = trace_of(pilot)
    assert trace.engine == ENGINE
    return trace


def hybrid(pilot: Pilot[Any]) -> Hybrid:
    """What only Jeffs Brain has of it."""
    return found(pilot).section(Hybrid)


async def switch(pilot: Pilot[Any], query: str) -> None:
    """Asks ``query``, then switches the engine; the results have the focus."""
    await ask(pilot, query)
    await press(pilot, "escape", "P")


async def switch_to(pilot: Pilot[Any], engine: str) -> None:
    """Switches on until ``engine`` answers."""
    for _ in registry.names():
        if view(pilot).engine.name != engine:
            await press(pilot, "P")
    assert view(pilot).engine.name == engine
