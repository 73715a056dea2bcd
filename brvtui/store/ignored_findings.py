"""The findings about a memory's health that the user ignores, in one file per tree."""

from __future__ import annotations

from pathlib import Path

from brvtui.disk import writing
from brvtui.disk.locks import locked
from brvtui.store.folders import tree_folder
from brvtui.store.state_file import read_state_or_none, write_state

_FILE = "ignored-findings.json"
FindingKey = tuple[str, ...]
"""The kind of a finding, followed by its notes or, without notes, by its queries."""


class IgnoredFindings:
    """The ignored findings of one tree. The file is created with the first one."""

    def __init__(self, tree: Path) -> None:
        """Creates the list for ``tree``; its file need not exist."""
        self._path = tree_folder(tree) / _FILE

    def read(self) -> frozenset[FindingKey]:
        """Returns the keys of the ignored findings; none if the file is missing or damaged."""
        value = read_state_or_none(self._path)
        rows = value if isinstance(value, list) else []
        return frozenset(
            tuple(row) for row in rows if isinstance(row, list) and all(isinstance(part, str) for part in row)
        )

    def put(self, key: FindingKey, is_ignored: bool) -> None:
        """Adds or removes ``key``. Raises OSError if the data folder is not writable."""
        writing.make_folder(self._path.parent)
        with locked(self._path.parent):
            write_state(self._path, sorted((self.read() - {key}) | ({key} if is_ignored else set())))
