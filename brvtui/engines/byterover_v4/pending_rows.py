"""Reads the rows that V4 has not sent yet. Each contains a query with its printed answer.

V4 has no log of queries. It appends rows for all spaces to one file in its data folder, and empties the file after
sending the rows (``docs/reference/byterover-v4.md``, "Log"). The file therefore contains the newest queries, or none.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brvtui.engines.byterover_v4.command_line import read_command_line
from brvtui.regular_files import read_end
from brvtui.tree.engine_files.query_log import ENGINE, LONGEST_RESPONSE, LogEvidence, LoggedQuery
from brvtui.tree.reading.json_file import number_of

if TYPE_CHECKING:
    from brvtui.tree.watching.watch import Watching

ROWS = "analytics-pending-identity.jsonl"
"""The name of the file with the rows in V4's data folder."""
LARGEST_READ = 8 * 1_048_576
"""The maximum number of bytes that are read. Only the end of a larger file is read."""
_COMMANDS = ("query", "search", "recall")
_MOST_CHUNKS = 10_000
_MOST_AT_ONCE = 500
_LOOK_SECONDS = 1.0
_RECALL_LIMIT = "5"
"""The default number of topics that ``recall`` returns."""


@dataclass(frozen=True, slots=True)
class _Command:
    """A command that was run: its last row, and its arguments and result, which may be split over several rows."""

    at_ms: float
    row: Mapping[str, Any]
    arguments: tuple[str, ...]
    result: Mapping[str, Any]
    space: str
    """The id of the searched space; empty if no row contains it."""


class PendingRows:
    """The queries over some spaces, read from the rows that V4 has not yet sent."""

    def __init__(self, data: Path, spaces: Iterable[str], root: Path | None) -> None:
        """Prepares to read the rows in the data folder ``data`` that name one of ``spaces`` by id.

        A row that names no space is included if its working folder is ``root`` or a folder below it. Without ``root``,
        such rows are left out.
        """
        self._file = data / ROWS
        self._spaces = frozenset(spaces)
        self._root = root.resolve() if root is not None else None
        self._ended: threading.Event | None = None

    @property
    def place(self) -> Path:
        """The path of the file with the rows."""
        return self._file

    def read(self, most: int) -> list[LoggedQuery]:
        """The ``most`` newest queries, newest first. Broken rows and rows of other spaces are left out."""
        try:
            lines = read_end(self._file, LARGEST_READ).split(b"\n")
        except OSError:
            return []
        queries = [_logged(command) for command in _commands(lines) if self._is_ours(command)]
        return queries[: -most - 1 : -1]

    def evidence(self, most: int) -> LogEvidence:
        """The same queries, without those whose rows V4 has sent and removed."""
        return LogEvidence(self.read(most))

    def follow(self, answered: Callable[[list[LoggedQuery]], None]) -> Watching:
        """Calls ``answered`` from another thread with the queries of new rows, oldest first.

        The file is checked once a second, because watching its folder would also report changes to all other spaces.
        """
        from brvtui.tree.watching.watch import Watching

        self.unfollow()
        self._ended = ended = threading.Event()
        state = _state(self._file)
        seen = set(map(_key, self.read(_MOST_AT_ONCE)))

        def look() -> None:
            nonlocal state
            while not ended.wait(_LOOK_SECONDS):
                before, state = state, _state(self._file)
                if state == before:
                    continue
                new = [entry for entry in reversed(self.read(_MOST_AT_ONCE)) if _key(entry) not in seen]
                seen.update(map(_key, new))
                if new:
                    answered(new)

        threading.Thread(target=look, name="rows of V4", daemon=True).start()
        return Watching("brv-tui checks one file", _LOOK_SECONDS)

    def unfollow(self) -> None:
        """Stops following the file."""
        if self._ended is not None:
            self._ended.set()
            self._ended = None

    def _is_ours(self, command: _Command) -> bool:
        if command.space:
            return command.space in self._spaces
        folder = command.row.get("cwd")
        return self._root is not None and isinstance(folder, str) and Path(folder).is_relative_to(self._root)


