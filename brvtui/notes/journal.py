"""The plans that were applied in this session, to undo and redo them in order."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from brvtui.notes.plan import ChangedMeanwhile, Move, MoveFolder, NoteError, Plan, path_after

_MOST_PLANS = 200
_MOST_MOVES = 1000
_MOST_BYTES = 64 * 1_048_576

ApplyPlan = Callable[[Plan], tuple[str, ...]]


class Journal:
    """Applied plans, the newest last. Its methods are thread-safe.

    Drops the oldest plans when there are too many, or when they hold too much text.
    """

    def __init__(
        self, clock: Callable[[], float], most_plans: int = _MOST_PLANS, most_bytes: int = _MOST_BYTES
    ) -> None:
        """An empty journal. ``clock`` says the time, in milliseconds since 1970, as drafts are kept by it."""
        self._clock = clock
        self._done: deque[Plan] = deque()
        self._undone: list[Plan] = []
        self._moves: deque[tuple[float, Move | MoveFolder]] = deque(maxlen=_MOST_MOVES)
        """The moves that were made, also by undoing one, each with its time, the newest last."""
        self._most_plans = most_plans
        self._most_bytes = most_bytes
        self._lock = threading.RLock()

    @property
    def depth(self) -> int:
        """How many plans can be undone; read without waiting for one that is under way."""
        return len(self._done)

    @property
    def done(self) -> tuple[str, ...]:
        """The titles of the plans that can be undone, in the order in which they were applied."""
        with self._lock:
            return tuple(plan.title for plan in self._done)

    def path_now(self, path: str, at_ms: float) -> str:
        """The path now of the note that was at ``path`` at ``at_ms``, in milliseconds since 1970.

        It is ``path`` itself, unless a plan, or undoing one, moved the note since.
        """
        with self._lock:
            return path_after(path, [step for moved_ms, step in self._moves if moved_ms >= at_ms])

    @property
    def undone(self) -> tuple[str, ...]:
        """The titles of the plans that can be redone, the next one last."""
        with self._lock:
            return tuple(plan.title for plan in self._undone)

    def add(self, plan: Plan) -> None:
        """Adds an applied plan, and forgets the plans that could be redone."""
        with self._lock:
            self._undone.clear()
            self._append(plan)
            self._carried_out(plan)

    def undo(self, apply: ApplyPlan) -> tuple[Plan, tuple[str, ...]]:
        """Undoes the newest plan by applying its reverse; returns that and the notices of ``apply``.

        Raises :class:`NoteError` when there is none, and what ``apply`` raises; then the journal stays as it is. Only a
        plan whose files were changed since is forgotten: it would keep all earlier ones from being undone.
        """
        with self._lock:
            if not self._done:
                raise NoteError("nothing was changed in this session that could be undone")
            plan = self._done[-1]
            reverse = plan.reverse()
            try:
                notices = apply(reverse)
            except ChangedMeanwhile as error:
                self._done.pop()
                then = "; the change before it is the next" if self._done else ""
                raise NoteError(f"{error.path}: {error.what}: {plan.title} cannot be undone any more{then}") from error
            self._done.pop()
            self._undone.append(plan)
            self._carried_out(reverse)
            return reverse, notices

    def redo(self, apply: ApplyPlan) -> tuple[Plan, tuple[str, ...]]:
        """Applies the plan that was undone last once more; returns it, and raises as :meth:`undo`."""
        with self._lock:
            if not self._undone:
                raise NoteError("nothing was undone that could be done again")
            plan = self._undone[-1]
            notices = apply(plan)
            self._undone.pop()
            self._append(plan)
            self._carried_out(plan)
            return plan, notices

    def _carried_out(self, plan: Plan) -> None:
        now_ms = self._clock()
        self._moves += [(now_ms, step) for step in plan.steps if isinstance(step, Move | MoveFolder)]

    def _append(self, plan: Plan) -> None:
        self._done.append(plan)
        total = sum(kept.size for kept in self._done)
        while len(self._done) > 1 and (len(self._done) > self._most_plans or total > self._most_bytes):
            total -= self._done.popleft().size
