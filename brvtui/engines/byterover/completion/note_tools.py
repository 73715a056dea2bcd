"""The tools that a model may call. They only read data, and only from one snapshot (``docs/reference/byterover.md``,
"The calls").
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

from brvtui import faults
from brvtui.engines.byterover.profile import Context
from brvtui.engines.byterover.route.prompt import TREE_PREFIX
from brvtui.engines.byterover.search.search import SearchOptions, search
from brvtui.regular_files import open_regular, read_open
from brvtui.services.model import Tool
from brvtui.snapshot import Snapshot
from brvtui.tree.editing.archive import StubError, read_stub
from brvtui.tree.reading.contents import Unseen, read_bytes
from brvtui.tree.reading.files import CONTEXT_FILE
from brvtui.tree.reading.inside import PathError, entry_in, folder_parts_of
from brvtui.tree.reading.links import LinkState, Names, links_in
from brvtui.wording import nearest

# Names from a model or a note cannot be trusted. These functions find the files of a snapshot that they name, and no
# name may lead outside the tree.


class PathRefused(Exception):
    """A name that matches no file or must not be followed. The message is the one-line reason."""


def bare(name: str) -> str:
    """``name`` without trailing slashes, and without the prefixes that precede paths in answers."""
    return name.strip().removeprefix("./").removeprefix(TREE_PREFIX).rstrip("/")


def found(snapshot: Snapshot, name: str) -> str | None:
    """The path of the file ``name``, or of the file that represents the folder ``name``; None if there is none."""
    path = bare(name)
    for file in (path, f"{path}/{CONTEXT_FILE}"):
        if file in snapshot.parsed:
            return file
    summary = snapshot.summaries.get(path)
    return None if summary is None else summary.file


def note_at(snapshot: Snapshot, name: str) -> str:
    """The path of the file that ``name`` refers to. Raises :class:`PathRefused` if there is none."""
    file = found(snapshot, name)
    if file is not None:
        return file
    path = bare(name)
    try:
        folder_parts_of(path)
    except PathError as error:
        raise PathRefused(str(error)) from None
    compared = len(snapshot.parsed) < _FEW and len(path) < _LONG
    raise PathRefused(f"{path}: no such note{nearest(path, snapshot.parsed) if compared else ''}")


def text_of(snapshot: Snapshot, path: str) -> str:
    """The text of the file at ``path`` (one of :attr:`Snapshot.parsed`) as the engine reads it.

    The path is opened folder by folder, so that a symlink created after the snapshot cannot lead outside the tree.
    Raises :class:`PathRefused`.
    """
    if path in snapshot.edited:
        return snapshot.edited[path]
    entry = snapshot.parsed[path]
    trees = {"": snapshot.project.tree, **{source.alias: source.tree for source in snapshot.project.sources}}
    try:
        with entry_in(trees[entry.alias], entry.file) as place:
            opened = open_regular(place.name, place.folder)
            try:
                data = read_open(opened, os.fstat(opened), path, snapshot.limits.max_file_bytes)
            finally:
                os.close(opened)
        return read_bytes(data, snapshot.limits).text
    except (OSError, PathError, Unseen) as error:
        why = faults.reason(error) if isinstance(error, OSError) else str(error)
        raise PathRefused(f"{path}: cannot be read ({why})") from None


_FEW = 2_000
"""In a tree with this many names or more, no similar name is suggested, because all names would have to be compared."""
_LONG = 500
"""For a name of this length or more, no similar name is suggested."""


_LONGEST_QUERY = 500
_LONGEST_ARGUMENTS = 4096
_DEEPEST = 16
_HALF = re.compile("[\ud800-\udfff]")
_TEXT: dict[str, Any] = {"type": "string"}


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a tool call. ``text`` is JSON, so that a note's text cannot end the string that contains it."""

    text: str
    refused: str = ""
    read: tuple[str, ...] = ()
    """The files whose text is in the result."""


