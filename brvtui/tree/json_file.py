"""JSON files that may hold anything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from brvtui.tree.regular import read_regular


def read_json(path: Path) -> Any:
    """The value in the JSON file at ``path``.

    Raises OSError when it cannot be read, ValueError when it is no JSON in UTF-8 (or nested beyond reason).
    """
    try:
        return json.loads(read_regular(path).decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