def _commands(lines: Iterable[bytes]) -> Iterator[_Command]:
    """Yields the queries in ``lines``, in order. The pieces of a long answer are joined."""
    searched: list[tuple[str, str]] = []  # the query and space from rows that precede the row of their command
    pieces: dict[str, dict[int, str]] = {}
    for line in lines:
        try:
            row = json.loads(line)
            at_ms = datetime.fromisoformat(row["occurred_at"]).timestamp() * 1000
            properties = row["properties"]
            if "space_id" in properties:
                searched.append((str(properties.get("query", "")), str(properties["space_id"])))
            elif properties["command"] in _COMMANDS and (whole := _whole(properties, pieces)) is not None:
                arguments = tuple(whole["args"])
                query = read_command_line(arguments).query
                space = next((one for one in reversed(searched) if one[0] == query), None)
                if space is not None:
                    searched.remove(space)
                yield _Command(at_ms, properties, arguments, dict(whole["result"]), space[1] if space else "")
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
            continue  # a truncated row, or one of another version


def _whole(row: Mapping[str, Any], pieces: dict[str, dict[int, str]]) -> Mapping[str, Any] | None:
    """The arguments and result of a command; None until its last piece has been read."""
    if "group_id" not in row:
        return row
    name = str(row["group_id"])
    group = pieces.setdefault(name, {})
    if len(group) < _MOST_CHUNKS:
        group[int(row["chunk_index"])] = row["chunk"]
    if len(group) < row["chunk_total"]:
        return None
    del pieces[name]
    value = json.loads("".join(group[place] for place in sorted(group)))
    return value if isinstance(value, Mapping) else None


def _logged(command: _Command) -> LoggedQuery:
    """The log entry for ``command``, without values whose type differs from V4's."""
    line = read_command_line(command.arguments)
    data, is_recall = command.result.get("data"), command.row.get("command") == "recall"
    printed = data if isinstance(data, Mapping) else {}
    matches = printed.get("matchedDocs" if is_recall else "hits")
    hits = [hit for hit in matches if isinstance(hit, Mapping)] if isinstance(matches, list) else []
    paths = tuple(hit["path"] for hit in hits if isinstance(hit.get("path"), str))
    failed = command.result.get("ok") is not True
    argv = list(command.arguments)
    if is_recall:  # no other flag of recall changes an answer
        argv = [*line.words, "--limit", line.text("limit") or _RECALL_LIMIT]
    scope = "" if is_recall else line.text("scope")
    return LoggedQuery(
        at_ms=command.at_ms,
        query=line.query,
        who=ENGINE,
        status="error" if failed else "completed",
        took_ms=number_of(command.row.get("duration_ms")),
        top_score=number_of(hits[0].get("score")) if hits else None,
        total_found=len(hits),
        paths=paths,
        not_covered=not failed and not hits,
        scope=scope,
        engine="byterover_v4",
        problem=str(command.result.get("error") or "") if failed else "",
        options={"argv": argv},
        response=_response(printed, hits)[:LONGEST_RESPONSE],
    )


def _response(printed: Mapping[str, Any], hits: list[Mapping[str, Any]]) -> str:
    """The text that the agent received: the citation block and the snippets, or the joined files of ``recall``."""
    content = printed.get("content")
    if isinstance(content, str):
        return content
    block = printed.get("citation_block")
    snippets = [f"{hit.get('path')}: {hit.get('snippet')}" for hit in hits]
    return "\n".join([*([block] if isinstance(block, str) and block else []), *snippets])


def _key(entry: LoggedQuery) -> tuple[object, ...]:
    return entry.at_ms, entry.query, entry.scope, entry.paths


def _state(file: Path) -> tuple[int, int] | None:
    try:
        stat = file.lstat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size
