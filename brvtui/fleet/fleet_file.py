"""``fleet.toml``: the entries of a fleet, read and added to."""

from __future__ import annotations

import os
import shlex
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from brvtui import faults
from brvtui.disk import writing
from brvtui.fleet.members import AbsenceKind
from brvtui.regular_files import read_regular
from brvtui.store.folders import with_home
from brvtui.typed_tables import ProfileError, Range, merged, parse_tables, typed

NAME = "fleet.toml"
_LARGEST = 4 * 1_048_576
_NO_FILE = "add a first member with brv-tui fleet add{}, or name places with --over"


class FleetError(ValueError):
    """A fleet, or a member of one, that cannot be used. The message is one line: which file, why, and what to do."""

    def __init__(self, line: str, kind: AbsenceKind = AbsenceKind.OTHER) -> None:
        """``kind`` is that of the absence which this makes of a member."""
        super().__init__(line)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class FleetEntry:
    """A table ``[[member]]`` of the file: one memory, or several by a glob or a data folder."""

    name: str = ""
    path: str = ""
    """A folder or a glob."""
    repository: str = ""
    """A git repository, whose objects are read."""
    spaces: str = ""
    """A data folder of ByteRover V4: each of its spaces is a member."""
    revision: str = "HEAD"
    folder: str = ".brv/context-tree"
    engine: str = ""
    profile: str = ""
    weight: Annotated[float, Range(0, 1_000_000, is_open=True)] = 1.0
    owner: str = ""

    @property
    def places(self) -> tuple[str, ...]:
        """Those of ``path``, ``repository`` and ``spaces`` that are given."""
        return tuple(filter(None, (self.path, self.repository, self.spaces)))


_DEFAULTS = asdict(FleetEntry())


def read_entries(file: Path) -> tuple[str, tuple[FleetEntry, ...], tuple[str, ...]]:
    """The fleet's name, its entries, and a line for each entry that cannot be used.

    Raises :class:`FleetError` for a file that is missing or is no fleet.
    """
    try:
        tables = parse_tables(read_regular(file, _LARGEST, follow_links=True))
    except FileNotFoundError as error:
        named = "" if file == Path(NAME) else f" --fleet {shlex.quote(str(file))}"
        raise FleetError(f"{file}: no such file; {_NO_FILE.format(named)}") from error
    except (OSError, ValueError) as error:
        why = faults.reason(error) if isinstance(error, OSError) else str(error)
        raise FleetError(f"{file}: cannot be read as a fleet ({why})") from error
    listed, name = tables.pop("member", []), tables.pop("name", "")
    if tables or not isinstance(listed, list) or not isinstance(name, str):
        unknown = ", ".join(tables) or "member or name"
        raise FleetError(f"{file}: {unknown} cannot be used: a fleet has a name and tables [[member]]")
    entries, wrong = [], []
    for number, table in enumerate(listed, start=1):
        try:
            entries.append(_entry(table, f"{file}: member {number}"))
        except FleetError as error:
            wrong.append(str(error))
    return name or file.resolve().parent.name, tuple(entries), tuple(wrong)


def _entry(table: Any, origin: str) -> FleetEntry:
    if not isinstance(table, dict):
        raise FleetError(f"{origin}: must be a table")
    try:
        entry = typed(FleetEntry, merged(_DEFAULTS, table), "", origin)
    except ProfileError as error:
        raise FleetError(str(error)) from error
    if len(entry.places) != 1:
        raise FleetError(f"{origin}: give one of path, repository and spaces")
    return entry


def _address(entry: FleetEntry, file: Path) -> tuple[list[str], str]:
    """What an entry of ``file`` names, however its path is written, and the revision of it."""
    places = [os.path.normpath(file.absolute().parent / with_home(place)) for place in entry.places]
    return places, entry.revision


def add_entry(file: Path, entry: FleetEntry) -> None:
    """Appends ``entry`` to the file, which keeps its comments and order; makes the file if there is none.

    Raises :class:`FleetError` when it is listed already or the file cannot be changed, and OSError.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    held: tuple[FleetEntry, ...] = ()
    text = ""
    if file.exists():
        _, held, _ = read_entries(file)
        text = read_regular(file, _LARGEST, follow_links=True).decode("utf-8")
    if any(_address(one, file) == _address(entry, file) for one in held):
        raise FleetError(f"{file}: {entry.places[0]} is listed already")
    given = {key: value for key, value in asdict(entry).items() if value != _DEFAULTS[key]}
    try:
        document = tomlkit.parse(text)
        table = tomlkit.table()
        table.update(given)
        document.setdefault("member", tomlkit.aot()).append(table)
        made = tomlkit.dumps(document)
        tomllib.loads(made)
        data = made.encode()
    except UnicodeEncodeError as error:
        raise FleetError(f"{entry.places[0]}: not UTF-8, as a fleet file has to be; name it by a link") from error
    except (TOMLKitError, ValueError, AttributeError) as error:
        raise FleetError(f"{file}: cannot be added to without touching the rest; edit it by hand") from error
    writing.write(file.resolve(), data, private=False)