def _tool(name: str, description: str, required: str, **properties: Any) -> Tool:
    schema = {"type": "object", "properties": properties, "required": [required], "additionalProperties": False}
    return Tool(name, description, schema)


_PATH = {**_TEXT, "description": "a path below the context tree, as results give it"}
TOOLS = (
    _tool(
        "search",
        "Searches the notes by words; results with path, title and score, without texts.",
        "query",
        query={**_TEXT, "description": "the words to search for"},
        scope={**_TEXT, "description": "a folder to search in; empty for the whole tree"},
        limit={"type": "integer", "minimum": 1, "description": "how many results"},
    ),
    _tool("read_note", "The text of a note, or of what stands for a folder.", "path", path=_PATH),
    _tool(
        "list_folder",
        "The notes and folders in a folder.",
        "path",
        path={**_PATH, "description": "a folder's path below the context tree; empty for the tree itself"},
    ),
    _tool("follow_relations", "The notes that a note links to.", "path", path=_PATH),
    _tool("expand_stub", "The full text of an archived note, by the path of its stub.", "path", path=_PATH),
)


class NoteTools:
    """The tools that a model may call on one snapshot."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._snapshot = context.snapshot
        self._profile = context.constants
        self._tools: Mapping[str, Callable[[Mapping[str, Any]], Result]] = {
            "search": self._search,
            "read_note": self._read_note,
            "list_folder": self._list_folder,
            "follow_relations": self._follow_relations,
            "expand_stub": self._expand_stub,
        }

    def call(self, name: str, arguments: str) -> Result:
        """The result of the tool ``name`` for the JSON object ``arguments``; a refusal if the call is invalid."""
        tool = self._tools.get(name)
        if tool is None:
            return refusal(f"there is no tool {name[:60]!r}; there are {', '.join(self._tools)}")
        parsed = arguments_of(arguments)
        if parsed is None:
            return refusal("the arguments are not a JSON object: write one, as the tool's schema says")
        if len(arguments) > _LONGEST_ARGUMENTS:
            return refusal(f"the arguments are longer than {_LONGEST_ARGUMENTS} characters")
        try:
            return tool({name: value for name, value in parsed.items() if value is not None})
        except PathRefused as error:
            return refusal(str(error))

    def _search(self, arguments: Mapping[str, Any]) -> Result:
        query, scope = _text(arguments, "query"), bare(_text(arguments, "scope", ""))
        if len(query) > _LONGEST_QUERY:
            raise PathRefused(f"the query is longer than {_LONGEST_QUERY} characters: search for fewer words")
        if scope and scope not in self._snapshot.hierarchy.by_path:
            raise PathRefused(f"there is no folder {scope} to search in; leave scope out to search the whole tree")
        limit = arguments.get("limit", self._profile.search.limit)
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise PathRefused("limit must be a whole number of 1 or more")
        options = SearchOptions(min(limit, self._profile.agent.most_listed), scope=scope)
        found = search(self._context, query, options)
        results = [{"path": hit.path, "title": hit.title, "kind": hit.kind, "score": hit.score} for hit in found.hits]
        return _result({"totalFound": found.total_found, "results": results})

    def _read_note(self, arguments: Mapping[str, Any]) -> Result:
        path = note_at(self._snapshot, _text(arguments, "path"))
        return self._whole(path, text_of(self._snapshot, path))

    def _list_folder(self, arguments: Mapping[str, Any]) -> Result:
        path = bare(_text(arguments, "path", ""))
        hierarchy = self._snapshot.hierarchy
        folder = hierarchy.by_path.get(path)
        if path and (folder is None or not folder.is_folder):
            note_at(self._snapshot, f"{path}/")  # raises PathRefused with the reason if the path itself is wrong
            raise PathRefused(f"{path}: not a folder")
        children = folder.children if folder else hierarchy.roots
        shown = children[: self._profile.agent.most_listed]
        entries = [
            {"path": child.path, "kind": "folder" if child.is_folder else "note", "title": child.name}
            for child in shown
        ]
        return _result({"folder": path, "entries": entries, "leftOut": len(children) - len(shown)})

    def _follow_relations(self, arguments: Mapping[str, Any]) -> Result:
        path = note_at(self._snapshot, _text(arguments, "path"))
        own = self._snapshot.parsed[path]
        resolved = [self._names[own.alias].resolve(link, own.file) for link in links_in(text_of(self._snapshot, path))]
        relations: dict[str, dict[str, str]] = {}
        for one in resolved:
            if one.state in (LinkState.NOTE, LinkState.FOLDER):
                target = f"[{own.alias}]:{one.path}" if own.alias else one.path
                relations[target] = {"path": target, "title": self._title(target), "as": one.link.kind}
            elif one.state in (LinkState.BROKEN, LinkState.REFUSED):
                relations[one.link.target] = {"path": one.link.target, "title": "", "as": one.state}
        shown = list(relations.values())[: self._profile.agent.most_listed]
        return _result({"path": path, "relations": shown, "leftOut": len(relations) - len(shown)})

    def _expand_stub(self, arguments: Mapping[str, Any]) -> Result:
        path = note_at(self._snapshot, _text(arguments, "path"))
        try:
            stub = read_stub(text_of(self._snapshot, path))
        except StubError as error:
            raise PathRefused(f"{path}: no stub of an archived note ({error})") from None
        alias = self._snapshot.parsed[path].alias
        full = note_at(self._snapshot, f"[{alias}]:{stub.points_to}" if alias else stub.points_to)
        return self._whole(full, text_of(self._snapshot, full))

    def _whole(self, path: str, text: str) -> Result:
        limit = self._profile.agent.note_chars
        cut = {"cutAfter": limit, "of": len(text)} if len(text) > limit else {}
        return _result({"path": path, "title": self._title(path), "text": text[:limit], **cut}, (path,))

    def _title(self, path: str) -> str:
        entry = self._snapshot.parsed.get(path)
        return entry.title if entry else ""

    @cached_property
    def _names(self) -> Mapping[str, Names]:
        """The file names of each tree, keyed by the tree's alias, for resolving links."""
        files: dict[str, list[str]] = {}
        for entry in self._snapshot.parsed.values():
            files.setdefault(entry.alias, []).append(entry.file)
        return {alias: Names(paths) for alias, paths in files.items()}


