"""What a fleet is made of: memories by name and address, and the lines about those that cannot be used."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Member:
    """One memory of a fleet. It holds addresses alone, so that it can be sent to another process or machine."""

    name: str
    """Unique in its fleet."""
    path: str = ""
    """A project, a bare tree or the tree of a V4 space; empty for a git repository."""
    repository: str = ""
    """A git repository, bare or not, whose objects are read; empty for a folder."""
    revision: str = "HEAD"
    folder: str = ".brv/context-tree"
    """The tree within the repository."""
    engine: str = ""
    """The engine that answers; empty: the one that the member's own settings name."""
    profile: str = ""
    weight: float = 1.0
    """How much work it is beside others: what decides on which worker it is placed."""
    owner: str = ""

    @property
    def place(self) -> str:
        """Its address in one line."""
        return f"{self.repository}@{self.revision}" if self.repository else self.path


class AbsenceKind(StrEnum):
    """Why a memory is missing, as far as it decides what can be done about it."""

    OTHER = "other"
    """What its line says has to be fixed."""
    ENTRY = "entry"
    """An entry of the fleet that cannot be used."""
    NO_FOLDER = "no_folder"
    ONLY_ALONE = "only_alone"
    """It can be opened, though not in a fleet: its memory lies elsewhere, or its engine is not installed."""
    TIMEOUT = "timeout"
    PROCESS_ENDED = "process_ended"
    """The process that asked it ended; the next question starts another."""
    NOT_RANKED = "not_ranked"
    """One ranking cannot be made of it, by its engine or for this query; it answers by itself."""
    OTHER_CONSTANTS = "other_constants"
    """Its constants are not those of most members, so one ranking leaves it out."""


@dataclass(frozen=True, slots=True)
class Absence:
    """A memory that cannot be used, or gave no answer, and why: one line."""

    member: str
    why: str
    kind: AbsenceKind = AbsenceKind.OTHER


@dataclass(frozen=True, slots=True)
class Fleet:
    """The memories that are asked together, and what was listed and cannot be."""

    name: str
    members: tuple[Member, ...]
    absent: tuple[Absence, ...] = ()
    notices: tuple[str, ...] = ()
    everyone: tuple[Member, ...] = ()
    """The members by which workers are chosen, where only some of them are asked; empty: those."""

    def only(self, names: Collection[str]) -> Fleet:
        """This fleet with the members of these names alone, placed as they are among all."""
        chosen = tuple(member for member in self.members if member.name in names)
        return Fleet(self.name, chosen, everyone=self.members)

    @property
    def to_place(self) -> tuple[Member, ...]:
        """The members by which workers are chosen."""
        return self.everyone or self.members
