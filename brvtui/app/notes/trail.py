"""The notes that were gone through by following links, to go back and forward."""

from __future__ import annotations

from dataclasses import dataclass

_LONGEST = 100


@dataclass(frozen=True, slots=True)
class Trail:
    """Notes before and after the one that is shown, the nearest last."""

    back: tuple[str, ...] = ()
    ahead: tuple[str, ...] = ()

    def jumped(self, here: str) -> Trail:
        """The trail after a jump away from ``here``: there is nothing ahead any more."""
        return Trail((*self.back, here)[-_LONGEST:] if here else self.back)

    def step(self, way: int, here: str) -> tuple[str, Trail]:
        """The note one step back (-1) or ahead (1) of ``here``, and the trail from there; empty when there is none."""
        source = self.back if way < 0 else self.ahead
        if not source:
            return "", self
        left = (here,) if here else ()
        if way < 0:
            return source[-1], Trail(source[:-1], (*self.ahead, *left)[-_LONGEST:])
        return source[-1], Trail((*self.back, *left)[-_LONGEST:], source[:-1])