def refusal(why: str) -> Result:
    """The result of a call that was refused for the reason ``why``."""
    return Result(json.dumps({"error": why}, ensure_ascii=False), why)


def arguments_of(text: str) -> dict[str, Any] | None:
    """The JSON object in ``text``; ``{}`` if ``text`` is empty. None if it contains no JSON object, or an object that
    cannot be sent back.
    """
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and _is_sendable(value, _DEEPEST) else None


def _is_sendable(value: Any, levels: int) -> bool:
    """True if services accept ``value``: it is nested at most ``levels`` deep, its text is valid Unicode, and its
    numbers are finite.

    Python's JSON parser also accepts ``NaN``, ``1e400`` and half a surrogate pair, which JSON or UTF-8 cannot
    represent.
    """
    match value:
        case str():
            return not _HALF.search(value)
        case float():
            return isfinite(value)
        case dict():
            parts: Iterable[Any] = (*value, *value.values())
        case list():
            parts = value
        case _:
            return True
    return levels > 0 and all(_is_sendable(part, levels - 1) for part in parts)


def _result(value: Mapping[str, Any], read: tuple[str, ...] = ()) -> Result:
    return Result(json.dumps(value, ensure_ascii=False), "", read)


def _text(arguments: Mapping[str, Any], name: str, default: str | None = None) -> str:
    value = arguments.get(name, default)
    if not isinstance(value, str) or (default is None and not value.strip()):
        raise PathRefused(f"{name} must be a text")
    return value
