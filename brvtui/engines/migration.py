"""The space that a migration of a context tree to another engine would create. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from brvtui.snapshot import Snapshot
from brvtui.tree.reading.files import UnseenFile


@dataclass(frozen=True, slots=True)
class ConvertedNote:
    """The topic created from a note."""

    note: str
    topic: str
    """The path of the topic within the space."""
    html: str
    body: str
    """The text of the note without frontmatter."""
    has_title: bool
    """True if the note has a title. The migration leaves out a note whose heading is blank."""
    problem: str
    """The reason why the note's frontmatter becomes part of the topic's text; empty if it does not."""


class SpaceHits(NamedTuple):
    """The answer from a space: paths of topics with their scores, best first."""

    hits: tuple[tuple[str, float], ...]
    should_cite: bool
    """True if V4 would tell an agent to cite this answer."""


@dataclass(frozen=True, slots=True)
class LostSignals:
    """The stored signals that a migration loses."""

    importance: float
    maturity: str
    access_count: int


@dataclass(frozen=True, slots=True)
class MigratedNote:
    """A note, and the result of migrating it."""

    note: str
    topic: str
    """The path of the topic created from the note; empty if there would be none."""
    unseen: str
    """The reason why V4 would not find the topic's file; empty if it would."""
    newly_searched: bool
    """True if V4 would search the note although ByteRover 3 does not."""
    frontmatter_problem: str
    """The reason why the note's frontmatter would become part of the topic's text; empty if it would not."""
    lost_words: tuple[str, ...]
    """Words in the note's title and text, in alphabetical order, that would no longer find the note."""
    lost_frontmatter_words: tuple[str, ...]
    """Words that occur only in the note's frontmatter (field names, dates …) and would no longer find the note."""
    lost_path_words: tuple[str, ...]
    """Words that occur only in the note's path. V4 does not search paths."""
    lost_age_days: float
    """The note's age in days. It would be lost, because the topic would be new."""
    lost_signals: LostSignals | None
    """The lost signals; None if no signals are stored for the note."""


@dataclass(frozen=True, slots=True, eq=False)
class MigratedTree:
    """A tree's notes, and the space that would be created from them."""

    notes: tuple[MigratedNote, ...]
    """The notes, in the order of their topics."""
    converted: Mapping[str, ConvertedNote]
    """The topic created from each note, keyed by the note's path."""
    answer: Callable[[str, str, float], SpaceHits]
    """A function that takes a query, a scope and a time in ms since 1970, and returns the space's answer."""
    left: tuple[UnseenFile, ...]
    """Files that cannot be read, each with the reason."""


@runtime_checkable
class Migrates(Protocol):
    """An engine with spaces, and with a migration from context trees."""

    def migrated(self, snapshot: Snapshot, now_ms: float, name: str, constants: Any) -> MigratedTree:
        """The space called ``name`` that a migration at ``now_ms`` would create from the tree of ``snapshot``."""
