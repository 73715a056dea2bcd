"""What the app shows: one view, and who is told when it changes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from brvtui.app.view import View

Follower = Callable[[Collection[str]], None]


class Shown:
    """Holds the one :class:`View`."""

    def __init__(self, view: View, draw: Callable[[View], None]) -> None:
        """``draw`` shows a view in the screen in front; the others are shown it when they come to the front."""
        self.view = view
        self._draw = draw
        self._followers: list[Follower] = []

    @property
    def generation(self) -> int:
        """Of the snapshot that the screens show; 0 before the first."""
        return self.view.overview.generation if self.view.overview is not None else 0

    def follow(self, follower: Follower) -> None:
        """Has ``follower`` called, after each change, with the names of what was changed."""
        self._followers.append(follower)

    def show(self, **changes: object) -> None:
        """Changes the view and shows it."""
        self.view = replace(self.view, **changes)  # type: ignore[arg-type]  # names of View's own fields
        self._draw(self.view)
        for follower in self._followers:
            follower(changes.keys())
