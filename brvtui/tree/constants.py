"""Constants for reading a tree: limits, archive stubs, and the part of a profile that reading needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Protocol

from brvtui.ranking.constants import SignalRules
from brvtui.typed_tables import LIMIT, LIMIT_UNLESS_0, Range, SizeLimit


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """How much of a tree the engine reads. ``max_files`` 0 means no limit."""

    max_files: Annotated[int, Range(), LIMIT_UNLESS_0]
    max_file_bytes: SizeLimit
    probe_bytes: SizeLimit
    max_control_ratio: float
    max_lines: SizeLimit
    max_line_units: SizeLimit
    recent_hours: float
    index_seconds: float
    linked_trees: Annotated[bool, LIMIT]
    """Whether a tree that is reached by a link in the project is read; the real engine finds nothing there."""
    failures: bool
    """Whether searches fail on trees on which the real engine's searches fail."""
    fingerprint_derived: bool
    """Whether the fingerprint covers every markdown file [doc], or none that are made from notes but abstracts."""


@dataclass(frozen=True, slots=True)
class ArchiveRules:
    """How a stub summarises its note."""

    cue_units: int
    """How many UTF-16 code units of the note the stub quotes."""
    chars_per_token: float
    """Characters per token, for the estimated token count in the stub."""


class TreeConstants(Protocol):
    """The constants of a profile that decide what is read of a tree."""

    @property
    def limits(self) -> ReadingLimits:
        """Which files are read, and how much of each."""

    @property
    def signals(self) -> SignalRules:
        """The rules of signals, with the defaults of a note without any."""
