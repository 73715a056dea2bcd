"""A request for an answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ask:
    """One request for a trace; ``number`` orders them."""

    number: int
    query: str
    scope: str
    run: bool
    without_model: bool = False
    """Whether no model is asked this time, although one would."""
