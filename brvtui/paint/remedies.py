"""What speaks against a remedy."""

from __future__ import annotations

from brvtui.trace import Explanation, Remedy

_DIRECT = 2
"""ByteRover's last tier without a model."""


def drawbacks(explanation: Explanation, remedy: Remedy) -> list[str]:
    """Returns what is not as wanted after ``remedy`` of ``explanation``, in a few words each; empty for nothing."""
    found = []
    if remedy.is_used is False:
        found.append("listed, but the answer does not use it")
    if explanation.trace.tier == _DIRECT and remedy.tier is not None and remedy.tier > _DIRECT:
        found.append("the query then needs a model")
    return found
