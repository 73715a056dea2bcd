"""Percentiles and a description of the machine, shared by the benchmarks."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from os import cpu_count


def percentile(values: Sequence[float], share: float) -> float:
    """The value that ``share`` (0..1) of ``values`` do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def setting() -> str:
    """A line about the machine and Python, without names."""
    return f"{cpu_count()} cores, {platform.system()} {platform.machine()}, Python {sys.version.split()[0]}"


def peak_mb() -> float:
    """The peak memory of this process, in MB (10^6 bytes)."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6
