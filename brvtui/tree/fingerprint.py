"""The tree's fingerprint, which a cached answer must share (``docs/engine.md``, "The cache")."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from brvtui.tree.collation import in_locale_order
from brvtui.tree.files import SEARCHABLE, Role

EMPTY = "empty"
_LENGTH = 16


def is_covered(role: Role) -> bool:
    """Whether the fingerprint covers files of this role."""
    return role in SEARCHABLE or role is Role.ABSTRACT


def fingerprint(files: Iterable[tuple[str, int]]) -> str:
    """16 hexadecimal digits over (absolute path, mtime in whole ms) of the covered files; ``empty`` for none."""
    ordered = in_locale_order(list(files), lambda item: item[0])
    if not ordered:
        return EMPTY
    text = "|".join(f"{path}:{mtime}" for path, mtime in ordered)
    return hashlib.md5(text.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()[:_LENGTH]
