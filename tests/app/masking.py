"""Removes run-dependent text from the app's output: milliseconds, and the run's folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from brvtui.trace import Trace


def without_timings(method: Callable[..., Trace]) -> Callable[..., Trace]:
    """Wraps ``method`` so that its traces have no timings."""

    def masked(*args: Any, **kwargs: Any) -> Trace:
        result = method(*args, **kwargs)
        result.timings.clear()
        return result

    return masked


def fingerprint(files: Iterable[tuple[str, int]]) -> str:
    """The fingerprint of a tree from its relative file names instead of absolute paths."""
    text = ",".join(f"{Path(place).name}:{mtime}" for place, mtime in files)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def any_place(path: Path) -> str:
    """A path outside the test's own folders, with the name of ``path``."""
    return f"~/.local/share/brv/projects/garden/{path.name}"
