"""News for the app: each part hears the kinds that it asked for."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isawaitable
from typing import TypeVar

from brvtui.app.news import News

Kind = TypeVar("Kind", bound=News)


class Hearing:
    """Hands news to who asked for its kind; who asked last hears first, as what stands on a part was made after it."""

    def __init__(self) -> None:
        """Nobody has asked yet."""
        self._heard: dict[type[News], list[Callable[[News], object]]] = {}

    def hear(self, kind: type[Kind], then: Callable[[Kind], object]) -> None:
        """Has ``then`` called with news of this ``kind``; what it returns is awaited when it can be."""

        def heard(event: News) -> object:
            return then(event) if isinstance(event, kind) else None

        self._heard.setdefault(kind, []).insert(0, heard)

    async def tell(self, event: News) -> None:
        """Hands ``event`` on."""
        for heard in self._heard.get(type(event), ()):
            done = heard(event)
            if isawaitable(done):
                await done
