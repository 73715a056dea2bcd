"""The tree's fingerprint, which must match before a cached answer is used.

See ``docs/reference/byterover.md``, "The cache".
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from brvtui.tree.reading.files import SEARCHABLE, Role
from brvtui.tree.reading.javascript import in_locale_order

EMPTY = "empty"
_LENGTH = 16


def is_covered(role: Role, with_derived: bool = False) -> bool:
    """True if the fingerprint covers files with this role. If ``with_derived`` is set, it covers all roles."""
    return with_derived or role in SEARCHABLE or role is Role.ABSTRACT


def fingerprint(files: Iterable[tuple[str, int]]) -> str:
    """16 hexadecimal digits, computed from the absolute path and mtime (whole ms) of each covered file; ``empty`` for
    none.
    """
    listed = list(files)
    if not listed:
        return EMPTY
    # The shared folder does not affect the order, and a non-ASCII letter in it would make sorting slow.
    shared = _shared_folder([path for path, _ in listed])
    ordered = in_locale_order(listed, lambda item: item[0][len(shared) :])
    return of_lines(fingerprint_line(path, mtime) for path, mtime in ordered)


def fingerprint_line(path: str, mtime_ms: int) -> str:
    """The line for one file in the fingerprint's input."""
    return f"{path}:{mtime_ms}"


def of_lines(lines: Iterable[str]) -> str:
    """The fingerprint for ``lines``, which must be in the locale order of their paths."""
    text = "|".join(lines)
    if not text:
        return EMPTY
    return hashlib.md5(text.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()[:_LENGTH]


def _shared_folder(paths: list[str]) -> str:
    first, last = min(paths), max(paths)
    same = next((place for place, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))
    return first[:same].rpartition("/")[0]
