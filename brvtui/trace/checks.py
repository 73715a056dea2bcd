"""The elements of a decision: states of steps, the comparisons that decide, and the counts of stages."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """The ways in which a step of a decision ended."""

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

    ``passed`` is None if the check was not reached. ``margin`` is value minus threshold, in the value's own unit.
    ``constant`` is the profile's dotted name of the threshold (empty if it has none), and ``rule`` a section of
    ``docs/reference/byterover.md``.
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
    """Counts of one stage: ``came_in - dropped == went_out``."""

    name: str
    came_in: int
    dropped: int
    went_out: int
    rule: str
    note: str = ""
