"""The app, with an event loop that a key in a field blocks for a minute: ``python -m tests.support.busy_loop``."""

from __future__ import annotations

import time

from textual import events

from brvtui.app.widgets.ordered_keys import OrderedInput
from brvtui.cli import main


async def _be_busy(self: OrderedInput, event: events.Key) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pass


if __name__ == "__main__":
    OrderedInput.on_key = _be_busy  # type: ignore[method-assign]
    main()
