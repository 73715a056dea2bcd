"""Finds the space that belongs to a folder (``docs/reference/byterover-v4.md``, "Where a query looks").

The messages of :class:`SpaceError` are V4's own.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brvtui import faults
from brvtui.regular_files import read_within
from brvtui.tree.reading.json_file import LARGEST_JSON, read_json_or_none, whole_number

# Parses JSON like the engine's runtime, with the same error messages.


_CONTEXT = 10
"""The number of characters that an error message quotes before and after the error. Shorter texts are quoted in full.
"""
_WORDS = {
    "Expecting ':' delimiter": "Expected ':' after property name in JSON",
    "Extra data": "Unexpected non-whitespace character after JSON",
    "Invalid control character at": "Bad control character in string literal in JSON",
    "Invalid \\escape": "Bad escaped character in JSON",
    "Invalid \\uXXXX escape": "Bad Unicode escape in JSON",
}
_NAME, _DELIMITER, _UNTERMINATED = "Expecting property name", "Expecting ',' delimiter", "Unterminated string"


def parse_json(text: str) -> Any:
    """Returns the value of the JSON ``text``. Raises ValueError with the runtime's message if it is not JSON."""
    try:
        return json.loads(text, parse_int=whole_number, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ValueError(_message(text, error)) from None
    except _Constant as error:
        raise ValueError(_unexpected(text, text.find(str(error)))) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


class _Constant(Exception):
    """Raised for a number that JSON does not allow."""


def _no_constant(name: str) -> Any:
    raise _Constant(name)


def _message(text: str, error: json.JSONDecodeError) -> str:
    place = error.pos
    if error.msg.startswith(_UNTERMINATED):
        return f"Unterminated string in JSON at position {len(text)}"
    if text[place:].strip(" \t\n\r") == "" and not (
        error.msg.startswith(_NAME) and text[:place].rstrip().endswith("{")
    ):
        return "Unexpected end of JSON input"
    if error.msg.startswith(_NAME):
        after_comma = text[:place].rstrip(" \t\n\r").endswith(",")
        wanted = "double-quoted property name" if after_comma else "property name or '}'"
        return f"Expected {wanted} in JSON at position {place}"
    if error.msg == _DELIMITER:
        ends = "'}' after property value" if _in_object(text[:place]) else "']' after array element"
        return f"Expected ',' or {ends} in JSON at position {place}"
    words = _WORDS.get(error.msg)
    return f"{words} at position {place}" if words else _unexpected(text, place)


def _unexpected(text: str, place: int) -> str:
    start, end = max(0, place - _CONTEXT), min(len(text), place + _CONTEXT)
    if len(text) <= 2 * _CONTEXT:
        start, end = 0, len(text)
    quoted = f'{"..." if start else ""}"{text[start:end]}"{"... " if end < len(text) else " "}'
    return f"Unexpected token '{text[place : place + 1]}', {quoted}is not valid JSON"


def _in_object(before: str) -> bool:
    """True if ``before``, a valid beginning of a JSON text, ends inside an object rather than an array."""
    depth: list[str] = []
    is_text = is_escaped = False
    for letter in before:
        if is_text:
            is_text = is_escaped or letter != '"'
            is_escaped = letter == "\\" and not is_escaped
        elif letter == '"':
            is_text = True
        elif letter in "{[":
            depth.append(letter)
        elif letter in "}]" and depth:
            depth.pop()
    return bool(depth) and depth[-1] == "{"


MARKER = ".brvspace"
TREE = "context-tree"
METADATA = "metadata.json"
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_LONGEST_NAME = 100
_UNFIT = re.compile(r"[\x00-\x1f\x7f/\\]")


class SpaceError(Exception):
    """Raised if no space can be queried. The message and the ``code``, which may be empty, are V4's."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class SpaceFolder:
    """A space on disk. Its ``source`` is ``marker``, ``binding``, ``default``, ``root``, ``name`` or ``cloud``."""

    tree: Path
    data: Path
    """V4's data folder, which contains the space."""
    source: str
    id: str = ""
    """The space's id; empty for a tree whose folder name is not a UUID."""
    name: str = ""
    folder: Path | None = None
    """The folder that contains the marker, or that is bound to the space; None for other sources."""
    team: str = ""
    """The id of the space's team, if several synced spaces are queried together."""

    @property
    def signals(self) -> Path:
        """The folder of the space's signals."""
        return signals_of_tree(self.tree)

    @property
    def has_id(self) -> bool:
        """True if answers can name the space, because its folder's name is a UUID."""
        return is_uuid(self.tree.parent.name)


def signals_of_tree(tree: Path) -> Path:
    """Returns the signals folder of the space whose tree is ``tree``."""
    return tree.parent / "state" / "signals"


def is_uuid(name: str) -> bool:
    """True if ``name`` is a valid space id."""
    return _UUID.fullmatch(name) is not None


def data_folder(environment: Mapping[str, str]) -> Path:
    """Returns V4's data folder, which depends on the platform and on V4's variables in ``environment``."""
    configured = environment.get("BRV_DATA_DIR", "")
    if configured:
        return Path(configured).absolute()
    name = environment.get("BRV_DATA_DIRNAME", "").strip() or "brv"
    home = Path(environment.get("HOME") or Path.home())
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / name
    if sys.platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local") / name
    shared = Path(environment.get("XDG_DATA_HOME", ""))
    return (shared if shared.is_absolute() else home / ".local" / "share") / name


def find_space(start: Path, data: Path) -> SpaceFolder:
    """Finds the space for the folder ``start``: from the nearest marker, else from a binding, else the default space.

    Raises :class:`SpaceError`.
    """
    marked = find_marker(start)
    bindings = read_bindings(data)
    if marked is not None:
        identity, name = read_marker(marked)
        source, folder = "marker", marked.parent
    else:
        bound = bound_folder(start, bindings)
        if bound is not None:
            folder, identity = bound
            source, name = "binding", ""
        else:
            default = bindings.get("defaultSpaceId")
            if not isinstance(default, str) or not is_uuid(default):
                raise SpaceError(
                    "No default space configured. Open the ByteRover desktop app to create one, "
                    "or pass a space_id explicitly.",
                    "no-default",
                )
            source, identity, name, folder = "default", default, "", start
    deleted = _listed(bindings, "deletedSpaces")
    if any(isinstance(entry, dict) and entry.get("space_id") == identity for entry in deleted):
        raise SpaceError(f"Space {identity} is deleted.", "space-deleted")
    tree = data / "projects" / identity / TREE
    if not tree.is_dir():
        raise SpaceError(
            f'No context tree found for {folder} (space_id: "{identity}"). Run `space bind "<name>"` from this folder '
            "to link it to an existing space (create one in the ByteRover desktop app first if none exists)."
        )
    own = None if source == "default" else folder
    return SpaceFolder(tree, data, source, identity, name or _name_of(tree.parent), own)


def is_of_folder(space: SpaceFolder, folder: Path) -> bool:
    """True if V4 would query ``space`` in ``folder``. It may query a different one only if the user named ``space``."""
    if space.source not in ("name", "root"):
        return True
    try:
        return find_space(folder, space.data).id == space.id
    except SpaceError:
        return False


def is_bound(start: Path, data: Path) -> bool:
    """True if there is a marker or a binding for ``start`` or for a folder above it."""
    return find_marker(start) is not None or bound_folder(start, read_bindings(data)) is not None


def space_called(name: str, data: Path) -> SpaceFolder:
    """Finds the space called ``name`` in its metadata. Raises :class:`SpaceError`."""
    for folder in space_folders(data):
        if _name_of(folder) == name and (folder / TREE).is_dir():
            return SpaceFolder(folder / TREE, data, "name", folder.name, name)
    raise SpaceError(f'No space named "{name}" found. Run `space list` to see available spaces.')


def space_at(tree: Path, data: Path) -> SpaceFolder:
    """Returns the space whose tree is the folder ``tree``. Raises :class:`SpaceError`."""
    if not tree.is_dir():
        raise SpaceError(f"No context tree found at {tree}.")
    folder = tree.resolve().parent
    identity = folder.name if is_uuid(folder.name) else ""
    return SpaceFolder(tree.resolve(), data, "root", identity, _name_of(folder) if identity else "")


def space_folders(data: Path) -> list[Path]:
    """Returns the folders of all spaces in ``data``, sorted by their paths."""
    try:
        with os.scandir(data / "projects") as found:
            return sorted(Path(entry.path) for entry in found if is_uuid(entry.name) and entry.is_dir())
    except OSError:
        return []


def space_names(data: Path) -> list[str]:
    """Returns the sorted names of the spaces in ``data`` that have a tree."""
    return sorted({_name_of(folder) for folder in space_folders(data) if (folder / TREE).is_dir()} - {""})


def find_marker(start: Path) -> Path | None:
    """Returns the marker in ``start``, or in the nearest folder above it that contains one; None if there is none."""
    for folder in (start, *start.parents):
        try:
            if (folder / MARKER).is_file():
                return folder / MARKER
        except OSError:
            continue
    return None


def read_marker(marker: Path) -> tuple[str, str]:
    """Reads the space id and name in ``marker``. Raises :class:`SpaceError`."""

    def invalid(what: str) -> SpaceError:
        return SpaceError(f"Invalid {MARKER} marker: {what} (at {marker})")

    try:
        value = parse_json(read_within(marker.parent, marker, LARGEST_JSON).decode("utf-8", "replace"))
    except ValueError as error:
        raise invalid(f"not valid JSON ({error})") from None
    except OSError as error:
        raise invalid(f"cannot be read ({faults.reason(error)})") from error
    if not isinstance(value, dict):
        raise invalid("not an object")
    for key in ("space_id", "space_name"):
        if not isinstance(value.get(key), str):
            raise invalid(f"missing '{key}' field")
    identity, name = value["space_id"], value["space_name"]
    if not is_uuid(identity):
        raise invalid("'space_id' is not the id of a space")
    if not 1 <= len(name) <= _LONGEST_NAME or name != name.strip() or _UNFIT.search(name):
        raise invalid("'space_name' is not the name of a space")
    return identity, name


def bound_folder(start: Path, bindings: Mapping[str, Any]) -> tuple[Path, str] | None:
    """Returns the nearest bound folder at or above ``start``, and the id of its space; None if there is none."""
    above = {str(folder) for folder in (start, *start.parents)}
    found = [
        (entry["folder"], entry["space_id"])
        for entry in _listed(bindings, "bindings")
        if isinstance(entry, dict)
        and isinstance(entry.get("folder"), str)
        and isinstance(entry.get("space_id"), str)
        and is_uuid(entry["space_id"])
        and not entry.get("removedAt")
        and entry["folder"] in above
    ]
    if not found:
        return None
    folder, identity = max(found, key=lambda pair: len(pair[0]))
    return Path(folder), identity


def read_bindings(data: Path) -> Mapping[str, Any]:
    """Reads the bindings file in ``data``; empty if the file is missing or malformed."""
    value = read_json_or_none(data / "bindings.json")
    return value if isinstance(value, dict) else {}


def _listed(bindings: Mapping[str, Any], key: str) -> list[Any]:
    value = bindings.get(key)
    return value if isinstance(value, list) else []


def _name_of(folder: Path) -> str:
    value = read_json_or_none(folder / METADATA)
    name = value.get("space_name") if isinstance(value, dict) else None
    return name if isinstance(name, str) else ""
