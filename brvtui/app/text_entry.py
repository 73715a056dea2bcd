"""Fields and the text: whether letters are typed into them, and when what was typed has arrived."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from textual._context import active_message_pump
from textual.message_pump import MessagePump
from textual.widget import Widget

_PATIENCE_S = 1.0
"""What is being removed handles nothing any more."""


def types_text(widget: Widget | None) -> bool:
    """Whether letters that are pressed while ``widget`` has the focus are text."""
    return widget is not None and widget.check_consume_key("a", "a")


async def caught_up(pump: MessagePump | None) -> None:
    """Returns once ``pump`` has handled what was sent to it so far.

    Keys with priority act before keys that were typed ahead of them arrive; whoever then asks for the text waits here.
    """
    if pump is None or active_message_pump.get(None) is pump:
        return
    handled = asyncio.Event()
    if pump.call_later(handled.set):
        with suppress(TimeoutError):
            await asyncio.wait_for(handled.wait(), _PATIENCE_S)
