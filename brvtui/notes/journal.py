"""What was done in this session, so that it can be undone, in order, and done again."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from brvtui.notes.plan import NoteError, Plan

_MOST_PLANS = 200
_MOST_BYTES = 64 * 1_048_576

Apply = Callable[[Plan], tuple[str, ...]]


class Journal:
    """Applied plans, the newest last. Methods may be called from any thread.

    The oldest ones are forgotten when there are too many, or when they hold too much text.
    """

    def __init__(self, most_plans: int = _MOST_PLANS, most_bytes: int = _MOST_BYTES) -> None:
        """An empty journal."""
        self._done: deque[Plan] = deque()
        self._undone: list[Plan] = []
        self._most_plans = most_plans
        self._most_bytes = most_bytes
        self._lock = threading.RLock()

    @property
    def done(self) -> tuple[str, ...]:
        """The titles of what can be undone, in the order in which it was done."""
        with self._lock:
            return tuple(plan.title for plan in self._done)

    @property
    def undone(self) -> tuple[str, ...]:
        """The titles of what can be done again, the next one last."""
        with self._lock:
            return tuple(plan.title for plan in self._undone)

    def add(self, plan: Plan) -> None:
        """Notes that ``plan`` was applied; what had been undone can no longer be done again."""
        with self._lock:
            self._undone.clear()
            self._append(plan)

    def undo(self, apply: Apply) -> tuple[Plan, tuple[str, ...]]:
        """Undoes the newest plan by applying its reverse; the plan, and what :func:`apply` says.

        Raises :class:`NoteError` when there is none, and what ``apply`` raises; the plan stays the newest then.
        """
        with self._lock:
            if not self._done:
                raise NoteError("nothing was changed in this session that could be undone")
            plan = self._done[-1]
            said = apply(plan.reverse())
            self._done.pop()
            self._undone.append(plan)
            return plan, said

    def redo(self, apply: Apply) -> tuple[Plan, tuple[str, ...]]:
        """Applies the plan that was undone last again; as :meth:`undo`."""
        with self._lock:
            if not self._undone:
                raise NoteError("nothing was undone that could be done again")
            plan = self._undone[-1]
            said = apply(plan)
            self._undone.pop()
            self._append(plan)
            return plan, said

    def _append(self, plan: Plan) -> None:
        self._done.append(plan)
        held = sum(kept.size for kept in self._done)
        while len(self._done) > 1 and (len(self._done) > self._most_plans or held > self._most_bytes):
            held -= self._done.popleft().size
