"""How the user shared the screen among panes on one project."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from brvtui.store import atomic
from brvtui.store.folders import tree_folder
from brvtui.tree.reading.json_file import read_json

_FILE = "layout.json"


class LayoutStore:
    """Layouts of one context tree by the screen's title, as plain data, in the tool's data folder."""

    def __init__(self, tree: Path) -> None:
        """The layouts of ``tree``; the file need not exist."""
        self.path = tree_folder(tree) / _FILE

    def read(self) -> dict[str, Any]:
        """What was written; empty when there is nothing or the file is broken."""
        try:
            value = read_json(self.path)
        except (OSError, ValueError):
            return {}
        return value if isinstance(value, dict) else {}

    def write(self, layouts: Mapping[str, Any]) -> None:
        """Replaces what is there; nothing remains of none. Raises OSError when the folder cannot be written."""
        if layouts:
            atomic.write(self.path, json.dumps(layouts, indent=1, sort_keys=True))
        else:
            self.path.unlink(missing_ok=True)
