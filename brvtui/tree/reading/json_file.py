"""JSON files that may hold anything, and the numbers in them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from brvtui.tree.reading.regular import read_regular


def read_json(path: Path) -> Any:
    """The value in the JSON file at ``path``.

    Raises OSError when it cannot be read, ValueError when it is no JSON in UTF-8 (or nested beyond reason).
    """
    try:
        return json.loads(read_regular(path).decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def number_of(value: Any) -> float | None:
    """``value`` when it is a finite number, else None."""
    if type(value) is float:  # nearly all signals are; a tree may have hundreds of thousands
        return value if math.isfinite(value) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
