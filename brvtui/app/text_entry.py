"""Checks whether typed letters are text, and waits until typed text has arrived in its field."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from textual._context import active_message_pump
from textual.message_pump import MessagePump
from textual.widget import Widget

_PATIENCE_S = 1.0
"""The maximum wait in seconds, since a widget that is being removed handles no messages."""


def types_text(widget: Widget | None) -> bool:
    """True if letters are typed as text while ``widget`` has the focus."""
    return widget is not None and widget.check_consume_key("a", "a")


async def caught_up(pump: MessagePump | None) -> None:
    """Waits until ``pump`` has handled all messages sent to it so far.

    Keys with priority act before previously typed keys arrive, so call this before reading a field's text.
    """
    if pump is None or active_message_pump.get(None) is pump:
        return
    handled = asyncio.Event()
    if pump.call_later(handled.set):
        with suppress(TimeoutError):
            await asyncio.wait_for(handled.wait(), _PATIENCE_S)
