"""Expands the entries of a fleet to members. A glob, data folder or repository becomes one member per memory."""

from __future__ import annotations

import os
import shlex
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import chain, count, islice
from pathlib import Path

from brvtui.disk.walking import leads_to_folder
from brvtui.fleet.fleet_file import (
    NEWEST,
    Absence,
    AbsenceKind,
    Fleet,
    FleetEntry,
    FleetError,
    Member,
    check_revision,
    is_glob,
    read_entries,
)
from brvtui.store.folders import with_home
from brvtui.tree.reading.project import MARKER, is_context_tree
from brvtui.tree.spaces.locating import TREE, space_at, space_folders
from brvtui.wording import counted, shortened

_NO_REVISION = "only repositories have a revision; list this folder without one"
_ANY_DEPTH = "**"
_MOST_LOOKED, _MOST_SECONDS = 200_000, 5.0
"""The maximum number of files and folders visited for one pattern, and the time limit in seconds."""
_MOST_OF_FLEET = 20.0
"""The time limit in seconds for all patterns of a fleet."""
_LONGEST_PART = 1_000
"""The maximum length of one part of a pattern. Names have at most 255 characters, and Python parses patterns in
quadratic time.
"""


def fleet_of(file: Path, given: bool = True) -> Fleet:
    """Reads the fleet in the ``fleet.toml`` at ``file``. Paths in it are relative to the file.

    ``given`` is True if the user named the file. Raises :class:`brvtui.fleet.fleet_file.FleetError`.
    """
    name, entries, wrong = read_entries(file, given)
    fleet = members_of(name, entries, file.resolve().parent)
    if not given:
        fleet = only_context_trees(fleet, file)
    return replace(fleet, absent=(*(_unusable("", line) for line in wrong), *fleet.absent))


def fleet_over(places: Sequence[str], here: Path) -> Fleet:
    """Returns the fleet of ``places``: folders, globs, git repositories and data folders, relative to ``here``.

    Raises :class:`brvtui.fleet.fleet_file.FleetError` if a place is empty.
    """
    return members_of("", [entry_for(place, here) for place in places], here)


def only_context_trees(fleet: Fleet, file: Path) -> Fleet:
    """Removes the members that read a folder of a git repository which is not a context tree, and returns the new
    fleet.

    The fleet ``file`` was found, not named by the user, so it may come from a stranger and name folders without notes.
    """
    other = {one for one in fleet.members if one.repository and not is_context_tree(Path("/", one.folder))}
    allow = f"if you trust this file, name it with --fleet {shlex.quote(str(file))}"
    absent = [
        _unusable(one.name, f"{one.repository}: {shortened(one.folder or '.')} is not a {MARKER}/context-tree; {allow}")
        for one in fleet.members
        if one in other
    ]
    members = tuple(one for one in fleet.members if one not in other)
    return replace(fleet, members=members, absent=(*fleet.absent, *absent))


def entry_for(place: str, here: Path, options: FleetEntry | None = None) -> FleetEntry:
    """Returns the entry for ``place``. Its other fields come from ``options``.

    Raises :class:`brvtui.fleet.fleet_file.FleetError` if ``place`` is empty.
    """
    if not place:
        raise FleetError("a place is empty: give a folder, a pattern, a git repository or a data folder")
    entry = options or FleetEntry()
    folder = here / with_home(place)
    if not is_glob(place) and is_repository(folder) and not os.path.lexists(folder / MARKER):
        return replace(entry, repository=place)
    has_spaces = not is_glob(place) and space_folders(folder)
    entry = replace(entry, spaces=place) if has_spaces else replace(entry, path=place)
    check_revision(entry, place)
    return entry


def members_of(name: str, entries: Iterable[FleetEntry], here: Path) -> Fleet:
    """Expands ``entries`` to members with unique names. A memory that is listed twice becomes one member."""
    expanded: list[Member] = []
    absent: list[Absence] = []
    notices: list[str] = []
    until = time.monotonic() + _MOST_OF_FLEET
    for entry in entries:
        new, wrong, notice = _expanded(entry, here, until)
        expanded += new
        absent += wrong
        notices += notice
    names: set[str] = set()
    places: dict[tuple[str, ...], str] = {}
    members: list[Member] = []
    for member in expanded:
        address = (member.path, member.repository, member.revision, member.folder, member.engine, member.profile)
        if address in places:
            notices.append(f"{member.place}: is listed more than once; it counts as one member, {places[address]}")
            continue
        own = _own_name(member, names)
        names.add(own)
        places[address] = own
        members.append(replace(member, name=own))
    return Fleet(name, tuple(members), tuple(absent), tuple(notices))


def is_repository(folder: Path) -> bool:
    """True if ``folder`` is a git repository, bare or with a work tree."""
    try:
        return any((place / "HEAD").is_file() and (place / "objects").is_dir() for place in (folder, folder / ".git"))
    except OSError:
        return False


