"""Percentiles and the setting, shared by the benchmarks."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from os import cpu_count


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` (0..1) of ``values`` lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def setting() -> str:
    """Machine and Python, in one line, without names."""
    return f"{cpu_count()} cores, {platform.system()} {platform.machine()}, Python {sys.version.split()[0]}"


def peak_mb() -> float:
    """The most memory that this process has held, in MB (10^6 bytes)."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6
