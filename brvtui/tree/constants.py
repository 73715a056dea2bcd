"""Limits of what is read from disk, and what is needed of a profile to read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from brvtui.ranking.constants import SignalRules


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What the engine reads. ``max_files`` 0 lifts that limit."""

    max_files: int
    max_file_bytes: int
    probe_bytes: int
    max_control_ratio: float
    max_lines: int
    max_line_units: int
    recent_hours: float
    index_seconds: float
    failures: bool
    """Whether trees that make the real engine's searches fail fail here too."""


@dataclass(frozen=True, slots=True)
class ArchiveRules:
    """What a stub keeps of the note that it stands for."""

    cue_units: int
    """UTF-16 code units of the note that the stub quotes."""
    chars_per_token: float
    """How the stub estimates the tokens of the note."""


class TreeConstants(Protocol):
    """The constants that decide what is read of a tree; a profile has them."""

    @property
    def limits(self) -> ReadingLimits:
        """Which files are read, and how much of each."""

    @property
    def signals(self) -> SignalRules:
        """The signals of a note that has none."""