def _expanded(entry: FleetEntry, here: Path, until: float) -> tuple[list[Member], list[Absence], list[str]]:
    try:
        place = str(here / Path(entry.places[0]).expanduser())
    except RuntimeError:
        return (
            [],
            [_unusable(entry.name, f"{entry.places[0]}: its ~ does not name a user of this machine; correct it")],
            [],
        )
    if entry.spaces:
        return _spaces(entry, Path(place))
    if entry.repository:
        if not is_repository(Path(place)):
            return [], [_unusable(entry.name, f"{place}: not a git repository; give a folder as path instead")], []
        return [_member(entry, Path(place).resolve(), is_git=True)], [], []
    if not is_glob(entry.path):
        return [_member(entry, Path(place))], [], []
    return _globbed(entry, place, until)


def _unusable(name: str, why: str) -> Absence:
    return Absence(name, why, AbsenceKind.ENTRY)


def _spaces(entry: FleetEntry, data: Path) -> tuple[list[Member], list[Absence], list[str]]:
    members = []
    for folder in space_folders(data):
        tree = folder / TREE
        if tree.is_dir():
            name = space_at(tree, data).name or folder.name
            members.append(replace(_member(entry, tree), name=f"{entry.name}-{name}" if entry.name else name))
    return members, [] if members else [_unusable(entry.name, f"{data}: contains no ByteRover V4 spaces")], []


def _globbed(entry: FleetEntry, pattern: str, until: float) -> tuple[list[Member], list[Absence], list[str]]:
    if max(map(len, Path(pattern).parts)) > _LONGEST_PART:
        why = f"{shortened(pattern)}: a name in the pattern has more than {_LONGEST_PART:,} characters; shorten it"
        return [], [_unusable(entry.name, why)], []
    members: list[Member] = []
    other = 0
    places, left_out = _glob(pattern, until)
    absent = [_unusable(entry.name, f"{pattern}: {left_out}")] if left_out else []
    known: set[str] = set()
    for place in places:
        is_bare = [*map(os.path.lexists, (f"{place}/HEAD", f"{place}/.git"))] == [True, False]
        is_git = is_bare and is_repository(Path(place))
        is_tree = os.path.lexists(f"{place}/{MARKER}") or place.endswith(f"/{TREE}")
        if not is_git and not is_tree:
            other += 1
        elif (real := os.path.realpath(place)) not in known:  # many links may lead to the same folder
            known.add(real)
            member = _member(entry, Path(place if is_tree else real), is_git=not is_tree)
            if is_tree and entry.revision != NEWEST:
                absent.append(_unusable(member.name, f"{place}: {_NO_REVISION}"))
            else:
                members.append(member)
    if not members:
        why = f"{pattern}: no memory there; choose folders with a {MARKER}, or bare repositories"
        return [], absent or [_unusable(entry.name, why)], []
    others = counted(other, "place is not a memory", "places are not memories")
    without = f"{pattern}: {others} (no {MARKER}, and no bare repository)"
    return members, absent, [without] if other else []


def _glob(pattern: str, end: float) -> tuple[list[str], str]:
    """Returns the absolute paths that match ``pattern``, sorted, and a message if the search stopped early (otherwise
    empty). Visits the highest folders first, up to a limit on entries and time, and not after the time ``end`` of the
    monotonic clock. ``**`` does not follow symlinks.
    """
    top, *parts = Path(pattern).parts
    pending, looked, until = deque([(top, 0)]), 0, min(end, time.monotonic() + _MOST_SECONDS)
    seen = {*pending}
    while pending and looked < _MOST_LOOKED and time.monotonic() < until:
        for below in islice(_below(*pending.popleft(), parts), _MOST_LOOKED - looked):
            looked += 1
            if below is not None and below not in seen:
                seen.add(below)
                pending.append(below)
    stopped = f"stopped after {counted(looked, 'file or folder', 'files and folders')}; choose folders further down"
    return sorted(place for place, number in seen if number == len(parts)), stopped if pending else ""


def _below(folder: str, number: int, parts: Sequence[str]) -> Iterator[tuple[str, int] | None]:
    """Matches the entries of ``folder`` against the part of the pattern with the given ``number``.

    Yields each matching entry with the number of the part to match below it, and None for each other entry. A folder
    that cannot be read or has disappeared has no entries.
    """
    part, is_last = "".join(parts[number : number + 1]), number + 1 == len(parts)
    if part == _ANY_DEPTH:
        yield folder, number + 1
    elif not is_glob(part):
        yield (f"{folder.rstrip('/')}/{part}", number + 1) if part and os.path.lexists(f"{folder}/{part}") else None
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if part == _ANY_DEPTH:
                yield (entry.path, number) if leads_to_folder(entry, follow_symlinks=False) else None
            else:
                is_place = fnmatchcase(entry.name, part) and (is_last or leads_to_folder(entry))
                yield (entry.path, number + 1) if is_place else None


def _member(entry: FleetEntry, place: Path, is_git: bool = False) -> Member:
    single = entry.name if not is_glob(entry.path) else ""
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
    """Returns the member's name. If it is taken, adds the parent folder or a number."""
    above = Path(member.path or member.repository).parent.name
    numbered = (f"{member.name}-{number}" for number in count(2))
    return next(name for name in chain((member.name, f"{above}-{member.name}"), numbered) if name not in taken)
