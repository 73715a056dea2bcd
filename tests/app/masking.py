"""What differs from one run to the next, taken out of what the app shows: milliseconds, and the folder it runs in."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from brvtui.trace import Trace


def without_timings(method: Callable[..., Trace]) -> Callable[..., Trace]:
    """``method``, whose traces hold no milliseconds."""

    def masked(*args: Any, **kwargs: Any) -> Trace:
        made = method(*args, **kwargs)
        made.timings.clear()
        return made

    return masked


def fingerprint(files: Iterable[tuple[str, int]]) -> str:
    """The fingerprint of a tree, but of the names of its files, not of their absolute paths."""
    text = ",".join(f"{Path(place).name}:{mtime}" for place, mtime in files)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def any_place(path: Path) -> str:
    """A place outside the test's own folders, with the name of ``path``."""
    return f"~/.local/share/brv/projects/garden/{path.name}"
