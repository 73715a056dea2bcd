"""The journal of plans applied in this session, which can be undone and redone in order."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from brvtui.notes.plan import ChangedMeanwhile, Move, MoveFolder, NoteError, Plan, Record, Write, path_after

_MOST_PLANS = 200
_MOST_REMEMBERED = 1000
_MOST_BYTES = 64 * 1_048_576

ApplyPlan = Callable[[Plan], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _CarriedOut:
    """The record of a plan that was applied or undone. It contains no text, because there may be many records."""

    number: int
    """The plan's number. It stays the same when the plan is undone and redone."""
    at_ms: float
    title: str
    is_undone: bool
    moves: tuple[Move | MoveFolder, ...]
    untimed: tuple[str, ...]
    """The notes whose change is not visible in their file times: signals were set, or a text was given
    an earlier time.
    """


def _carried_out(number: int, plan: Plan, at_ms: float, is_undone: bool) -> _CarriedOut:
    untimed: list[str] = []
    for step in plan.steps:
        if isinstance(step, Record):
            untimed += [entry.path for entry in step.entries]
        elif isinstance(step, Write) and step.after is not None and step.after.mtime_ns is not None:
            untimed.append(step.path)
    moves = tuple(step for step in plan.steps if isinstance(step, Move | MoveFolder))
    return _CarriedOut(number, at_ms, plan.title, is_undone, moves, tuple(untimed))


class _Numbered(NamedTuple):
    """A plan and its number, which identifies the plan when it is undone and redone."""

    number: int
    plan: Plan


class Journal:
    """The applied plans, newest last. Thread-safe.

    Drops the oldest plans if there are too many, or if they contain too much text.
    """

    def __init__(
        self, clock: Callable[[], float], most_plans: int = _MOST_PLANS, most_bytes: int = _MOST_BYTES
    ) -> None:
        """Starts with an empty journal. ``clock`` returns the time in milliseconds since 1970, as for drafts."""
        self._clock = clock
        self._numbers = count()
        self._done: deque[_Numbered] = deque()
        self._undone: list[_Numbered] = []
        self._history: deque[_CarriedOut] = deque(maxlen=_MOST_REMEMBERED)
        """The applied and undone plans, newest last."""
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
            return tuple(each.plan.title for each in self._done)

    def path_now(self, path: str, at_ms: float) -> str:
        """Returns the current path of the note that was at ``path`` at the time ``at_ms`` (milliseconds since 1970).

        This is ``path`` itself, unless the note has been moved since then by applying or undoing a plan.
        """
        return path_after(path, [move for each in self._since(at_ms) for move in each.moves])

    def untimed_since(self, at_ms: float) -> dict[str, list[str]]:
        """Returns the actions since ``at_ms`` that are not visible in file times, each with the paths of its notes.

        These actions set signals, or saved texts with an earlier time. If a plan was both applied and undone since
        ``at_ms``, or undone and redone, neither action is included.
        """
        net: dict[int, _CarriedOut] = {}
        for each in self._since(at_ms):
            if each.number in net:
                del net[each.number]
            else:
                net[each.number] = each
        actions: dict[str, list[str]] = {}
        for each in net.values():
            title = f"undone: {each.title}" if each.is_undone else each.title
            actions.setdefault(title, []).extend(self.path_now(path, each.at_ms) for path in each.untimed)
        return {title: paths for title, paths in actions.items() if paths}

    def _since(self, at_ms: float) -> list[_CarriedOut]:
        with self._lock:
            return [each for each in self._history if each.at_ms >= at_ms]

    @property
    def undone(self) -> tuple[str, ...]:
        """The titles of the plans that can be redone. The one to redo next is last."""
        with self._lock:
            return tuple(each.plan.title for each in self._undone)

    def add(self, plan: Plan) -> None:
        """Adds a plan that was applied. The plans that could be redone are dropped."""
        with self._lock:
            self._undone.clear()
            each = _Numbered(next(self._numbers), plan)
            self._append(each)
            self._remember(each.number, plan)

    def undo(self, apply: ApplyPlan) -> tuple[Plan, tuple[str, ...]]:
        """Undoes the newest plan by applying its reverse. Returns the reverse, and the notices of ``apply``.

        Raises :class:`NoteError` if there is no plan, and the exceptions of ``apply``. The journal is then unchanged,
        except that it drops a plan whose files have changed, because that plan would block undoing all earlier ones.
        """
        with self._lock:
            if not self._done:
                raise NoteError("there is nothing to undo in this session")
            number, plan = self._done[-1]
            reverse = plan.reverse()
            try:
                notices = apply(reverse)
            except ChangedMeanwhile as error:
                self._done.pop()
                then = "; the next undo is the change before it" if self._done else ""
                raise NoteError(f"{error.path}: {error.what}: {plan.title} can no longer be undone{then}") from error
            self._undone.append(self._done.pop())
            self._remember(number, reverse, is_undone=True)
            return reverse, notices

    def redo(self, apply: ApplyPlan) -> tuple[Plan, tuple[str, ...]]:
        """Applies the most recently undone plan again, and returns it. Raises the same exceptions as :meth:`undo`."""
        with self._lock:
            if not self._undone:
                raise NoteError("there is nothing to redo")
            number, plan = self._undone[-1]
            notices = apply(plan)
            self._append(self._undone.pop())
            self._remember(number, plan)
            return plan, notices

    def _remember(self, number: int, plan: Plan, is_undone: bool = False) -> None:
        self._history.append(_carried_out(number, plan, self._clock(), is_undone))

    def _append(self, each: _Numbered) -> None:
        self._done.append(each)
        total = sum(kept.plan.size for kept in self._done)
        while len(self._done) > 1 and (len(self._done) > self._most_plans or total > self._most_bytes):
            total -= self._done.popleft().plan.size
