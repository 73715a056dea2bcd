"""Which toasts go when there are too many."""

from __future__ import annotations

from collections.abc import Iterable

from textual.notifications import Notification, SeverityLevel

_MOST = 2
_WEIGHT: dict[SeverityLevel, int] = {"information": 0, "warning": 1, "error": 2}


def too_many(shown: Iterable[Notification]) -> list[Notification]:
    """Returns those of ``shown``, the oldest first, that go so that few stay, the newest among them.

    Earlier copies of a message go, then the least severe, of those the oldest.
    """
    held = list(shown)
    said = {one.message: place for place, one in enumerate(held)}
    again = [one for place, one in enumerate(held) if said[one.message] != place]
    rest = sorted((one for one in held[:-1] if one not in again), key=lambda one: _WEIGHT[one.severity])
    return again + rest[: max(0, len(rest) + 1 - _MOST)]
