"""From entries to members: globs, data folders and repositories become one member for each memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, count
from pathlib import Path

from brvtui.fleet.fleet_file import FleetEntry, read_entries, with_home
from brvtui.fleet.members import Absence, AbsenceKind, Fleet, Member
from brvtui.tree.reading.project import MARKER
from brvtui.tree.spaces.locating import TREE, space_at, space_folders
from brvtui.wording import counted

_GLOB = frozenset("*?[")
_MOST_FOUND = 100_000


def fleet_of(file: Path) -> Fleet:
    """The fleet of a ``fleet.toml``; its paths are relative to the file.

    Raises :class:`brvtui.fleet.fleet_file.FleetError`.
    """
    name, entries, wrong = read_entries(file)
    made = members_of(name, entries, file.resolve().parent)
    return replace(made, absent=(*(_unusable("", line) for line in wrong), *made.absent))


def fleet_over(places: Sequence[str], here: Path) -> Fleet:
    """The fleet of ``places``: folders, globs, git repositories and data folders, relative to ``here``."""
    return members_of("", [entry_for(place, here) for place in places], here)


def entry_for(place: str, here: Path, options: FleetEntry | None = None) -> FleetEntry:
    """The entry for a place that the user names, with the other fields of ``options``."""
    entry = options or FleetEntry()
    folder = here / with_home(place)
    if not _is_glob(place) and is_repository(folder) and not (folder / MARKER).exists():
        return replace(entry, repository=place)
    if not _is_glob(place) and (folder / "projects").is_dir() and space_folders(folder):
        return replace(entry, spaces=place)
    return replace(entry, path=place)


def members_of(name: str, entries: Iterable[FleetEntry], here: Path) -> Fleet:
    """The members of ``entries``, each with a name of its own; a memory that is listed twice is one member."""
    found: list[Member] = []
    absent: list[Absence] = []
    notices: list[str] = []
    for entry in entries:
        made, wrong, notice = _expanded(entry, here)
        found += made
        absent += wrong
        notices += notice
    names: set[str] = set()
    places: dict[tuple[str, ...], str] = {}
    members: list[Member] = []
    for member in found:
        address = (member.path, member.repository, member.revision, member.folder, member.engine, member.profile)
        if address in places:
            notices.append(f"{member.place}: is listed more than once; it is one member, {places[address]}")
            continue
        own = _own_name(member, names)
        names.add(own)
        places[address] = own
        members.append(replace(member, name=own))
    return Fleet(name, tuple(members), tuple(absent), tuple(notices))


def is_repository(folder: Path) -> bool:
    """Whether git keeps its objects in ``folder``: a bare repository, or one with a work tree."""
    try:
        return any((place / "HEAD").is_file() and (place / "objects").is_dir() for place in (folder, folder / ".git"))
    except OSError:
        return False


def _expanded(entry: FleetEntry, here: Path) -> tuple[list[Member], list[Absence], list[str]]:
    try:
        place = str(here / Path(entry.places[0]).expanduser())
    except RuntimeError:
        return [], [_unusable(entry.name, f"{entry.places[0]}: its ~ names no user of this machine; correct it")], []
    if entry.spaces:
        return _spaces(entry, Path(place))
    if entry.repository:
        if not is_repository(Path(place)):
            return [], [_unusable(entry.name, f"{place}: not a git repository; name a folder with path")], []
        return [_member(entry, Path(place).resolve(), is_git=True)], [], []
    if not _is_glob(entry.path):
        return [_member(entry, Path(place))], [], []
    return _globbed(entry, place)


def _unusable(name: str, why: str) -> Absence:
    """The absence of the entry called ``name``."""
    return Absence(name, why, AbsenceKind.ENTRY)


def _spaces(entry: FleetEntry, data: Path) -> tuple[list[Member], list[Absence], list[str]]:
    made = []
    for folder in space_folders(data):
        tree = folder / TREE
        if tree.is_dir():
            name = space_at(tree, data).name or folder.name
            made.append(replace(_member(entry, tree), name=f"{entry.name}-{name}" if entry.name else name))
    return made, [] if made else [_unusable(entry.name, f"{data}: no spaces of ByteRover V4 in it")], []


def _globbed(entry: FleetEntry, pattern: str) -> tuple[list[Member], list[Absence], list[str]]:
    made: list[Member] = []
    other = 0
    for number, place in enumerate(sorted(map(str, _glob(pattern)))):
        if number >= _MOST_FOUND:
            return made, [_unusable(entry.name, f"{pattern}: more than {_MOST_FOUND} places; the rest is left out")], []
        folder = Path(place)
        if (folder / MARKER).exists() or folder.name == TREE:
            made.append(_member(entry, folder))
        elif is_repository(folder) and not (folder / ".git").exists():
            made.append(_member(entry, folder.resolve(), is_git=True))
        else:
            other += 1
    if not made:
        why = f"{pattern}: no memory there; name folders with {MARKER}, or bare repositories"
        return [], [_unusable(entry.name, why)], []
    without = f"{pattern}: {counted(other, 'place is', 'places are')} no memory: no {MARKER}, and no bare repository"
    return made, [], [without] if other else []


def _glob(pattern: str) -> Iterable[Path]:
    """The places of the absolute ``pattern``."""
    parts = Path(pattern).parts
    fixed = next(number for number, part in enumerate(parts) if _is_glob(part))
    return Path(*parts[:fixed]).glob(str(Path(*parts[fixed:])))


def _member(entry: FleetEntry, place: Path, is_git: bool = False) -> Member:
    single = entry.name if not _is_glob(entry.path) else ""
    return Member(
        name=single or _name_of(place),
        path="" if is_git else str(place),
        repository=str(place) if is_git else "",
        revision=entry.revision,
        folder=entry.folder.strip("/"),
        engine=entry.engine,
        profile=entry.profile,
        weight=entry.weight,
        owner=entry.owner,
    )


def _name_of(place: Path) -> str:
    if place.name in (TREE, MARKER):
        place = place.parent.parent if place.parent.name == MARKER else place.parent
    return place.name.removesuffix(".git") or str(place)


def _own_name(member: Member, taken: set[str]) -> str:
    """The member's name; where another has it, with the folder above it, or with a number."""
    above = Path(member.path or member.repository).parent.name
    numbered = (f"{member.name}-{number}" for number in count(2))
    return next(name for name in chain((member.name, f"{above}-{member.name}"), numbered) if name not in taken)


def _is_glob(place: str) -> bool:
    return not _GLOB.isdisjoint(place)
