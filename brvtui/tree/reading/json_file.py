"""Reads JSON files with unknown content, and checks the numbers in them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from brvtui.regular_files import read_regular
from brvtui.timing import FIRST_MS, LAST_MS

LARGEST_JSON = 8 * 1_048_576
"""The size limit of a JSON file in bytes. A parsed file of this size can need 200 MB of memory."""
LARGEST_NAMED_JSON = 32 * 1_048_576
"""The size limit, in bytes, of a JSON file named on the command line, such as the signals of 200,000 notes."""

_EXACT_DIGITS = 308
"""The maximum number of digits of an integer that is read exactly. A longer one may be infinite in JavaScript, and
Python refuses to read more than 4,300 digits.
"""


def read_json(path: Path, most: int = LARGEST_JSON, follow_links: bool = False) -> Any:
    """Reads the value in the JSON file at ``path``, like :func:`brvtui.regular_files.read_regular`.

    Raises OSError if the file cannot be read, and ValueError if it is not JSON in UTF-8 or is nested too deeply.
    """
    try:
        return json.loads(read_regular(path, most, follow_links).decode("utf-8"), parse_int=whole_number)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def whole_number(digits: str) -> float:
    """The number that ``digits`` represent in JSON. As in JavaScript, it is infinite if no float is large enough."""
    return int(digits) if len(digits) <= _EXACT_DIGITS else float(digits)


def read_json_or_none(path: Path, most: int = LARGEST_JSON) -> Any:
    """Reads the value in the JSON file at ``path``. Returns None if the file is missing, unreadable or not JSON."""
    try:
        return read_json(path, most)
    except (OSError, ValueError):
        return None


def moment_of(value: Any) -> float | None:
    """Returns ``value`` if it is a time in milliseconds in the years 1000 to 8999; otherwise None."""
    number = number_of(value)
    return number if number is not None and FIRST_MS <= number < LAST_MS else None


def number_of(value: Any) -> float | None:
    """Returns ``value`` if it is a finite number; otherwise None."""
    if type(value) is float:  # nearly all signals are floats, and a tree may have hundreds of thousands of them
        return value if math.isfinite(value) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
