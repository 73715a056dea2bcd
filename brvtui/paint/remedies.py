"""What a remedy gives beside a rank, and what speaks against it."""

from __future__ import annotations

from brvtui.trace import Explanation, Remedy

_DIRECT = 2
"""ByteRover's last tier without a model."""


def remarks(explanation: Explanation, remedy: Remedy) -> list[str]:
    """Returns what ``remedy`` of ``explanation`` gives beside its rank, then what is not as wanted after it.

    In a few words each; empty where the rank says it all.
    """
    found = [remedy.gain] if remedy.gain else []
    if remedy.is_used is False:
        found.append("listed, but the answer does not use it")
    if explanation.trace.tier == _DIRECT and remedy.tier is not None and remedy.tier > _DIRECT:
        found.append("the query then needs a model")
    return found
