"""Computes the tree's fingerprint. A cached answer is used only if its fingerprint still matches.

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
    """True if the fingerprint covers files with this ``role``. With ``with_derived``, it covers all roles."""
    return with_derived or role in SEARCHABLE or role is Role.ABSTRACT


def fingerprint(files: Iterable[tuple[str, int]]) -> str:
    """Returns the fingerprint of ``files``, which are pairs of absolute path and modification time in whole
    milliseconds.

    The result has 16 hexadecimal digits. It is ``empty`` if there are no files.
    """
    listed = list(files)
    if not listed:
        return EMPTY
    # The folder that all paths share does not affect the order. A non-ASCII letter in it would make sorting slow.
    shared = _shared_folder([path for path, _ in listed])
    ordered = in_locale_order(listed, lambda item: item[0][len(shared) :])
    return of_lines(fingerprint_line(path, mtime) for path, mtime in ordered)


def fingerprint_line(path: str, mtime_ms: int) -> str:
    """Returns the line for one file in the fingerprint's input."""
    return f"{path}:{mtime_ms}"


def of_lines(lines: Iterable[str]) -> str:
    """Returns the fingerprint for ``lines``, which must be in the locale order of their paths."""
    text = "|".join(lines)
    if not text:
        return EMPTY
    return hashlib.md5(text.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()[:_LENGTH]


def _shared_folder(paths: list[str]) -> str:
    first, last = min(paths), max(paths)
    same = next((place for place, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))
    return first[:same].rpartition("/")[0]
