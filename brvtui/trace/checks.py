"""The elements of a decision: the states of steps, the comparisons that decided something, and the counts of stages."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """The possible states of a decision step."""

    HIT = "hit"
    MISSED = "missed"
    PASSED = "passed"
    FAILED = "failed"
    TAKEN = "taken"
    SKIPPED = "skipped"
    NOT_REACHED = "not_reached"
    NOT_RUN = "not_run"


@dataclass(frozen=True)
class Check:
    """One comparison that decided something.

    ``passed`` is None if the check was not reached. ``margin`` is the value minus the threshold, in the value's unit.
    ``constant`` is the threshold's dotted name in the profile (empty if it has none), and ``rule`` is the anchor of a
    section in ``docs/reference/byterover.md``.
    """

    name: str
    value: float | None
    operator: str
    threshold: float | None
    passed: bool | None
    margin: float | None
    constant: str
    rule: str
    note: str = ""


@dataclass(frozen=True)
class Stage:
    """The document counts of one stage: ``came_in - dropped == went_out``."""

    name: str
    came_in: int
    dropped: int
    went_out: int
    rule: str
    note: str = ""
