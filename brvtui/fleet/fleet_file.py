"""Reads ``fleet.toml``, and adds entries to it."""

from __future__ import annotations

import os
import shlex
import tomllib
from collections.abc import Collection
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from brvtui import faults
from brvtui.disk import writing
from brvtui.disk.locks import locked
from brvtui.regular_files import LINK_OUT, leads_out, read_regular, read_within
from brvtui.store.folders import with_home
from brvtui.typed_tables import ProfileError, Range, parse_tables, typed
from brvtui.wording import MOST_PROBLEMS, first_lines, shortened

NEWEST = "HEAD"
"""The default revision of a repository."""
_GLOB = frozenset("*?[")


def is_glob(place: str) -> bool:
    """True if ``place`` is a pattern that may match several places."""
    return not _GLOB.isdisjoint(place)


# The members of a fleet, by name and address, and messages about entries that cannot be used.


@dataclass(frozen=True, slots=True)
class Member:
    """The addresses of one memory in a fleet. They can be sent to another process or machine, unlike its notes."""

    name: str
    """The member's name, unique in its fleet."""
    path: str = ""
    """A project, a context tree without a project, or the tree of a V4 space; empty for a git repository."""
    repository: str = ""
    """A git repository, with or without a work tree. The notes are read from its objects. Empty for a folder."""
    revision: str = NEWEST
    folder: str = ".brv/context-tree"
    """The path of the tree within the repository."""
    engine: str = ""
    """The name of the engine; empty to use the engine from the member's own settings."""
    profile: str = ""
    weight: float = 1.0
    """The member's relative share of work, used to distribute members over workers."""
    owner: str = ""

    @property
    def place(self) -> str:
        """The member's address on one line."""
        return f"{self.repository}@{self.revision}" if self.repository else self.path


class AbsenceKind(StrEnum):
    """The kinds of absence, each with its own remedy."""

    OTHER = "other"
    """Another problem, which the message describes."""
    ENTRY = "entry"
    """The fleet's entry cannot be used."""
    NO_FOLDER = "no_folder"
    ONLY_ALONE = "only_alone"
    """The member can be opened on its own but not in a fleet: its memory is elsewhere, or its engine
    is not installed.
    """
    TIMEOUT = "timeout"
    PROCESS_ENDED = "process_ended"
    """The member's process ended; the next question starts another one."""
    NOT_RANKED = "not_ranked"
    """The engine or the query does not allow one ranking of all members. The member can answer separately."""
    OTHER_CONSTANTS = "other_constants"
    """The member's constants differ from most other members', so one ranking leaves the member out."""


@dataclass(frozen=True, slots=True)
class Absence:
    """A memory that cannot be used or did not answer, with the reason in one line."""

    member: str
    why: str
    kind: AbsenceKind = AbsenceKind.OTHER


@dataclass(frozen=True, slots=True)
class Fleet:
    """The members to query together, and the members that are listed but cannot be used."""

    name: str
    members: tuple[Member, ...]
    absent: tuple[Absence, ...] = ()
    notices: tuple[str, ...] = ()
    everyone: tuple[Member, ...] = ()
    """All members of the fleet if only some of them are queried, since all of them determine the workers; otherwise
    empty.
    """

    def only(self, names: Collection[str]) -> Fleet:
        """A fleet with only the members in ``names``. Each one keeps the worker that it has in the whole fleet."""
        chosen = tuple(member for member in self.members if member.name in names)
        return Fleet(self.name, chosen, everyone=self.members)

    @property
    def to_place(self) -> tuple[Member, ...]:
        """The members that are distributed over the workers."""
        return self.everyone or self.members


NAME = "fleet.toml"
_LARGEST = 4 * 1_048_576
_NO_FILE = "add a first member with brv-tui fleet add{}, or give places with --over"


class FleetError(ValueError):
    """Raised if a fleet or a member cannot be used. The message is one line: the file, the reason and the remedy."""

    def __init__(self, line: str, kind: AbsenceKind = AbsenceKind.OTHER) -> None:
        """Takes the message, and the ``kind`` of absence that the error causes."""
        super().__init__(line)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class FleetEntry:
    """One ``[[member]]`` table of the file. It is one memory, or several through a glob or a data folder."""

    name: str = ""
    path: str = ""
    """A folder or a glob."""
    repository: str = ""
    """A git repository. The notes are read from its objects."""
    spaces: str = ""
    """A ByteRover V4 data folder. Each space in it becomes a member."""
    revision: str = NEWEST
    folder: str = ".brv/context-tree"
    engine: str = ""
    profile: str = ""
    weight: Annotated[float, Range(0, 1_000_000, is_open=True)] = 1.0
    owner: str = ""

    @property
    def places(self) -> tuple[str, ...]:
        """The values of ``path``, ``repository`` and ``spaces`` that are not empty."""
        return tuple(filter(None, (self.path, self.repository, self.spaces)))


