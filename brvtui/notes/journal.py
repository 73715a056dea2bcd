"""The journal of plans applied in this session, which can be undone and redone in order."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from brvtui.notes.plan import ChangedMeanwhile, Move, MoveFolder, NoteError, Plan, path_after

_MOST_PLANS = 200
_MOST_REMEMBERED = 1000
_MOST_BYTES = 64 * 1_048_576

ApplyPlan = Callable[[Plan], tuple[str, ...]]


class _Moves(NamedTuple):
    """The moves of a plan that was applied or undone. Contains no text, because there may be many records."""

    at_ms: float
    moves: tuple[Move | MoveFolder, ...]


class Journal:
    """The applied plans, newest last. Thread-safe.

    Drops the oldest plans if there are too many, or if they contain too much text.
    """

    def __init__(
        self, clock: Callable[[], float], most_plans: int = _MOST_PLANS, most_bytes: int = _MOST_BYTES
    ) -> None:
        """Starts with an empty journal. ``clock`` returns the time in milliseconds since 1970, as for drafts."""
        self._clock = clock
        self._done: deque[Plan] = deque()
        self._undone: list[Plan] = []
        self._history: deque[_Moves] = deque(maxlen=_MOST_REMEMBERED)
        """The applied and undone moves, newest last."""
        self._most_plans = most_plans
        self._most_bytes = most_bytes
        self._lock = threading.RLock()

    @property
    def depth(self) -> int:
        """The number of plans that can be undone. Reading it does not wait for a plan that is being applied."""
        return len(self._done)

    @property
    def done(self) -> tuple[str, ...]:
        """The titles of the plans that can be undone, in the order of application."""
        with self._lock:
            return tuple(plan.title for plan in self._done)

    def path_now(self, path: str, at_ms: float) -> str:
        """Returns the current path of the note that was at ``path`` at the time ``at_ms`` (milliseconds since 1970).

        This is ``path`` itself, unless the note has been moved since then by applying or undoing a plan.
        """
        with self._lock:
            return path_after(path, [move for each in self._history if each.at_ms >= at_ms for move in each.moves])

    @property
    def undone(self) -> tuple[str, ...]:
        """The titles of the plans that can be redone. The one to redo next is last."""
        with self._lock:
            return tuple(plan.title for plan in self._undone)

    def add(self, plan: Plan) -> None:
        """Adds a plan that was applied. The plans that could be redone are dropped."""
        with self._lock:
            self._undone.clear()
            self._append(plan)
            self._remember(plan)

    def undo(self, apply: ApplyPlan) -> tuple[Plan, tuple[str, ...]]:
        """Undoes the newest plan by applying its reverse. Returns the reverse, and the notices of ``apply``.

        Raises :class:`NoteError` if there is no plan, and the exceptions of ``apply``. The journal is then unchanged,
        except that it drops a plan whose files have changed, because that plan would block undoing all earlier ones.
        """
        with self._lock:
            if not self._done:
                raise NoteError("there is nothing to undo in this session")
            plan = self._done[-1]
            reverse = plan.reverse()
            try:
                notices = apply(reverse)
            except ChangedMeanwhile as error:
                self._done.pop()
                then = "; the next undo is the change before it" if self._done else ""
                raise NoteError(f"{error.path}: {error.what}: {plan.title} can no longer be undone{then}") from error
            self._undone.append(self._done.pop())
            self._remember(reverse)
            return reverse, notices

    def redo(self, apply: ApplyPlan) -> tuple[Plan, tuple[str, ...]]:
        """Applies the most recently undone plan again, and returns it. Raises the same exceptions as :meth:`undo`."""
        with self._lock:
            if not self._undone:
                raise NoteError("there is nothing to redo")
            plan = self._undone[-1]
            notices = apply(plan)
            self._append(self._undone.pop())
            self._remember(plan)
            return plan, notices

    def _remember(self, plan: Plan) -> None:
        moves = tuple(step for step in plan.steps if isinstance(step, Move | MoveFolder))
        self._history.append(_Moves(self._clock(), moves))

    def _append(self, plan: Plan) -> None:
        self._done.append(plan)
        total = sum(kept.size for kept in self._done)
        while len(self._done) > 1 and (len(self._done) > self._most_plans or total > self._most_bytes):
            total -= self._done.popleft().size
