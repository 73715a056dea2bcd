"""What parts may need of the app. Each asks for as little as it uses, and the type checker compares."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

from textual.message import Message
from textual.notifications import SeverityLevel
from textual.screen import Screen, ScreenResultCallbackType
from textual.timer import Timer

if TYPE_CHECKING:
    from brvtui.app.overview import Surveyor
    from brvtui.saved.traces import Saved
    from brvtui.session import Session

Result = TypeVar("Result")


class Notifies(Protocol):
    """Says something to the user."""

    def notify(self, message: str, *, severity: SeverityLevel = ..., timeout: float | None = ...) -> None:
        """A toast for so many seconds. It may be called from any thread."""


class Posts(Protocol):
    """Takes messages."""

    def post_message(self, message: Message) -> bool:
        """Has ``message`` heard before long. It may be called from any thread."""
        ...


class CallsFromThreads(Protocol):
    """Does what a thread may not do itself."""

    def call_from_thread(self, callback: Callable[[], None]) -> None:
        """Calls ``callback`` in the thread of the app, and waits for that."""


class Times(Protocol):
    """Waits without blocking."""

    def set_timer(self, delay: float, callback: Callable[[], object]) -> Timer:
        """Calls ``callback`` after ``delay`` seconds, unless the timer is stopped."""
        ...


class Repeats(Protocol):
    """Comes back to something."""

    def set_interval(self, interval: float, callback: Callable[[], object]) -> Timer:
        """Calls ``callback`` every so many seconds."""
        ...


class OpensDialogs(Protocol):
    """Asks the user."""

    def push_screen(self, screen: Screen[Result], callback: ScreenResultCallbackType[Result] | None = ...) -> object:
        """Brings ``screen`` to the front; ``callback`` is called with what it ends with."""


class CallsLater(Protocol):
    """Does things in their turn."""

    def call_later(self, callback: Callable[[], object]) -> bool:
        """Calls ``callback`` once the messages that came before are heard, and awaits what it returns."""
        ...


class SwitchesModes(Protocol):
    """Brings screens to the front."""

    def switch_mode(self, mode: str) -> Awaitable[None]:
        """Brings a screen to the front; it keeps its state."""
        ...


class HasSession(Protocol):
    """Knows the project that is open."""

    @property
    def session(self) -> Session | None:
        """None while no project is open."""
        ...


class Surveyed(HasSession, Protocol):
    """Knows the project that is open, and how to survey its tree."""

    @property
    def surveyor(self) -> Surveyor:
        """Makes overviews of snapshots."""
        ...


class HoldsSaved(Protocol):
    """Knows the saved trace that is shown in place of a project."""

    @property
    def saved(self) -> Saved | None:
        """None while there is none."""
        ...


class Opened(HasSession, HoldsSaved, Protocol):
    """Knows what is open: a project, a saved trace, or nothing yet."""


class MayRefuse(Opened, Protocol):
    """Knows what is open, and when nothing can be asked of it."""

    def refuses(self) -> bool:
        """Whether a saved trace is shown in place of a project; then it is said that there is nothing to ask."""
        ...