def read_entries(file: Path, given: bool = True) -> tuple[str, tuple[FleetEntry, ...], tuple[str, ...]]:
    """Reads a fleet file. Returns the fleet's name, its entries, and lines about unusable entries.

    There is one line for each of the first 20 unusable entries, and one that counts the others. If the user did not
    name ``file`` (``given`` is False), it must not be a link out of the current folder. Raises :class:`FleetError` if
    the file is missing or not a fleet.
    """
    try:
        tables = parse_tables(_data(file, given))
    except FileNotFoundError as error:
        named = "" if file == Path(NAME) else f" --fleet {shlex.quote(str(file))}"
        raise FleetError(f"{file}: no such file; {_NO_FILE.format(named)}") from error
    except (OSError, ValueError) as error:
        why = faults.reason(error) if isinstance(error, OSError) else str(error)
        raise FleetError(f"{file}: cannot be read as a fleet ({why})") from error
    listed, name = tables.pop("member", []), tables.pop("name", "")
    if tables or not isinstance(listed, list) or not isinstance(name, str):
        unknown = shortened(", ".join([*tables][:MOST_PROBLEMS])) or "member or name"
        raise FleetError(f"{file}: {unknown} cannot be used: a fleet has a name and [[member]] tables")
    entries, wrong = [], []
    for number, table in enumerate(listed, start=1):
        try:
            entries.append(_entry(table, f"{file}: member {number}"))
        except FleetError as error:
            wrong.append(str(error))
    lines = first_lines(wrong, "unusable member", f"{file}: ")
    return name or file.resolve().parent.name, tuple(entries), tuple(lines)


def _data(file: Path, given: bool) -> bytes:
    return read_regular(file, _LARGEST, follow_links=True) if given else read_within(Path.cwd(), file, _LARGEST)


def _entry(table: Any, origin: str) -> FleetEntry:
    if not isinstance(table, dict):
        raise FleetError(f"{origin}: must be a table")
    try:
        entry = typed(FleetEntry, table, "", origin)
    except ProfileError as error:
        raise FleetError(str(error)) from error
    if len(entry.places) != 1:
        raise FleetError(f"{origin}: must have exactly one of path, repository and spaces")
    check_revision(entry, origin)
    return entry


def check_revision(entry: FleetEntry, origin: str) -> None:
    """Raises :class:`FleetError` if ``entry`` has a revision but no repository. A glob is allowed: it may match one."""
    if entry.revision != NEWEST and not entry.repository and not is_glob(entry.path):
        raise FleetError(f"{origin}: a revision needs a repository: use repository instead of path or spaces")


def _address(entry: FleetEntry, file: Path) -> tuple[list[str], str]:
    places = [os.path.normpath(file.absolute().parent / with_home(place)) for place in entry.places]
    return places, entry.revision


def add_entry(file: Path, entry: FleetEntry, given: bool = True) -> None:
    """Appends ``entry`` to the file, and keeps its comments and order. Creates the file if it is missing.

    Raises :class:`FleetError` if the entry is already listed or the file cannot be changed, and OSError.
    """
    if not given and leads_out(Path.cwd(), file):
        raise FleetError(f"{file}: {LINK_OUT}")
    writing.make_folder(file.parent)  # not the folder of a link's target, because a link must not create folders
    with locked(file.resolve().parent):
        _add_entry(file, entry, given)


def _add_entry(file: Path, entry: FleetEntry, given: bool) -> None:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    entries: tuple[FleetEntry, ...] = ()
    text = ""
    if file.exists():
        _, entries, _ = read_entries(file, given)
        text = _data(file, given).decode("utf-8")
    if any(_address(one, file) == _address(entry, file) for one in entries):
        raise FleetError(f"{file}: {entry.places[0]} is listed already")
    unset = asdict(FleetEntry())
    fields = {key: value for key, value in asdict(entry).items() if value != unset[key]}
    try:
        document = tomlkit.parse(text)
        table = tomlkit.table()
        table.update(fields)
        document.setdefault("member", tomlkit.aot()).append(table)
        changed = tomlkit.dumps(document)
        tomllib.loads(changed)
        data = changed.encode()
    except UnicodeEncodeError as error:
        raise FleetError(f"{entry.places[0]}: not UTF-8, as a fleet file must be; give a link to it instead") from error
    except (TOMLKitError, ValueError, AttributeError) as error:
        raise FleetError(f"{file}: cannot be extended without changing the rest; edit it by hand") from error
    writing.write(file.resolve(), data, private=False)
