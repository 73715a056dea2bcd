"""Constants for reading a tree: limits, archive stubs, and the part of a profile that affects reading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Protocol

from brvtui.ranking.constants import SignalRules
from brvtui.typed_tables import LIMIT, LIMIT_UNLESS_0, Range, SizeLimit


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """Limits on the files that the engine reads. A ``max_files`` of 0 means no limit."""

    max_files: Annotated[int, Range(), LIMIT_UNLESS_0]
    max_file_bytes: SizeLimit
    probe_bytes: SizeLimit
    max_control_ratio: float
    max_lines: SizeLimit
    max_line_units: SizeLimit
    recent_hours: float
    index_seconds: float
    linked_trees: Annotated[bool, LIMIT]
    """True if brv-tui also reads a context tree that is behind a symlink. The real engine finds nothing in such a tree.
    """
    failures: bool
    """True if searches fail on the trees on which the real engine's searches fail."""
    fingerprint_derived: bool
    """True if the fingerprint covers every Markdown file, as ByteRover documents it; False if it covers only notes and
    abstracts.
    """


@dataclass(frozen=True, slots=True)
class ArchiveRules:
    """The content of the stub that replaces an archived note."""

    cue_units: int
    """The number of UTF-16 code units that the stub quotes from the note."""
    chars_per_token: float
    """The number of characters per token, used to estimate the token count in the stub."""


class TreeConstants(Protocol):
    """The constants of a profile that affect how a tree is read."""

    @property
    def limits(self) -> ReadingLimits:
        """The limits on files and their texts."""

    @property
    def signals(self) -> SignalRules:
        """The rules for signals, including the defaults for notes without signals."""
