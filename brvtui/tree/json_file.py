"""JSON files that may hold anything."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any


def read_json(path: Path) -> Any:
    """The value in the JSON file at ``path``.

    Raises OSError when it cannot be read, ValueError when it is no JSON in UTF-8 (or nested beyond reason).
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
