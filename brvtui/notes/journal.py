"""The plans that were applied in this session, to undo and redo them in order."""

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
    """What is remembered of a plan that was applied or undone: no text, as there may be many."""

    number: int
    """That of the plan: the same when it is undone, and done again."""
    at_ms: float
    title: str
    is_undone: bool
    moves: tuple[Move | MoveFolder, ...]
    untimed: tuple[str, ...]
    """The notes whose files' times do not tell of it: signals were set, or a text was given an earlier time."""


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
    """A plan and its number, by which it is known when it is undone and done again."""

    number: int
    plan: Plan


class Journal:
    """Applied plans, the newest last. Its methods are thread-safe.

    Drops the oldest plans when there are too many, or when they hold too much text.
    """

    def __init__(
        self, clock: Callable[[], float], most_plans: int = _MOST_PLANS, most_bytes: int = _MOST_BYTES
    ) -> None:
        """An empty journal. ``clock`` says the time, in milliseconds since 1970, as drafts are kept by it."""
        self._clock = clock
        self._numbers = count()
        self._done: deque[_Numbered] = deque()
        self._undone: list[_Numbered] = []
        self._history: deque[_CarriedOut] = deque(maxlen=_MOST_REMEMBERED)
        """What was applied and undone, the newest last."""
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
            return tuple(each.plan.title for each in self._done)

    def path_now(self, path: str, at_ms: float) -> str:
        """The path now of the note that was at ``path`` at ``at_ms``, in milliseconds since 1970.

        It is ``path`` itself, unless a plan, or undoing one, moved the note since.
        """
        return path_after(path, [move for each in self._since(at_ms) for move in each.moves])

    def untimed_since(self, at_ms: float) -> dict[str, list[str]]:
        """What was done since ``at_ms`` and the times of files do not tell, each with the paths of its notes.

        Their signals were set, or their texts saved with an earlier time. What was undone since, but done before,
        counts too; what was done and undone since does not, nor what was undone and done again.
        """
        net: dict[int, _CarriedOut] = {}
        for each in self._since(at_ms):
            if each.number in net:
                del net[each.number]
            else:
                net[each.number] = each
        made: dict[str, list[str]] = {}
        for each in net.values():
            said = f"undone: {each.title}" if each.is_undone else each.title
            made.setdefault(said, []).extend(self.path_now(path, each.at_ms) for path in each.untimed)
        return {said: paths for said, paths in made.items() if paths}

    def _since(self, at_ms: float) -> list[_CarriedOut]:
        with self._lock:
            return [each for each in self._history if each.at_ms >= at_ms]

    @property
    def undone(self) -> tuple[str, ...]:
        """The titles of the plans that can be redone, the next one last."""
        with self._lock:
            return tuple(each.plan.title for each in self._undone)

    def add(self, plan: Plan) -> None:
        """Adds an applied plan, and forgets the plans that could be redone."""
        with self._lock:
            self._undone.clear()
            each = _Numbered(next(self._numbers), plan)
            self._append(each)
            self._remember(each.number, plan)

    def undo(self, apply: ApplyPlan) -> tuple[Plan, tuple[str, ...]]:
        """Undoes the newest plan by applying its reverse; returns that and the notices of ``apply``.

        Raises :class:`NoteError` when there is none, and what ``apply`` raises; then the journal stays as it is. Only a
        plan whose files were changed since is forgotten: it would keep all earlier ones from being undone.
        """
        with self._lock:
            if not self._done:
                raise NoteError("nothing was changed in this session that could be undone")
            number, plan = self._done[-1]
            reverse = plan.reverse()
            try:
                notices = apply(reverse)
            except ChangedMeanwhile as error:
                self._done.pop()
                then = "; the change before it is the next" if self._done else ""
                raise NoteError(f"{error.path}: {error.what}: {plan.title} cannot be undone any more{then}") from error
            self._undone.append(self._done.pop())
            self._remember(number, reverse, is_undone=True)
            return reverse, notices

    def redo(self, apply: ApplyPlan) -> tuple[Plan, tuple[str, ...]]:
        """Applies the plan that was undone last once more; returns it, and raises as :meth:`undo`."""
        with self._lock:
            if not self._undone:
                raise NoteError("nothing was undone that could be done again")
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
