"""The queries that the user ran on one tree, newest last."""

from __future__ import annotations

import json
from pathlib import Path

from brvtui.store import atomic
from brvtui.store.folders import tree_folder
from brvtui.tree.reading.json_file import read_json

_FILE = "history.json"


class History:
    """Run queries of one context tree, each once, in the tool's data folder."""

    def __init__(self, tree: Path, most: int) -> None:
        """The history of ``tree``, of at most ``most`` queries; the file need not exist."""
        self._most = most
        self.path = tree_folder(tree) / _FILE

    def read(self) -> list[str]:
        """The queries, oldest first; empty when there are none or the file is broken."""
        try:
            value = read_json(self.path)
        except (OSError, ValueError):
            return []
        return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []

    def add(self, query: str) -> list[str]:
        """The queries with ``query`` as the newest, written. Raises OSError when the folder cannot be written."""
        if not self._most:
            return []
        with atomic.locked(self.path):
            kept = [*(item for item in self.read() if item != query), query]
            queries = kept[-self._most :]
            atomic.write(self.path, json.dumps(queries, indent=0))
        return queries
